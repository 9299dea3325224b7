import Platform
import Storage

/// Compaction, and the state of the files at the end.
extension MoodRecords {
    /// Begins a compaction in the background if one is due and none runs.
    public mutating func compactWhenDue() {
        guard !isWritableMemory, records.wantsCompaction, !helper.isRunning else { return }
        // After a failure it waits until the journal has grown.
        if records.generation == compacted.generation, records.byteCount < compacted.bytes / 16 * 17 { return }
        compacted = (records.generation, records.byteCount)
        startCompaction()
    }

    /// Ends a session with nothing pending. It compacts the session's changes, so that the store opens fast the next
    /// time. Work that is not done in time is left out without harm. Without any time it only makes sure that the files
    /// have all acknowledged data.
    public mutating func part(withinMilliseconds limit: Int) {
        guard hasCommitted, isOpen, !isWritableMemory else { return }
        let deadline = Clock.monotonicMilliseconds + limit
        let isIdle = helper.wait(milliseconds: limit)
        waitHere()
        do throws(StorageError) {
            try records.leave()
            try records.catchUp()
        } catch {
            // Time is over, so reading other processes' commits ends early. Acknowledged data is durable anyway.
            if case .cancelled = error { return }
            if case .directory(let settings) = location { settings.log("the store is not left whole: \(error.reason)") }
            return
        }
        guard limit > 0, isIdle, records.byteCount <= StoreFiles.partingBytesMax, records.wantsCompactionAtParting
        else { return }
        startCompaction()
        _ = helper.wait(milliseconds: deadline - Clock.monotonicMilliseconds)
    }

    private mutating func startCompaction() {
        guard let settings = settingsBeside, lockWait.descriptor < 0 else { return }
        let mode = lockWait.mode
        // No code would end a wait that began here: once the lock is taken, it would stay taken.
        if mode == .beside { lockWait.mode = .nowhere }
        defer { lockWait.mode = mode }
        // The next change repairs files that lack something, or reports why it cannot.
        do throws(StorageError) { try records.leave() } catch { return }
        let revision = records.durableRevision
        _ = helper.run {
            do throws(StorageError) {
                _ = try Compaction.run(settings, .moods, from: revision)
            } catch {
                // Another process is compacting, or has compacted.
                if case .busy = error { return }
                // The time of the process is over.
                if case .cancelled = error { return }
                settings.log("the store could not be compacted: \(error.reason)")
            }
        }
    }

    /// Settings for a background thread, which blocks while it waits for the lock; nil in memory.
    var settingsBeside: StoreSettings? {
        guard case .directory(var settings) = location else { return nil }
        settings.lockWait = nil
        return settings
    }

    /// Deletes the journals in `history/` that contain only commits below `revision`; nil deletes none.
    /// - Returns: the first revision from which all commits are kept.
    public mutating func shortenHistory(to revision: Int?) throws(StorageError) -> Int {
        try records.shortenHistory(to: revision)
    }
}
