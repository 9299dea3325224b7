import JSONCodec
import JSONRPC

/// The result of an AI client's request from several native calls. It is complete when the last of them is.
final class ModelWork: LaterWork {
    /// The outcome of a call.
    typealias Outcome = Result<[UInt8], RPCError>
    /// Writes the result.
    typealias Finish = (inout Core, [Outcome], inout JSONWriter) throws -> Void

    enum Part {
        case done(Outcome)
        case later(any LaterWork)
    }

    private let parts: [Part]
    private let write: Finish
    let progressToken: [UInt8]?
    private var conclusions: [Int: Conclusion] = [:]
    /// The last reported progress; MCP requires it to grow.
    private var toldProgress = -1.0

    init(_ parts: [Part], _ progressToken: ValidJSON?, _ write: @escaping Finish) {
        self.parts = parts
        self.progressToken = progressToken.map { Array($0.bytes) }
        self.write = write
    }

    private var works: [any LaterWork] {
        parts.compactMap { part in
            switch part {
            case .done: nil
            case .later(let work): work
            }
        }
    }

    var isLater: Bool { !works.isEmpty }

    /// Writes the result if no part comes later.
    func finish(_ core: inout Core, to out: inout JSONWriter) throws {
        let outcomes: [Outcome] = parts.compactMap { part in
            switch part {
            case .done(let outcome): outcome
            case .later: nil
            }
        }
        try write(&core, outcomes, &out)
    }

    // MARK: Later work

    func begin(_ core: inout Core) -> Bool {
        var isDone = false
        for work in works where work.begin(&core) { isDone = true }
        return isDone
    }

    func cancel() { for work in works { work.cancel() } }

    var deadline: Int? { works.compactMap(\.deadline).min() }
    var isOfHelper: Bool { works.contains(where: \.isOfHelper) }
    var isOfModel: Bool { true }
    var end: JSONValue? { works.last?.end.flatMap(progress) }

    func takeProgress() -> JSONValue? {
        for work in works {
            if let news = work.takeProgress().flatMap(progress) { return news }
        }
        return nil
    }

    /// Converts `{done, total, message}` to the members of `notifications/progress`.
    private func progress(_ value: JSONValue) -> JSONValue? {
        guard let done = value["done"]?.double ?? value["progress"]?.double, done > toldProgress else { return nil }
        toldProgress = done
        var members: [JSONValue.Member] = [.init("progress", .double(done))]
        if let total = value["total"]?.double, total > 0 { members.append(.init("total", .double(total))) }
        if let message = value["message"]?.string { members.append(.init("message", .string(message))) }
        return .object(members)
    }

    func takeConclusion() -> Conclusion? {
        for (place, part) in parts.enumerated() {
            guard case .later(let work) = part, conclusions[place] == nil else { continue }
            guard let conclusion = work.takeConclusion() else { return nil }
            conclusions[place] = conclusion
        }
        let (parts, conclusions, write) = (parts, conclusions, write)
        return { (core, out) throws in
            var outcomes: [Outcome] = []
            for (place, part) in parts.enumerated() {
                switch part {
                case .done(let outcome): outcomes.append(outcome)
                case .later:
                    var native = JSONWriter(capacity: 1024)
                    do {
                        try conclusions[place]?(&core, &native)
                        outcomes.append(.success(native.buffer.withBytes { Array($0) }))
                    } catch {
                        let error = RPCError(error, .read)
                        // A cancelled request is answered with "cancelled".
                        if error.code == .cancelled { throw error }
                        outcomes.append(.failure(error))
                    }
                }
            }
            let start = out.count
            try write(&core, outcomes, &out)
            core.writeDamage(in: &out, from: start)
        }
    }
}
