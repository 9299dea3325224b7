import JSONCodec
import Platform

/// Programs that encode lines for the transport and decode them, such as age or gpg. The user names them. They run
/// without a shell, once for each line of a log and for each piece of a snapshot.
public struct SyncFilter: Sendable, Equatable {
    /// The program and its arguments.
    public let push: [String]
    public let pull: [String]

    private static let milliseconds = 60_000
    private static let outputBytesMax = 64 << 20

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

    func seal(_ bytes: [UInt8]) throws(SyncError) -> [UInt8] { try Self.run(push, "push", bytes) }
    func open(_ bytes: [UInt8]) throws(SyncError) -> [UInt8] { try Self.run(pull, "pull", bytes) }

    private static func run(_ words: [String], _ name: String, _ bytes: [UInt8]) throws(SyncError) -> [UInt8] {
        var child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess.start(path: "/usr/bin/env", arguments: ["--"] + words, output: .pipe)
        } catch {
            throw .refused(reason: "filter.\(name) cannot be run: \(error).")
        }
        child.stopWaiting()
        guard let output = exchange(&child, bytes) else {
            child.kill()
            _ = child.wait()
            throw .refused(reason: "filter.\(name), \(words[0]), did not come to its end.")
        }
        guard child.wait() == .exited(0), !output.isEmpty else {
            throw .refused(reason: "filter.\(name), \(words[0]), has failed. Nothing was sent that it did not see.")
        }
        return output
    }

    /// Writes and reads at the same time, because either side may block.
    /// - Returns: nil if it takes too long, or prints too much.
    private static func exchange(_ child: inout ChildProcess, _ bytes: [UInt8]) -> [UInt8]? {
        let (input, output, end) = (EventSources.Name(0), EventSources.Name(1), EventSources.Name(2))
        var sources = EventSources()
        var found: [UInt8] = []
        var sent = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { room.deallocate() }
        sources.listen(to: child.input, as: input, for: .writing)
        sources.listen(to: child.output, as: output, for: .reading)
        sources.setDeadline(end, at: Clock.monotonicMilliseconds + milliseconds)
        while true {
            let occurrence = sources.next()
            if occurrence == .due(end) { return nil }
            if occurrence == .readable(output) || occurrence == .closed(output) {
                switch PipeEnd.read(child.output, into: room) {
                case nil: continue
                case 0?: return found
                case let count?: found += room[..<count]
                }
                if found.count > outputBytesMax { return nil }
            } else {
                let count: Int? = bytes.withUnsafeBytes { bytes in
                    PipeEnd.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]), to: child.input)
                }
                sent += count ?? bytes.count
                // The program has closed its input, or all is sent.
                if count == nil || sent >= bytes.count {
                    sources.forget(input)
                    child.closeInput()
                }
            }
        }
    }
}
