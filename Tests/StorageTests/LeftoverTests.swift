import Platform
import Testing

@testable import Storage

/// Failures leave nothing that takes space, files in the place of ours stop nothing, and each error names its file.
@Suite struct LeftoverTests {
    let directory = TestDirectory()

    private func commit(_ store: TestRecords, _ number: Int, _ text: String = "") throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        try store.put(OperationTests.record(number, text))
        try store.endCommit()
        try store.flush()
    }

    private var temporaries: [String] { directory.names.filter { $0.hasPrefix("temporary-") } }

    private var history: [String] { (try? FileSystem.system.list(directory.path("history"))) ?? [] }

    /// Each attempt of the recovery copies the torn end: it must not use up the space that a user frees.
    @Test func recoveryOnAFullDiskLeavesNoTemporaryFiles() throws {
        let store = try TestRecords(settings(directory))
        for number in 1...3 { try commit(store, number) }
        store.close()
        var journal = directory.read("journal-1.jsonl")
        while journal.last == 0x0A { journal.removeLast() }
        let torn = Array(#"{"seq":4,"at":""#.utf8) + [UInt8](repeating: 0x41, count: 40_000)
        directory.write("journal-1.jsonl", journal + [0x0A] + torn)
        let files = FaultyFiles()
        let full = try TestRecords(settings(directory, files.fileSystem))
        full.close()
        directory.write("journal-2.jsonl", [])
        directory.remove("journal-2.jsonl")
        for name in directory.names where name.hasPrefix("torn-") { directory.remove(name) }
        files.setFreeBytes(torn.count + 100)
        let again = try TestRecords(settings(directory, files.fileSystem))
        for _ in 1...4 {
            files.setFreeBytes(torn.count + 100)
            try again.with { try $0.heal() }
            #expect(temporaries.isEmpty)
        }
        #expect(again.with { $0.refusal } != nil && again.count == 3)
        files.setFreeBytes(nil)
        try again.with { try $0.heal() }
        try commit(again, 4)
        #expect(directory.names.contains { $0.hasPrefix("torn-") } && temporaries.isEmpty)
    }

    /// A commit that becomes a snapshot, with room for its own file only.
    @Test(arguments: [3 << 20, 8 << 20])
    func aLongCommitThatFailedLeavesNothing(free: Int) throws {
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        try commit(store, 1)
        files.setFreeBytes(free)
        let error = #expect(throws: StorageError.self) {
            try commit(store, 2, String(repeating: "long ", count: 1 << 20))
        }
        guard case .full? = error else { throw TestFailure("\(String(describing: error))") }
        #expect(temporaries.isEmpty && history.isEmpty)
        files.setFreeBytes(nil)
        try commit(store, 2, String(repeating: "long ", count: 1 << 20))
        #expect(history.contains("commit-2.jsonl"))
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
    }

    /// A kill between the names of the commit's file and of its snapshot.
    @Test(arguments: ["opening", "generation", "compaction"])
    func aKilledLongCommitLeavesNothing(until end: String) throws {
        let other = TestDirectory()
        let killed = try TestRecords(settings(other))
        for number in 1...2 { try commit(killed, number, String(repeating: "long ", count: number << 19)) }
        let file = other.read("history/commit-2.jsonl")
        let store = try TestRecords(settings(directory))
        try commit(store, 1)
        try FileSystem.system.makeDirectory(directory.path("history"))
        directory.write("history/commit-2.jsonl", file)
        switch end {
        case "opening":
            store.close()
            let again = try TestRecords(settings(directory))
            #expect(again.count == 1)
        case "generation":
            // A host that was open meanwhile goes on, and its commit of that revision is in the journal.
            try commit(store, 3)
            _ = try store.with { try $0.rewrite() }
        default:
            try commit(store, 3)
            _ = try store.with { try $0.compact() }
        }
        #expect(!history.contains("commit-2.jsonl"))
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
    }

    @Test func aDirectoryInTheBackupsPlaceStopsNoGeneration() throws {
        let store = try TestRecords(settings(directory))
        try commit(store, 1)
        try FileSystem.system.makeDirectory(directory.path("backup-1.json"))
        directory.write("backup-1.json/mine", [0x31])
        _ = try store.with { try $0.compact() }
        #expect(directory.text("backup-1.json").contains("moods"))
        let aside = try #require(directory.names.first { $0.hasPrefix("set-aside-") })
        #expect(directory.text(aside + "/backup-1.json/mine") == "1")
    }

    @Test func verifyNamesTheFileThatIsNone() throws {
        let store = try TestRecords(settings(directory))
        try commit(store, 1)
        _ = try store.with { try $0.compact() }
        for name in ["backup-1.json", "history/journal-1.jsonl"] {
            directory.remove(name)
            try FileSystem.system.makeDirectory(directory.path(name))
        }
        let problems = try StoreFiles.verify(settings(directory), TestRecord.examination).problems
        #expect(Set(problems.map(\.file)) == ["backup-1.json", "history/journal-1.jsonl"], "\(problems)")
        #expect(problems.allSatisfy { $0.kind == .unreadable })
    }
}
