/// 256 bits that the caller understands, kept of each record: a search whose own bits are not all there passes the record over
/// without reading it.
public typealias RecordSignature = SIMD4<UInt64>

/// Which rows of a snapshot have all bits of a signature. The signatures are read when a walk first comes to them, some thousand
/// at once.
struct RowSieve: ~Copyable {
    private static let blockPages = 16
    private static let blockRows = blockPages * IndexFormat.pageColumnsMax

    private let wanted: RecordSignature
    private var kept: RowBits
    /// By block: whether it has been read.
    private var isRead: [Bool]

    init(_ wanted: RecordSignature, count: Int) {
        self.wanted = wanted
        kept = RowBits(count: count)
        isRead = [Bool](repeating: false, count: count / Self.blockRows + 1)
    }

    @inline(__always)
    mutating func keeps(_ row: Int, _ index: borrowing SnapshotIndex) throws(IndexFault) -> Bool {
        if !isRead[row / Self.blockRows] { try read(row / Self.blockRows, index) }
        return kept.contains(row)
    }

    private mutating func read(_ block: Int, _ index: borrowing SnapshotIndex) throws(IndexFault) {
        var rows: [Int] = []
        var row = block * Self.blockRows
        let wanted = wanted
        _ = try index.signatures(from: row, pages: Self.blockPages) { signature in
            if signature & wanted == wanted { rows.append(row) }
            row += 1
        }
        for row in rows { kept.insert(row) }
        isRead[block] = true
    }
}
