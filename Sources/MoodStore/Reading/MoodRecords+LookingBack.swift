import JSONCodec
import MoodCore
import Storage

/// Progress and cancellation of a scan over all moods. The scan calls them now and then.
public struct WalkWatch {
    let isCancelled: () -> Bool
    let progress: (_ done: Int, _ total: Int) -> Void
    private static let stepMoods = 1 << 16

    public init(
        isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) {
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// - Parameter more: the moods since the last call.
    /// - Returns: whether the scan continues.
    @inline(__always)
    func goesOn(_ done: Int, _ total: Int, more: Int = 1) -> Bool {
        if done / Self.stepMoods == (done - more) / Self.stepMoods { return true }
        progress(done, total)
        return !isCancelled()
    }
}

/// Scans of all moods by time for looking back: of the open store, or of another opening of its files.
///
///     let summary = try moods.gather(from: nil, through: now, filter, watch, { Summary(…) }) { $0.add($1, $2) }
extension RecordStore {
    /// Gathers the moods that match the filter between two moments, both included.
    /// - Parameters:
    ///   - from: nil begins with the first mood.
    ///   - begin: the result before the first mood; called again if the scan restarts.
    ///   - add: adds a mood with its texts.
    /// - Throws: `cancelled`
    /// - Complexity: the moods between the two moments. Reads no record, unless the filter searches texts.
    public mutating func gather<Whole>(
        from: Int64?, through last: Int64, _ filter: MoodFilter, _ watch: WalkWatch, _ begin: () -> Whole,
        _ add: (inout Whole, MoodTraits, MoodTraits.Texts) -> Void
    ) throws(StorageError) -> Whole {
        do throws(StorageError) { return try gatherOnce(from, last, filter, watch, begin(), add) } catch {
            // The store rebuilt its index: restart.
            guard case .busy = error else { throw error }
        }
        return try gatherOnce(from, last, filter, watch, begin(), add)
    }

    private mutating func gatherOnce<Whole>(
        _ from: Int64?, _ last: Int64, _ filter: MoodFilter, _ watch: WalkWatch, _ whole: Whole,
        _ add: (inout Whole, MoodTraits, MoodTraits.Texts) -> Void
    ) throws(StorageError) -> Whole {
        if filter.foldedText != nil { return try search(from, last, filter, watch, whole, add) }
        var columnFilter = ColumnFilter(filter)
        var whole = whole
        var verdicts: [RowVerdict] = []
        var (done, isEnded) = (0, false)
        let total = count
        try walkColumns(after: Self.start(from)) { moods, texts in
            done += moods.count
            if !watch.goesOn(done, total, more: moods.count) {
                isEnded = true
                return false
            }
            verdicts.removeAll(keepingCapacity: true)
            verdicts += repeatElement(.yes, count: moods.count)
            columnFilter.judge(moods, texts, in: &verdicts)
            for place in moods.indices where verdicts[place] == .yes && moods[place].time <= last {
                add(&whole, MoodTraits(moods[place])) { texts[UInt32(truncatingIfNeeded: $0)] }
            }
            return moods.last.map { $0.time <= last } ?? true
        }
        if isEnded { throw .cancelled }
        return whole
    }

    /// Gathers with a filter that searches texts.
    private mutating func search<Whole>(
        _ from: Int64?, _ last: Int64, _ filter: MoodFilter, _ watch: WalkWatch, _ whole: Whole,
        _ add: (inout Whole, MoodTraits, MoodTraits.Texts) -> Void
    ) throws(StorageError) -> Whole {
        var whole = whole
        var (done, isEnded) = (0, false)
        let total = count
        let texts = ColumnTexts()
        try walk(.time, isDescending: false, after: Self.start(from), matching: filter.condition) { record in
            done += 1
            if !watch.goesOn(done, total) {
                isEnded = true
                return false
            }
            if record.head.time > last { return false }
            add(&whole, MoodTraits(texts.entry(record.head, record.bytes, .moods))) {
                texts[UInt32(truncatingIfNeeded: $0)]
            }
            return true
        }
        if isEnded { throw .cancelled }
        return whole
    }

    private static func start(_ from: Int64?) -> RecordPosition? {
        from.map { RecordPosition(key: $0 &- 1, text: [], id: RecordID(high: .max, low: .max)) }
    }

    /// The time of the first mood; nil if there is none.
    public mutating func firstTime() throws(StorageError) -> Int64? {
        var time: Int64?
        try walkColumns(after: nil) { moods, _ in
            time = moods.first?.time
            return time == nil
        }
        return time
    }

    /// Passes the stored moods that match the filter between two moments, both included, until `body` returns false.
    /// - Parameter isDescending: the latest first.
    public mutating func forEachRecord(
        from: Int64?, through last: Int64, isDescending: Bool, _ filter: MoodFilter, _ watch: WalkWatch,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var filter = filter
        var (done, isEnded) = (0, false)
        let total = count
        var start = Self.start(from)
        if isDescending {
            start = last == .max ? nil : RecordPosition(key: last + 1, text: [], id: RecordID(high: 0, low: 0))
        }
        try walk(.time, isDescending: isDescending, after: start) { record in
            done += 1
            if !watch.goesOn(done, total) {
                isEnded = true
                return false
            }
            if isDescending ? from.map({ record.head.time < $0 }) ?? false : record.head.time > last { return false }
            return filter.matches(record.head, record.bytes) ? body(record.bytes) : true
        }
        if isEnded { throw .cancelled }
    }
}

extension MoodRecords {
    /// Looks back on the present moods, on the caller's thread.
    public mutating func lookBack<Answer, Failure: Error>(
        _ body: (inout RecordStore) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try body(&records)
    }
}
