import CPlatform

/// All records in memory: found by id, walked by time, update or text, counted.
///
/// An order is built on its first use and then maintained, since many sessions never use it. The order by time, the
/// most common one, is built before the number of records would make the first walk noticeably slow.
///
/// Why unsafe memory: slots are found millions of times a second, and an array would check uniqueness and bounds at
/// each step. Proof: slot numbers come only from `index`, the runs and `free`, which only this type writes, and are
/// below `slotCount <= slotCapacity`; `deinit`, or the caller that took the slot out, frees the bytes.
struct RecordTable: ~Copyable {
    private(set) var count = 0
    private(set) var markedCount = 0
    /// The bytes of all records.
    private(set) var byteCount = 0

    private var slots: UnsafeMutablePointer<RecordSlot>
    private var slotCapacity = 64
    private var slotCount = 0
    private var free: [Int32] = []
    private var index: RecordIndex
    private var byTime: RecordRun?
    private var byUpdate: RecordRun?
    private var byText: RecordRun?
    /// Nil before the first walk with a condition.
    private var facets: RecordFacets?
    let extractor: RecordExtractor
    /// The draft with the records of the open commit that are not in memory.
    private(set) var draft: CommitDraft?
    /// With more records the order by time is always maintained: sorting this many takes some milliseconds.
    static let unorderedMax = 1 << 16

    init(extractor: RecordExtractor) {
        self.extractor = extractor
        slots = Self.allocate(slotCapacity)
        index = RecordIndex()
    }

    deinit {
        index.forEach { slots[Int($0)].deallocate() }
        slots.deallocate()
    }

    /// The slot of a record, or nil.
    @inline(__always)
    mutating func find(_ id: RecordID) -> Int32? {
        index.find(id, slots)
    }

    /// Prefetches the cache lines of records, stage by stage for all of them, so that no stage waits for the one
    /// before: the index, the slot, the beginning and the end of the bytes.
    @inline(__always)
    mutating func bringNear(count: Int, _ id: (Int) -> RecordID) {
        for number in 0..<count { index.bringNear(id(number)) }
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { found in
            for number in 0..<count {
                let slot = index.first(id(number))
                found[number] = slot
                if slot >= 0 { cplatform_prefetch(slots + Int(slot)) }
            }
            for number in 0..<count where found[number] >= 0 {
                let slot = slots[Int(found[number])]
                if slot.isInDraft { continue }
                var offset = 0
                while offset < min(slot.count, Self.nearBytesMax) {
                    cplatform_prefetch(slot.body + offset)
                    offset += 64
                }
                cplatform_prefetch(slot.body + slot.count - 1)
            }
        }
    }

    /// Bytes of a record to prefetch; for longer ones the processor's own prefetching takes over.
    private static let nearBytesMax = 512

    @inline(__always)
    subscript(slot: Int32) -> RecordSlot { slots[Int(slot)] }

    /// Adds a record whose id is not there yet.
    mutating func insert(_ slot: RecordSlot) {
        let number: Int32
        if let reused = free.popLast() {
            number = reused
        } else {
            if slotCount == slotCapacity { grow() }
            number = Int32(truncatingIfNeeded: slotCount)
            slotCount += 1
        }
        (slots + Int(number)).initialize(to: slot)
        index.insert(slot.head.id, number)
        count += 1
        count(slot, 1)
        link(number)
        facets?.forget(number)
        if byTime == nil, count > Self.unorderedMax { build(.time) }
    }

    /// Replaces a record and returns the version before.
    mutating func replace(_ number: Int32, with slot: RecordSlot) -> RecordSlot {
        let old = slots[Int(number)]
        count(old, -1)
        count(slot, 1)
        let isTimeSame = old.head.time == slot.head.time
        let isUpdateSame = old.head.updated == slot.head.updated
        let isTextSame =
            byText == nil
            || (old.head.textPrefix == slot.head.textPrefix && extractor.compareTexts(old.bytes, slot.bytes) == 0)
        unlink(number, time: !isTimeSame, update: !isUpdateSame, text: !isTextSame)
        slots[Int(number)] = slot
        facets?.forget(number)
        link(number, time: !isTimeSame, update: !isUpdateSame, text: !isTextSame)
        return old
    }

    /// Removes a record and returns it.
    mutating func remove(_ number: Int32) -> RecordSlot {
        let old = slots[Int(number)]
        unlink(number)
        index.remove(old.head.id, slots)
        slots[Int(number)].count = 0
        free.append(number)
        count -= 1
        count(old, -1)
        return old
    }

    /// Removes all records and returns them, in no order.
    mutating func removeAll() -> [RecordSlot] {
        var taken: [RecordSlot] = []
        taken.reserveCapacity(count)
        index.forEach { taken.append(slots[Int($0)]) }
        index = RecordIndex()
        byTime = nil
        byUpdate = nil
        byText = nil
        facets = nil
        free = []
        slotCount = 0
        count = 0
        markedCount = 0
        byteCount = 0
        return taken
    }

    /// The ids of all records, in no order.
    func forEachID(_ body: (RecordID) -> Void) { index.forEach { body(slots[Int($0)].head.id) } }

    /// Walks in an order from a position on (from the beginning or the end without one) until `body` returns false.
    mutating func walk(
        _ order: RecordOrder, isDescending: Bool, after position: RecordPosition?, _ body: (RecordSlot) -> Bool
    ) {
        var cursor = cursor(order, isDescending: isDescending, after: position)
        while let slot = next(&cursor) {
            guard body(slot) else { return }
        }
    }

    /// A walk in steps; the table must not change in between.
    struct Cursor {
        fileprivate let run: RecordRun
        fileprivate let isDescending: Bool
        fileprivate var index: RecordRun.Index
    }

    mutating func cursor(_ order: RecordOrder, isDescending: Bool, after position: RecordPosition?) -> Cursor {
        build(order)
        let run = run(order)
        let index =
            isDescending
            ? position.map { firstIndex(run, order, $0, isAfterInclusive: true) } ?? run.endIndex
            : position.map { firstIndex(run, order, $0, isAfterInclusive: false) }
                ?? RecordRun.Index(chunk: 0, offset: 0)
        return Cursor(run: run, isDescending: isDescending, index: index)
    }

    /// Returns the present record of the walk and moves on.
    @inline(__always)
    func next(_ cursor: inout Cursor) -> RecordSlot? {
        nextNumber(&cursor).flatMap { record($0) }
    }

    /// Returns the slot of the present record of the walk and moves on.
    @inline(__always)
    func nextNumber(_ cursor: inout Cursor) -> Int32? {
        if cursor.isDescending {
            return cursor.run.retreat(&cursor.index) ? cursor.run.entry(cursor.index).slot : nil
        }
        guard !cursor.run.isAtEnd(cursor.index) else { return nil }
        defer { cursor.run.advance(&cursor.index) }
        return cursor.run.entry(cursor.index).slot
    }

    /// The record of a slot, one in a draft until the next; nil if the draft cannot be read.
    @inline(__always)
    func record(_ number: Int32) -> RecordSlot? {
        var slot = slots[Int(number)]
        if slot.isInDraft {
            guard let bytes = lent(slot.place), let start = bytes.baseAddress else { return nil }
            slot.body = UnsafeMutableRawPointer(mutating: start)
            slot.count = bytes.count
        }
        return slot
    }

    /// The bytes of a record in the draft, until the next one; nil if the draft cannot be read, which then says why.
    @inline(never)
    private func lent(_ place: CommitDraft.Place) -> UnsafeRawBufferPointer? { try? draft?.read(place) }

    /// The bytes of a record in the draft, until the next one.
    @inline(never)
    func draftBytes(_ slot: RecordSlot) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let draft else { return slot.bytes }
        return try draft.read(slot.place)
    }

    /// Takes records into a draft from now on. Only the order by time is kept: the others compare texts.
    mutating func begin(_ draft: CommitDraft) {
        self.draft = draft
        byUpdate = nil
        byText = nil
    }

    /// Forgets the draft, and none of its records is left.
    mutating func takeDraft() -> CommitDraft? { draft.take() }

    /// The first entry after a position; with `isAfterInclusive`, an entry exactly there counts as after it.
    private func firstIndex(
        _ run: RecordRun, _ order: RecordOrder, _ position: RecordPosition, isAfterInclusive: Bool
    ) -> RecordRun.Index {
        run.firstIndex(key: position.key) { slot in
            let slot = slots[Int(slot)]
            if order == .text {
                let sign = extractor.compareText(slot.bytes, position.text)
                if sign != 0 { return sign > 0 }
            }
            return isAfterInclusive ? !(slot.head.id < position.id) : position.id < slot.head.id
        }
    }

    private func run(_ order: RecordOrder) -> RecordRun {
        switch order {
        case .time: byTime ?? RecordRun()
        case .updated: byUpdate ?? RecordRun()
        case .text: byText ?? RecordRun()
        }
    }

    /// Whether an order has not been built yet.
    func hasToSort(_ order: RecordOrder) -> Bool {
        switch order {
        case .time: byTime == nil
        case .updated: byUpdate == nil
        case .text: byText == nil
        }
    }

    private mutating func build(_ order: RecordOrder) {
        guard hasToSort(order) else { return }
        switch order {
        case .time: byTime = makeRun(order)
        case .updated: byUpdate = makeRun(order)
        case .text: byText = makeRun(order)
        }
    }

    /// Sorts all records. A text is folded once, not at each comparison.
    private mutating func makeRun(_ order: RecordOrder) -> RecordRun {
        var found: [Int32] = []
        found.reserveCapacity(count)
        index.forEach { found.append($0) }
        let numbers = found
        let ranks = order == .text ? textRanks(numbers) : []
        let slots = slots
        var sort = IndexSort(count: numbers.count) {
            order == .text ? UInt64(ranks[$0]) : UInt64(bitPattern: slots[Int(numbers[$0])].key(order)) ^ 1 << 63
        }
        sort.sort()
        sort.sortRuns(0..<numbers.count, byWords: 0..<2) { row, word in
            let id = slots[Int(numbers[row])].head.id
            return word == 0 ? id.high : id.low
        }
        var entries: [RecordRun.Entry] = []
        entries.reserveCapacity(numbers.count)
        for place in 0..<numbers.count {
            let number = numbers[sort.row(place)]
            entries.append(.init(key: slots[Int(number)].key(order), slot: number))
        }
        return RecordRun(entries)
    }

    /// The ranks of the texts of these slots.
    private mutating func textRanks(_ numbers: [Int32]) -> [UInt32] {
        let facets = preparedFacets().0
        var places: [UInt32] = []
        places.reserveCapacity(numbers.count)
        for number in numbers { places.append(facets.sortedText(of: Int(number), self)) }
        let ranks = facets.sortedTexts.ranks()
        return places.map { ranks[Int($0)] }
    }

    /// Whether a slot has a record.
    func isUsed(_ slot: Int) -> Bool { slots[slot].count != 0 }

    /// The facets for a walk with a condition, and the number of slots.
    mutating func preparedFacets() -> (RecordFacets, slotCount: Int) {
        let known = facets ?? RecordFacets()
        known.prepare(slotCount: slotCount)
        facets = known
        return (known, slotCount)
    }

    /// The order of two slots with equal keys.
    private func tie(_ order: RecordOrder) -> (Int32, Int32) -> Bool {
        let slots = slots
        guard order == .text else {
            return { slots[Int($0)].head.id < slots[Int($1)].head.id }
        }
        let extractor = extractor
        return { a, b in
            let sign = extractor.compareTexts(slots[Int(a)].bytes, slots[Int(b)].bytes)
            return sign != 0 ? sign < 0 : slots[Int(a)].head.id < slots[Int(b)].head.id
        }
    }

    private mutating func link(_ number: Int32, time: Bool = true, update: Bool = true, text: Bool = true) {
        let head = slots[Int(number)].head
        let slots = slots
        if time, byTime != nil {
            byTime?.insert(
                .init(key: head.time, slot: number), tie: { slots[Int($0)].head.id < slots[Int($1)].head.id })
        }
        if update, byUpdate != nil {
            let tie = tie(.updated)
            byUpdate?.insert(.init(key: head.updated, slot: number), tie: tie)
        }
        if text, byText != nil {
            let tie = tie(.text)
            byText?.insert(.init(key: head.textPrefix, slot: number), tie: tie)
        }
    }

    private mutating func unlink(_ number: Int32, time: Bool = true, update: Bool = true, text: Bool = true) {
        let head = slots[Int(number)].head
        let slots = slots
        if time, byTime != nil {
            byTime?.remove(key: head.time, slot: number) { slots[Int($0)].head.id < slots[Int($1)].head.id }
        }
        if update, byUpdate != nil {
            let tie = tie(.updated)
            byUpdate?.remove(key: head.updated, slot: number, tie: tie)
        }
        if text, byText != nil {
            let tie = tie(.text)
            byText?.remove(key: head.textPrefix, slot: number, tie: tie)
        }
    }

    private mutating func count(_ slot: RecordSlot, _ sign: Int) {
        byteCount += sign * slot.byteCount
        if slot.head.isMarked { markedCount += sign }
    }

    /// Allocates slots on a cache line's boundary: a slot is as long as a line, and costs one miss there instead of
    /// two.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<RecordSlot> {
        UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<RecordSlot>.stride, alignment: 64)
            .bindMemory(to: RecordSlot.self, capacity: capacity)
    }

    private mutating func grow() {
        let larger = Self.allocate(slotCapacity * 2)
        larger.moveInitialize(from: slots, count: slotCount)
        slots.deallocate()
        slots = larger
        slotCapacity *= 2
    }
}
