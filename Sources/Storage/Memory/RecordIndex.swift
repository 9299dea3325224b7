import CPlatform

/// An index from id to slot: open addressing with linear probing, eight bytes an entry (a 32-bit hash, a slot number).
///
/// The hash is keyed, because clients choose ids. Removal shifts the entries after it back (Knuth, TAOCP 6.4, Algorithm
/// R), so there are no tombstones and a look-up ends at the first empty entry.
///
/// Invariants
/// 1. At most three quarters of the entries are used.
/// 2. No entry between an entry's home, which is its hash modulo the capacity, and its place is empty.
struct RecordIndex: ~Copyable {
    /// The hash in the high half, slot number + 1 in the low one; 0: empty.
    private var table: UnsafeMutablePointer<UInt64>
    private var capacity = 64
    private var used = 0
    private let key: (UInt64, UInt64)

    init() {
        key = (.random(in: .min ... .max), .random(in: .min ... .max))
        table = .allocate(capacity: capacity)
        table.initialize(repeating: 0, count: capacity)
    }

    deinit { table.deallocate() }

    /// The slots of all records, in no order.
    func forEach(_ body: (Int32) -> Void) {
        for at in 0..<capacity where table[at] != 0 { body(Self.slot(table[at])) }
    }

    @inline(__always)
    func find(_ id: RecordID, _ slots: UnsafeMutablePointer<RecordSlot>) -> Int32? {
        find(id) { slots[Int($0)].head.id == id }
    }

    /// - Parameter isMeant: whether the id has this slot.
    @inline(__always)
    func find(_ id: RecordID, _ isMeant: (Int32) -> Bool) -> Int32? {
        guard let at = place(id, isMeant) else { return nil }
        return Self.slot(table[at])
    }

    /// Prefetches the memory for the look-up of an id.
    @inline(__always)
    func bringNear(_ id: RecordID) {
        cplatform_prefetch(table + (Int(truncatingIfNeeded: hash(id)) & (capacity - 1)))
    }

    /// The first slot that may be an id's, without reading the slot; -1 if there is none.
    @inline(__always)
    func first(_ id: RecordID) -> Int32 {
        let hash = hash(id)
        var at = Int(truncatingIfNeeded: hash) & (capacity - 1)
        while table[at] != 0 {
            if table[at] >> 32 == hash { return Self.slot(table[at]) }
            at = (at + 1) & (capacity - 1)
        }
        return -1
    }

    /// Adds an id, which must not be there yet.
    mutating func insert(_ id: RecordID, _ slot: Int32) {
        if (used + 1) * 4 > capacity * 3 { grow() }
        put(hash(id) << 32 | UInt64(UInt32(bitPattern: slot)) + 1)
        used += 1
    }

    mutating func remove(_ id: RecordID, _ slots: UnsafeMutablePointer<RecordSlot>) {
        guard var hole = place(id, { slots[Int($0)].head.id == id }) else { return }
        let mask = capacity - 1
        var at = hole
        while true {
            at = (at + 1) & mask
            let entry = table[at]
            if entry == 0 { break }
            let home = Int(truncatingIfNeeded: entry >> 32) & mask
            // The entry may fill the hole unless its home lies between the hole and its place.
            if (at - home) & mask >= (at - hole) & mask {
                table[hole] = entry
                hole = at
            }
        }
        table[hole] = 0
        used -= 1
    }

    @inline(__always)
    private func place(_ id: RecordID, _ isMeant: (Int32) -> Bool) -> Int? {
        let hash = hash(id)
        let mask = capacity - 1
        var at = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = table[at]
            if entry == 0 { return nil }
            if entry >> 32 == hash, isMeant(Self.slot(entry)) { return at }
            at = (at + 1) & mask
        }
    }

    /// 32 bits.
    @inline(__always)
    private func hash(_ id: RecordID) -> UInt64 {
        // Both factors are keyed: for a known factor a client could choose an id that makes the product 0 whatever the
        // key.
        let product = (id.high ^ key.0).multipliedFullWidth(by: id.low ^ key.1)
        return ((product.high ^ product.low ^ id.high) &* 0xff51_afd7_ed55_8ccd) >> 32
    }

    @inline(__always)
    private static func slot(_ entry: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: entry & 0xffff_ffff) &- 1
    }

    private func put(_ entry: UInt64) {
        let mask = capacity - 1
        var at = Int(truncatingIfNeeded: entry >> 32) & mask
        while table[at] != 0 { at = (at + 1) & mask }
        table[at] = entry
    }

    private mutating func grow() {
        let old = table
        let oldCapacity = capacity
        capacity *= 2
        table = .allocate(capacity: capacity)
        table.initialize(repeating: 0, count: capacity)
        for at in 0..<oldCapacity where old[at] != 0 { put(old[at]) }
        old.deallocate()
    }
}
