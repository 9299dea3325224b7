import JSONCodec
import Platform

/// The layout of `index-G`: what every part of it is wide, and how each part is checked. `Docs/StoreFormat.md` says the
/// same for those who write another reader.
///
/// Integers are little-endian, ids are their sixteen bytes in written order. A header page, then five sections, each
/// from a multiple of 4096 bytes on:
/// 0. rows: 64 bytes a record, in order of (time, id), which is the order of the snapshot
/// 1. buckets: 512 bytes each, where a record is found by the hash of its id
/// 2. the order by (update, id): pages of row numbers
/// 3. the order by (text prefix, text, id): the same
/// 4. the marked records in order of (time, id): the same
///
/// Row, bucket and page are the units that are read and checked. A unit's last four bytes are the CRC-32C of the
/// index's key, the unit's offset in the file (eight bytes), and the rest of the unit. So a unit that never reached the
/// disk, is of another index, or stands in another's place is found out when it is read; therefore nothing is synced.
enum IndexFormat {
    static let magic: UInt64 = 0x0a58_4449_444f_4f4d  // "MOODIDX\n"
    static let version: UInt32 = 1
    static let pageBytes = 4096
    static let rowBytes = 64
    static let bucketBytes = 512
    static let entryBytes = 24
    static let bucketEntriesMax = 21
    /// Two thirds of what fits: one bucket in forty overflows, and then by a record or two.
    static let bucketEntriesAimed = 14
    /// Behind the first entry's key, and before the checksum.
    static let pageEntriesMax = 1021
    /// Row numbers have four bytes.
    static let countMax = 1 << 32 - 1

    static func bucketCount(_ count: Int) -> Int { max(1, (count + bucketEntriesAimed - 1) / bucketEntriesAimed) }
    static func pageCount(_ entries: Int) -> Int { (entries + pageEntriesMax - 1) / pageEntriesMax }

    /// The bucket in which an id is looked for first: the hash as a fraction of all.
    @inline(__always)
    static func bucket(_ hash: UInt64, of count: Int) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
    }

    /// What an entry remembers of its id's hash.
    @inline(__always)
    static func fingerprint(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }
}

/// Checks and makes the checksums of the units of one index.
struct UnitChecksum {
    private let seed: UInt32

    init(_ key: IndexKey) {
        let words = (key.first.littleEndian, key.second.littleEndian)
        seed = withUnsafeBytes(of: words) { CRC32C.checksum($0) }
    }

    /// The checksum of a unit that begins at `offset`, its own last four bytes left out.
    @inline(__always)
    func callAsFunction(_ unit: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        let placed = withUnsafeBytes(of: UInt64(truncatingIfNeeded: offset).littleEndian) {
            CRC32C.checksum($0, seed: seed)
        }
        return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: unit[..<(unit.count - 4)]), seed: placed)
    }

    /// Whether a unit is what was written there.
    @inline(__always)
    func matches(_ unit: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        unit.integer(at: unit.count - 4, UInt32.self) == self(unit, at: offset)
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian integer; the offset is the layout's own.
    @inline(__always)
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _ type: Integer.Type) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension UnsafeMutableRawBufferPointer {
    @inline(__always)
    func store<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
}

/// Where one section lies, in bytes of the file.
struct IndexSection: Equatable {
    var offset: Int
    var byteCount: Int

    var end: Int { offset + byteCount }
}

/// All sections of an index of so many records.
struct IndexSections: Equatable {
    var rows: IndexSection
    var buckets: IndexSection
    var byUpdate: IndexSection
    var byText: IndexSection
    var marked: IndexSection

    init(count: Int, markedCount: Int) {
        var end = IndexFormat.pageBytes
        func next(_ byteCount: Int) -> IndexSection {
            defer { end += (byteCount + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes * IndexFormat.pageBytes }
            return IndexSection(offset: end, byteCount: byteCount)
        }
        rows = next(count * IndexFormat.rowBytes)
        buckets = next(IndexFormat.bucketCount(count) * IndexFormat.bucketBytes)
        byUpdate = next(IndexFormat.pageCount(count) * IndexFormat.pageBytes)
        byText = next(IndexFormat.pageCount(count) * IndexFormat.pageBytes)
        marked = next(IndexFormat.pageCount(markedCount) * IndexFormat.pageBytes)
    }

    var all: [IndexSection] { [rows, buckets, byUpdate, byText, marked] }
    /// The size of the whole file.
    var byteCount: Int { marked.end }
}
