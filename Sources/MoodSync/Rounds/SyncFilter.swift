import JSONCodec
import Platform

/// Programs that encode lines for the transport and decode them, such as age or gpg. The user names them. They run
/// without a shell, once for each line of a log and for each piece of a snapshot.
public struct SyncFilter: Sendable, Equatable {
    /// The program and its arguments.
    public let push: [String]
    public let pull: [String]

    private static let milliseconds = 60_000

    /// - Throws: the reason why the commands are invalid.
    public init(push: [String], pull: [String]) throws(SyncError) {
        for (name, words) in [("push", push), ("pull", pull)] {
            guard let program = words.first, !program.isEmpty, !program.hasPrefix("-"), !program.contains("="),
                words.count <= 64, !words.contains(where: { $0.utf8.contains(0) || $0.utf8.count > 4096 })
            else { throw .refused(reason: "filter.\(name) must be a program and its arguments.") }
        }
        (self.push, self.pull) = (push, pull)
    }

    /// Reads `{push: [program, …], pull: [program, …]}`.
    public init(_ value: JSONValue) throws(SyncError) {
        try self.init(
            push: value["push"]?.array?.map { $0.string ?? "" } ?? [],
            pull: value["pull"]?.array?.map { $0.string ?? "" } ?? [])
    }

    func seal(_ bytes: [UInt8], isCancelled: @escaping @Sendable () -> Bool) throws(SyncError) -> [UInt8] {
        try Self.run(push, "push", bytes, isCancelled)
    }

    /// - Throws: `unopened` if the program itself says so, because the bytes were never sealed, or by another filter.
    func open(_ bytes: [UInt8], isCancelled: @escaping @Sendable () -> Bool) throws(SyncError) -> [UInt8] {
        try Self.run(pull, "pull", bytes, isCancelled)
    }

    private static func run(
        _ words: [String], _ name: String, _ bytes: [UInt8], _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(SyncError) -> [UInt8] {
        let program = AwaitedProgram(
            words: ["--"] + words, milliseconds: milliseconds, isWhole: false, isCancelled: isCancelled)
        let answer: (status: ChildProcess.Status?, output: [UInt8])
        do throws(AwaitedProgram.Failure) { answer = try program.run(bytes) } catch {
            switch error {
            case .notStarted(let error): throw .refused(reason: "filter.\(name) cannot be run: \(error).")
            case .unfinished: throw .refused(reason: "filter.\(name), \(words[0]), did not come to its end.")
            case .cancelled: throw .cancelled
            }
        }
        guard answer.status == .exited(0), !answer.output.isEmpty else {
            let reason = "filter.\(name), \(words[0]), has failed. Nothing was sent that it did not see."
            if case .exited(let code)? = answer.status, name == "pull", code < 126 { throw .unopened(reason: reason) }
            throw .refused(reason: reason)
        }
        return answer.output
    }
}
