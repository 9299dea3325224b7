import Platform
import Synchronization
import Testing

@testable import Storage

/// Actions of other processes during a compaction; they happen when it syncs its first file.
@Suite struct CompactionTests {
    let directory = TestDirectory()

    private static func commit(_ directory: TestDirectory, _ number: UInt64) throws {
        let store = try TestRecords(settings(directory))
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        try store.put(
            TestRecord(id: RecordID(high: 7, low: number), time: 0, updated: 0, text: "t\(number)", isMarked: false))
        try store.endCommit()
        try store.flush()
    }

    private func texts() throws -> [String] {
        let store = try TestRecords(settings(directory))
        #expect(store.with { $0.refusal } == nil)
        return store.contents.values.map(\.text).sorted()
    }

    /// Files that run an action in the middle of the first compaction.
    private func files(
        _ files: FileSystem = .system, meanwhile: @escaping @Sendable (TestDirectory) throws -> Void
    ) -> FileSystem {
        var files = files
        let sync = files.sync
        let isDone = Mutex(false)
        let directory = directory
        files.sync = { descriptor throws(SystemError) in
            try sync(descriptor)
            let isNow = isDone.withLock { isDone in
                guard !isDone, directory.names.contains(where: { $0.hasPrefix("temporary-") }) else { return false }
                isDone = true
                return true
            }
            if isNow { #expect(throws: Never.self) { try meanwhile(directory) } }
        }
        return files
    }

    @Test func keepsWhatIsCommittedMeanwhile() throws {
        try Self.commit(directory, 1)
        let files = files { directory in
            for number in 2...4 as ClosedRange<UInt64> { try Self.commit(directory, number) }
        }
        let report = try Compaction.run(settings(directory, files), .test)
        #expect(report.generation == 2 && report.revision == 1 && report.records == 1)
        #expect(directory.names.contains("journal-2.jsonl") && !directory.names.contains("journal-1.jsonl"))
        #expect(try texts() == ["t1", "t2", "t3", "t4"])
        try Self.commit(directory, 5)
        #expect(try texts() == ["t1", "t2", "t3", "t4", "t5"])
    }

    @Test func syncsWhatItCopiesBeforeItsCommitPoint() throws {
        try Self.commit(directory, 1)
        let faulty = FaultyFiles()
        let files = files(faulty.fileSystem) { directory in try Self.commit(directory, 2) }
        _ = try Compaction.run(settings(directory, files), .test)
        let steps = faulty.trace.filter { step in
            ["pwrite", "fsync", "rename", "link"].contains { step.hasPrefix($0) }
        }
        // The sections of the index and its header.
        let index = [String](repeating: "pwrite temporary", count: 10)
        let before = ["pwrite temporary", "fsync temporary", "pwrite temporary", "fsync temporary"]
        #expect(
            steps == before + index + [
                // It is a cache and never synced; then comes the line that came since.
                "rename index-2.v5",
                "pwrite temporary", "fsync temporary", "link backup-1.json", "rename journal-2.jsonl",
                "fsync directory", "rename moods.json", "fsync directory", "pwrite lock",
                // The name of history/.
                "fsync directory", "rename journal-1.jsonl",
            ])
    }

    @Test func takesTheLockForItsEnd() throws {
        try Self.commit(directory, 1)
        let before = directory.contents()
        do {
            let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
            defer { _ = lock.file.path }
            do throws(StorageError) {
                _ = try Compaction.run(settings(directory, timeout: 10), .test)
                Issue.record("it did not wait")
            } catch {
                guard case .busy = error else { throw error }
            }
        }
        #expect(directory.contents() == before)
    }

    @Test func isOneAtATime() throws {
        try Self.commit(directory, 1)
        let files = files { directory in
            do throws(StorageError) {
                _ = try Compaction.run(settings(directory), .test)
                Issue.record("two at a time")
            } catch {
                guard case .busy = error else { throw error }
            }
        }
        #expect(try Compaction.run(settings(directory, files), .test).generation == 2)
        #expect(try texts() == ["t1"])
    }

    @Test func waitsForAnOpeningThatLooks() throws {
        try Self.commit(directory, 1)
        let looker = open(directory.path("moods.json"), O_RDONLY | O_CLOEXEC)
        #expect(flock(looker, LOCK_EX | LOCK_NB) == 0)
        var files = FileSystem.system
        let lock = files.lock
        let refusals = Mutex(0)
        files.lock = { descriptor, kind throws(SystemError) in
            do throws(SystemError) { try lock(descriptor, kind) } catch {
                let count = refusals.withLock {
                    $0 += 1; return $0
                }
                // The first is the compaction's own look.
                if count == 3 { close(looker) }
                throw error
            }
        }
        #expect(try Compaction.run(settings(directory, files), .test).generation == 2)
        #expect(refusals.withLock { $0 } == 3)
    }

    @Test func isNotClearedAwayByAnOpening() throws {
        try Self.commit(directory, 1)
        let files = files { directory in
            let before = directory.names
            _ = try TestRecords(settings(directory))
            #expect(directory.names == before)
        }
        _ = try Compaction.run(settings(directory, files), .test)
        #expect(!directory.names.contains { $0.hasPrefix("temporary-") })
        #expect(try texts() == ["t1"])
    }
}
