import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

extension Core {
    /// Writes a page of the past, at once or later.
    mutating func page(
        _ what: PastJob.What, _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let job = PastJob(
            what: what, limit: min(arguments[MoodParams.changes], options.limits[.listPage]),
            cursor: arguments[MoodParams.cursor]?.withDecoded { Array($0) })
        if isLong(what, request) {
            return readBesideLoop { (store, work, answer) throws in
                try job.run(&store, to: &answer) { work.isCancelled }
            }
        }
        try job.run(&store, to: &out) { false }
        return nil
    }

    private func isLong(_ what: PastJob.What, _ request: borrowing Request) -> Bool {
        guard path != nil, !request.ways.contains(.atOnce) else { return false }
        if case .deleted = what { return store.isDeletedLong() }
        return store.isPastLong()
    }

    mutating func undelete(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let (id, now) = (arguments[MoodParams.id], now)
        if path != nil, !request.ways.contains(.atOnce), store.isPastLong() {
            return changeBesideLoop(
                Method(MoodMethods.undelete), arguments, .init(message: "Reading", done: 0, total: 0)
            ) { (store, _, answer) throws in try store.undelete(id, at: now, to: &answer) }
        }
        try store.undelete(id, at: now, to: &out)
        return nil
    }

    mutating func resolve(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        var texts: [String] = []
        arguments[MoodParams.texts].forEachElement { texts.append($0.text?.string ?? "") }
        let found = try store.resolve(texts.map { TextFormat.idDigits($0.utf8) })
        out.beginObject()
        out.member("items", array: zip(texts, found)) { element, out in
            let (text, ids) = element
            out.beginObject()
            out.member("text", text)
            out.member("ids", array: ids) { id, out in out.string(id.text) }
            out.endObject()
        }
        out.endObject()
    }
}

/// A page of the past: everything it needs besides the store, so that any thread can make it.
struct PastJob: Sendable {
    enum What {
        case history(MoodID)
        case log, deleted
    }

    let what: What
    let limit: Int
    let cursor: [UInt8]?

    /// - Parameter isCancelled: called now and then.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter, isCancelled: () -> Bool
    ) throws {
        switch what {
        case .history(let id): try store.history(id, limit: limit, cursor: cursor, to: &out)
        case .log: try store.log(limit: limit, cursor: cursor, to: &out)
        case .deleted: try store.deleted(limit: limit, cursor: cursor, to: &out, isCancelled: isCancelled)
        }
    }
}
