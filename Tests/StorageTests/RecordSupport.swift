import JSONCodec
import Seeds
import Testing

@testable import Storage

/// A record of these tests, with everything by which it is found, sorted and counted.
struct TestRecord: Equatable {
    var id: RecordID
    var time: Int64
    var updated: Int64
    /// ASCII without anything to escape, compared by bytes.
    var text: String
    var isMarked: Bool

    var head: RecordHead {
        RecordHead(
            id: id, time: time, updated: updated, textPrefix: Self.prefix(Array(text.utf8)), isMarked: isMarked)
    }

    /// The changes beside the searched text: none, a byte, or more than the index keeps.
    var changes: [UInt8] {
        time % 5 != 0 ? [] : [UInt8](repeating: UInt8(updated), count: updated == 7 ? 300 : 1)
    }
    /// Whether the text is searched without a look at the record.
    var isSearched: Bool { updated != 3 }

    var json: String {
        """
        {"id":"\(Self.text(of: id))","time":\(time),"updated":\(updated),"text":"\(text)","isMarked":\(isMarked)}
        """
    }

    /// Only the first two bytes, so that many texts share one prefix.
    static func prefix(_ text: [UInt8]) -> Int64 {
        Int64(text.first ?? 0) << 8 | Int64(text.dropFirst().first ?? 0)
    }

    static func text(of id: RecordID) -> String {
        var buffer = ByteBuffer()
        id.write(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    init(id: RecordID, time: Int64, updated: Int64, text: String, isMarked: Bool) {
        self.id = id
        self.time = time
        self.updated = updated
        self.text = text
        self.isMarked = isMarked
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let value = try? JSONValue.parse(Array(bytes)), let id = value["id"]?.string,
            let key = Array(id.utf8).withUnsafeBytes({ RecordID($0) }), let time = value["time"]?.integer,
            let updated = value["updated"]?.integer, let text = value["text"]?.string,
            let isMarked = value["isMarked"]?.boolean
        else { return nil }
        self.init(id: key, time: Int64(time), updated: Int64(updated), text: text, isMarked: isMarked)
    }

    /// A record with one of few times and texts, so that ties are common.
    static func random(_ id: RecordID, _ random: inout SeededRandom) -> TestRecord {
        let texts = ["", "a", "ab", "abc", "abd", "abcd", "b", "ba", "zz", "zzz"]
        return TestRecord(
            id: id, time: .random(in: -5...5, using: &random), updated: .random(in: 0...9, using: &random),
            text: texts.randomElement(using: &random) ?? "", isMarked: .random(using: &random))
    }

    /// The whole check of a store with such records.
    static var examination: RecordExamination {
        RecordExamination(
            inspect: { bytes in
                guard let record = TestRecord(bytes) else { return .problem("is no record") }
                return .record(id: record.id, time: record.time, revision: 0)
            }, progress: { _, _ in })
    }

    /// Whether it comes before another one, ties broken by id.
    func precedes(_ other: TestRecord, in order: RecordOrder) -> Bool {
        switch order {
        case .time: time != other.time ? time < other.time : id < other.id
        case .updated: updated != other.updated ? updated < other.updated : id < other.id
        case .text:
            text != other.text
                ? text.utf8.lexicographicallyPrecedes(other.text.utf8) : id < other.id
        }
    }

    func position(_ order: RecordOrder) -> RecordPosition {
        switch order {
        case .time: RecordPosition(key: time, text: [], id: id)
        case .updated: RecordPosition(key: updated, text: [], id: id)
        case .text: RecordPosition(key: Self.prefix(Array(text.utf8)), text: Array(text.utf8), id: id)
        }
    }
}

/// A store that tests share with closures, and can close and open again.
final class TestRecords {
    private let settings: StoreSettings?
    private var store: RecordStore?

    /// In memory without settings.
    init(_ settings: StoreSettings?) throws(StorageError) {
        self.settings = settings
        try open()
    }

    func open() throws(StorageError) {
        if let settings { store = try .open(settings, .test) } else { store = .inMemory(.test) }
    }

    func close() { store = nil }

    func with<Result>(_ body: (inout RecordStore) throws -> Result) rethrows -> Result {
        var open = store.take() ?? .inMemory(.test)
        do {
            let result = try body(&open)
            store = consume open
            return result
        } catch {
            store = consume open
            throw error
        }
    }

    func put(_ record: TestRecord) throws {
        try with { store in
            var fault: StorageError?
            withBytes(record.json) { bytes in
                do throws(StorageError) { try store.put(record.head, bytes) } catch { fault = error }
            }
            if let fault { throw fault }
        }
    }

    func remove(_ id: RecordID) throws -> Bool { try with { try $0.remove(id) } }
    func removeAll() throws { try with { try $0.removeAll() } }
    func endCommit() throws { try with { try $0.endCommit() } }
    func abandonCommit() { with { $0.abandonCommit() } }
    func flush() throws { try with { try $0.flush() } }
    var needsFlush: Bool { with { $0.needsFlush } }
    var revision: Int { with { $0.revision } }
    var count: Int { with { $0.count } }

    var contents: [RecordID: TestRecord] {
        with { store in
            var records: [RecordID: TestRecord] = [:]
            do {
                try store.walk(.time, isDescending: false, after: nil) { record in
                    records[record.head.id] = TestRecord(record.bytes)
                    return true
                }
            } catch {
                Issue.record("\(error)")
            }
            return records
        }
    }
}

extension RecordExtractor {
    /// The extractor for a `TestRecord`.
    static let test = RecordExtractor(
        head: { TestRecord($0)?.head },
        compareTexts: { a, b in compare(text(a), text(b)) },
        compareText: { record, text in compare(Self.text(record), text) },
        // The id comes first, after `{"id":"`.
        id: { $0.count < 43 ? nil : RecordID(UnsafeRawBufferPointer(rebasing: $0[7..<43])) },
        headAndText: { bytes, text in
            let record = TestRecord(bytes)
            text.append(utf8: record?.text ?? "")
            return record?.head
        },
        traits: { traits($0, &$1) },
        indexed: { bytes, _, text, scratch, found in
            guard let record = TestRecord(bytes) else { return nil }
            text.append(utf8: record.text)
            found.text.append(utf8: record.text)
            record.changes.withUnsafeBytes { found.changes.append($0) }
            return (record.head, traits(bytes, &scratch), record.isSearched)
        })

    private static func traits(_ bytes: UnsafeRawBufferPointer, _ scratch: inout ByteBuffer) -> RecordTraits {
        guard let record = TestRecord(bytes) else { return RecordTraits(word: 0, texts: [nil, nil, nil, nil]) }
        scratch.truncate(to: 0)
        scratch.append(utf8: record.text)
        let id = UnsafeRawBufferPointer(rebasing: bytes[7..<43])
        let isOften = record.updated % 2 == 0
        return RecordTraits(
            word: UInt64(bitPattern: record.updated),
            texts: [scratch.bytes, nil, isOften ? id : nil, scratch.bytes])
    }

    private static func text(_ record: UnsafeRawBufferPointer) -> [UInt8] {
        Array((TestRecord(record)?.text ?? "").utf8)
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
}

extension RecordOrder {
    static let all: [RecordOrder] = [.time, .updated, .text]
}

extension [RecordID: TestRecord] {
    func sorted(_ order: RecordOrder, isDescending: Bool) -> [TestRecord] {
        let ascending = values.sorted { $0.precedes($1, in: order) }
        return isDescending ? ascending.reversed() : ascending
    }
}
