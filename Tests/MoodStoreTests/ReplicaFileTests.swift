import JSONCodec
import Platform
import Storage
import Synchronization
import Testing

@testable import MoodStore

/// `sync/replica.json` has the sent records, so a changed file is refused.
@Suite struct ReplicaFileTests {
    private static let name = "sync/replica.json"

    private static func written(in directory: borrowing TestDirectory) throws -> [UInt8] {
        try FileSystem.system.makeDirectoryIfMissing(directory.path)
        let (journal, replica) = (UUID(high: 1, low: 2), UUID(high: 3, low: 4))
        var file = ReplicaFile(journal: journal, replica: replica, storeID: "here", from: 17, url: "folder:/a/b\"ä")
        file.config = .object([.init("user", "a\tb"), .init("port", .number("1e3"))])
        file.filter = .object([.init("push", .array(["gzip"]))])
        file.becomeAnother(UUID(high: 5, low: 6), after: 40, storeID: "there")
        try file.write(directory.path, in: .system)
        return directory.read(name)
    }

    /// Its meaning without its place.
    private static func meaning(_ file: ReplicaFile) -> String {
        "\(file.journal.text) \(file.replica.text) \(file.name ?? "-") \(file.storeID) \(file.from) \(file.former) "
            + "\(file.url) \(file.config.text) \(file.filter?.text ?? "-") \(file.isFilterNamedHere)"
    }

    private static func read(_ bytes: [UInt8], in directory: borrowing TestDirectory) throws -> ReplicaFile? {
        try directory.write(name, bytes)
        do throws(StorageError) {
            return try ReplicaFile.read(directory.path, in: .system)?.file
        } catch {
            guard case .corrupt(name, _, _) = error else { throw error }
            return nil
        }
    }

    @Test func nothingElseIsReadWhereABitHasFlipped() throws {
        let directory = TestDirectory()
        let bytes = try Self.written(in: directory)
        #expect(try ReplicaFile.read(directory.path, in: .system)?.isHere == true)
        let meaning = Self.meaning(try #require(try Self.read(bytes, in: directory)))
        for place in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[place] ^= 1 << bit
                guard let file = try Self.read(flipped, in: directory) else { continue }
                #expect(Self.meaning(file) == meaning, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test func aFileThatWasEditedIsReadWithoutItsChecksum() throws {
        let directory = TestDirectory()
        var text = String(decoding: try Self.written(in: directory), as: UTF8.self)
        text = text.replacing("\"from\": 0", with: "\"from\": 8")
        #expect(try Self.read(Array(text.utf8), in: directory) == nil)
        let crc = try #require(text.firstMatch(of: /,\s*"crc": "[0-9a-f]{8}"/))
        text.removeSubrange(crc.range)
        #expect(try Self.read(Array(text.utf8), in: directory)?.from == 8)
    }

    /// A host writes it under the lock of the store, a sync under its own, so each may interrupt the other.
    @Test func twoWritersLeaveOneWholeFile() throws {
        let directory = TestDirectory()
        _ = try Self.written(in: directory)
        let isWritten = Atomic(false)
        @Sendable func file(_ storeID: String) -> ReplicaFile {
            ReplicaFile(
                journal: UUID(high: 1, low: 2), replica: UUID(high: 3, low: 4), storeID: storeID, from: 1, url: "")
        }
        var files = FileSystem.system
        let path = directory.path
        files.sync = { descriptor throws(SystemError) in
            if !isWritten.exchange(true, ordering: .relaxed) {
                var other = file("of the sync")
                try other.write(path, in: .system)
            }
            try FileSystem.system.sync(descriptor)
        }
        var first = file("of the host")
        try first.write(directory.path, in: files)
        let hasMet = isWritten.load(ordering: .relaxed)
        #expect(hasMet)
        #expect(try ReplicaFile.read(directory.path, in: .system)?.file.storeID == "of the host")
        #expect(try FileSystem.system.list(directory.path + "/sync") == ["replica.json"])
    }

    /// A later write removes the leftover of a killed writer, and keeps the file of a living one.
    @Test func leftoversGo() throws {
        let directory = TestDirectory()
        _ = try Self.written(in: directory)
        let (old, new) = ("sync/temporary-replica-1", "sync/temporary-replica-2")
        for name in [old, new] { try directory.write(name, [0x7B]) }
        var times = (timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0))
        withUnsafePointer(to: &times) {
            $0.withMemoryRebound(to: timespec.self, capacity: 2) {
                _ = utimensat(AT_FDCWD, directory.path + "/" + old, $0, 0)
            }
        }
        _ = try Self.written(in: directory)
        #expect(Set(try FileSystem.system.list(directory.path + "/sync")) == ["replica.json", "temporary-replica-2"])
    }

    @Test func verifyNamesIt() throws {
        let directory = TestDirectory()
        let moods = TestMoods(directory.location())
        _ = try moods.create(["emoji": "😊", "label": "a"], id: testID(1))
        try moods.endCommit()
        try moods.flush()
        let bytes = try Self.written(in: directory)
        #expect(try moods.with { try verify($0)?.isWhole } == true)
        try directory.write(Self.name, Array(bytes.dropLast(10)))
        let problems = try #require(try moods.with { try verify($0)?.problems })
        #expect(problems.map(\.file) == [Self.name])
    }
}
