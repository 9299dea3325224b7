import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `store.undo` and `store.redo`.
extension Core {
    mutating func undo(
        _ arguments: borrowing Arguments, isRedo: Bool, _ out: inout JSONWriter
    ) throws(RPCError) {
        try openForWriting()
        let commits: [UndoneCommit]
        do throws(MoodStoreError) {
            commits = try store.undo(steps: arguments[StoreParams.steps], isRedo: isRedo, at: now)
        } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
        out.beginObject()
        out.key("revision")
        out.integer(store.revision)
        out.key("undone")
        out.beginArray()
        for commit in commits {
            out.beginObject()
            out.key("revision")
            out.integer(commit.revision)
            out.key("kind")
            out.string(commit.kind.rawValue)
            out.key("ids")
            out.beginArray()
            for id in commit.ids { out.string(id.text) }
            out.endArray()
            out.endObject()
        }
        out.endArray()
        out.endObject()
    }
}
