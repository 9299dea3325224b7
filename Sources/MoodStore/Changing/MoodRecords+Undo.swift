import JSONCodec
import MoodCore
import Storage

/// Undo and redo. (SwiftUI: the `UndoManager` of the environment; Redux: redux-undo; here durable, as new commits.)
extension MoodRecords {
    /// Undoes this session's last commits, or redoes the last undone ones, in the commit of the present request.
    ///
    /// A restored mood has all its earlier members except `updatedAt` and `revision`, which are the new commit's.
    /// - Returns: the commits that were undone or redone, in that order; empty if there are none.
    ///
    /// - Parameters:
    ///   - ofStore: whether to take all commits of the store, by any process. In memory these are the session's.
    ///   - goOn: called now and then with the moods done and their number; false ends it with `StorageError.cancelled`.
    public mutating func undo(
        _ request: UndoRequest, ofStore: Bool, at now: Timestamp, goOn: (_ done: Int, _ total: Int) -> Bool
    ) throws(MoodStoreError) -> [UndoneCommit] {
        // Earlier requests of the group must be durable before they can be undone.
        do throws(StorageError) { try flushEarly() } catch { throw .storage(error) }
        var plan: RecordStore.UndoWork
        do throws(UndoFailure) {
            var request = request
            request.isOfSession = !ofStore
            plan = try records.planUndo(request)
        } catch {
            switch error {
            case .refused(let refusal): throw .undoRefused(refusal)
            case .storage(let error): throw .storage(error)
            }
        }
        var scratch = JSONWriter(capacity: 1024)
        var done = 0
        let count = plan.count
        func step() throws(MoodStoreError) {
            if done % Self.undoStep == 0, !goOn(done, count) { throw .storage(.cancelled) }
            done += 1
        }
        for (_, bytes) in plan.targets {
            try step()
            scratch.rewind(to: 0)
            try restore(bytes, at: now, &scratch)
        }
        plan.targets = []
        for part in plan.parts {
            do throws(StorageError) {
                try records.records(of: part).forEach { (bytes) throws(StorageError) in
                    if done % Self.undoStep == 0, !goOn(done, count) { throw .cancelled }
                    done += 1
                    scratch.rewind(to: 0)
                    try restore(bytes, at: now, &scratch)
                }
            } catch {
                throw .storage(error)
            }
        }
        for id in plan.removed {
            try step()
            do throws(StorageError) { _ = try records.remove(id) } catch { throw .storage(error) }
        }
        return plan.commits
    }

    private static let undoStep = 512

    /// Whether `undo` may take so long that other requests should not wait for it: it reads large files, or the session
    /// has changed a lot.
    public mutating func isUndoLong(ofStore: Bool) -> Bool {
        // A small store may have been large before the commit.
        ofStore
            ? records.byteCount > Self.undoAtOnceBytes || isPastLong() : records.undoableBytes > Self.undoAtOnceBytes
    }

    private static let undoAtOnceBytes = 1 << 20

    mutating func restore(
        _ record: [UInt8], at now: Timestamp, _ scratch: inout JSONWriter
    ) throws(MoodStoreError) {
        var fault: StorageError?
        record.withUnsafeBytes { bytes in
            do throws(StorageError) { try restore(bytes, at: now, &scratch) } catch { fault = error }
        }
        if let fault { throw .storage(fault) }
    }

    private mutating func restore(
        _ record: UnsafeRawBufferPointer, at now: Timestamp, _ scratch: inout JSONWriter
    ) throws(StorageError) {
        var mood = MoodMembers(trusting: ValidJSON(trusting: record))
        mood.updatedAt = moodTime(now)
        mood.revision = records.nextRevision
        mood.write(to: &scratch)
        guard let head = RecordHead(mood: mood) else { return }
        try records.put(head, scratch.buffer.bytes)
    }

    /// Prevents undoing anything up to here, which no request of the session did.
    public mutating func forgetUndo() { records.forgetUndo() }

    /// The number of commits, including the open one.
    public var revision: Int { records.revision }
}
