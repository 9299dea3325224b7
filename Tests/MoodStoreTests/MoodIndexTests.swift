import JSONCodec
import MoodCore
import Platform
import Seeds
import Testing

@testable import MoodStore
@testable import Storage

/// The index with real moods: labels of every script, folded, escaped, alike up to case.
@Suite struct MoodIndexTests {
    private static let labels = [
        "Happy", "happy", "HAPPY", "Happier", "Calm", "Éclair", "éclair", "E\u{301}clair", "ΣΑΣ", "σας", "σασ",
        "Straße",
        "STRAẞE", "strasse", "a", "ab", "abc", "abcd", "ABCD", "日本", "日本語", "😊", "😊!", "line\u{2028}", "\"q\" \\",
        "Привет", "ПРИВЕТ", "شكرا", "ǅ", "ǆ", "Ⱥ", "ⱥ", "K", "k", "İ", "i", "\u{1F600}\u{200D}", "한글", "ꭰ", "Ꭰ",
    ]

    private static func record(_ number: Int, _ random: inout SeededRandom) -> String {
        let time = Timestamp(milliseconds: 1_767_323_000_000 + .random(in: 0..<50, using: &random) * 1000) ?? .minimum
        let label = JSONValue.string(labels.randomElement(using: &random) ?? "a").text
        let zone = Bool.random(using: &random) ? #","timeZone":"Europe/Helsinki""# : ""
        let later = Int.random(in: 0..<8, using: &random) == 0 ? #","later":{"label":"x"}"# : ""
        return """
            {"id":"\(testID(number).text)","emoji":"😊","label":\(label),"timestamp":"\(time.text)",\
            "isFavorite":\(Bool.random(using: &random)),"notes":"","tags":["a"]\(zone),"attachments":[],\
            "createdAt":"\(time.text)","updatedAt":"\(time.text)","revision":\(number + 1)\(later)}
            """
    }

    private static func head(_ record: String) throws -> RecordHead {
        var record = record
        return try #require(record.withUTF8 { RecordExtractor.moods.head(UnsafeRawBufferPointer($0)) })
    }

    private static func snapshot(_ records: [String], in directory: TestDirectory) throws -> File {
        mkdir(directory.path, 0o700)
        let path = directory.path + "/moods.json"
        let header = SnapshotHeader(
            schemaVersion: 3, storeId: testID(0).text, generation: 1, revision: 1, count: records.count)
        var writer = SnapshotWriter(try DraftFile(path + "-draft", in: .system), header)
        for record in records {
            var record = record
            _ = record.withUTF8 { writer.append(UnsafeRawBufferPointer($0)) }
        }
        _ = try writer.finish()
        try writer.draft.place(as: path)
        return try File(path, .read, in: .system)
    }

    @Test(arguments: SeededRandom.seeds)
    func walksAsTheTableDoes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = try (0..<400).shuffled(using: &random).map { Self.record($0, &random) }.sorted {
            let (a, b) = (try Self.head($0), try Self.head($1))
            return a.time != b.time ? a.time < b.time : a.id < b.id
        }
        var table = RecordTable(extractor: .moods)
        for record in records {
            let head = try Self.head(record)
            var record = record
            table.insert(record.withUTF8 { RecordSlot(head: head, copying: UnsafeRawBufferPointer($0)) })
        }
        let directory = TestDirectory()
        let file = try Self.snapshot(records, in: directory)
        let image = try SnapshotIndexBuilder.build(of: file, schemaVersion: 3, in: .system, .moods)
        var index = SnapshotIndex(image, of: file, .moods)
        for order: RecordOrder in [.time, .updated, .text] {
            var all: [RecordSlot] = []
            table.walk(order, isDescending: false, after: nil) { slot in
                all.append(slot)
                return true
            }
            let walked = try all.indices.map { try index.row(try index.number(IndexOrder(order), at: $0)).head.id }
            #expect(walked == all.map(\.head.id), "seed \(seed), \(order)")
            for (position, slot) in all.enumerated() {
                var text: [UInt8] = []
                if order == .text {
                    RecordExtractor.withLabel(slot.bytes) { CaseFolding.appendFolded(utf8: $0, to: &text) }
                }
                let place = RecordPosition(key: slot.key(order), text: text, id: slot.head.id)
                let (at, behind) = (
                    try index.firstPosition(IndexOrder(order), after: place, inclusive: true),
                    try index.firstPosition(IndexOrder(order), after: place, inclusive: false)
                )
                #expect(at == position && behind == position + 1, "seed \(seed), \(order), \(position)")
            }
        }
        var buffer = ByteBuffer()
        for (number, record) in records.enumerated() {
            let row = try index.row(number)
            let head = try Self.head(record)
            #expect(row.head.id == head.id && row.head.flags == head.flags && row.head.isMarked == head.isMarked)
            #expect(row.head.textPrefix == head.textPrefix && row.head.updated == head.updated)
            #expect(try index.record(head.id, into: &buffer)?.row == number)
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == record)
        }
    }

    /// Both foldings give the same order, also for invalid UTF-8.
    @Test(arguments: SeededRandom.seeds)
    func foldedBytesAreOrderedAsFoldedTexts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func text() -> [UInt8] {
            var text = Array((Self.labels.randomElement(using: &random) ?? "").utf8)
            text += Array((Self.labels.randomElement(using: &random) ?? "").utf8)
            if Int.random(in: 0..<4, using: &random) == 0 {
                text[.random(in: 0..<text.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            return text
        }
        for _ in 0..<5_000 {
            let (a, b) = (text(), text())
            var foldedA = ByteBuffer()
            var foldedB = ByteBuffer()
            a.withUnsafeBytes { CaseFolding.appendFolded(utf8: $0, to: &foldedA) }
            b.withUnsafeBytes { CaseFolding.appendFolded(utf8: $0, to: &foldedB) }
            let sign = a.withUnsafeBytes { a in b.withUnsafeBytes { CaseFolding.compareFolded(a, $0) } }
            let (first, second) = (Array(foldedA.bytes), Array(foldedB.bytes))
            let bySign = first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
            #expect(sign == bySign, "seed \(seed): \(a), \(b)")
        }
    }
}
