import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `store.undo` and `store.redo`.
extension Core {
    /// How many moods of a commit are named.
    private static let undoneNamesMax = 1000

    mutating func undo(
        _ arguments: borrowing Arguments, isRedo: Bool, _ out: inout JSONWriter
    ) throws(RPCError) {
        if arguments[has: StoreParams.revision], arguments[StoreParams.steps] != 1 {
            throw Arguments.error("cannot be given together with steps; leave out one of the two", at: "/revision")
        }
        try openForWriting()
        var request = UndoRequest(isRedo: isRedo)
        request.steps = arguments[StoreParams.steps]
        request.revision = arguments[StoreParams.revision]
        // A plugin takes back what it has done itself, and nothing else.
        request.origin = askingPlugin.map { "x.\($0)" }
        if request.origin != nil, path == nil {
            throw RPCError(
                .refused, "A plugin can undo in a store on disk only.",
                [.init("by", "store"), .init("reason", "the moods are kept in memory")])
        }
        let commits: [UndoneCommit]
        do throws(MoodStoreError) {
            commits = try store.undo(
                request, ofStore: arguments[StoreParams.scope] == .store || askingPlugin != nil, at: now)
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
            for id in commit.ids.prefix(Self.undoneNamesMax) { out.string(id.text) }
            out.endArray()
            if commit.ids.count > Self.undoneNamesMax {
                out.key("count")
                out.integer(commit.ids.count)
            }
            out.endObject()
        }
        out.endArray()
        out.endObject()
    }
}
