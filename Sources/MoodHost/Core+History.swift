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
}
