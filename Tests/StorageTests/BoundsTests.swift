import Platform
import Synchronization
import Testing

@testable import Storage

/// Files that are larger than they claim, and names that lead out of the store.
@Suite struct BoundsTests {
    private static let terabyte = 1 << 40
    private static let readMax = 4 << 30

    let directory = TestDirectory()

    /// Reads fail once `readMax` bytes have been read.
    private static func bounded(_ readBytes: Counter) -> FileSystem {
        var files = FileSystem.system
        files.read = { descriptor, into, offset throws(SystemError) in
            guard readBytes.count < readMax else { throw SystemError(call: "pread", code: EDEADLK) }
            return readBytes.add(try FileSystem.system.read(descriptor, into, offset))
        }
        return files
    }

    private func grow(_ name: String) throws {
        let descriptor = try FileSystem.system.open(directory.path(name), .readWrite)
        defer { FileSystem.system.close(descriptor) }
        try FileSystem.system.truncate(descriptor, Self.terabyte)
    }

    /// Makes a store with a snapshot, operations and a commit in its journal.
    private func makeStore() throws {
        let store = try TestRecords(settings(directory))
        for number in 1...3 { try OperationTests.commit(store, number) }
        try store.flush()
        _ = try store.with { try $0.compact() }
        try OperationTests.commit(store, 4)
        try store.flush()
    }

    @Test(arguments: ["journal-2.jsonl", "moods.json", "operations-2.jsonl", "index-2.v5", "lock", "navigation.json"])
    func aTerabyteOfNothingIsNotRead(name: String) throws {
        try makeStore()
        if !directory.names.contains(name) { directory.write(name, "{}") }
        try grow(name)
        for isReadOnly in [true, false] {
            let readBytes = Counter()
            let settings = settings(directory, Self.bounded(readBytes), isReadOnly: isReadOnly)
            do throws(StorageError) {
                let store = try TestRecords(settings)
                #expect(name != "moods.json" && store.count == 4, "\(name)")
                _ = try? OperationTests.find(store, OperationTests.key(9))
                if !isReadOnly { _ = try? store.with { try $0.compact() } }
                _ = try? store.with { try $0.read(.navigation, bytesMax: 9_000) }
            } catch {
                guard case .corrupt = error else { throw error }
                #expect(name == "moods.json", "\(name): \(error)")
            }
            #expect(readBytes.count < Self.readMax, "\(name): \(readBytes.count) bytes")
        }
    }

    @Test(arguments: ["journal-2.jsonl", "moods.json", "operations-2.jsonl"])
    func aTerabyteOfNothingIsFoundAndSalvaged(name: String) throws {
        try makeStore()
        try grow(name)
        let readBytes = Counter()
        let settings = settings(directory, Self.bounded(readBytes))
        #expect(try !StoreFiles.verify(settings, examination).isWhole)
        #expect(readBytes.count < Self.readMax)
        let target = TestDirectory()
        let everything = RecordExamination(
            inspect: { TestRecord($0).map { .record(id: $0.id, time: $0.time, revision: 0) } ?? .problem("is none") },
            progress: { _, _ in })
        #expect(try StoreFiles.salvage(settings, to: target.path, everything).records == 4)
        #expect(readBytes.count < Self.readMax)
    }

    /// Zeros of a power cut in a grown file are not worth a file of their own.
    @Test func zerosAfterTheLastLineAreCutOff() throws {
        try makeStore()
        try grow("journal-2.jsonl")
        let store = try TestRecords(settings(directory, Self.bounded(Counter())))
        #expect(store.count == 4 && store.with { $0.refusal } == nil)
        #expect(directory.names.contains("journal-3.jsonl") && !directory.names.contains { $0.hasPrefix("torn-") })
    }

    @Test func whatIsTornIsKeptBeforeItsZeros() throws {
        try makeStore()
        let torn = #"{"seq":5,"at":"20"#
        var text = directory.text("journal-2.jsonl")
        while text.hasSuffix("\n") { text.removeLast() }
        directory.write("journal-2.jsonl", text + "\n" + torn)
        try grow("journal-2.jsonl")
        _ = try TestRecords(settings(directory, Self.bounded(Counter())))
        #expect(directory.names.filter { $0.hasPrefix("torn-") }.map { directory.text($0) } == [torn])
    }

    // MARK: Names

    @Test func aHistoryThatLeadsOutOfTheStoreIsNotFollowed() throws {
        let outside = TestDirectory()
        mkdir(outside.path, 0o700)
        let store = try TestRecords(settings(directory))
        try OperationTests.commit(store, 1)
        try store.flush()
        symlink(outside.path, directory.path("history"))
        _ = try store.with { try $0.compact() }
        #expect(outside.names == [] && directory.names.contains("journal-1.jsonl"))
        let id = OperationTests.record(1).id
        #expect(throws: StorageError.self) {
            _ = try store.with { try $0.history(of: id, before: .max, limit: 9, bytesMax: 1 << 20) }
        }
        try OperationTests.commit(store, 2)
        try store.flush()
        store.close()
        #expect(try TestRecords(settings(directory)).count == 2)
        let problems = try StoreFiles.verify(settings(directory), examination).problems
        #expect(problems.contains { $0.file == "history" && $0.kind == .unreadable })
        unlink(directory.path("history"))
        let again = try TestRecords(settings(directory))
        _ = try again.with { try $0.compact() }
        #expect(directory.names.contains("history") && !directory.names.contains("journal-1.jsonl"))
    }
}

/// A count shared with closures.
private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func add(_ count: Int) -> Int {
        value.withLock { $0 += count }
        return count
    }
}
