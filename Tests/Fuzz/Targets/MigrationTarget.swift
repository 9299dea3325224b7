import JSONCodec
import MoodStore
import Platform
import Storage
import Synchronization

/// What must hold for any bytes that stand where a `moods.json` of schema version 1 or 2 is expected.
///
/// 1. Either opening fails, with an error of a store, and no file is changed or made but the lock; or the store is there,
///    and the document is kept, byte for byte, beside it.
/// 2. A store that was made shows as many moods as the document has, each with its emoji, label, favourite mark and every
///    member that nobody knows, as `PlainMoods` reads them; so does its header for the document's own members.
/// 3. Opened again, it is whole and shows the same, and no file is changed.
/// 4. Read only, the document is shown as it would become, or fails the same way.
/// 5. Migrating again gives the same bytes.
public struct MigrationTarget: ~Copyable {
    private static let path = "/store"

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        // Of other versions and of what is no document, other targets and tests say more; here they would cost time.
        guard let problem = try Self.migrate(input) else { return }
        let files = MemoryFiles()
        files.write(Self.path + "/moods.json", input)
        let shown = Self.open(files, isReadOnly: true)
        try require(files.names == [Self.path + "/moods.json"], "reading has made files: \(files.names)")
        let opened = Self.open(files, isReadOnly: false)
        try require(opened == shown, "shown read-only: \(shown); then \(opened)")
        guard problem.isEmpty, case .success(let moods) = opened else {
            try require(!problem.isEmpty, "migrated alone, but not in its directory: \(opened)")
            if case .success = opened { throw Violation("opened although \(problem)") }
            try require(files.read(Self.path + "/moods.json") == input, "a refused document has changed")
            try require(files.names.count == 2, "a refused document has company: \(files.names)")
            return
        }
        let kept = files.names.filter { $0.hasPrefix(Self.path + "/moods.v") }
        try require(kept.count == 1 && files.read(kept[0]) == input, "the document is not kept: \(kept)")
        try Self.compare(input, moods, files)
        let before = files.names.map { files.read($0) }
        try require(Self.open(files, isReadOnly: false) == opened, "opened again it shows something else")
        try require(files.names.map { files.read($0) } == before, "opening a clean store has changed its files")
    }

    /// The migration alone: why it is refused, or nothing; nil where nobody would try it. Property 5.
    private static func migrate(_ input: [UInt8]) throws(Violation) -> String? {
        let first = records(input)
        switch first {
        case .failure(let problem):
            try require(problem.offset >= 0 && problem.offset <= input.count, "a problem outside: \(problem.offset)")
            return problem.isDamage || problem.reason.contains("chemaVersion") ? nil : problem.reason
        case .success:
            try require(records(input) == first, "migrating again gives something else")
            return ""
        }
    }

    private static func records(_ input: [UInt8]) -> Result<[[UInt8]], SchemaMigration.Problem> {
        input.withUnsafeBytes { bytes in
            do throws(SchemaMigration.Problem) {
                var records: [[UInt8]] = []
                try SchemaMigration.moods.migrate(bytes).records { records.append(Array($0)) }
                return .success(records)
            } catch {
                return .failure(error)
            }
        }
    }

    /// What a store shows: its moods, oldest first; or the kind of the error.
    private enum Opened: Equatable {
        case success([[UInt8]])
        case failure(String)
    }

    private static func open(_ files: MemoryFiles, isReadOnly: Bool) -> Opened {
        let counter = Counter()
        var store = MoodRecords(
            .directory(
                StoreSettings(
                    directory: path, durability: .sync, isReadOnly: isReadOnly, trustsDirectory: true,
                    lockTimeoutMilliseconds: 0, schemaVersion: MoodRecords.schemaVersion, fileSystem: files.fileSystem,
                    log: { _ in }, makeIdentifier: { counter.next() }, timestamp: { "2026-01-02T03:04:05.678Z" })))
        do throws(MoodStoreError) {
            try store.open()
            if !isReadOnly { try store.openForWriting() }
            if store.verify()?.isWhole == false { return .failure("not whole") }
            return .success(try list(&store))
        } catch {
            if case .storage(let error) = error { return .failure(error.reason) }
            return .failure("\(error)")
        }
    }

    private static func list(_ store: inout MoodRecords) throws(MoodStoreError) -> [[UInt8]] {
        var query = MoodQuery()
        query.isDescending = false
        query.limit = 1000
        var writer = JSONWriter()
        try store.list(query, cursor: nil, to: &writer)
        var moods: [[UInt8]] = []
        var reader = JSONReader(ValidJSON(trusting: writer.buffer.bytes))
        _ = reader.enterObject()
        while let key = reader.nextKey() {
            guard key.equals("items"), reader.enterArray() else {
                reader.skip()
                continue
            }
            while reader.nextElement() { moods.append(Array(reader.skip().bytes)) }
        }
        return moods
    }

    /// Property 2.
    private static func compare(_ input: [UInt8], _ moods: [[UInt8]], _ files: MemoryFiles) throws(Violation) {
        guard let plain = PlainMoods(input) else { throw Violation("migrated, but it is not of the form") }
        try require(plain.moods.count == moods.count, "\(plain.moods.count) moods have become \(moods.count)")
        let text = Array("{\"moods\":[".utf8) + moods.joined(separator: [0x2C]) + Array("]}".utf8)
        guard let shown = PlainMoods(text) else { throw Violation("what is shown is not of the form") }
        var rest = plain.moods
        for mood in shown.moods {
            guard let index = rest.firstIndex(of: mood) else { throw Violation("a mood has changed: \(mood)") }
            rest.remove(at: index)
        }
        guard let snapshot = files.read(path + "/moods.json").flatMap({ PlainMoods($0) }) else {
            throw Violation("the snapshot is not JSON")
        }
        try require(snapshot.unknown == plain.unknown, "members of the document have changed")
        try require(snapshot.moods.count == moods.count, "the snapshot has other moods than are shown")
    }
}

/// Identifiers for one store, which need not be random here.
private final class Counter: Sendable {
    private let last = Atomic(0)

    func next() -> String {
        let number = String(last.add(1, ordering: .relaxed).newValue)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.utf8.count) + number
    }
}
