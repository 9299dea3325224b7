import Platform
import Seeds
import Testing

@testable import Storage

/// A new generation brings its index: no reader has to read the whole snapshot to make one.
@Suite struct CompactionIndexTests {
    let directory = TestDirectory()

    private func fill(_ count: UInt64) throws -> [TestRecord] {
        var random = SeededRandom(seed: 11)
        let records = (0..<count).map { TestRecord.random(RecordID(high: 7, low: $0), &random) }
        let store = try TestRecords(settings(directory))
        for record in records {
            try store.put(record)
            try store.endCommit()
        }
        try store.flush()
        return records
    }

    /// Whether the index in the directory belongs to the snapshot there.
    private func hasIndex() throws -> Bool {
        let settings = settings(directory)
        let place = try StoreDirectory.make(settings)
        let snapshot = try place.open(StoreDirectory.snapshotName, .read)
        let header = try SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
            .header(snapshot, in: place.fileSystem)
        return IndexImage.open(in: place, of: try SnapshotIdentity(of: snapshot, header)) != nil
    }

    @Test func isThereBeforeAnybodyOpensTheStore() throws {
        let records = try fill(300)
        _ = try Compaction.run(settings(directory), .test)
        #expect(try hasIndex())
        let store = try TestRecords(settings(directory))
        #expect(store.contents.count == records.count)
        for record in records { #expect(store.contents[record.id] == record) }
    }

    /// The index of the backup stays beside it, for `mood.history`. The first snapshot had none.
    @Test func isOfTheLastOfSeveralAndOfTheBackup() throws {
        _ = try fill(20)
        let store = try TestRecords(settings(directory))
        for round in 1...3 {
            let id = RecordID(high: 9, low: 1)
            try store.put(TestRecord(id: id, time: 0, updated: 0, text: "\(round)", isMarked: true))
            try store.endCommit()
            try store.flush()
            _ = try Compaction.run(settings(directory), .test)
            #expect(try hasIndex())
            let names = try FileSystem.system.list(directory.path("")).filter { $0.hasPrefix("index-") }
            #expect(names.sorted() == (max(2, round)...round + 1).map { "index-\($0).v5" })
            try store.with { try $0.catchUp() }
            #expect(store.contents.count == 21)
        }
    }

    /// It is a cache: if it cannot be written, the new generation works without it.
    @Test func isNotMissedWhereItCannotBeWritten() throws {
        let records = try fill(50)
        var fileSystem = FileSystem.system
        let rename = fileSystem.rename
        fileSystem.rename = { (old, new) throws(SystemError) in
            if new.contains("/index-") { throw SystemError(call: "rename", subject: new, code: 28) }
            try rename(old, new)
        }
        _ = try Compaction.run(settings(directory, fileSystem), .test)
        #expect(try hasIndex() == false)
        #expect(try FileSystem.system.list(directory.path("")).allSatisfy { !$0.hasPrefix("temporary-") })
        let store = try TestRecords(settings(directory))
        #expect(store.contents.count == records.count)
        #expect(try hasIndex())
    }
}

/// The conditions under which a session makes a new snapshot at its end.
@Suite struct PartingTests {
    let directory = TestDirectory()

    @Test func takesMuchLessThanOneThatGoesOn() throws {
        var store = try TestStore(settings(directory))
        #expect(store.files.wantsRewriteAtParting == false)
        let text = String(repeating: "x", count: 1000)
        var number = 0
        while store.files.journalBytes <= StoreFiles.partingBytesMin {
            #expect(store.files.wantsRewriteAtParting == false)
            number += 1
            try store.commit(.put(number, text))
        }
        #expect(store.files.wantsRewriteAtParting == true)
        #expect(store.files.wantsRewrite == false)
        try store.rewrite()
        #expect(store.files.wantsRewriteAtParting == false)
    }
}
