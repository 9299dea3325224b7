import Platform

/// The first page of an index: whose it is, what it counts, where its sections are.
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
/// | 176 | 80 | offset and length of each section |
/// | 4092 | 4 | CRC-32C of all bytes before |
///
/// What lies between is zero and is not looked at.
struct IndexHeader {
    let key: IndexKey
    let identity: SnapshotIdentity
    let markedCount: Int
    let recordBytes: Int
    let sections: IndexSections

    var count: Int { identity.header.count }
    var bucketCount: Int { IndexFormat.bucketCount(count) }

    init(key: IndexKey, identity: SnapshotIdentity, markedCount: Int, recordBytes: Int) {
        self.key = key
        self.identity = identity
        self.markedCount = markedCount
        self.recordBytes = recordBytes
        sections = IndexSections(count: identity.header.count, markedCount: markedCount)
    }

    /// Nil where the page is damaged, of another version, or says what cannot be.
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
            number(168) == IndexFormat.bucketCount(count)
        else { return nil }
        let snapshot = SnapshotHeader(
            schemaVersion: schemaVersion, storeId: String(decoding: page[32..<68], as: UTF8.self),
            generation: generation, revision: revision, count: count)
        self.init(
            key: IndexKey(page.integer(at: 16, UInt64.self), page.integer(at: 24, UInt64.self)),
            identity: SnapshotIdentity(
                header: snapshot, inode: page.integer(at: 96, UInt64.self), size: size,
                modified: page.integer(at: 112, Int64.self), closingLine: Array(page[120..<140])),
            markedCount: markedCount, recordBytes: recordBytes)
        for (number, section) in sections.all.enumerated() {
            guard page.integer(at: 176 + number * 16, UInt64.self) == UInt64(section.offset),
                page.integer(at: 184 + number * 16, UInt64.self) == UInt64(section.byteCount)
            else { return nil }
        }
    }

    /// Writes the page over what is there.
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
        let checked = UnsafeRawBufferPointer(rebasing: page.dropLast(4))
        page.store(CRC32C.checksum(checked), at: page.count - 4)
    }
}
