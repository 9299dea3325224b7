import JSONCodec
import MoodCore
import Platform
import Storage
import Synchronization
import Testing

@testable import MoodStore

func testID(_ number: Int) -> MoodID {
    MoodID(high: 0x0189_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
}

/// Checks the store; nil in memory.
func verify(_ store: borrowing MoodRecords) throws -> VerifyReport? {
    try store.work(isCancelled: { false })?.verify { _, _ in }
}

/// Compacts the store after a flush; the next request sees the result.
func compact(_ store: inout MoodRecords) throws {
    store.endGroup()
    _ = try store.work(isCancelled: { false })?.compact { _, _ in }
}

/// A mood store with JSON in and out, which can be closed and opened again.
final class TestMoods {
    private var store: MoodRecords
    private let location: MoodRecords.Location
    private(set) var now = Timestamp.minimum

    init(_ location: MoodRecords.Location = .memory(isReadOnly: false)) {
        self.location = location
        store = MoodRecords(location)
        setTime(1_767_323_045_678)
        guard case .directory(let settings) = location, !settings.isReadOnly else { return }
        // If this fails, the test's own call reports why.
        try? store.openForWriting()
        store.endGroup()
    }

    func setTime(_ milliseconds: Int64) {
        now = Timestamp(milliseconds: milliseconds) ?? .minimum
        store.setTime(now)
    }

    func reopen() throws {
        // The first one must release its lock before the second one takes it.
        store = MoodRecords(.memory(isReadOnly: false))
        store = MoodRecords(location)
        store.setTime(now)
        try store.open()
    }

    func with<Result>(_ body: (inout MoodRecords) throws -> Result) throws -> Result {
        try store.open()
        return try body(&store)
    }

    var info: MoodRecords.Statistics { store.statistics }
    func endCommit() throws { try store.endCommit() }
    func abandonCommit() { store.abandonCommit() }
    func flush() throws { try store.flush() }

    /// The JSON that `body` writes.
    private func written(_ body: (inout MoodRecords, inout JSONWriter) throws -> Void) throws -> JSONValue {
        var writer = JSONWriter()
        try store.open()
        try body(&store, &writer)
        return try JSONValue.parse(Array(writer.buffer.bytes))
    }

    /// Calls `body` with the members of an object.
    private func withMembers<Result>(
        _ json: JSONValue, _ body: (MoodMembers) throws -> Result
    ) rethrows -> Result {
        let bytes = Array(json.text.utf8)
        return try bytes.withUnsafeBytes { raw in
            return try body(MoodMembers(change: ValidJSON(trusting: raw)))
        }
    }

    func create(_ given: JSONValue, id: MoodID) throws -> JSONValue {
        try withMembers(given) { given in
            var given = given
            return try written { try $0.create(&given, id: id, at: now, to: &$1) }
        }
    }

    func update(_ id: MoodID, _ set: JSONValue, ifRevision: Int? = nil) throws -> JSONValue {
        try withMembers(set) { members in
            try written { store, writer in
                try store.update(id, with: members, ifRevision: ifRevision, at: now, to: &writer)
            }
        }
    }

    func updateMany(_ ids: [MoodID], _ set: JSONValue) throws -> Int {
        try withMembers(set) { members in
            try with { try $0.updateMany(ids, with: members, at: now) }
        }
    }

    func setFavorite(_ id: MoodID, _ isFavorite: Bool?, ifRevision: Int? = nil) throws -> JSONValue {
        try written { try $0.setFavorite(id, to: isFavorite, ifRevision: ifRevision, at: now, to: &$1) }
    }

    func delete(_ id: MoodID, ifRevision: Int? = nil) throws { try with { try $0.delete(id, ifRevision: ifRevision) } }
    func deleteMany(_ ids: [MoodID]) throws -> Int { try with { try $0.deleteMany(ids) } }
    func clear() throws -> Int { try with { try $0.clear() } }
    func get(_ id: MoodID) throws -> JSONValue { try written { try $0.get(id, to: &$1) } }

    func insertSamples(_ ids: [MoodID]) throws -> Int {
        var next = ids.makeIterator()
        return try with { try $0.insertSamples(at: now) { next.next() ?? ids[0] } }
    }

    func list(_ query: MoodQuery, cursor: String? = nil) throws -> JSONValue {
        try written { try $0.list(query, cursor: cursor.map { Array($0.utf8) }, to: &$1) }
    }
}

/// A directory for one test, removed with this value.
final class TestDirectory: Sendable {
    private static let counter = Atomic(0)
    let path: String

    init() {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ProcessFacts.environment("TMPDIR") ?? "/tmp"
        path = "\(base)/moods-\(ProcessFacts.processID)-\(Self.counter.add(1, ordering: .relaxed).newValue)"
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in (try? FileSystem.system.list(path)) ?? [] where unlink(path + "/" + name) != 0 {
            remove(path + "/" + name)
        }
        rmdir(path)
    }

    func location(_ fileSystem: FileSystem = .system, isReadOnly: Bool = false) -> MoodRecords.Location {
        .directory(
            StoreSettings(
                directory: path, durability: .sync, isReadOnly: isReadOnly, trustsDirectory: false,
                lockTimeoutMilliseconds: 2000, schemaVersion: MoodRecords.schemaVersion, fileSystem: fileSystem,
                log: { _ in },
                makeIdentifier: { testID(1_000_000 + Self.counter.add(1, ordering: .relaxed).newValue).text },
                timestamp: { "2026-01-02T03:04:05.678Z" }))
    }
}

extension JSONValue {
    /// This object with some members set, or removed if null.
    func setting(_ other: JSONValue) -> JSONValue {
        var members = object ?? []
        for member in other.object ?? [] {
            members.removeAll { $0.name == member.name }
            if case .null = member.value { continue }
            members.append(member)
        }
        return .object(members)
    }

    var items: [String] { self["items"]?.array?.compactMap { $0["id"]?.string } ?? [] }
    var nextCursor: String? { self["nextCursor"]?.string }
}
