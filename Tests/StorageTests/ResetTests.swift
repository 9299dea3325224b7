import Platform
import Storage
import Testing

/// All old files are in one folder afterwards, and none is missing.
@Suite struct ResetTests {
    let directory = TestDirectory()
    private let aside = "set-aside-20261121T092658.123Z"

    private func fill() throws -> [String: [UInt8]] {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            try store.rewrite()
            try store.commit(.put(2, "b"))
        }
        for name in ["torn-journal-1", "moods.v1.json", "navigation.json", "operations-2.jsonl", "index-2.v5"] {
            directory.write(name, name)
        }
        return directory.contents()
    }

    @Test func movesWhatBelongsToTheStoreAndNothingElse() throws {
        let before = try fill()
        for name in ["notes.txt", "moods.json~", "journal-x.jsonl"] { directory.write(name, "mine") }
        mkdir(directory.path("plugins"), 0o700)
        mkdir(directory.path("set-aside-2025"), 0o700)
        let path = try StoreFiles.reset(settings(directory))
        #expect(path == directory.path(aside))
        #expect(
            directory.names
                == [
                    "journal-x.jsonl", "lock", "moods.json~", "notes.txt", "plugins", aside, "set-aside-2025",
                ].sorted())
        for (name, bytes) in before where name != "lock" { #expect(directory.read(aside + "/" + name) == bytes) }
        #expect(directory.read(aside + "/history/journal-1.jsonl").count > 0)
        #expect(try FileSystem.system.statusOfPath(directory.path(aside)).permissions == 0o700)
        let found = try reopened(settings(directory)).get()
        #expect(found.table == Table() && found.revision == 0 && found.refusal == nil)
        #expect(try StoreFiles.verify(settings(directory), examination).isWhole)
        // The set-aside files are a store.
        var old = settings(directory)
        old.directory = directory.path(aside)
        #expect(try labels(reopened(old).get().table) == [1: "a", 2: "b"])
    }

    @Test(arguments: Damage.allCases)
    func worksOnWhatCannotBeOpened(damage: Damage) throws {
        directory.restore(try DamageTests.whole().contents)
        damage.apply(to: directory)
        var before = directory.contents()
        before["lock"] = nil
        _ = try StoreFiles.reset(settings(directory))
        for (name, bytes) in before { #expect(directory.read(aside + "/" + name) == bytes) }
        #expect(try reopened(settings(directory)).get().table == Table())
    }

    @Test func whereThereIsNothingNothingIsSetAside() throws {
        mkdir(directory.path, 0o700)
        directory.write("notes.txt", "mine")
        #expect(try StoreFiles.reset(settings(directory)) == nil)
        #expect(directory.names == ["lock", "notes.txt"])
    }

    @Test func twoResetsHaveTwoFolders() throws {
        for _ in 1...2 {
            _ = try fill()
            _ = try StoreFiles.reset(settings(directory))
        }
        #expect(directory.names.filter { $0.hasPrefix(aside) }.count == 2)
    }

    @Test func aReadOnlyOrLockedStoreIsLeftAlone() throws {
        let before = try fill()
        #expect(throws: RepairError.self) { try StoreFiles.reset(settings(directory, isReadOnly: true)) }
        let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
        #expect(throws: RepairError.self) { try StoreFiles.reset(settings(directory, timeout: 10)) }
        _ = lock.file.path
        #expect(directory.contents() == before)
    }

    @Test func anInterruptedResetIsNotTakenForANewStoreAndGoesOn() throws {
        let before = try fill()
        let faulty = FaultyFiles()
        // After the snapshot.
        faulty.set(.namedOnce("rename", 2, EIO))
        do throws(RepairError) {
            _ = try StoreFiles.reset(settings(directory, faulty.fileSystem))
            Issue.record("it went on")
        } catch {
            guard case .storage(.outcomeUnknown) = error else { throw error }
        }
        guard case .failure(.unavailable(let reason, let advice)) = reopened(settings(directory)) else {
            throw TestFailure("opened")
        }
        #expect(reason.contains("interrupted") && advice.contains("again"))
        _ = try StoreFiles.reset(settings(directory))
        for (name, bytes) in before where name != "lock" { #expect(directory.read(aside + "/" + name) == bytes) }
        #expect(try reopened(settings(directory)).get().table == Table())
    }

    @Test func syncsWhatHasComeBeforeWhatHasGone() throws {
        _ = try fill()
        let faulty = FaultyFiles()
        _ = try StoreFiles.reset(settings(directory, faulty.fileSystem))
        let steps = faulty.trace.filter { $0.hasPrefix("rename") || $0.hasPrefix("fsync") || $0.hasPrefix("mkdir") }
        #expect(
            steps.prefix(5) == [
                "mkdir \(aside)-unfinished", "fsync directory", "rename moods.json", "fsync \(aside)-unfinished",
                "fsync directory",
            ])
        #expect(
            steps.suffix(4) == [
                "fsync \(aside)-unfinished", "fsync directory", "rename \(aside)", "fsync directory",
            ])
    }
}
