import JSONCodec

/// All visible records: those of the snapshot, read through its index, and above them those committed since, in memory.
/// (A log-structured merge tree of two levels: O'Neil and others, 1996.)
///
/// A replaced or removed record of the snapshot is hidden, never changed; the records in memory come first.
///
/// Invariants
/// 1. No id is both in `table` and visible in `base`.
/// 2. `hiddenCount` and the other sums agree with `hidden`.
struct LayeredRecords: ~Copyable {
    /// The records committed since the snapshot.
    var table: RecordTable
    /// The snapshot; nil if there is none, or all of it is in memory.
    private(set) var base: SnapshotIndex?
    /// Number of records in `base`.
    private var baseCount = 0
    private var hidden = RowBits(count: 0)
    private(set) var hiddenCount = 0
    private var hiddenMarked = 0
    private var hiddenBytes = 0
    /// Whether a clear has hidden all of the snapshot.
    private(set) var isBaseHidden = false
    /// Ids read from journals before the snapshot was consulted: its records of these ids are overtaken.
    private var unsettled: [RecordID] = []
    private var buffer = ByteBuffer(capacity: 1024)
    /// The record last found in the snapshot: a change usually concerns the record just read.
    private var latest: (id: RecordID, gone: Hidden)?

    init(extractor: RecordExtractor) { table = RecordTable(extractor: extractor) }

    /// A snapshot without later commits.
    init(_ base: consuming SnapshotIndex?, extractor: RecordExtractor) {
        table = RecordTable(extractor: extractor)
        baseCount = base?.count ?? 0
        hidden = RowBits(count: baseCount)
        self.base = consume base
    }

    /// Puts a snapshot below the records read from the journals; call `settle` afterwards.
    mutating func setBase(_ index: consuming SnapshotIndex) {
        baseCount = index.count
        hidden = RowBits(count: baseCount)
        latest = nil
        base = consume index
    }

    /// Loads a record or change of an opened store, or a commit of another process. `settle` must follow.
    /// - Returns: the fault of the record, or nil.
    mutating func load(_ event: LoadEvent) -> String? {
        switch event {
        case .put(let bytes):
            guard let head = table.extractor.head(bytes) else { return "this is not a record" }
            let slot = RecordSlot(head: head, copying: bytes)
            if let number = table.find(head.id) {
                table.replace(number, with: slot).deallocate()
            } else {
                table.insert(slot)
                unsettled.append(head.id)
            }
        case .delete(let text):
            guard let id = RecordID(text) else { return "this is not an id" }
            if let number = table.find(id) { table.remove(number).deallocate() } else { unsettled.append(id) }
        case .clear:
            for slot in table.removeAll() { slot.deallocate() }
            unsettled = []
            isBaseHidden = true
        case .record(let bytes): return table.load(bytes)
        }
        return nil
    }

    /// Hides the records that the journals have overtaken.
    mutating func settle() throws(IndexFault) {
        guard base != nil else { return unsettled = [] }
        for id in unsettled { _ = try hide(id) }
        unsettled = []
    }

    /// Replaces a damaged index; the rows are the same.
    mutating func replaceBase(_ index: consuming SnapshotIndex) { base = consume index }

    var count: Int { table.count + (visibleBaseCount ?? 0) }

    /// Nil if nothing of the snapshot is visible.
    private var visibleBaseCount: Int? {
        isBaseHidden || baseCount == hiddenCount ? nil : baseCount - hiddenCount
    }

    var markedCount: Int {
        switch base {
        case .some(let base): table.markedCount + (isBaseHidden ? 0 : base.markedCount - hiddenMarked)
        case .none: table.markedCount
        }
    }

    // MARK: For a walk that needs both layers at once

    var canSeeBase: Bool { visibleBaseCount.map { $0 > 0 } ?? false }
    func isHidden(row: Int) -> Bool { hidden.contains(row) }
    /// The numbers of the hidden rows, ascending.
    var hiddenRows: [Int] { hiddenCount == 0 ? [] : hidden.rows }
    mutating func takeBase() -> SnapshotIndex? { base.take() }
    mutating func putBack(_ index: consuming SnapshotIndex) { base = consume index }

    /// The bytes of all records.
    var byteCount: Int {
        switch base {
        case .some(let base): table.byteCount + (isBaseHidden ? 0 : base.recordBytes - hiddenBytes)
        case .none: table.byteCount
        }
    }

    // MARK: Finding

    /// Finds a record; valid until the next call.
    @inline(__always)
    mutating func find(_ id: RecordID) throws(IndexFault) -> StoredRecord? {
        if let number = table.find(id) {
            let slot = table[number]
            return slot.isInDraft ? StoredRecord(slot.head, try draftBytes(slot)) : StoredRecord(slot)
        }
        if visibleBaseCount == nil { return nil }
        return try findInBase(id)
    }

    /// Finds the bytes of a record alone.
    @inline(__always)
    mutating func bytes(_ id: RecordID) throws(IndexFault) -> UnsafeRawBufferPointer? {
        if let number = table.find(id) {
            let slot = table[number]
            return slot.isInDraft ? try draftBytes(slot) : slot.bytes
        }
        if visibleBaseCount == nil { return nil }
        return try readFromBase(id) == nil ? nil : buffer.bytes
    }

    mutating func contains(_ id: RecordID) throws(IndexFault) -> Bool {
        if table.find(id) != nil { return true }
        return try rowInBase(id) != nil
    }

    private func draftBytes(_ slot: RecordSlot) throws(IndexFault) -> UnsafeRawBufferPointer {
        do throws(StorageError) { return try table.draftBytes(slot) } catch { throw .snapshot(error) }
    }

    private mutating func findInBase(_ id: RecordID) throws(IndexFault) -> StoredRecord? {
        guard let place = try readFromBase(id) else { return nil }
        // The checksum has proved that the index was made from these bytes.
        guard let head = table.extractor.knownHead(buffer.bytes) else {
            throw .indexDamaged(reason: "The index knows a record that is none.")
        }
        latest = (id, Hidden(row: place.row, isMarked: head.isMarked, byteCount: place.byteCount))
        return StoredRecord(head, buffer.bytes)
    }

    /// Reads a record that is visible in the snapshot into `buffer` and returns its place.
    private mutating func readFromBase(_ id: RecordID) throws(IndexFault) -> IndexPlace? {
        guard let place = try base?.record(id, into: &buffer), !hidden.contains(place.row) else { return nil }
        return place
    }

    /// The row of a record that is visible in the snapshot.
    private mutating func rowInBase(_ id: RecordID) throws(IndexFault) -> IndexRow? {
        guard visibleBaseCount != nil, let row = try base?.row(of: id), !hidden.contains(row.place.row) else {
            return nil
        }
        return row
    }

    /// The bytes of a record in the snapshot, overtaken or not.
    mutating func bytesInBase(_ id: RecordID) throws(IndexFault) -> UnsafeRawBufferPointer? {
        try base?.record(id, into: &buffer) == nil ? nil : buffer.bytes
    }

    // MARK: Changing

    /// The facts of a record that was hidden in the snapshot.
    struct Hidden {
        private let number: UInt32
        /// With the mark in the highest bit.
        private let size: UInt32

        init(row: Int, isMarked: Bool, byteCount: Int) {
            number = UInt32(truncatingIfNeeded: row)
            size = UInt32(truncatingIfNeeded: byteCount) & (1 << 31 - 1) | (isMarked ? 1 << 31 : 0)
        }

        var row: Int { Int(number) }
        var isMarked: Bool { size >> 31 == 1 }
        var byteCount: Int { Int(size & (1 << 31 - 1)) }
    }

    /// Hides the record of an id in the snapshot, if it is visible there.
    mutating func hide(_ id: RecordID) throws(IndexFault) -> Hidden? {
        if visibleBaseCount == nil { return nil }
        let gone: Hidden
        if let latest, latest.id == id, !hidden.contains(latest.gone.row) {
            gone = latest.gone
        } else {
            guard let row = try rowInBase(id) else { return nil }
            gone = Hidden(row: row.place.row, isMarked: row.head.isMarked, byteCount: row.place.byteCount)
        }
        hidden.insert(gone.row)
        count(gone, 1)
        return gone
    }

    mutating func show(_ gone: Hidden) {
        hidden.remove(gone.row)
        count(gone, -1)
    }

    private mutating func count(_ gone: Hidden, _ sign: Int) {
        hiddenCount += sign
        hiddenMarked += gone.isMarked ? sign : 0
        hiddenBytes += sign * gone.byteCount
    }

    /// Hides the snapshot as a whole, or shows it again.
    /// - Returns: whether that changed anything.
    mutating func setBaseHidden(_ isHidden: Bool) -> Bool {
        guard base != nil, isBaseHidden != isHidden else { return false }
        isBaseHidden = isHidden
        return true
    }

    /// The ids of all records, in no order.
    mutating func forEachID(_ body: (RecordID) -> Void) throws(IndexFault) {
        table.forEachID(body)
        guard visibleBaseCount != nil else { return }
        var rows: [IndexRow] = []
        for start in stride(from: 0, to: baseCount, by: 1024) {
            try base?.rows(start..<min(start + 1024, baseCount), into: &rows)
            for row in rows where !hidden.contains(row.place.row) { body(row.head.id) }
        }
    }

    // MARK: Walking

    /// Walks in an order from a position on (from the beginning or the end without one) until `body` returns false. The
    /// bytes are valid in `body` only.
    /// - Parameter isCounting: whether to count all records that meet the condition, wherever the walk begins and ends.
    /// - Returns: that count; 0 if `isCounting` is false.
    @discardableResult
    mutating func walk(
        _ order: RecordOrder, isDescending: Bool, after position: RecordPosition?, markedOnly: Bool = false,
        matching condition: (any RecordCondition)? = nil, isCounting: Bool = false, _ body: (StoredRecord) -> Bool
    ) throws(IndexFault) -> Int {
        if condition == nil, !canSeeBase {
            table.walk(order, isDescending: isDescending, after: position) {
                !markedOnly || $0.head.isMarked ? body(StoredRecord($0)) : true
            }
            return 0
        }
        let way = Way(order: order, isDescending: isDescending, markedOnly: markedOnly, condition: condition)
        var chosen: SlotSelection? = nil
        if let condition { chosen = SlotSelection(condition, &table) }
        let count = isCounting ? chosen?.count(table) ?? 0 : 0
        guard let visible = visibleBaseCount, visible > 0, var index = base.take() else {
            var cursor = table.cursor(order, isDescending: isDescending, after: position)
            while let slot = nextSlot(&cursor, way, &chosen), body(StoredRecord(slot)) {}
            return count
        }
        // Taken out and put back: the walk needs both layers at the same time.
        let result: Result<Int, IndexFault>
        do throws(IndexFault) {
            result = .success(try merge(&index, &chosen, way, position, isCounting, body))
        } catch {
            result = .failure(error)
        }
        base = consume index
        return count + (try result.get())
    }

    /// The order and the filter of a walk.
    private struct Way {
        let order: RecordOrder
        let isDescending: Bool
        let markedOnly: Bool
        let condition: (any RecordCondition)?

        /// Whether no later record of the walk can meet the condition, judged by its time.
        func isPast(_ head: RecordHead) -> Bool {
            guard order == .time, let span = condition?.span else { return false }
            if isDescending { return span.from.map { head.time < $0 } ?? false }
            return span.to.map { head.time >= $0 } ?? false
        }
    }

    private mutating func merge(
        _ index: inout SnapshotIndex, _ chosen: inout SlotSelection?, _ way: Way, _ position: RecordPosition?,
        _ isCounting: Bool, _ body: (StoredRecord) -> Bool
    ) throws(IndexFault) -> Int {
        let (order, isDescending, markedOnly) = (way.order, way.isDescending, way.markedOnly)
        var lower = try IndexWalk(
            &index, markedOnly && order == .time ? .marked : IndexOrder(order), isDescending: isDescending,
            after: position, matching: way.condition)
        // In the order of the rows, in which their texts are adjacent.
        let count = isCounting ? try lower.count(besides: hidden, &index) : 0
        try merge(&index, &lower, &chosen, way, position, body)
        return count
    }

    private mutating func merge(
        _ index: inout SnapshotIndex, _ lower: inout IndexWalk, _ chosen: inout SlotSelection?, _ way: Way,
        _ position: RecordPosition?, _ body: (StoredRecord) -> Bool
    ) throws(IndexFault) {
        let (order, isDescending, markedOnly) = (way.order, way.isDescending, way.markedOnly)
        var upper = table.cursor(order, isDescending: isDescending, after: position)
        var slot = nextSlot(&upper, way, &chosen)
        while try lower.load(&index, skipping: hidden, markedOnly: markedOnly) {
            while let next = slot, try comesFirst(next, lower, order, isDescending) {
                guard body(StoredRecord(next)) else { return }
                slot = nextSlot(&upper, way, &chosen)
            }
            guard body(StoredRecord(lower.head, lower.bytes)) else { return }
            lower.advance()
        }
        while let next = slot {
            guard body(StoredRecord(next)) else { return }
            slot = nextSlot(&upper, way, &chosen)
        }
    }

    private func nextSlot(
        _ cursor: inout RecordTable.Cursor, _ way: borrowing Way, _ chosen: inout SlotSelection?
    ) -> RecordSlot? {
        while let number = table.nextNumber(&cursor) {
            let head = table[number].head
            if way.isPast(head) { return nil }
            if way.markedOnly, !head.isMarked { continue }
            if chosen?.contains(number, table) ?? true { return table.record(number) }
        }
        return nil
    }

    /// Whether a record in memory comes before the snapshot's record of the walk.
    private func comesFirst(
        _ slot: RecordSlot, _ lower: borrowing IndexWalk, _ order: RecordOrder, _ isDescending: Bool
    ) throws(IndexFault) -> Bool {
        let (mine, theirs) = (slot.key(order), lower.head.key(order))
        if mine != theirs { return (mine < theirs) != isDescending }
        if order == .text {
            let sign = table.extractor.compareTexts(slot.bytes, lower.bytes)
            if sign != 0 { return (sign < 0) != isDescending }
        }
        return (slot.head.id < lower.head.id) != isDescending
    }
}
