import CPlatform

/// All records in memory: found by id, walked by time, update or text, counted.
///
/// An order is built when it is first asked for and kept from then on, since many sessions never ask. The order by time,
/// which is asked for most, is built before there are so many records that somebody would wait for it noticeably.
///
/// Why unsafe memory: slots are found millions of times a second, and an array of them would be checked for uniqueness
/// and bounds at each step. Proof: slot numbers come only from `index`, the runs and `free`, which this type alone
/// writes, and are below `slotCount <= slotCapacity`; bodies are freed by `deinit` or by who took the slot out.
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
    let extractor: RecordExtractor
    /// With more records the order by time is kept whether or not it was asked for: to sort these takes some milliseconds.
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

    /// Asks for the lines of memory in which records are, step by step for all of them, so that no step waits for the one
    /// before it: the index, the slot, the beginning and the end of the bytes.
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
                var offset = 0
                while offset < min(slot.count, Self.nearBytesMax) {
                    cplatform_prefetch(slot.body + offset)
                    offset += 64
                }
                cplatform_prefetch(slot.body + slot.count - 1)
            }
        }
    }

    /// How many bytes of a record are asked for; of longer ones the processor asks by itself once they are read.
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
        if byTime == nil, count > Self.unorderedMax { build(.time) }
    }

    /// Puts another version in a record's place and hands back the one before.
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
        link(number, time: !isTimeSame, update: !isUpdateSame, text: !isTextSame)
        return old
    }

    /// Takes a record out and hands it over.
    mutating func remove(_ number: Int32) -> RecordSlot {
        let old = slots[Int(number)]
        unlink(number)
        index.remove(old.head.id, slots)
        free.append(number)
        count -= 1
        count(old, -1)
        return old
    }

    /// Takes all records out and hands them over, in no order.
    mutating func removeAll() -> [RecordSlot] {
        var taken: [RecordSlot] = []
        taken.reserveCapacity(count)
        index.forEach { taken.append(slots[Int($0)]) }
        index = RecordIndex()
        byTime = nil
        byUpdate = nil
        byText = nil
        free = []
        slotCount = 0
        count = 0
        markedCount = 0
        byteCount = 0
        return taken
    }

    /// The ids of all records, in no order.
    func forEachID(_ body: (RecordID) -> Void) { index.forEach { body(slots[Int($0)].head.id) } }

    /// Walks in an order from a position on (from the beginning or the end without one) until `body` answers false.
    mutating func walk(
        _ order: RecordOrder, isDescending: Bool, after position: RecordPosition?, _ body: (RecordSlot) -> Bool
    ) {
        var cursor = cursor(order, isDescending: isDescending, after: position)
        while let slot = next(&cursor) {
            guard body(slot) else { return }
        }
    }

    /// A walk that is taken step by step; nothing may be changed in between.
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

    /// The record at which the walk stands; the walk goes on.
    @inline(__always)
    func next(_ cursor: inout Cursor) -> RecordSlot? {
        if cursor.isDescending {
            guard cursor.run.retreat(&cursor.index) else { return nil }
            return slots[Int(cursor.run.entry(cursor.index).slot)]
        }
        guard !cursor.run.isAtEnd(cursor.index) else { return nil }
        defer { cursor.run.advance(&cursor.index) }
        return slots[Int(cursor.run.entry(cursor.index).slot)]
    }

    /// The first entry after a position; with `isAfterInclusive`, the entry exactly there counts as after it.
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

    private mutating func build(_ order: RecordOrder) {
        switch order {
        case .time: if byTime == nil { byTime = makeRun(order) }
        case .updated: if byUpdate == nil { byUpdate = makeRun(order) }
        case .text: if byText == nil { byText = makeRun(order) }
        }
    }

    private func makeRun(_ order: RecordOrder) -> RecordRun {
        var entries: [RecordRun.Entry] = []
        entries.reserveCapacity(count)
        index.forEach { entries.append(.init(key: slots[Int($0)].key(order), slot: $0)) }
        return RecordRun(entries, tie: tie(order))
    }

    /// Whether the first of two slots with equal keys comes first.
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
        byteCount += sign * slot.count
        if slot.head.isMarked { markedCount += sign }
    }

    /// A slot is as long as a cache line; on its boundary it costs one miss instead of two.
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
