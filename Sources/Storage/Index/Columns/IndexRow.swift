import JSONCodec

/// The place of a record in its snapshot, and its checksum.
package struct IndexPlace: Sendable, Equatable {
    /// The number of its row, which is its position in the order by time.
    package let row: Int
    package let offset: Int
    package let byteCount: Int
    let checksum: UInt32

    init(row: Int, offset: Int, byteCount: Int, checksum: UInt32) {
        self.row = row
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}

/// The facts of a record in the index: everything except its bytes.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 16 | id |
/// | 16 | 24 | time, update, text prefix, 8 bytes each, signed |
/// | 40 | 8 | offset in the snapshot |
/// | 48 | 4 | length |
/// | 52 | 4 | CRC-32C of the record |
/// | 56 | 1 | flags |
/// | 57 | 1 | 1 if it is marked, else 0 |
/// | 58 | 2 | zero |
/// | 60 | 4 | checksum of the row |
package struct IndexRow: Sendable {
    package let head: RecordHead
    package let place: IndexPlace

    init(head: RecordHead, place: IndexPlace) {
        self.head = head
        self.place = place
    }

    /// Parses a row whose checksum is right.
    @inline(__always)
    init(number: Int, _ row: UnsafeRawBufferPointer) {
        head = RecordHead(
            id: Self.id(row), time: row.integer(at: 16, Int64.self), updated: row.integer(at: 24, Int64.self),
            textPrefix: row.integer(at: 32, Int64.self), isMarked: row[57] != 0, flags: row[56])
        place = IndexPlace(
            row: number, offset: Int(truncatingIfNeeded: row.integer(at: 40, UInt64.self)),
            byteCount: Int(row.integer(at: 48, UInt32.self)), checksum: row.integer(at: 52, UInt32.self))
    }

    @inline(__always)
    static func id(_ row: UnsafeRawBufferPointer) -> RecordID {
        RecordID(
            high: row.integer(at: 0, UInt64.self).byteSwapped, low: row.integer(at: 8, UInt64.self).byteSwapped)
    }

    @inline(__always)
    static func updated(_ row: UnsafeRawBufferPointer) -> Int64 { row.integer(at: 24, Int64.self) }

    /// The offset of row `number` in the file.
    @inline(__always)
    static func offset(_ number: Int) -> Int { IndexFormat.pageBytes + number * IndexFormat.rowBytes }

    /// Appends the row with its checksum.
    @inline(__always)
    func append(to image: inout ByteBuffer, _ checksum: UnitChecksum) {
        image.reserve(IndexFormat.rowBytes)
        image.append(word: head.id.high.byteSwapped)
        image.append(word: head.id.low.byteSwapped)
        image.append(word: UInt64(bitPattern: head.time))
        image.append(word: UInt64(bitPattern: head.updated))
        image.append(word: UInt64(bitPattern: head.textPrefix))
        image.append(word: UInt64(truncatingIfNeeded: place.offset))
        image.append(word: UInt64(truncatingIfNeeded: place.byteCount) & 0xffff_ffff | UInt64(place.checksum) << 32)
        let marks = UInt64(head.flags) | (head.isMarked ? 1 << 8 : 0)
        image.append(word: marks)
        let row = UnsafeRawBufferPointer(rebasing: image.bytes.suffix(IndexFormat.rowBytes))
        let sum = checksum(row, at: Self.offset(place.row))
        image.truncate(to: image.count - 8)
        image.append(word: marks | UInt64(sum) << 32)
    }
}

/// An entry of a bucket, for one record.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 4 | the lower half of the hash of the id |
/// | 4 | 4 | number of the row |
/// | 8 | 8 | offset in the snapshot, and in the highest 24 bits the length |
/// | 16 | 4 | CRC-32C of the record |
///
/// A bucket has 25 of them, the number of used ones (4 bytes, at 504), and its checksum (at 508). An entry is in the
/// bucket of its hash; if that is full, in the next one that is not; after the last comes the first.
enum IndexBucket {
    private static let countOffset = 504
    private static let offsetBits: UInt64 = 40
    private static let offsetMask: UInt64 = 1 << offsetBits - 1

    /// Whether an entry has room for the place of a record.
    @inline(__always)
    static func hasRoom(_ offset: Int, _ byteCount: Int) -> Bool {
        UInt64(offset) <= offsetMask && byteCount < 1 << (64 - offsetBits)
    }

    @inline(__always)
    static func count(_ bucket: UnsafeRawBufferPointer) -> Int {
        min(Int(bucket.integer(at: countOffset, UInt32.self)), IndexFormat.bucketEntriesMax)
    }

    @inline(__always)
    static func fingerprint(_ bucket: UnsafeRawBufferPointer, _ entry: Int) -> UInt32 {
        bucket.integer(at: entry * IndexFormat.entryBytes, UInt32.self)
    }

    @inline(__always)
    static func place(_ bucket: UnsafeRawBufferPointer, _ entry: Int) -> IndexPlace {
        let at = entry * IndexFormat.entryBytes
        let place = bucket.integer(at: at + 8, UInt64.self)
        return IndexPlace(
            row: Int(bucket.integer(at: at + 4, UInt32.self)), offset: Int(place & offsetMask),
            byteCount: Int(place >> offsetBits), checksum: bucket.integer(at: at + 16, UInt32.self))
    }

    /// Adds an entry; false if the bucket is full.
    @inline(__always)
    static func append(
        to bucket: UnsafeMutableRawBufferPointer, fingerprint: UInt32, row: Int, _ source: UnsafeRawBufferPointer
    ) -> Bool {
        let count = count(UnsafeRawBufferPointer(bucket))
        guard count < IndexFormat.bucketEntriesMax else { return false }
        let at = count * IndexFormat.entryBytes
        bucket.store(fingerprint, at: at)
        bucket.store(UInt32(truncatingIfNeeded: row), at: at + 4)
        let length = UInt64(source.integer(at: 48, UInt32.self))
        bucket.store(source.integer(at: 40, UInt64.self) | length << offsetBits, at: at + 8)
        bucket.store(source.integer(at: 52, UInt32.self), at: at + 16)
        bucket.store(UInt32(truncatingIfNeeded: count + 1), at: countOffset)
        return true
    }
}

/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a keyed hash for input from a peer.
///
/// Without the key no peer can choose ids or texts that all fall into one bucket; any reader with the key can look up.
struct SipHash: Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// - Parameter key: sixteen bytes as two little-endian words.
    @inline(__always)
    init(_ key: IndexKey) {
        a = key.first ^ 0x736f_6d65_7073_6575
        b = key.second ^ 0x646f_7261_6e64_6f6d
        c = key.first ^ 0x6c79_6765_6e65_7261
        d = key.second ^ 0x7465_6462_7974_6573
    }

    /// The hash of an id's sixteen bytes in their written order.
    @inline(__always)
    func callAsFunction(_ id: RecordID) -> UInt64 {
        var state = self
        state.absorb(id.high.byteSwapped)
        state.absorb(id.low.byteSwapped)
        state.absorb(16 << 56)
        return state.finish()
    }

    /// The hash of any bytes.
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = self
        var at = 0
        while bytes.count - at >= 8 {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while at < bytes.count {
            last |= UInt64(bytes[at]) << shift
            shift += 8
            at += 1
        }
        state.absorb(last)
        return state.finish()
    }

    @inline(__always)
    private mutating func absorb(_ word: UInt64) {
        d ^= word
        round()
        round()
        a ^= word
    }

    @inline(__always)
    private mutating func finish() -> UInt64 {
        c ^= 0xff
        for _ in 0..<4 { round() }
        return a ^ b ^ c ^ d
    }

    @inline(__always)
    private mutating func round() {
        a &+= b
        b = Self.rotate(b, 13) ^ a
        a = Self.rotate(a, 32)
        c &+= d
        d = Self.rotate(d, 16) ^ c
        a &+= d
        d = Self.rotate(d, 21) ^ a
        c &+= b
        b = Self.rotate(b, 17) ^ c
        c = Self.rotate(c, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}

/// Sixteen random bytes, different for each index: the key of its hash, and part of each of its checksums.
package struct IndexKey: Sendable, Equatable {
    let first: UInt64
    let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    package static func random() -> IndexKey { IndexKey(.random(in: .min ... .max), .random(in: .min ... .max)) }
}
