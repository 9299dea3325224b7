import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `store.undo` and `store.redo`.
extension Core {
    mutating func undo(
        _ asked: borrowing Request, _ arguments: borrowing Arguments, isRedo: Bool, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        var request = UndoRequest(isRedo: isRedo)
        request.steps = arguments[StoreParams.steps]
        request.revision = arguments[StoreParams.revision]
        // A plugin can undo only its own commits.
        request.origin = asked.caller.origin
        if request.origin != nil, path == nil {
            throw RPCError.refused(
                by: "store", "the moods are kept in memory", message: "A plugin can undo in a store on disk only.")
        }
        let job = UndoJob(
            request: request, isOfStore: arguments[StoreParams.scope] == .store || request.origin != nil, now: now)
        // The loop asks hooks, and `atOnce` requests need the result when they return: neither can go to the helper
        // thread.
        if path != nil, asked.ways.isDisjoint(with: [.atOnce, .again]), request.origin == nil,
            !pluginFlags.contains(.changeHooks), store.isUndoLong(ofStore: job.isOfStore)
        {
            return changeBesideLoop(
                isRedo ? Method(StoreMethods.redo) : Method(StoreMethods.undo), arguments,
                .init(message: isRedo ? "Redoing" : "Undoing", done: 0, total: 0)
            ) { (store, work, answer) throws in
                try job.run(&store, to: &answer) { (done, total) in
                    work.tell(done, total)
                    return !work.isCancelled
                }
            }
        }
        try job.run(&store, to: &out) { (_, _) in true }
        return nil
    }

    static func checkUndo(_ arguments: borrowing Arguments) throws {
        if arguments[has: StoreParams.revision], arguments[StoreParams.steps] != 1 {
            throw Arguments.error("cannot be given together with steps; leave out one of the two", at: "/revision")
        }
    }
}

/// `store.undo` or `store.redo`: everything it needs besides the store, so that any thread can do it.
struct UndoJob: Sendable {
    let request: UndoRequest
    /// Whether it undoes commits of any origin.
    let isOfStore: Bool
    let now: Timestamp

    /// Undoes in the commit of the present request, which stays open, and writes the answer.
    /// - Parameter goOn: called now and then with the number of moods done and their total; false cancels.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter, goOn: (_ done: Int, _ total: Int) -> Bool
    ) throws {
        let commits = try store.undo(request, ofStore: isOfStore, at: now, goOn: goOn)
        out.beginObject()
        out.member("revision", store.revision)
        out.member("undone", array: commits) { commit, out in
            out.beginObject()
            out.member("revision", commit.revision)
            out.member("kind", commit.kind.rawValue)
            out.member("ids", array: commit.ids) { id, out in out.string(id.text) }
            if commit.count > commit.ids.count { out.member("count", commit.count) }
            out.endObject()
        }
        out.endObject()
    }
}
