import JSONCodec
import Platform
import Seeds

@testable import Storage

/// A snapshot in a directory, and queries to its index.
struct IndexedSnapshot {
    static let key = IndexKey(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)

    let directory = TestDirectory()

    init(_ records: [TestRecord]) throws {
        _ = try place()
        write(Self.bytes(of: records.map(\.json), count: records.count))
    }

    /// The file that `SnapshotWriter` writes, also with content that it never would.
    static func bytes(of records: [String], count: Int) -> [UInt8] {
        var buffer = ByteBuffer()
        header(count).append(to: &buffer)
        for (number, record) in records.enumerated() {
            if number > 0 { buffer.append(",\n") }
            buffer.append(utf8: record)
        }
        if !records.isEmpty { buffer.append("\n") }
        let checksum = CRC32C.checksum(buffer.bytes)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append("\n")
        return Array(buffer.bytes)
    }

    static func header(_ count: Int) -> SnapshotHeader {
        SnapshotHeader(schemaVersion: 3, storeId: identifier(77), generation: 4, revision: 9, count: count)
    }

    func place(_ fileSystem: FileSystem = .system) throws -> StoreDirectory {
        try StoreDirectory.make(settings(directory, fileSystem))
    }

    func write(_ snapshot: [UInt8]) { directory.write("moods.json", snapshot) }

    func openSnapshot() throws -> File { try File(directory.path("moods.json"), .read, in: .system) }

    func identity() throws -> SnapshotIdentity {
        let file = try openSnapshot()
        let reader = SnapshotReader(name: "moods.json", schemaVersion: 3)
        return try SnapshotIdentity(of: file, try reader.header(file, in: .system))
    }

    /// Reads the snapshot and makes its image.
    func build(_ key: IndexKey = key) throws -> IndexImage {
        try SnapshotIndexBuilder.build(
            of: try openSnapshot(), schemaVersion: 3, in: .system, .test, key: key)
    }

    /// Reads the snapshot and makes its index in the directory.
    func buildFile(_ key: IndexKey = key) throws -> IndexImage {
        try SnapshotIndexBuilder.build(
            of: try openSnapshot(), schemaVersion: 3, in: .system, .test, key: key,
            try IndexDraft(in: try place(), settings(directory)))
    }

    func buildIndex(_ key: IndexKey = key) throws -> SnapshotIndex {
        SnapshotIndex(try build(key), of: try openSnapshot(), .test)
    }

    /// The bytes of the image.
    func imageBytes(_ key: IndexKey = key) throws -> [UInt8] {
        let image = try build(key)
        return image.bytes.map { Array($0) } ?? []
    }

    struct NoIndex: Error {}

    /// The index in the directory.
    func openIndex(_ fileSystem: FileSystem = .system) throws -> SnapshotIndex {
        let place = try place(fileSystem)
        guard let image = IndexImage.open(in: place, of: try identity()) else { throw NoIndex() }
        return SnapshotIndex(image, of: try place.open("moods.json", .read), .test)
    }

    /// Whether a file with these bytes is an index of the snapshot.
    func takes(_ bytes: [UInt8]) throws -> Bool {
        guard let index = try index(from: bytes) else { return false }
        return index.count >= 0
    }

    /// The index from a file with these bytes.
    func index(from bytes: [UInt8]) throws -> SnapshotIndex? {
        directory.write("index-4.v5", bytes)
        guard let image = IndexImage.open(in: try place(), of: try identity()) else { return nil }
        return SnapshotIndex(image, of: try openSnapshot(), .test)
    }
}

extension [TestRecord] {
    /// In the order of a snapshot.
    var inOrder: [TestRecord] { sorted { $0.precedes($1, in: .time) } }

    /// Records with different ids, few times and few texts.
    static func random(_ count: Int, _ random: inout SeededRandom) -> [TestRecord] {
        (0..<count).map { number in
            let id = RecordID(high: .random(in: 0...2, using: &random), low: UInt64(number) << 40 | random.next() >> 24)
            return TestRecord.random(id, &random)
        }.inOrder
    }
}

/// An answer of an index, or damage of it or of the snapshot.
enum IndexAnswer: Equatable {
    case value(String)
    case indexDamaged
    case snapshotCorrupt(offset: Int)
    case other

    init(_ body: () throws -> Any?) {
        do {
            self = .value(try body().map { "\($0)" } ?? "none")
        } catch IndexFault.indexDamaged {
            self = .indexDamaged
        } catch IndexFault.snapshot(.corrupt(_, let offset, _)) {
            self = .snapshotCorrupt(offset: offset)
        } catch {
            self = .other
        }
    }
}

extension SnapshotIndex {
    /// The answers to all questions about these ids.
    mutating func answers(_ ids: [RecordID]) -> [IndexAnswer] {
        var buffer = ByteBuffer()
        var answers: [IndexAnswer] = [.value("\(count) \(markedCount) \(recordBytes)")]
        func text(_ buffer: borrowing ByteBuffer) -> String { String(decoding: buffer.bytes, as: UTF8.self) }
        for id in ids {
            answers.append(IndexAnswer { try row(of: id)?.place })
            answers.append(IndexAnswer { try record(id, into: &buffer).map { "\($0) \(text(buffer))" } })
        }
        for number in 0..<count {
            answers.append(
                IndexAnswer {
                    let row = try row(number)
                    try record(row, into: &buffer)
                    return "\(row) \(text(buffer))"
                })
        }
        var entries: [ColumnEntry] = []
        for row in 0..<count {
            answers.append(
                IndexAnswer {
                    let first = try columns(from: row, pages: 1, into: &entries)
                    return entries[row - first].described(try columnTexts())
                })
        }
        answers.append(IndexAnswer { try hourMarks() })
        for needle in ["a", "bc", "zz", "c"] {
            answers.append(
                IndexAnswer {
                    let condition = TestCondition(needle, looksAtChanges: needle == "a")
                    var verdicts = [RowVerdict](repeating: .open, count: count)
                    let ends = try searchedEnds()
                    try search(
                        Array(needle.utf8), pages: 0..<ends.count, ends, &buffer, condition, in: &verdicts, from: 0)
                    return "\(verdicts)"
                })
        }
        for order: IndexOrder in [.time, .updated, .text, .marked] {
            for position in 0..<count(order) { answers.append(IndexAnswer { try number(order, at: position) }) }
            for (step, id) in ids.enumerated() {
                let texts = ["", "a", "abc", "zz"]
                let text = Array(texts[step % 4].utf8)
                let place = RecordPosition(
                    key: order == .text ? TestRecord.prefix(text) : Int64(step % 5), text: text, id: id)
                for inclusive in [false, true] {
                    answers.append(IndexAnswer { try firstPosition(order, after: place, inclusive: inclusive) })
                }
            }
        }
        return answers
    }
}
