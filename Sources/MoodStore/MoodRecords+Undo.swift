import JSONCodec
import MoodCore
import Storage

/// Undo and redo. (SwiftUI: the `UndoManager` of the environment; Redux: redux-undo; here durable, as new commits.)
extension MoodRecords {
    /// Undoes this session's last commits, or redoes what was undone last, in the commit of the present request.
    ///
    /// A mood that comes back has the members that it had, but for `updatedAt` and `revision`, which are the new commit's.
    /// - Returns: the commits that were undone or redone, in that order; empty where there are none.
    public mutating func undo(
        steps: Int, isRedo: Bool, at now: Timestamp
    ) throws(MoodStoreError) -> [UndoneCommit] {
        // What earlier requests of the group did must be certain before it can be taken back.
        do throws(StorageError) { try records.flushEarly() } catch { throw .storage(error) }
        let plan: (targets: RecordStore.UndoTargets, commits: [UndoneCommit])
        do throws(UndoRefusal) {
            plan = try records.planUndo(steps: steps, isRedo: isRedo)
        } catch {
            throw .undoRefused(error)
        }
        var scratch = JSONWriter(capacity: 1024)
        for case (_, let bytes?) in plan.targets {
            scratch.rewind(to: 0)
            bytes.withUnsafeBytes { restore($0, at: now, &scratch) }
        }
        for case (let id, nil) in plan.targets { _ = records.remove(id) }
        return plan.commits
    }

    private mutating func restore(_ record: UnsafeRawBufferPointer, at now: Timestamp, _ scratch: inout JSONWriter) {
        var mood = MoodMembers(trusting: ValidJSON(trusting: record))
        mood.updatedAt = moodTime(now)
        mood.revision = records.nextRevision
        mood.write(to: &scratch)
        if let head = RecordHead(mood: mood) { records.put(head, scratch.buffer.bytes) }
    }

    /// Nothing that was done up to here can be undone: it was no request of the session.
    public mutating func forgetUndo() { records.forgetUndo() }

    /// How many commits there have been, the open one included.
    public var revision: Int { records.revision }
}
