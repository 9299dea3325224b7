import MoodFormats
import Platform

/// Reads a file in a thread of its own, one batch ahead of whoever takes what is in it: the two take about as long. Where there
/// can be no thread, it is read when it is asked for. (Java: a `BlockingQueue` of one.)
///
/// Why unchecked: what stands here is the thread's while it reads, and belongs to whoever asks once it has ended.
final class ImportAhead: @unchecked Sendable {
    struct Batch {
        var items: [ImportItem] = []
        /// How far the file has been read with it.
        var bytesRead = 0
    }

    /// A batch has at most so many, and none more once it comes from so many bytes.
    private static let batchItems = 512
    private static let batchBytes = 1 << 20

    private let moods: MoodImport
    private let isAhead: Bool
    private let thread = HelperThread()
    private var batch = Batch()

    /// - Parameter isAhead: false: it is not worth a thread.
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
