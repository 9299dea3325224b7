import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

extension Core {
    mutating func history(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let id = arguments[MoodParams.id]
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.history(id, limit: arguments[MoodParams.changes], cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func log(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.log(limit: arguments[MoodParams.changes], cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func deleted(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.deleted(limit: arguments[MoodParams.changes], cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func undelete(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try openForWriting()
        do throws(MoodStoreError) {
            try store.undelete(arguments[MoodParams.id], at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    mutating func resolve(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
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
