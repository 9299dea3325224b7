import JSONCodec

/// 256 bits of each record that only the caller interprets: a search skips records that lack one of its own bits,
/// without reading them.
public typealias RecordSignature = SIMD4<UInt64>

/// A condition on records, which the index answers for many at once: first by their times, signatures and columns, and
/// by the records themselves only if those do not decide.
public protocol RecordCondition: AnyObject {
    /// Bits that every matching record has in its signature; nil if it may have any.
    var signature: RecordSignature? { get }
    /// Whether the condition depends on columns.
    var looksAtColumns: Bool { get }
    /// Whether the condition depends on data that only the record has.
    var looksAtRecords: Bool { get }
    /// Times of matching records: from the first on, and before the second; nil for no such bound.
    var span: (from: Int64?, to: Int64?) { get }
    /// Sets `isMeant` to false for each record that its columns exclude.
    func exclude(by columns: [ColumnEntry], _ texts: ColumnTexts, in isMeant: inout [Bool])
    /// Whether a record matches, as far as its columns do not decide.
    func matches(besidesColumns record: UnsafeRawBufferPointer) -> Bool
    /// Whether a record matches.
    func matches(_ head: RecordHead, _ record: UnsafeRawBufferPointer) -> Bool
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
    private var isMeant: [Bool] = []
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

    /// Number of rows that meet the condition and are not hidden.
    mutating func count(besides hidden: borrowing RowBits, _ index: inout SnapshotIndex) throws(IndexFault) -> Int {
        guard !range.isEmpty else { return 0 }
        for block in (range.lowerBound / Self.blockRows)...((range.upperBound - 1) / Self.blockRows)
        where !isKnown[block] { try look(at: block, &index) }
        return kept.count(besides: hidden)
    }

    private mutating func look(at block: Int, _ index: inout SnapshotIndex) throws(IndexFault) {
        let first = block * Self.blockRows
        let rows = first..<min(first + Self.blockRows, index.count)
        let meant = rows.clamped(to: range)
        isMeant.removeAll(keepingCapacity: true)
        for row in rows { isMeant.append(meant.contains(row)) }
        if let wanted = condition.signature {
            var place = 0
            _ = try index.signatures(from: first, pages: Self.blockPages) { signature in
                if signature & wanted != wanted { isMeant[place] = false }
                place += 1
            }
        }
        if condition.looksAtColumns {
            let known: ColumnTexts
            if let texts { known = texts } else { known = try index.columnTexts() }
            texts = known
            _ = try index.columns(from: first, pages: Self.blockPages, into: &entries)
            condition.exclude(by: entries, known, in: &isMeant)
        }
        if condition.looksAtRecords { try lookAtRecords(rows, &index) }
        kept.insert(isMeant, from: first)
        isKnown[block] = true
    }

    private mutating func lookAtRecords(_ range: Range<Int>, _ index: inout SnapshotIndex) throws(IndexFault) {
        let count = isMeant.reduce(0) { $1 ? $0 + 1 : $0 }
        if count < range.count / Self.sparse {
            for place in isMeant.indices where isMeant[place] {
                let row = try index.row(range.lowerBound + place)
                try index.read(row.place, into: &buffer)
                isMeant[place] = condition.matches(besidesColumns: buffer.bytes)
            }
            return
        }
        var place = 0
        while place < isMeant.count {
            guard isMeant[place] else {
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
                    if isMeant[place] { isMeant[place] = condition.matches(besidesColumns: record) }
                    place += 1
                }
            }
        }
    }
}
