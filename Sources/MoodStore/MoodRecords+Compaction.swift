import Platform
import Storage

/// Compaction, and what is left in the files at the end.
extension MoodRecords {
    /// Begins a compaction beside the work on the store, if one is due and none is at it.
    public mutating func compactWhenDue() {
        guard !isWritableMemory, records.wantsCompaction, !helper.isRunning else { return }
        // One that failed is not tried again before the journal has grown.
        if records.generation == compacted.generation, records.byteCount < compacted.bytes / 16 * 17 { return }
        compacted = (records.generation, records.byteCount)
        startCompaction()
    }

    /// At the end of a session, with nothing pending: what it has written is put into the snapshot, so that the store opens
    /// at once the next time. What is not done when the time is over is left, which harms nothing. With no time at all it is
    /// only seen to that the files hold what was acknowledged.
    public mutating func part(withinMilliseconds limit: Int) {
        guard hasCommitted, isOpen, !isWritableMemory else { return }
        let deadline = Clock.monotonicMilliseconds + limit
        let isIdle = helper.wait(milliseconds: limit)
        waitHere()
        do throws(StorageError) {
            try records.leave()
            try records.catchUp()
        } catch {
            // The time is over: the look at what other processes did is cut short. What was acknowledged is durable all the same.
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
        // Nobody attends to a wait that is begun here: the lock would be kept from everybody once it is there.
        if mode == .beside { lockWait.mode = .nowhere }
        defer { lockWait.mode = mode }
        // What is not in the files is mended by the next change, or that says why not.
        do throws(StorageError) { try records.leave() } catch { return }
        let revision = records.durableRevision
        _ = helper.run {
            do throws(StorageError) {
                _ = try Compaction.run(settings, .moods, from: revision)
            } catch {
                // Somebody else is at it, or was.
                if case .busy = error { return }
                // The time of the process is over.
                if case .cancelled = error { return }
                settings.log("the store could not be compacted: \(error.reason)")
            }
        }
    }

    /// For a thread of its own, which waits for the lock there; nil in memory.
    var settingsBeside: StoreSettings? {
        guard case .directory(var settings) = location else { return nil }
        settings.lockWait = nil
        return settings
    }

    /// Deletes the journals of `history/` that only tell of commits below `revision`; without it, none.
    /// - Returns: the first revision from which on all commits are kept.
    public mutating func shortenHistory(to revision: Int?) throws(StorageError) -> Int {
        try records.shortenHistory(to: revision)
    }
}
