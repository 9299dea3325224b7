import Platform
import Seeds
import Synchronization
import Testing

@testable import Storage

/// The last commits of a long journal are found without reading the earlier ones.
@Suite struct JournalSeekTests {
    private static let count = 4_000
    let directory = TestDirectory()

    /// A count of the bytes read from files.
    private final class Reads: Sendable {
        let bytes = Atomic(0)

        var fileSystem: FileSystem {
            var counting = FileSystem.system
            counting.read = { (descriptor, buffer, offset) throws(SystemError) in
                let count = try FileSystem.system.read(descriptor, buffer, offset)
                self.bytes.add(count, ordering: .relaxed)
                return count
            }
            return counting
        }

        func during(_ body: () throws -> Void) rethrows -> Int {
            let before = bytes.load(ordering: .relaxed)
            try body()
            return bytes.load(ordering: .relaxed) - before
        }
    }

    /// Makes some megabytes of commits. Some are longer than a probe.
    private func fill(_ store: TestRecords, _ random: inout SeededRandom) throws {
        for number in 1...Self.count {
            let length = number % 97 == 0 ? 40_000 : Int.random(in: 100..<900, using: &random)
            let text = String(repeating: "x", count: length)
            try store.put(
                TestRecord(
                    id: RecordID(high: 5, low: UInt64(number % 50)), time: 0, updated: 0, text: text, isMarked: false))
            try store.endCommit()
            if number % 500 == 0 { try store.flush() }
        }
        try store.flush()
    }

    private func revisions(_ store: TestRecords, after revision: Int) throws -> [Int]? {
        var read: [Int] = []
        let isKept = try store.with { store in
            try store.commits(after: revision) {
                read.append($0.seq)
                return true
            }
        }
        return isKept ? read : nil
    }

    private func logged(_ store: TestRecords, before end: Int, _ limit: Int) throws -> [Int] {
        try store.with { try $0.log(before: end, limit: limit) }.items.map(\.revision)
    }

    @Test(arguments: [false, true]) func readsLittleElse(isPast: Bool) throws {
        var random = SeededRandom(seed: 1)
        let reads = Reads()
        let store = try TestRecords(settings(directory, reads.fileSystem))
        try fill(store, &random)
        if isPast { _ = try store.with { try $0.compact() } }
        store.close()
        try store.open()
        let last = Self.count
        var found: [Int]? = []
        var bytes = try reads.during { found = try logged(store, before: .max, 20) }
        #expect(found == Array((last - 19...last).reversed()) && bytes < 2 << 20)
        bytes = try reads.during { found = try revisions(store, after: last - 5) }
        #expect(found == Array(last - 4...last) && bytes < 1 << 20)
        for revision in [0, 1, 2, 96, 97, 98, 1_000, 2_500, 3_999, 4_000] {
            store.close()
            try store.open()
            #expect(try revisions(store, after: revision) == Array((revision + 1)..<(last + 1)), "\(revision)")
        }
        var pages: [Int] = []
        while pages.last != 1 { pages += try logged(store, before: pages.last ?? .max, 700) }
        #expect(pages == Array((1...last).reversed()))
    }

    /// Commits after damage are reported, and the damage when it is reached.
    @Test func damageIsToldWhereItIsReached() throws {
        var random = SeededRandom(seed: 2)
        let store = try TestRecords(settings(directory))
        try fill(store, &random)
        _ = try store.with { try $0.compact() }
        store.close()
        let path = directory.path("history/journal-1.jsonl")
        let file = try File(path, .readWrite, in: .system)
        let middle = try file.status().size / 2
        try Array("#".utf8).withUnsafeBytes { try file.write($0, at: middle) }
        try store.open()
        let last = Self.count
        #expect(try logged(store, before: .max, 100).count == 100)
        #expect(try revisions(store, after: last - 100)?.count == 100)
        #expect(throws: StorageError.self) { try logged(store, before: .max, last) }
        #expect(try revisions(store, after: 0) == nil)
    }
}
