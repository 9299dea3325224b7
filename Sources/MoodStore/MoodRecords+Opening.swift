import Platform
import Storage
import Synchronization

/// A store that takes long to open is opened by the helper thread. Whoever needs it comes again when that is done, and what
/// needs no store is answered meanwhile.
extension MoodRecords {
    /// Whether the present request has to come again when the helper thread is done, because that opens the store. It begins to
    /// where the store is not open, that takes long, and its owner can do other things meanwhile (`lockWait`).
    public mutating func isOpeningBeside() -> Bool {
        guard lockWait.mode == .beside else { return false }
        if let opening { return !opening.isDone }
        // What is at work there may take longer than the opening.
        guard !isOpen, !helper.isRunning, case .directory(let settings) = location, StoreFiles.isLongToOpen(settings)
        else { return false }
        let opening = StoreOpening()
        guard helper.run({ opening.open(settings) }) else { return false }
        self.opening = opening
        return true
    }

    /// Opens the store, or takes the one that the helper thread has opened; nil where there is none.
    mutating func openedRecords(_ settings: StoreSettings) throws(StorageError) -> RecordStore? {
        guard let opening else { return try RecordStore.openIfThere(settings, .moods) }
        while !opening.isDone {
            guard lockWait.mode == .here, Interruption.time == nil else {
                throw .busy(reason: "The store in \(settings.directory) is being opened. Try again.")
            }
            _ = helper.wait(milliseconds: 50)
            // The loop has not seen yet what is done.
            helper.wake()
        }
        self.opening = nil
        return try opening.take()
    }
}

/// An opening of the store by the helper thread.
///
/// Why unchecked: the helper thread writes before `isDone`, the loop reads after it, so one thread has it at a time.
final class StoreOpening: @unchecked Sendable {
    private var opened: RecordStore?
    private var failure: StorageError?
    private let done = Atomic(false)

    var isDone: Bool { done.load(ordering: .acquiring) }

    fileprivate func open(_ settings: StoreSettings) {
        do throws(StorageError) { opened = try RecordStore.openIfThere(settings, .moods) } catch { failure = error }
        done.store(true, ordering: .releasing)
    }

    /// What was opened, once; nil where there is no store.
    fileprivate func take() throws(StorageError) -> RecordStore? {
        if let failure { throw failure }
        return opened.take()
    }
}
