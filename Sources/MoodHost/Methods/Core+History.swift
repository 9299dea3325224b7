import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

extension Core {
    mutating func history(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let id = arguments[MoodParams.id]
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.history(id, limit: arguments[MoodParams.changes], cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func log(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.log(limit: arguments[MoodParams.changes], cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func deleted(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws(RPCError) -> (any LaterWork)? {
        let job = DeletedJob(
            limit: arguments[MoodParams.changes], cursor: arguments[MoodParams.cursor]?.withDecoded { Array($0) },
            bytesMax: options.limits[.messageBytes])
        if path != nil, !request.ways.contains(.atOnce), store.isDeletedLong() { return readBesideLoop(job) }
        try job.run(&store, to: &out) { false }
        return nil
    }

    mutating func undelete(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        do throws(MoodStoreError) {
            try store.undelete(arguments[MoodParams.id], at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func resolve(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        var texts: [String] = []
        arguments[MoodParams.texts].forEachElement { texts.append($0.text?.string ?? "") }
        let found: [[MoodID]]
        do throws(MoodStoreError) {
            found = try store.resolve(texts.map { TextFormat.idDigits($0.utf8) })
        } catch {
            throw RPCError(error)
        }
        out.beginObject()
        out.key("items")
        out.beginArray()
        for (text, ids) in zip(texts, found) {
            out.beginObject()
            out.key("text")
            out.string(text)
            out.key("ids")
            out.beginArray()
            for id in ids { out.string(id.text) }
            out.endArray()
            out.endObject()
        }
        out.endArray()
        out.endObject()
    }
}

/// `mood.deleted`: all that it takes besides the store, so that it can be done in any thread.
struct DeletedJob: Sendable {
    let limit: Int
    let cursor: [UInt8]?
    /// How long the answer may be.
    let bytesMax: Int

    /// - Parameter isCancelled: asked now and then.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter, isCancelled: () -> Bool
    ) throws(RPCError) {
        do throws(MoodStoreError) {
            try store.deleted(limit: limit, cursor: cursor, to: &out, isCancelled: isCancelled)
        } catch {
            throw RPCError(error)
        }
    }
}
