import JSONCodec

/// The verdict of a condition on a row: open if only its text or the record decides.
public enum RowVerdict: UInt8 { case no, yes, open }

/// A condition on records, which the index answers for many at once: first by their times, columns and searched texts, and by the
/// record itself only where those leave it open.
public protocol RecordCondition: AnyObject {
    /// The needle in the searched text of each record that matches, unless columns decide; nil if the record decides.
    var needle: [UInt8]? { get }
    /// Whether the text alone does not say that a record is meant in which the needle stands.
    var looksAtChanges: Bool { get }
    /// Whether the request was cancelled; then no more rows are looked at.
    var isCancelled: Bool { get }
    /// Whether something in the columns is asked for.
    var looksAtColumns: Bool { get }
    /// Whether something is asked for that only a searched text or the record says.
    var looksAtRecords: Bool { get }
    /// Times of matching records: from the first on, and before the second; nil for no such bound.
    var span: (from: Int64?, to: Int64?) { get }
    /// Judges rows by their columns, whose numbers are those of `texts`: `no` where they exclude the record, and `yes` in place of `open` where they say that it is meant.
    func judge(by columns: [ColumnEntry], _ texts: ColumnTexts, in verdicts: inout [RowVerdict])
    /// Whether a record in whose searched text the needle stands is meant.
    func confirms(_ text: UnsafeRawBufferPointer, _ changes: UnsafeRawBufferPointer) -> Bool
    /// Whether a record is meant, as far as its columns do not say.
    func matches(besidesColumns record: UnsafeRawBufferPointer) -> Bool
}

extension RecordCondition {
    public var isCancelled: Bool { false }
}

/// The rows of a snapshot that meet a condition, determined for a block of them on first use.
///
/// A page of a list and the count of the whole list use one selection, so each row is checked once.
struct RowSelection: ~Copyable {
    private static let blockPages = 16
    private static let blockRows = blockPages * IndexFormat.pageColumnsMax
    /// If less than one row in so many is left, each is read alone.
    private static let sparse = 8
    /// Limit of records that are read together, in bytes and in rows.
    private static let bytesMax = 64 << 10
    private static let rowsMax = 512

    private let condition: any RecordCondition
    /// No row outside of it matches.
    let range: Range<Int>
    private var kept: RowBits
    /// Whether a block has been checked.
    private var isKnown: [Bool]
    private var texts: ColumnTexts?
    private var entries: [ColumnEntry] = []
    private var verdicts: [RowVerdict] = []
    /// The ends of the pages of searched texts; nil before the first search.
    private var searchedEnds: [Int]?
    private var rows: [IndexRow] = []
    private var buffer = ByteBuffer(capacity: 16)

    init(_ condition: any RecordCondition, _ index: inout SnapshotIndex) throws(IndexFault) {
        self.condition = condition
        let span = condition.span
        var (start, end) = (0, index.count)
        if let from = span.from {
            let place = RecordPosition(key: from, text: [], id: RecordID(high: 0, low: 0))
            start = try index.firstPosition(.time, after: place, inclusive: true)
        }
        if let to = span.to {
            let place = RecordPosition(key: to, text: [], id: RecordID(high: 0, low: 0))
            end = try index.firstPosition(.time, after: place, inclusive: true)
        }
        range = start..<max(start, end)
        kept = RowBits(count: index.count)
        isKnown = [Bool](repeating: false, count: index.count / Self.blockRows + 1)
    }

    @inline(__always)
    mutating func contains(_ row: Int, _ index: inout SnapshotIndex) throws(IndexFault) -> Bool {
        guard range.contains(row) else { return false }
        if !isKnown[row / Self.blockRows] { try look(at: row / Self.blockRows, &index) }
        return kept.contains(row)
    }

    /// Appends those of `rows` that meet the condition.
    mutating func appendRows(
        of rows: Range<Int>, to numbers: inout [Int], _ index: inout SnapshotIndex
    ) throws(IndexFault) {
        let rows = rows.clamped(to: range)
        var row = rows.lowerBound
        while row < rows.upperBound {
            let block = row / Self.blockRows
            if !isKnown[block] { try look(at: block, &index) }
            let end = min((block + 1) * Self.blockRows, rows.upperBound)
            kept.appendRows(of: row..<end, to: &numbers)
            row = end
        }
    }

    /// Number of rows that meet the condition and are not hidden.
    mutating func count(besides hidden: borrowing RowBits, _ index: inout SnapshotIndex) throws(IndexFault) -> Int {
        guard !range.isEmpty else { return 0 }
        for block in (range.lowerBound / Self.blockRows)...((range.upperBound - 1) / Self.blockRows)
        where !isKnown[block] { try look(at: block, &index) }
        return kept.count(besides: hidden)
    }

    private mutating func look(at block: Int, _ index: inout SnapshotIndex) throws(IndexFault) {
        if condition.isCancelled { return isKnown[block] = true }
        let first = block * Self.blockRows
        let rows = first..<min(first + Self.blockRows, index.count)
        let meant = rows.clamped(to: range)
        let looksAtRecords = condition.looksAtRecords
        verdicts.removeAll(keepingCapacity: true)
        verdicts += repeatElement(.no, count: meant.lowerBound - first)
        verdicts += repeatElement(looksAtRecords ? .open : .yes, count: meant.count)
        verdicts += repeatElement(.no, count: rows.upperBound - meant.upperBound)
        if condition.looksAtColumns {
            let known: ColumnTexts
            if let texts { known = texts } else { known = try index.columnTexts() }
            texts = known
            _ = try index.columns(from: first, pages: Self.blockPages, into: &entries)
            condition.judge(by: entries, known, in: &verdicts)
        }
        if looksAtRecords {
            if let needle = condition.needle { try lookAtTexts(rows, needle, &index) }
            try lookAtRecords(rows, &index)
        }
        kept.insert(verdicts, from: first)
        isKnown[block] = true
    }

    private mutating func lookAtTexts(
        _ rows: Range<Int>, _ needle: [UInt8], _ index: inout SnapshotIndex
    ) throws(IndexFault) {
        let ends: [Int]
        if let searchedEnds { ends = searchedEnds } else { ends = try index.searchedEnds() }
        searchedEnds = ends
        let pages = rows.lowerBound / IndexFormat.pageColumnsMax..<IndexFormat.columnPageCount(rows.upperBound)
        var page = pages.lowerBound
        while page < pages.upperBound {
            let start = page == 0 ? 0 : ends[page - 1]
            var next = page + 1
            while next < pages.upperBound, ends[next] - start <= Self.bytesMax { next += 1 }
            let first = page * IndexFormat.pageColumnsMax - rows.lowerBound
            let places = first..<min(next * IndexFormat.pageColumnsMax - rows.lowerBound, rows.count)
            if verdicts[places].contains(.open) {
                try index.search(
                    needle, pages: page..<next, ends, &buffer, condition, in: &verdicts, from: first)
            }
            page = next
        }
    }

    private mutating func lookAtRecords(_ range: Range<Int>, _ index: inout SnapshotIndex) throws(IndexFault) {
        let count = verdicts.reduce(0) { $1 == .open ? $0 + 1 : $0 }
        if count < range.count / Self.sparse {
            guard count > 0 else { return }
            for place in verdicts.indices where verdicts[place] == .open {
                let row = try index.row(range.lowerBound + place)
                try index.read(row.place, into: &buffer)
                verdicts[place] = condition.matches(besidesColumns: buffer.bytes) ? .yes : .no
            }
            return
        }
        var place = 0
        while place < verdicts.count {
            guard verdicts[place] == .open else {
                place += 1
                continue
            }
            let start = range.lowerBound + place
            try index.rows(start..<min(start + Self.rowsMax, range.upperBound), into: &rows)
            var next = 0
            while next < rows.count {
                let condition = condition
                next += try index.records(rows[next...], bytesMax: Self.bytesMax, into: &buffer, checksIDs: false) {
                    (_, record) throws(IndexFault) in
                    if verdicts[place] == .open {
                        verdicts[place] = condition.matches(besidesColumns: record) ? .yes : .no
                    }
                    place += 1
                }
            }
        }
    }
}
