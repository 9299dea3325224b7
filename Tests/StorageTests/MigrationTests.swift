import JSONCodec
import Platform
import Testing

@testable import Storage

/// The files of a migration, with a simple migration: a document is a line, which becomes one record.
@Suite struct MigrationTests {
    private let directory = TestDirectory()
    private static let document = Array("{\"schemaVersion\":1,\"label\":\"old\"}".utf8)

    private static let migration = SchemaMigration { (document) throws(SchemaMigration.Problem) in
        guard document.last == UInt8(ascii: "}") else {
            throw SchemaMigration.Problem(offset: 7, reason: "it is odd", isDamage: false)
        }
        return MigratedDocument(count: 1, unknownMembers: Array(",\"x\":[1]".utf8)) { emit in
            withBytes(record(1, "old")) { emit($0) }
        }
    }

    private func settings(_ faulty: FaultyFiles) -> StoreSettings {
        var settings = StorageTests.settings(directory, faulty.fileSystem)
        settings.migration = Self.migration
        return settings
    }

    /// Before the rename, the old file is synced and has its second name, and the journal has its name, all durably.
    @Test func isOnTheDiskBeforeItIsVisible() throws {
        let faulty = FaultyFiles()
        directory.restore(["moods.json": Self.document])
        var store = try TestStore(settings(faulty))
        let trace = faulty.trace
        func last(_ call: String) throws -> Int { try #require(trace.lastIndex(of: call)) }
        let rename = try last("rename moods.json")
        let link = try last("link moods.v1.json")
        #expect(try #require(trace.firstIndex(of: "fsync moods.json")) < link)
        let journal = try last("rename journal-1.jsonl")
        #expect(link < journal && journal < rename)
        #expect(trace[journal..<rename].contains("fsync directory"))
        #expect(trace[rename...].contains("fsync directory"))
        #expect(trace.filter { $0 == "fsync temporary" }.count == 2)
        try store.commit(.put(2, "new"))
        #expect(store.table.records.count == 2)
        #expect(directory.text("moods.json").contains("\"count\":1,\"x\":[1],\"moods\":["))
        #expect(directory.read("moods.v1.json") == Self.document)
    }

    @Test func copiesTheOldFileWhereThereAreNoHardLinks() throws {
        let faulty = FaultyFiles()
        faulty.set(.named("link", EPERM))
        directory.restore(["moods.json": Self.document])
        _ = try TestStore(settings(faulty))
        #expect(directory.read("moods.v1.json") == Self.document)
        #expect(directory.names == ["journal-1.jsonl", "lock", "moods.json", "moods.v1.json"])
    }

    @Test func refusesWithoutAMigration() throws {
        directory.restore(["moods.json": Self.document])
        guard case .failure(.olderSchema(version: 1, _)) = reopened(StorageTests.settings(directory)) else {
            throw TestFailure("not refused")
        }
    }

    /// A process was killed between the rename that made a store and the sync of its directory. After a power cut the
    /// next commit would stand beside no snapshot, or beside an older one, so the directory is synced first.
    @Test(arguments: [false, true])
    func syncsTheDirectoryOfANewStoreBeforeTheFirstCommit(isMigrated: Bool) throws {
        if isMigrated { directory.restore(["moods.json": Self.document]) }
        _ = try TestStore(settings(FaultyFiles()))
        let faulty = FaultyFiles()
        do {
            var store = try TestStore(settings(faulty))
            #expect(faulty.trace.contains("fsync directory"))
            try store.commit(.put(2, "new"))
        }
        faulty.set(.none)
        _ = try TestStore(settings(faulty))
        #expect(!faulty.trace.contains("fsync directory"))
    }

    /// The checksum covers unknown members of the header, so they are no reason to rebuild the index.
    @Test func theIndexOfASnapshotWithUnknownMembersIsFoundAgain() throws {
        let snapshot = try IndexedSnapshot([])
        var header = IndexedSnapshot.header(0)
        header.unknownMembers = Array(",\"x\":[1]".utf8)
        var buffer = ByteBuffer()
        header.append(to: &buffer)
        let checksum = CRC32C.checksum(buffer.bytes)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append("\n")
        snapshot.write(Array(buffer.bytes))
        let image = try snapshot.imageBytes()
        let index = try snapshot.index(from: image)
        #expect(index?.count == 0)
    }
}
