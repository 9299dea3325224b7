import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

extension Core {
    mutating func history(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let id = try Self.id(arguments)
        let cursor = arguments.text("cursor")?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.history(id, limit: arguments.integer("limit") ?? 50, cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }
}
