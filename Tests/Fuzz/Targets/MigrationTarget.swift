import JSONCodec
import MoodStore
import Platform
import Storage
import Synchronization

/// Properties for any bytes in place of a `moods.json` of schema version 1 or 2.
///
/// 1. They are refused, or become as many moods as the document has, each with its emoji, label, favorite mark and
///    every unknown member, as `PlainMoods` reads them. Migrating again gives equal bytes.
/// 2. Opening a store with a refused document fails, changes no file, and makes none but the lock.
/// 3. Opening a store with another one shows exactly those moods, keeps the document beside it, byte for byte, and its
///    members in the snapshot. A read-only opening shows the same, and makes no file.
/// 4. Opened again, the store is whole and shows the same, and no file is changed.
///
/// Half of the seeds are choices for `DocumentMaker`. Properties 2 to 4 cost ten times as much as the first, so they
/// are tried for one document in eight.
public struct MigrationTarget: ~Copyable {
    private static let path = "/store"
    private static let document = path + "/moods.json"

    public init() {}

    /// An input that begins with a byte below a space is not a document, but choices for making one.
    public func check(_ input: [UInt8]) throws(Violation) {
        let isChoices = input.first.map { $0 < 0x20 } ?? false
        let document = isChoices ? DocumentMaker.document(input.dropFirst()) : input
        // The choice does not depend on the content.
        let isOpened = document.count % 8 == 0
        switch Self.migrated(document) {
        case .failure(let problem):
            try require(
                problem.offset >= 0 && problem.offset <= document.count, "a problem outside: \(problem.offset)")
            // The store recognizes other versions, and files that are no document, before it asks for a migration.
            let isOlder = !problem.isDamage && !problem.reason.contains("chemaVersion")
            if isOpened, isOlder { try Self.checkRefused(document) }
        case .success(let moods):
            try Self.compare(document, moods)
            try require(Self.migrated(document) == .success(moods), "migrating again gives something else")
            if isOpened { try Self.checkOpened(document, moods) }
        }
    }

    /// Checks property 2.
    private static func checkRefused(_ input: [UInt8]) throws(Violation) {
        let files = MemoryFiles()
        files.write(document, input)
        if case .success = open(files, isReadOnly: false) { throw Violation("opened, but alone it is refused") }
        try require(files.read(document) == input, "a refused document has changed")
        try require(files.names == [path + "/lock", document], "a refused document has company: \(files.names)")
    }

    /// Checks properties 3 and 4.
    private static func checkOpened(_ input: [UInt8], _ moods: [[UInt8]]) throws(Violation) {
        let files = MemoryFiles()
        files.write(document, input)
        let shown = open(files, isReadOnly: true)
        try require(shown == .success(moods), "shown read-only: \(shown)")
        try require(files.names == [document], "reading has made files: \(files.names)")
        let opened = open(files, isReadOnly: false)
        try require(opened == shown, "shown read-only, but not opened: \(opened)")
        let kept = files.names.filter { $0.hasPrefix(path + "/moods.v") }
        try require(kept.count == 1 && files.read(kept[0]) == input, "the document is not kept: \(kept)")
        let snapshot = files.read(document).flatMap { PlainMoods($0) }
        try require(snapshot?.unknown == PlainMoods(input)?.unknown, "members of the document have changed")
        let before = files.names.map { files.read($0) }
        try require(open(files, isReadOnly: false) == opened, "opened again it shows something else")
        try require(files.names.map { files.read($0) } == before, "opening a clean store has changed its files")
    }

    /// The migration alone: the moods in the order of a snapshot.
    private static func migrated(_ input: [UInt8]) -> Result<[[UInt8]], SchemaMigration.Problem> {
        input.withUnsafeBytes { bytes in
            do throws(SchemaMigration.Problem) {
                var moods: [[UInt8]] = []
                let migrated = try SchemaMigration.moods.migrate(bytes)
                migrated.records { moods.append(Array($0)) }
                return .success(moods)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Checks property 1.
    private static func compare(_ input: [UInt8], _ moods: [[UInt8]]) throws(Violation) {
        guard let plain = PlainMoods(input) else { throw Violation("migrated, but it is not of the form") }
        try require(plain.moods.count == moods.count, "\(plain.moods.count) moods have become \(moods.count)")
        let text = Array("{\"moods\":[".utf8) + moods.joined(separator: [0x2C]) + Array("]}".utf8)
        guard let shown = PlainMoods(text) else { throw Violation("what is shown is not of the form") }
        var rest = plain.moods
        for mood in shown.moods {
            guard let index = rest.firstIndex(of: mood) else { throw Violation("a mood has changed: \(mood)") }
            rest.remove(at: index)
        }
    }

    /// The moods that a store shows, oldest first; or the kind of the error.
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
            let report = try? store.work(isCancelled: { false })?.verify { _, _ in }
            if report?.isWhole == false { return .failure("not whole") }
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
}

/// Identifiers for one store, which need not be random here.
final class Counter: Sendable {
    private let last = Atomic(0)

    func next() -> String {
        let number = String(last.add(1, ordering: .relaxed).newValue)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.utf8.count) + number
    }
}
