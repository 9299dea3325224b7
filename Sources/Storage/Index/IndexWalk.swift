import JSONCodec

/// A walk through a snapshot in one order: rows and records are read some dozens at a time, more the longer it goes.
///
/// Where the order is by time, neighbours stand beside each other in the snapshot too, and come in one read.
struct IndexWalk: ~Copyable {
    private static let chunkMin = 16
    private static let chunkMax = 256
    /// Records that are fetched together: more than fits is fetched by the next read.
    private static let bytesMax = 1 << 20

    private let order: IndexOrder
    private let isDescending: Bool
    /// The position of the next entry that has not been fetched; descending, the one behind it.
    private var position: Int
    private let end: Int
    private var chunkCount = chunkMin
    private var rows: [IndexRow] = []
    /// The number in `rows` at which the walk stands.
    private var current = 0
    /// Where the record of each row begins in `buffer`; -1 where it is not there yet.
    private var starts: [Int] = []
    private var buffer = ByteBuffer(capacity: 16)
    private var single = ByteBuffer(capacity: 16)
    private var isSingle = false

    init(
        _ index: inout SnapshotIndex, _ order: IndexOrder, isDescending: Bool, behind place: RecordPosition?
    ) throws(IndexFault) {
        self.order = order
        self.isDescending = isDescending
        end = index.count(order)
        if let place {
            position = try index.firstPosition(order, behind: place, inclusive: isDescending)
        } else {
            position = isDescending ? end : 0
        }
    }

    /// What the index knows of the record at which the walk stands.
    var head: RecordHead { rows[current].head }

    /// The record at which the walk stands; valid until the walk goes on.
    var bytes: UnsafeRawBufferPointer {
        if isSingle { return single.bytes }
        let start = starts[current]
        return UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + rows[current].place.byteCount])
    }

    mutating func advance() { current += 1 }

    /// Makes sure that the walk stands at a record that is visible; false at the end.
    mutating func load(
        _ index: inout SnapshotIndex, skipping hidden: borrowing RowBits, markedOnly: Bool
    ) throws(IndexFault) -> Bool {
        while true {
            while current < rows.count {
                let row = rows[current]
                if hidden.contains(row.place.row) || (markedOnly && !row.head.isMarked) {
                    current += 1
                    continue
                }
                try fetch(&index)
                return true
            }
            guard try nextRows(&index) else { return false }
        }
    }

    private mutating func nextRows(_ index: inout SnapshotIndex) throws(IndexFault) -> Bool {
        let range =
            isDescending
            ? max(0, position - chunkCount)..<position : position..<min(end, position + chunkCount)
        guard !range.isEmpty else { return false }
        position = isDescending ? range.lowerBound : range.upperBound
        chunkCount = min(chunkCount * 4, Self.chunkMax)
        if order == .time {
            try index.rows(range, into: &rows)
        } else {
            rows.removeAll(keepingCapacity: true)
            for position in range { rows.append(try index.row(try index.number(order, at: position))) }
        }
        starts.removeAll(keepingCapacity: true)
        try fetchTogether(&index)
        if isDescending {
            rows.reverse()
            starts.reverse()
        }
        current = 0
        return true
    }

    /// Fetches the records of rows that stand beside each other.
    private mutating func fetchTogether(_ index: inout SnapshotIndex) throws(IndexFault) {
        guard order == .time else {
            starts = [Int](repeating: -1, count: rows.count)
            return
        }
        var starts: [Int] = []
        starts.reserveCapacity(rows.count)
        var next = 0
        _ = try index.records(rows[...], bytesMax: Self.bytesMax, into: &buffer) { (row, _) throws(IndexFault) in
            if starts.isEmpty { next = row.place.offset }
            starts.append(row.place.offset - next)
        }
        while starts.count < rows.count { starts.append(-1) }
        self.starts = starts
    }

    /// Fetches the record at which the walk stands, unless it came with others.
    private mutating func fetch(_ index: inout SnapshotIndex) throws(IndexFault) {
        isSingle = starts[current] < 0
        if isSingle { try index.record(rows[current], into: &single) }
    }
}

extension RecordHead {
    func key(_ order: RecordOrder) -> Int64 {
        switch order {
        case .time: time
        case .updated: updated
        case .text: textPrefix
        }
    }
}
