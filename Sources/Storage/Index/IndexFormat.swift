import JSONCodec
import Platform

/// The layout of `index-G.v5`: what every part of it is wide, and how each part is checked. `Docs/StoreFormat.md` says the
/// same for those who write another reader.
///
/// Integers are little-endian, ids are their sixteen bytes in written order. A header page, then ten sections, each
/// from a multiple of 4096 bytes on:
/// 0. rows: 64 bytes a record, in order of (time, id), which is the order of the snapshot
/// 1. buckets: 512 bytes each, to find a record by the hash of its id
/// 2. the order by (update, id): pages of row numbers
/// 3. the order by (text prefix, text, id): pages of row numbers
/// 4. the marked records in order of (time, id): pages of row numbers
/// 5. columns: pages of entries, in the order of the rows
/// 6. the texts that the columns name, each after its length (four bytes)
/// 7. the hours that have a record: 24 bytes for 64 hours of one text
/// 8. where each page of the searched texts ends: 8 bytes each, from the beginning of that section on
/// 9. the searched texts: pages of any length, see `SearchedTexts`
///
/// In the file the order is 0, 5, 9, then the others: these three are written while the records come.
///
/// Row, bucket, page and the sections 6 to 8 are the units that are read and checked. A unit's last four bytes are the CRC-32C of the
/// index's key, the unit's offset in the file (eight bytes), and the rest of the unit. So a unit that never reached the
/// disk, is of another index, or stands in another's place is found out when it is read; therefore nothing is synced.
enum IndexFormat {
    static let magic: UInt64 = 0x0a58_4449_444f_4f4d  // "MOODIDX\n"
    static let version: UInt32 = 5
    static let pageBytes = 4096
    static let rowBytes = 64
    static let bucketBytes = 512
    static let entryBytes = 20
    static let bucketEntriesMax = 25
    /// Two thirds of the maximum: one bucket in forty overflows, and then by a record or two.
    static let bucketEntriesAimed = 17
    /// Entries between the first entry's key and the checksum.
    static let pageEntriesMax = 1021
    /// The size of an entry of the columns.
    static let columnsBytes = 32
    /// Before the checksum; as many records have a page of searched texts together.
    static let pageColumnsMax = 127
    static let hoursBytes = 24
    /// Row numbers have four bytes.
    static let countMax = 1 << 32 - 1

    static func bucketCount(_ count: Int) -> Int { max(1, (count + bucketEntriesAimed - 1) / bucketEntriesAimed) }
    static func columnPageCount(_ count: Int) -> Int { (count + pageColumnsMax - 1) / pageColumnsMax }
    static func pageCount(_ entries: Int) -> Int { (entries + pageEntriesMax - 1) / pageEntriesMax }

    /// The first bucket to search for an id: the hash as a fraction of all.
    @inline(__always)
    static func bucket(_ hash: UInt64, of count: Int) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
    }

    /// The part of its id's hash that an entry stores.
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

    /// The checksum of a unit at `offset`, without its own last four bytes.
    @inline(__always)
    func callAsFunction(_ unit: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        let placed = withUnsafeBytes(of: UInt64(truncatingIfNeeded: offset).littleEndian) {
            CRC32C.checksum($0, seed: seed)
        }
        return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: unit[..<(unit.count - 4)]), seed: placed)
    }

    /// Whether a unit is as it was written there.
    @inline(__always)
    func matches(_ unit: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        unit.integer(at: unit.count - 4, UInt32.self) == self(unit, at: offset)
    }
}

extension UnsafeRawBufferPointer {
    /// Reads a little-endian integer; the offset comes from the layout.
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

/// The range of one section, in bytes of the file.
struct IndexSection: Equatable {
    var offset: Int
    var byteCount: Int

    var end: Int { offset + byteCount }
}

/// All sections of an index of `count` records.
struct IndexSections: Equatable {
    var rows: IndexSection
    var buckets: IndexSection
    var byUpdate: IndexSection
    var byText: IndexSection
    var marked: IndexSection
    var columns: IndexSection
    var texts: IndexSection
    var hours: IndexSection
    var searchedEnds: IndexSection
    var searched: IndexSection

    init(count: Int, markedCount: Int, textCount: Int, textBytes: Int, hoursCount: Int, searchedBytes: Int) {
        var end = IndexFormat.pageBytes
        func next(_ byteCount: Int) -> IndexSection {
            defer { end += (byteCount + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes * IndexFormat.pageBytes }
            return IndexSection(offset: end, byteCount: byteCount)
        }
        let columnPages = IndexFormat.columnPageCount(count)
        rows = next(count * IndexFormat.rowBytes)
        columns = next(columnPages * IndexFormat.pageBytes)
        searched = next(searchedBytes)
        buckets = next(IndexFormat.bucketCount(count) * IndexFormat.bucketBytes)
        byUpdate = next(IndexFormat.pageCount(count) * IndexFormat.pageBytes)
        byText = next(IndexFormat.pageCount(count) * IndexFormat.pageBytes)
        marked = next(IndexFormat.pageCount(markedCount) * IndexFormat.pageBytes)
        texts = next(textBytes + 4 * textCount + 4)
        hours = next(hoursCount * IndexFormat.hoursBytes + 4)
        searchedEnds = next(columnPages * 8 + 4)
    }

    var all: [IndexSection] {
        [rows, buckets, byUpdate, byText, marked, columns, texts, hours, searchedEnds, searched]
    }
    /// The size of the whole file.
    var byteCount: Int { searchedEnds.end }
}

/// The first page of an index: its snapshot, its counts and its sections.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | `MOODIDX` and a line feed |
/// | 8 | 4 | version of the format |
/// | 16 | 16 | the key |
/// | 32 | 36 | storeId |
/// | 72 | 24 | schemaVersion, generation, revision of the snapshot, 8 bytes each |
/// | 96 | 24 | inode, size, time of change in nanoseconds |
/// | 120 | 20 | the closing line |
/// | 144 | 24 | records, marked records, bytes of all records |
/// | 168 | 8 | buckets |
/// | 176 | 160 | offset and length of each section |
/// | 336 | 32 | texts of columns, bytes of all of them, entries of hours, bytes of the searched texts |
/// | 4092 | 4 | CRC-32C of all bytes before |
///
/// All other bytes are zero and ignored.
struct IndexHeader {
    let key: IndexKey
    let identity: SnapshotIdentity
    let markedCount: Int
    let recordBytes: Int
    /// Number of texts that the columns name, and their total length.
    let textCount: Int
    let textBytes: Int
    let hoursCount: Int
    let searchedBytes: Int
    let sections: IndexSections

    var count: Int { identity.header.count }
    var bucketCount: Int { IndexFormat.bucketCount(count) }

    init(
        key: IndexKey, identity: SnapshotIdentity, markedCount: Int, recordBytes: Int, textCount: Int, textBytes: Int,
        hoursCount: Int, searchedBytes: Int
    ) {
        self.key = key
        self.identity = identity
        self.markedCount = markedCount
        self.recordBytes = recordBytes
        self.textCount = textCount
        self.textBytes = textBytes
        self.hoursCount = hoursCount
        self.searchedBytes = searchedBytes
        sections = IndexSections(
            count: identity.header.count, markedCount: markedCount, textCount: textCount, textBytes: textBytes,
            hoursCount: hoursCount, searchedBytes: searchedBytes)
    }

    /// Nil if the page is damaged, of another version, or impossible.
    init?(page: UnsafeRawBufferPointer) {
        guard page.count == IndexFormat.pageBytes, page.integer(at: 0, UInt64.self) == IndexFormat.magic,
            page.integer(at: 8, UInt32.self) == IndexFormat.version,
            page.integer(at: page.count - 4, UInt32.self)
                == CRC32C.checksum(UnsafeRawBufferPointer(rebasing: page.dropLast(4)))
        else { return nil }
        func number(_ offset: Int) -> Int? { Int(exactly: page.integer(at: offset, UInt64.self)) }
        guard let schemaVersion = number(72), let generation = number(80), let revision = number(88),
            let size = number(104), let count = number(144), let markedCount = number(152),
            let recordBytes = number(160), recordBytes <= size, count <= IndexFormat.countMax, markedCount <= count,
            number(168) == IndexFormat.bucketCount(count), let textCount = number(336), let textBytes = number(344),
            textCount <= count * RecordTraits.textCount, textBytes <= recordBytes, let hoursCount = number(352),
            hoursCount <= count, let searchedBytes = number(360), searchedBytes <= SearchedTexts.bytesMax(count)
        else { return nil }
        let snapshot = SnapshotHeader(
            schemaVersion: schemaVersion, storeId: String(decoding: page[32..<68], as: UTF8.self),
            generation: generation, revision: revision, count: count)
        self.init(
            key: IndexKey(page.integer(at: 16, UInt64.self), page.integer(at: 24, UInt64.self)),
            identity: SnapshotIdentity(
                header: snapshot, inode: page.integer(at: 96, UInt64.self), size: size,
                modified: page.integer(at: 112, Int64.self), closingLine: Array(page[120..<140])),
            markedCount: markedCount, recordBytes: recordBytes, textCount: textCount, textBytes: textBytes,
            hoursCount: hoursCount, searchedBytes: searchedBytes)
        for (number, section) in sections.all.enumerated() {
            guard page.integer(at: 176 + number * 16, UInt64.self) == UInt64(section.offset),
                page.integer(at: 184 + number * 16, UInt64.self) == UInt64(section.byteCount)
            else { return nil }
        }
    }

    /// Overwrites the page.
    func write(to page: UnsafeMutableRawBufferPointer) {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        let snapshot = identity.header
        page.store(IndexFormat.magic, at: 0)
        page.store(IndexFormat.version, at: 8)
        page.store(key.first, at: 16)
        page.store(key.second, at: 24)
        for (at, byte) in snapshot.storeId.utf8.prefix(36).enumerated() { page[32 + at] = byte }
        page.store(UInt64(truncatingIfNeeded: snapshot.schemaVersion), at: 72)
        page.store(UInt64(truncatingIfNeeded: snapshot.generation), at: 80)
        page.store(UInt64(truncatingIfNeeded: snapshot.revision), at: 88)
        page.store(identity.inode, at: 96)
        page.store(UInt64(truncatingIfNeeded: identity.size), at: 104)
        page.store(identity.modified, at: 112)
        for (at, byte) in identity.closingLine.prefix(SnapshotIdentity.closingBytes).enumerated() {
            page[120 + at] = byte
        }
        page.store(UInt64(truncatingIfNeeded: count), at: 144)
        page.store(UInt64(truncatingIfNeeded: markedCount), at: 152)
        page.store(UInt64(truncatingIfNeeded: recordBytes), at: 160)
        page.store(UInt64(truncatingIfNeeded: bucketCount), at: 168)
        for (number, section) in sections.all.enumerated() {
            page.store(UInt64(truncatingIfNeeded: section.offset), at: 176 + number * 16)
            page.store(UInt64(truncatingIfNeeded: section.byteCount), at: 184 + number * 16)
        }
        page.store(UInt64(truncatingIfNeeded: textCount), at: 336)
        page.store(UInt64(truncatingIfNeeded: textBytes), at: 344)
        page.store(UInt64(truncatingIfNeeded: hoursCount), at: 352)
        page.store(UInt64(truncatingIfNeeded: searchedBytes), at: 360)
        let checked = UnsafeRawBufferPointer(rebasing: page.dropLast(4))
        page.store(CRC32C.checksum(checked), at: page.count - 4)
    }
}
