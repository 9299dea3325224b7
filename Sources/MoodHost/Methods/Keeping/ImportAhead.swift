import MoodFormats
import Platform

/// Reads a file in its own thread, one batch ahead of the reader, because parsing and storing take about as long.
/// Without a thread it reads on request. (Java: a `BlockingQueue` of one.)
///
/// Why unchecked: the state belongs to the thread while it reads, and to the caller once the thread has ended.
final class ImportAhead: @unchecked Sendable {
    struct Batch {
        var items: [ImportItem] = []
        /// The bytes of the file that were read up to the end of this batch.
        var bytesRead = 0
    }

    /// The most items of a batch, and the bytes after which it ends.
    private static let batchItems = 512
    private static let batchBytes = 1 << 20

    private let moods: MoodImport
    private let isAhead: Bool
    private let thread = HelperThread()
    private var batch = Batch()

    /// - Parameter isAhead: false for a file that is too small for a thread.
    init(_ moods: MoodImport, isAhead: Bool) {
        self.moods = moods
        self.isAhead = isAhead
        readOn()
    }

    /// The next batch; nil at the end.
    func next() -> Batch? {
        while !thread.wait(milliseconds: 1000) {}
        let next = batch
        if next.items.isEmpty { return nil }
        readOn()
        return next
    }

    private func readOn() {
        if isAhead, thread.run({ [self] in read() }) { return }
        read()
    }

    private func read() {
        let start = moods.bytesRead
        var fresh = Batch()
        fresh.items.reserveCapacity(Self.batchItems)
        while fresh.items.count < Self.batchItems, moods.bytesRead - start < Self.batchBytes, let item = moods.next() {
            fresh.items.append(item)
        }
        fresh.bytesRead = moods.bytesRead
        batch = fresh
    }
}
