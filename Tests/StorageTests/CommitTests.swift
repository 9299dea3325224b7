import Platform
import Testing

@testable import Storage

@Suite struct CommitTests {
    let directory = TestDirectory()

    @Test func makesAStoreWhereThereIsNone() throws {
        let store = try TestStore(settings(directory))
        #expect(store.files.revision == 0 && store.files.generation == 1 && store.files.refusal == nil)
        #expect(directory.names == ["journal-1.jsonl", "lock", "moods.json"])
        let id = store.files.storeId
        let head = #"{"format":"moodboard","schemaVersion":3,"storeId":"\#(id)","generation":1,"revision":0,"count":0,"#
        #expect(directory.text("moods.json").hasPrefix(head + "\"moods\":[\n],\"crc\":\""))
        let journal =
            #"{"format":"moodboard-journal","schemaVersion":3,"storeId":"\#(id)","generation":1,"baseRevision":0,"#
        #expect(directory.text("journal-1.jsonl").hasPrefix(journal + #""at":"\#(time)","crc":""#))
        #expect(directory.read("lock").count == 192)
    }

    @Test func makesParentsThatAreMissing() throws {
        var deep = settings(directory)
        deep.directory += "/a/b//"
        let files = try StoreFiles.open(deep) { _ in nil }
        #expect(files.directory == directory.path + "/a/b")
        #expect(try FileSystem.system.statusOfPath(directory.path("a")).permissions == 0o700)
    }

    @Test func keepsWhatWasCommitted() throws {
        let expected: Table
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"))
            try store.commit(.put(3, #"} ] \" , \\ {"#))
            try store.commit(.delete(1), .put(2, "c"))
            expected = store.table
            #expect(store.files.revision == 3)
        }
        let again = try TestStore(settings(directory))
        #expect(again.table == expected)
        #expect(again.files.revision == 3 && again.files.generation == 1 && again.files.refusal == nil)
    }

    @Test func appliesClearBeforePutsAndDeletesAfter() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"), .put(2, "b"))
            try store.commit(.clear, .put(3, "c"), .put(4, "d"), .delete(4))
        }
        let line = directory.text("journal-1.jsonl").split(separator: "\n")[2]
        #expect(line.contains(#","durable":1,"clear":true,"put":[{"id""#) && line.contains(#"}],"delete":["0000"#))
        #expect(try TestStore(settings(directory)).table.records.keys.sorted() == [identifier(3)])
    }

    @Test func writesOneLinePerCommitAndOneSyncPerBatch() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        try store.commit(.put(0, "grown"))
        faulty.set(.none)
        for number in 1...10 { store.stage([.put(number, "x")]) }
        try store.sync()
        #expect(
            // Names are looked up only where one may have changed in the directory.
            faulty.trace.filter { !$0.hasPrefix("lstat") } == [
                // The lock, and the journal's own.
                "flock lock", "flock journal-1.jsonl",
                // The publication, and the end of the journal.
                "pread lock", "pread journal-1.jsonl",
                "pwrite journal-1.jsonl", "fdatasync journal-1.jsonl", "pwrite lock",
                "flock journal-1.jsonl", "flock lock",
            ])
        #expect(directory.text("journal-1.jsonl").split(separator: "\n").count == 12)
    }

    @Test func skipsTheSyncWithoutDurability() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem, durability: .none))
        faulty.set(.none)
        try store.commit(.put(1, "a"))
        #expect(!faulty.trace.contains { $0.hasPrefix("fdatasync") })
        #expect(directory.text("lock").contains(#""durable":1,"synced":false"#))
        try store.commit(.put(2, "a"))
        #expect(directory.text("journal-1.jsonl").contains(#""seq":2,"at":"\#(time)","durable":0,"#))
    }

    @Test func publishesTheDurableSeqAfterTheSync() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        #expect(directory.text("lock").contains(#""generation":1,"durable":1,"synced":true"#))
        try store.commit(.put(2, "b"))
        #expect(directory.text("lock").contains(#""durable":2"#))
        #expect(directory.read("lock").count == 192)
    }

    @Test func takesBackTheLastLine() throws {
        do {
            var store = try TestStore(settings(directory))
            store.stage([.put(1, "kept")])
            let kept = store.waitingBytes
            store.begin()
            withBytes(identifier(1)) { store.lines.delete(id: $0) }
            store.lines.dropLast()
            #expect(store.waitingBytes == kept)
            store.begin()
            withBytes(record(2, "ended")) { store.lines.put($0) }
            store.lines.end()
            store.lines.dropLast()
            #expect(store.waitingBytes == kept)
            try store.sync()
            #expect(store.files.revision == 1)
        }
        #expect(try TestStore(settings(directory)).table.records == [identifier(1): record(1, "kept")])
    }

    @Test func turnsALineFeedInARecordIntoASpace() throws {
        let pretty = "{\"id\":\"\(identifier(1))\",\n\"label\":\n\"x\"}"
        do {
            var store = try TestStore(settings(directory))
            store.begin()
            withBytes(pretty) { store.lines.put($0) }
            store.lines.end()
            try store.sync()
        }
        do {
            let store = try TestStore(settings(directory))
            #expect(store.table.records[identifier(1)] == pretty.replacing("\n", with: " "))
            withBytes(time) { time in
                let report = try? store.files.rewrite(revision: 1, count: 1, at: time) { sink in
                    withBytes(pretty) { sink($0) }
                }
                #expect(report != nil)
            }
        }
        #expect(try TestStore(settings(directory)).table.records.count == 1)
    }

    @Test func growsTheJournalInAdvanceWithLineFeeds() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            let bytes = directory.read("journal-1.jsonl")
            #expect(bytes.count > 64 << 10)
            #expect(bytes.suffix(64 << 10).allSatisfy { $0 == 0x0A })
            try store.commit(.put(2, "b"))
            #expect(directory.read("journal-1.jsonl").count == bytes.count)
        }
        var again = try TestStore(settings(directory))
        try again.commit(.put(3, "c"))
        #expect(directory.text("journal-1.jsonl").split(separator: "\n").count == 4)
    }

    @Test func doesNotGrowTheJournalBehindALargeWrite() throws {
        var store = try TestStore(settings(directory))
        let text = String(repeating: "x", count: 1_000)
        for number in 1...200 { store.stage([.put(number, text)]) }
        try store.sync()
        let bytes = directory.read("journal-1.jsonl")
        #expect(bytes.count > 200_000 && bytes.last == 0x0A && bytes.suffix(2).first == UInt8(ascii: "}"))
        try store.commit(.put(201, "b"))
        #expect(directory.read("journal-1.jsonl").suffix(64 << 10).allSatisfy { $0 == 0x0A })
        #expect(try TestStore(settings(directory)).table.records.count == 201)
    }

    @Test func writesNothingWhenACleanStoreIsOpenedAndRead() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        let faulty = FaultyFiles()
        do {
            let store = try TestStore(settings(directory, faulty.fileSystem))
            #expect(store.table.records.count == 1)
        }
        let changing = ["pwrite", "ftruncate", "rename", "link", "unlink", "mkdir", "fsync", "fdatasync"]
        #expect(faulty.trace.filter { entry in changing.contains { entry.hasPrefix($0 + " ") } } == [])
    }

    @Test func givesModesToTheOwnerAlone() throws {
        let before = umask(0)
        defer { umask(before) }
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        try store.rewrite()
        #expect(try FileSystem.system.statusOfPath(directory.path).permissions == 0o700)
        #expect(try FileSystem.system.statusOfPath(directory.path("history")).permissions == 0o700)
        for name in directory.names where name != "history" {
            #expect(try FileSystem.system.statusOfPath(directory.path(name)).permissions == 0o600, "\(name)")
        }
    }
}
