import JSONCodec
import Platform

/// The orders in which an index can be walked; ties break by id.
package enum IndexOrder: Sendable {
    case time, updated, text
    /// The marked records only, by time.
    case marked

    package init(_ order: RecordOrder) {
        self =
            switch order {
            case .time: .time
            case .updated: .updated
            case .text: .text
            }
    }
}

/// Positions in an order count from 0, in ascending order. A page of an order is
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | the key of its first entry: time, update or text prefix, signed |
/// | 8 | 4084 | row numbers, 4 bytes each, zero after the last |
/// | 4092 | 4 | checksum of the page |
extension SnapshotIndex {
    /// Number of positions in an order.
    package func count(_ order: IndexOrder) -> Int { order == .marked ? markedCount : count }

    /// The row at a position of an order; a walk reads each page once.
    package mutating func number(_ order: IndexOrder, at position: Int) throws(IndexFault) -> Int {
        guard position >= 0, position < count(order) else {
            throw .indexDamaged(reason: "The index has no position \(position).")
        }
        guard let section = section(order) else { return position }
        try load(section, page: position / IndexFormat.pageEntriesMax)
        let number = entry(position % IndexFormat.pageEntriesMax)
        guard number < count else { throw .indexDamaged(reason: "The index names row \(number), which it lacks.") }
        return number
    }

    /// The first position in an order after a place; the number of positions if there is none. With `inclusive` a
    /// record exactly there counts as after it. `RecordTable.walk` walks up from there without `inclusive`, and down
    /// from the position before with it.
    ///
    /// - Complexity: O(log n) reads of a row, and of a record if texts have equal prefixes.
    package mutating func firstPosition(
        _ order: IndexOrder, after place: RecordPosition, inclusive: Bool
    ) throws(IndexFault) -> Int {
        var range = 0..<count(order)
        if let section = section(order) {
            range = try pageRange(order, section, place, inclusive)
        }
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if try isAfter(order, try number(order, at: middle), place, inclusive) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The positions of the last page whose first entry is not after the place: the answer is one of them or the next.
    private mutating func pageRange(
        _ order: IndexOrder, _ section: IndexSection, _ place: RecordPosition, _ inclusive: Bool
    ) throws(IndexFault) -> Range<Int> {
        var low = 0
        var high = section.byteCount / IndexFormat.pageBytes
        while low < high {
            let middle = (low + high) / 2
            try load(section, page: middle)
            let first = UnsafeRawBufferPointer(page).integer(at: 0, Int64.self)
            let isAfter =
                first != place.key ? first > place.key : try isAfter(order, entry(0), place, inclusive)
            if isAfter { high = middle } else { low = middle + 1 }
        }
        guard low > 0 else { return 0..<0 }
        let start = (low - 1) * IndexFormat.pageEntriesMax
        return start..<min(start + IndexFormat.pageEntriesMax, count(order))
    }

    private mutating func isAfter(
        _ order: IndexOrder, _ number: Int, _ place: RecordPosition, _ inclusive: Bool
    ) throws(IndexFault) -> Bool {
        let row = try row(number)
        let key: Int64 =
            switch order {
            case .time, .marked: row.head.time
            case .updated: row.head.updated
            case .text: row.head.textPrefix
            }
        if key != place.key { return key > place.key }
        if order == .text {
            var bytes = ByteBuffer(capacity: 16)
            swap(&bytes, &scratch)
            defer { swap(&bytes, &scratch) }
            try record(row, into: &bytes)
            let sign = extractor.compareText(bytes.bytes, place.text)
            if sign != 0 { return sign > 0 }
        }
        return inclusive ? !(row.head.id < place.id) : place.id < row.head.id
    }

    private func section(_ order: IndexOrder) -> IndexSection? {
        switch order {
        case .time: nil
        case .updated: image.header.sections.byUpdate
        case .text: image.header.sections.byText
        case .marked: image.header.sections.marked
        }
    }

    /// The row number at a place of the loaded page.
    private func entry(_ place: Int) -> Int {
        Int(UnsafeRawBufferPointer(page).integer(at: 8 + place * 4, UInt32.self))
    }

    private mutating func load(_ section: IndexSection, page number: Int) throws(IndexFault) {
        let offset = section.offset + number * IndexFormat.pageBytes
        guard offset != pageOffset else { return }
        pageOffset = -1
        try image.read(page, at: offset)
        guard checksum.matches(UnsafeRawBufferPointer(page), at: offset) else {
            throw .indexDamaged(reason: "The index is damaged at byte \(offset).")
        }
        pageOffset = offset
    }
}

/// A walk through a snapshot in one order: it reads some dozens of rows and records at a time, more the longer it
/// lasts.
///
/// In the order by time, neighbors are adjacent in the snapshot too, and come in one read.
struct IndexWalk: ~Copyable {
    private static let chunkMin = 16
    private static let chunkMax = 256
    /// Limit of records fetched together, in bytes; the next read fetches the rest.
    private static let bytesMax = 1 << 20

    private let order: IndexOrder
    private let isDescending: Bool
    /// The positions not fetched yet.
    private var positions: Range<Int>
    private var chunkCount = chunkMin
    private var rows: [IndexRow] = []
    /// The index in `rows` of the present record.
    private var current = 0
    /// The start of each row's record in `buffer`; -1 if it is not there yet.
    private var starts: [Int] = []
    private var buffer = ByteBuffer(capacity: 16)
    private var single = ByteBuffer(capacity: 16)
    private var isSingle = false
    /// The selected rows; nil for all.
    private(set) var selection: RowSelection?

    /// - Parameter condition: the condition that each record must meet.
    init(
        _ index: inout SnapshotIndex, _ order: IndexOrder, isDescending: Bool, after place: RecordPosition?,
        matching condition: (any RecordCondition)?
    ) throws(IndexFault) {
        self.order = order
        self.isDescending = isDescending
        var positions = 0..<index.count(order)
        if let condition {
            let chosen = try RowSelection(condition, &index)
            if order == .time { positions = chosen.range }
            selection = consume chosen
        } else {
            selection = nil
        }
        if let place {
            let first = try index.firstPosition(order, after: place, inclusive: isDescending)
            let rest =
                isDescending
                ? positions.lowerBound..<max(first, positions.lowerBound) : first..<max(first, positions.upperBound)
            positions = positions.clamped(to: rest)
        }
        self.positions = positions
    }

    /// Number of rows that meet the condition and are not hidden.
    mutating func count(besides hidden: borrowing RowBits, _ index: inout SnapshotIndex) throws(IndexFault) -> Int {
        try selection?.count(besides: hidden, &index) ?? 0
    }

    /// The head of the present record.
    var head: RecordHead { rows[current].head }

    /// The present record; valid until the walk moves on.
    var bytes: UnsafeRawBufferPointer {
        if isSingle { return single.bytes }
        let start = starts[current]
        return UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + rows[current].place.byteCount])
    }

    mutating func advance() { current += 1 }

    /// Moves to the next visible record, unless the walk is at one; false at the end.
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
        guard !positions.isEmpty else { return false }
        let count = min(chunkCount, positions.count)
        let range = isDescending ? positions.suffix(count) : positions.prefix(count)
        positions =
            isDescending
            ? positions.lowerBound..<range.lowerBound : range.upperBound..<positions.upperBound
        chunkCount = min(chunkCount * 4, Self.chunkMax)
        try readRows(range, &index)
        if isDescending {
            rows.reverse()
            starts.reverse()
        }
        current = 0
        return true
    }

    /// Reads the selected rows of a range of positions, and their records if those are adjacent.
    private mutating func readRows(_ range: Range<Int>, _ index: inout SnapshotIndex) throws(IndexFault) {
        if order == .time, selection == nil {
            try index.rows(range, into: &rows)
            return try fetchTogether(&index)
        }
        var numbers: [Int] = []
        if order == .time { try selection?.appendRows(of: range, to: &numbers, &index) }
        for position in order == .time ? 0..<0 : range {
            let number = try index.number(order, at: position)
            if try selection?.contains(number, &index) ?? true { numbers.append(number) }
        }
        rows.removeAll(keepingCapacity: true)
        for number in numbers { rows.append(try index.row(number)) }
        starts = [Int](repeating: -1, count: rows.count)
    }

    /// Fetches the records of adjacent rows.
    private mutating func fetchTogether(_ index: inout SnapshotIndex) throws(IndexFault) {
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

    /// Fetches the present record, unless it came with others.
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
