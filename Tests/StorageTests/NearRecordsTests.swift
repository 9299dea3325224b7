import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

/// What was brought near is found in the same way, with fewer reads.
@Suite struct NearRecordsTests {
    private static let size = 2_100

    private let records: [TestRecord]
    private let indexed: IndexedSnapshot
    private let files = FaultyFiles()

    init() throws {
        var random = SeededRandom(seed: 31)
        records = .random(Self.size, &random)
        indexed = try IndexedSnapshot(records)
        var image = try indexed.build()
        try image.moveToDisk(in: try indexed.place(), temporary: "temporary-1")
    }

    /// As often as is needed for the files to be mapped.
    private func bringNear(_ ids: [RecordID?], _ index: inout SnapshotIndex) {
        for _ in 0..<80 { index.bringNear(count: ids.count) { ids[$0] } }
    }

    private func text(_ id: RecordID, _ index: borrowing SnapshotIndex) throws -> String? {
        var buffer = ByteBuffer()
        guard try index.record(id, into: &buffer) != nil else { return nil }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private var reads: [String] { files.trace.filter { $0.hasPrefix("pread") } }

    @Test(arguments: [1, 12, 40])
    func areFoundAsBefore(count: Int) throws {
        var index = try indexed.openIndex()
        for start in stride(from: 0, to: Self.size - count, by: 97) {
            let some = records[start..<start + count]
            bringNear(some.map(\.id), &index)
            for record in some {
                #expect(try text(record.id, index) == record.json)
                #expect(try index.find(record.id).map { try index.row($0.row).head.id } == record.id)
            }
            let other = records[(start + count + 50) % Self.size]
            #expect(try text(other.id, index) == other.json)
        }
    }

    @Test func needOneReadOnly() throws {
        var index = try indexed.openIndex(files.fileSystem)
        var once = 0
        for start in stride(from: 0, to: 600, by: 12) {
            let some = records[start..<start + 12]
            bringNear(some.map(\.id), &index)
            for record in some {
                files.set(.none)
                #expect(try text(record.id, index) == record.json)
                if reads == ["pread moods.json"] { once += 1 }
            }
        }
        // All but those that overflowed from their bucket.
        #expect(once > 560)
    }

    @Test func absentOnesNeedNone() throws {
        var index = try indexed.openIndex(files.fileSystem)
        let ids = (0..<12).map { RecordID(high: 1 << 50, low: $0) }
        bringNear(ids, &index)
        files.set(.none)
        for id in ids { #expect(try text(id, index) == nil) }
        #expect(reads.count < 6)
        bringNear([nil, nil], &index)
        for id in ids { #expect(try text(id, index) == nil) }
    }

    @Test func whatIsDamagedIsToldToWhoAsks() throws {
        var bytes = try indexed.imageBytes()
        let sections = IndexSections(count: Self.size, markedCount: records.filter(\.isMarked).count)
        for offset in stride(from: sections.buckets.offset, to: sections.buckets.end, by: 100) { bytes[offset] ^= 1 }
        guard var index = try indexed.index(from: bytes) else { throw IndexedSnapshot.NoIndex() }
        let ids = records.prefix(12).map(\.id)
        bringNear(ids, &index)
        for id in ids { #expect(IndexAnswer { try text(id, index) } == .indexDamaged) }
    }

    @Test func filesMayBeCutShort() throws {
        var index = try indexed.openIndex()
        let ids = records.suffix(12).map(\.id)
        bringNear(ids, &index)
        for name in ["index-4", "moods.json"] {
            try File(indexed.directory.path(name), .readWrite, in: .system).truncate(to: 4_096)
            bringNear(ids, &index)
            for id in ids {
                let answer = IndexAnswer { try text(id, index) }
                #expect(answer == .indexDamaged || answer != .other)
            }
        }
    }

    @Test func needNoMapping() throws {
        var unmapped = FileSystem.system
        unmapped.map = { _, _ throws(SystemError) in throw SystemError(call: "mmap", code: ENODEV) }
        var index = try indexed.openIndex(unmapped)
        bringNear(records.map(\.id), &index)
        for record in records { #expect(try text(record.id, index) == record.json) }
    }

    /// What was committed since the snapshot comes first, also of what was brought near before.
    @Test func changesHideThem() throws {
        let directory = TestDirectory()
        let store = try TestRecords(settings(directory))
        for record in records { try store.put(record) }
        try store.endCommit()
        try store.flush()
        _ = try Compaction.run(settings(directory), .test)
        try store.open()
        let ids = records.prefix(12).map(\.id)
        func found(_ id: RecordID) throws -> TestRecord? {
            try store.with { store in try store.bytes(id).flatMap { TestRecord($0) } }
        }
        func bringNear() { for _ in 0..<80 { store.with { $0.bringNear(count: 12) { ids[$0] } } } }
        bringNear()
        for record in records.prefix(12) { #expect(try found(record.id) == record) }
        var changed = records[3]
        changed.updated += 1
        try store.put(changed)
        #expect(try store.remove(records[4].id))
        for _ in 0..<2 {
            #expect(try found(changed.id) == changed)
            #expect(try found(records[4].id) == nil)
            #expect(try found(records[5].id) == records[5])
            bringNear()
        }
        store.abandonCommit()
        #expect(try found(changed.id) == records[3])
        #expect(try found(records[4].id) == records[4])
    }
}
