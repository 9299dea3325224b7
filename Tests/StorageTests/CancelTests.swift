import Platform
import Synchronization
import Testing

@testable import Storage

/// Long work that is cancelled before any of its reads ends soon, changes nothing and leaves nothing behind.
@Suite struct CancelTests {
    let directory = TestDirectory()

    /// A flag that is true from its n-th query on, and counts the queries.
    private final class Flag: Sendable {
        private let questions = Atomic(0)
        private let first: Int

        init(from first: Int) { self.first = first }

        var count: Int { questions.load(ordering: .relaxed) }
        func ask() -> Bool { questions.add(1, ordering: .relaxed).newValue >= first }
    }

    private func fill() throws {
        let store = try TestRecords(settings(directory))
        for number in 1...40 as ClosedRange<UInt64> {
            try store.put(
                TestRecord(id: RecordID(high: 1, low: number), time: 0, updated: 0, text: "t\(number)", isMarked: false)
            )
            try store.endCommit()
            if number == 20 {
                try store.flush()
                _ = try store.with { try $0.compact() }
            }
        }
        try store.flush()
    }

    /// Runs `work` with a flag that is raised at each of its queries in turn, until it ends first.
    private func eachQuestion(_ work: (Flag) throws(StorageError) -> Void) throws -> Int {
        let before = directory.contents()
        for number in 1...10_000 {
            let flag = Flag(from: number)
            do throws(StorageError) {
                try work(flag)
                return number
            } catch {
                #expect(error == .cancelled)
            }
            #expect(directory.contents() == before, "question \(number)")
        }
        return 0
    }

    @Test func compactionChangesNothing() throws {
        try fill()
        let questions = try eachQuestion { flag throws(StorageError) in
            _ = try Compaction.run(settings(directory), .test, isCancelled: flag.ask)
        }
        #expect(questions > 5)
        let store = try TestRecords(settings(directory))
        #expect(store.with { $0.generation } == 3 && store.contents.count == 40)
    }

    @Test func verifyTellsNothing() throws {
        try fill()
        let questions = try eachQuestion { flag throws(StorageError) in
            _ = try StoreFiles.verify(
                settings(directory),
                RecordExamination(inspect: { _ in .problem("") }, progress: { _, _ in }, isCancelled: flag.ask))
        }
        #expect(questions > 3)
    }

    @Test func salvageLeavesNoStore() throws {
        try fill()
        let target = TestDirectory()
        let questions = try eachQuestion { flag throws(StorageError) in
            do throws(RepairError) {
                _ = try StoreFiles.salvage(
                    settings(directory), to: target.path,
                    RecordExamination(
                        inspect: { bytes in
                            guard let record = TestRecord(bytes) else { return .problem("is none") }
                            return .record(id: record.id, time: record.time, revision: 0)
                        }, progress: { _, _ in }, isCancelled: flag.ask))
            } catch {
                #expect(target.names == [])
                guard case .storage(let error) = error else { throw .busy(reason: "\(error)") }
                throw error
            }
        }
        #expect(questions > 5)
        #expect(target.names.contains("moods.json"))
    }

    /// Bytes after the last commit are a problem only without a writer.
    @Test func whatIsBeingWrittenIsNoProblem() throws {
        try fill()
        let journal = "journal-2.jsonl"
        let whole = directory.text(journal).split(separator: "\n").joined(separator: "\n") + "\n"
        directory.write(journal, whole + "{\"seq\":41,\"at\":\"")
        let everything = RecordExamination(
            inspect: { _ in .record(id: RecordID(high: 1, low: .random(in: .min ... .max)), time: 0, revision: 0) },
            progress: { _, _ in })
        func kinds() throws -> [VerifyReport.Kind] {
            try StoreFiles.verify(settings(directory), everything).problems.map(\.kind).filter { $0 == .unfinished }
        }
        do {
            let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
            defer { _ = lock.file.path }
            #expect(try kinds() == [])
        }
        #expect(try kinds() == [.unfinished])
    }
}
