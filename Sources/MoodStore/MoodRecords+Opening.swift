import Platform
import Storage
import Synchronization

/// Opening in the background: the helper thread opens a store that takes long. Requests that need the store are retried
/// afterwards; the host answers others meanwhile.
extension MoodRecords {
    /// Whether the present request must be retried after the helper thread has opened the store. Starts that if the
    /// store is not open, opening takes long, and the owner can do other work meanwhile (`lockWait`).
    public mutating func isOpeningBeside() -> Bool {
        guard lockWait.mode == .beside else { return false }
        if let opening { return !opening.isDone }
        // The helper's present work may take longer than opening.
        guard !isOpen, !helper.isRunning, case .directory(let settings) = location, StoreFiles.isLongToOpen(settings)
        else { return false }
        let opening = StoreOpening()
        guard helper.run({ opening.open(settings) }) else { return false }
        self.opening = opening
        return true
    }

    /// Opens the store, or takes the one that the helper thread has opened; nil if there is none.
    mutating func openedRecords(_ settings: StoreSettings) throws(StorageError) -> RecordStore? {
        guard let opening else { return try RecordStore.openIfThere(settings, .moods) }
        while !opening.isDone {
            guard lockWait.mode == .here, Interruption.time == nil else {
                throw .busy(reason: "The store in \(settings.directory) is being opened. Try again.")
            }
            _ = helper.wait(milliseconds: 50)
            // Tells the loop, which has not seen the end of the work yet.
            helper.wake()
        }
        self.opening = nil
        return try opening.take()
    }
}

/// An opening of the store by the helper thread.
///
/// Unchecked because the helper writes before `isDone` and the loop reads after it.
final class StoreOpening: @unchecked Sendable {
    private var opened: RecordStore?
    private var failure: StorageError?
    private let done = Atomic(false)

    var isDone: Bool { done.load(ordering: .acquiring) }

    fileprivate func open(_ settings: StoreSettings) {
        do throws(StorageError) { opened = try RecordStore.openIfThere(settings, .moods) } catch { failure = error }
        done.store(true, ordering: .releasing)
    }

    /// The opened store, once; nil if there is none.
    fileprivate func take() throws(StorageError) -> RecordStore? {
        if let failure { throw failure }
        return opened.take()
    }
}
