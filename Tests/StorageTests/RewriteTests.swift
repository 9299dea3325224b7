import JSONCodec
import Platform
import Testing

@testable import Storage

@Suite struct RewriteTests {
    let directory = TestDirectory()

    @Test func writesOneRecordALineAndOneWholeDocument() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(2, "b"), .put(1, "a"))
        let report = try store.rewrite()
        #expect(report.generation == 2 && report.revision == 1 && report.records == 2)
        #expect(report.backup == "backup-1.json" && report.snapshotBytes == directory.read("moods.json").count)
        let lines = directory.text("moods.json").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5 && lines[4].isEmpty)
        #expect(lines[0].hasSuffix(#","generation":2,"revision":1,"count":2,"moods":["#))
        #expect(lines[1] == record(1, "a") + ",")
        #expect(lines[2] == record(2, "b"))
        let body = directory.read("moods.json").dropLast(lines[3].utf8.count + 1)
        let checksum = Array(body).withUnsafeBytes { CRC32C.checksum($0) }
        let digits = String(checksum, radix: 16)
        #expect(lines[3] == "],\"crc\":\"" + String(repeating: "0", count: 8 - digits.count) + digits + "\"}")
    }

    @Test func keepsOneBackupAndEveryOldJournal() throws {
        var store = try TestStore(settings(directory))
        for number in 1...3 {
            try store.commit(.put(number, "x"))
            try store.rewrite()
        }
        #expect(directory.names == ["backup-3.json", "history", "journal-4.jsonl", "lock", "moods.json"])
        #expect(
            try FileSystem.system.list(directory.path("history")).sorted() == [
                "journal-1.jsonl", "journal-2.jsonl", "journal-3.jsonl",
            ])
        #expect(directory.text("backup-3.json").contains(#""generation":3,"revision":2,"count":2"#))
    }

    @Test func syncsEachThingBeforeTheNextDependsOnIt() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        try store.commit(.put(1, "a"))
        faulty.set(.none)
        try store.rewrite()
        let steps = faulty.trace.filter { step in
            ["pwrite", "fsync", "rename", "link"].contains { step.hasPrefix($0) }
        }
        #expect(
            steps == [
                "pwrite temporary", "fsync temporary", "pwrite temporary", "fsync temporary", "link backup-1.json",
                "rename journal-2.jsonl", "fsync directory", "rename moods.json", "fsync directory", "pwrite lock",
                // The name of history/, before anything is moved into it.
                "fsync directory", "rename journal-1.jsonl",
            ])
        let read = try #require(faulty.trace.firstIndex(of: "pread temporary"))
        let renamed = try #require(faulty.trace.firstIndex(of: "rename moods.json"))
        #expect(read < renamed)
    }

    /// After an unclean end: first the torn bytes are kept aside, then the continuing lines are synced, then they get
    /// their name.
    @Test func syncsTheJournalBehindAnUncleanEndBeforeItIsSeen() throws {
        var published: [UInt8] = []
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            published = directory.read("lock")
            try store.commit(.put(2, "b"))
        }
        var journal = directory.read("journal-1.jsonl")
        while journal.last == 0x0A { journal.removeLast() }
        directory.write("journal-1.jsonl", journal + Array("\ntorn".utf8))
        directory.write("lock", published)
        let faulty = FaultyFiles()
        let store = try TestStore(settings(directory, faulty.fileSystem))
        #expect(store.table.records.count == 2)
        let steps = faulty.trace.filter { step in ["pwrite", "fsync", "rename"].contains { step.hasPrefix($0) } }
        #expect(
            steps == [
                "pwrite temporary", "fsync temporary", "pwrite temporary", "pwrite temporary", "fsync temporary",
                "rename torn", "rename journal-2.jsonl", "fsync directory", "pwrite lock",
            ])
    }

    @Test func takesACommitThatIsTooLargeForALine() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            withBytes(time) { time in
                let report = try? store.files.rewrite(revision: 2, count: 1, at: time) { sink in
                    withBytes(record(7, "imported")) { sink($0) }
                }
                #expect(report?.revision == 2)
            }
            #expect(store.files.revision == 2)
        }
        var again = try TestStore(settings(directory))
        #expect(again.table.records == [identifier(7): record(7, "imported")])
        try again.commit(.put(8, "next"))
        #expect(again.files.revision == 3)
    }

    @Test func saysThatThereIsNoSpaceForASnapshot() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        let label = String(repeating: "x", count: 100_000)
        for number in 0..<30 { try store.commit(.put(number, label)) }
        faulty.setFreeBytes(1_500_000)
        do {
            try store.rewrite()
            Issue.record("it fitted")
        } catch {
            guard case .full = error else { throw error }
        }
        #expect(store.files.refusal == nil && store.files.generation == 1)
        faulty.setFreeBytes(nil)
        #expect(try store.rewrite().records == 30)
    }

    @Test func refusesAWrongCountOfRecords() throws {
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        withBytes(time) { time in
            #expect(throws: StorageError.self) {
                try store.files.rewrite(revision: 1, count: 2, at: time) { _ in }
            }
        }
        try store.commit(.put(2, "b"))
        #expect(directory.names == ["journal-1.jsonl", "lock", "moods.json"])
    }

    @Test func doesNotPutAnUnreadableSnapshotInTheOldOnesPlace() throws {
        let faulty = FaultyFiles()
        var garbling = faulty.fileSystem
        let write = garbling.write
        garbling.write = { descriptor, bytes, offset throws(SystemError) in
            let garbled = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { garbled.deallocate() }
            garbled.copyMemory(from: bytes)
            if bytes.count > 200, bytes.starts(with: "{\"format\":\"moodboard\",".utf8) { garbled[200] ^= 1 }
            return try write(descriptor, UnsafeRawBufferPointer(garbled), offset)
        }
        var store = try TestStore(settings(directory, garbling))
        try store.commit(.put(1, "a"), .put(2, "b"))
        #expect(throws: StorageError.self) { try store.rewrite() }
        try store.commit(.put(3, "c"))
        #expect(try reopened(settings(directory, isReadOnly: true)).get().table.records.count == 3)
    }

    @Test func copiesTheBackupWhereThereAreNoLinks() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        let before = directory.read("moods.json")
        try store.commit(.put(1, "a"))
        faulty.set(.named("link", EPERM))
        try store.rewrite()
        #expect(directory.read("backup-1.json") == before)
    }

    @Test func goesOnAfterAFailedSyncInANewGeneration() throws {
        let faulty = FaultyFiles()
        do {
            var store = try TestStore(settings(directory, faulty.fileSystem))
            try store.commit(.put(1, "a"))
            faulty.set(.namedOnce("fdatasync", 1, EIO))
            #expect(throws: StorageError.self) { try store.commit(.put(2, "lost")) }
            #expect(store.files.journal.isUnusable == true && store.files.revision == 1)
            #expect(throws: StorageError.self) { try store.commit(.put(2, "too early")) }
            try store.rewrite()
            #expect(store.files.journal.isUnusable == false)
            // The failed file is read once more, for its operations, and put away; nothing writes or syncs it.
            let failed = faulty.trace.firstIndex(of: "fdatasync journal-1.jsonl") ?? 0
            #expect(
                faulty.trace.dropFirst(failed + 1).filter { $0.hasSuffix(" journal-1.jsonl") }.allSatisfy {
                    ["lstat", "rename", "open", "fstat", "pread", "flock"].contains($0.split(separator: " ").first)
                })
            try store.commit(.put(3, "c"))
        }
        let found = try reopened(settings(directory)).get()
        #expect(found.table.records.keys.sorted() == [identifier(1), identifier(3)] && found.revision == 2)
    }

    @Test func doesNotTrustAJournalThatAWriteFailedOn() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        try store.commit(.put(1, "a"))
        faulty.set(.namedOnce("pwrite", 1, EIO))
        do {
            try store.commit(.put(2, "b"))
            Issue.record("it was written")
        } catch {
            guard case .outcomeUnknown = error else { throw error }
        }
        #expect(store.files.journal.isUnusable == true)
        #expect(!faulty.trace.contains { $0.hasPrefix("ftruncate") })
    }

    @Test func goesOnInTheOldGenerationWhereTheNewOneFailedLast() throws {
        let faulty = FaultyFiles()
        do {
            var store = try TestStore(settings(directory, faulty.fileSystem))
            try store.commit(.put(1, "a"))
            faulty.set(.namedOnce("rename", 2, EIO))
            #expect(throws: StorageError.self) { try store.rewrite() }
            #expect(directory.names == ["backup-1.json", "journal-1.jsonl", "lock", "moods.json"])
            for number in 2...4 { store.stage([.put(number, "b")]) }
            try store.sync()
        }
        directory.remove("lock")
        #expect(try reopened(settings(directory)).get().table.records.count == 4)
    }

    @Test func isOnlyReadWhereNeitherSyncNorNewGenerationWorks() throws {
        let faulty = FaultyFiles()
        var store = try TestStore(settings(directory, faulty.fileSystem))
        try store.commit(.put(1, "a"))
        faulty.set(.none)
        try store.commit(.put(1, "b"))
        let sync = try #require(faulty.trace.firstIndex { $0.hasPrefix("fdatasync") })
        faulty.set(.forever(sync + 1, EIO))
        #expect(throws: StorageError.self) { try store.commit(.put(2, "lost")) }
        #expect(throws: StorageError.self) { try store.rewrite() }
        faulty.set(.none)
        guard case .readOnly = store.files.refusal else {
            throw TestFailure("\(String(describing: store.files.refusal))")
        }
        #expect(throws: StorageError.self) { try store.commit(.put(2, "late")) }
        #expect(!faulty.trace.contains { $0.hasPrefix("pwrite") })
    }

    /// The new snapshot is in place, but a power cut might bring the old one back: nothing may be written to either.
    @Test func isOnlyReadWhereTheCommitPointIsNotCertain() throws {
        let faulty = FaultyFiles()
        do {
            var store = try TestStore(settings(directory, faulty.fileSystem))
            try store.commit(.put(1, "a"))
            // The syncs of the journal, the snapshot, their names, and the commit point.
            faulty.set(.namedOnce("fsync", 4, EIO))
            do {
                try store.rewrite()
                Issue.record("it is certain")
            } catch {
                guard case .outcomeUnknown = error else { throw error }
            }
            guard case .readOnly = store.files.refusal else {
                throw TestFailure("\(String(describing: store.files.refusal))")
            }
            #expect(throws: StorageError.self) { try store.commit(.put(2, "lost")) }
        }
        let found = try reopened(settings(directory)).get()
        #expect(found.refusal == nil && found.table.records.keys.sorted() == [identifier(1)])
    }

    @Test func cutsBackWhatDidNotFitAndGoesOnWhenThereIsSpace() throws {
        let faulty = FaultyFiles()
        do {
            var store = try TestStore(settings(directory, faulty.fileSystem))
            faulty.setFreeBytes(1000)
            try store.commit(.put(1, "fits"))
            let size = directory.read("journal-1.jsonl").count
            faulty.setFreeBytes(40)
            let label = String(repeating: "x", count: 2000)
            do {
                try store.commit(.put(2, label))
                Issue.record("it fitted")
            } catch {
                guard case .full = error else { throw error }
            }
            #expect(store.table.records.count == 1 && store.files.revision == 1)
            #expect(directory.read("journal-1.jsonl").count <= size)
            #expect(store.files.journal.isUnusable == false && store.files.refusal == nil)
            faulty.setFreeBytes(nil)
            try store.commit(.put(2, "after"))
        }
        let found = try reopened(settings(directory)).get()
        #expect(found.table.records.count == 2 && found.refusal == nil)
    }

    @Test func asksForARewriteAfterManyUncleanEnds() throws {
        for number in 1...StoreFiles.journalsMax {
            do {
                var store = try TestStore(settings(directory))
                #expect(store.files.wantsRewrite == false)
                try store.commit(.put(number, "x"))
            }
            directory.remove("lock")
        }
        var store = try TestStore(settings(directory))
        #expect(store.table.records.count == StoreFiles.journalsMax)
        #expect(store.files.wantsRewrite == true)
        try store.rewrite()
        #expect(store.files.wantsRewrite == false)
        #expect(try FileSystem.system.list(directory.path("history")).count == StoreFiles.journalsMax + 1)
    }
}
