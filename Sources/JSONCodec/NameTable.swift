/// Finds duplicate names in the objects of one text, in linear time.
///
/// Small objects (nearly all) compare their names pair by pair as they arrive, by a fingerprint that costs a load or
/// two. A larger object, or one with equal fingerprints, is checked at its end, with a table and a keyed hash, so that
/// a peer cannot choose colliding names. Equal hashes are confirmed by comparing the decoded bytes.
///
/// Why unsafe memory: every name of every message passes through here, and an array would check uniqueness and bounds
/// each time. Proof: `count <= capacity` and `depth <= JSONValidator.depthMax` hold before every write.
struct NameTable: ~Copyable {
    private struct Name {
        let fingerprint: UInt64
        let start: Int
        /// The length in bytes; negative for a name with escapes.
        let length: Int
    }

    /// Up to this many names, all pairs are compared as names arrive.
    private static let pairwiseMax = 16
    /// Larger tables are freed after the text that needed them.
    private static let keptCapacity = 4096

    private let hash = ByteHash()
    private var names: UnsafeMutablePointer<Name>
    private var count = 0
    private var capacity = 64
    /// The index of the first name of each open object.
    private let openings: UnsafeMutablePointer<Int>
    private(set) var depth = 0
    /// Bit d: the open object at depth d + 1 has two equal fingerprints.
    private var suspects: UInt64 = 0
    private var slots: [Int32] = []
    /// The offset of the first duplicate name (its opening quote), if any.
    private(set) var duplicate: Int?

    init() {
        names = .allocate(capacity: capacity)
        openings = .allocate(capacity: JSONValidator.depthMax + 1)
    }

    deinit {
        names.deallocate()
        openings.deallocate()
    }

    @inline(__always)
    mutating func reset() {
        count = 0
        depth = 0
        duplicate = nil
        if capacity > Self.keptCapacity { shrink() }
    }

    private mutating func shrink() {
        names.deallocate()
        capacity = 64
        names = .allocate(capacity: capacity)
        slots = []
    }

    @inline(__always)
    mutating func open() {
        openings[depth] = count
        suspects &= ~(1 << UInt64(depth))
        depth += 1
    }

    /// Enters a name; `start..<end` are the bytes between its quotes.
    @inline(__always)
    mutating func enter(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, isEscaped: Bool) {
        let length = end - start
        let name = Name(
            fingerprint: isEscaped ? decodedFingerprint(base, start, end) : Self.fingerprint(base + start, end - start),
            start: start, length: isEscaped ? -length : length)
        var index = openings[depth - 1]
        if count - index < Self.pairwiseMax {
            while index < count {
                // Comparing long names now, pair by pair, would cost many times their length.
                if names[index].fingerprint == name.fingerprint { suspects |= 1 << UInt64(depth - 1) }
                index += 1
            }
        }
        if count == capacity { grow() }
        (names + count).initialize(to: name)
        count += 1
    }

    @inline(__always)
    mutating func close(_ base: UnsafePointer<UInt8>) {
        depth -= 1
        let first = openings[depth]
        if count - first > Self.pairwiseMax || suspects >> UInt64(depth) & 1 == 1 { checkAll(base, from: first) }
        count = first
    }

    /// Drops the objects opened above depth `outer`, after a value that was not JSON.
    mutating func unwind(to outer: Int) {
        guard outer < depth else { return }
        depth = outer
        count = openings[outer]
    }

    /// Records a duplicate name that was found in another way.
    mutating func note(duplicate offset: Int) {
        if offset < duplicate ?? .max { duplicate = offset }
    }

    /// The length, and the first and the last bytes; the whole of a short name.
    @inline(__always)
    private static func fingerprint(_ base: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        let bytes = UnsafeRawPointer(base)
        let length = UInt64(truncatingIfNeeded: count) << 56
        if count >= 8 {
            let last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return bytes.loadUnaligned(as: UInt64.self) ^ (last << 13 | last >> 51) ^ length
        }
        if count >= 4 {
            return UInt64(bytes.loadUnaligned(as: UInt32.self))
                | UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << 24 ^ length
        }
        guard count > 0 else { return 0 }
        return UInt64(base[0]) | UInt64(base[count / 2]) << 8 | UInt64(base[count - 1]) << 16 | length
    }

    @inline(never)
    private func decodedFingerprint(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        JSONText(raw: UnsafeRawBufferPointer(start: base + start, count: end - start), isEscaped: true)
            .withDecoded { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                return Self.fingerprint(start.assumingMemoryBound(to: UInt8.self), bytes.count)
            }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Name>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: names, count: count)
        names.deallocate()
        names = larger
        capacity *= 2
    }

    private func text(_ base: UnsafePointer<UInt8>, _ name: Name) -> JSONText {
        JSONText(
            raw: UnsafeRawBufferPointer(start: base + name.start, count: abs(name.length)),
            isEscaped: name.length < 0)
    }

    @inline(never)
    private mutating func checkAll(_ base: UnsafePointer<UInt8>, from first: Int) {
        var size = 64
        while size < (count - first) * 2 { size *= 2 }
        if slots.count < size { slots = [Int32](repeating: -1, count: size) }
        for index in 0..<size { slots[index] = -1 }
        let mask = size - 1
        for index in first..<count {
            // Names after a duplicate one do not matter, and equal hashes in a row would cost their number squared.
            if let duplicate, duplicate < names[index].start { return }
            let hashed = keyedHash(base, names[index])
            // The keyed hash is needed again if another name has it: it replaces the fingerprint.
            names[index] = Name(fingerprint: hashed, start: names[index].start, length: names[index].length)
            var slot = Int(truncatingIfNeeded: hashed) & mask
            while slots[slot] >= 0 {
                let other = names[Int(slots[slot])]
                if other.fingerprint == hashed { compare(base, other, names[index]) }
                slot = (slot + 1) & mask
            }
            slots[slot] = Int32(truncatingIfNeeded: index)
        }
    }

    private func keyedHash(_ base: UnsafePointer<UInt8>, _ name: Name) -> UInt64 {
        text(base, name).withDecoded { bytes in
            guard let start = bytes.baseAddress else { return hash(base, 0, 0) }
            return hash(start.assumingMemoryBound(to: UInt8.self), 0, bytes.count)
        }
    }

    @inline(never)
    private mutating func compare(_ base: UnsafePointer<UInt8>, _ a: Name, _ b: Name) {
        if text(base, a).isEqual(to: text(base, b)) { duplicate = b.start - 1 }
    }
}
