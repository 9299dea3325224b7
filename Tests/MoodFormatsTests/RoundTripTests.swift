import JSONCodec
import MoodCore
import RandomMoods
import Seeds
import Testing

@testable import MoodFormats

/// Exported moods are imported unchanged.
@Suite struct RoundTripTests {
    private static let texts = [
        "", "a", "Zoë, \"quoted\"", "line\nbreak\r\nand\ttab", " spaces ", "=1+1", "😊", "a|b;c,d", "[x]", "\\n",
        "{\"a\":1}", "ü\u{301}",
    ]

    /// A record in stored form, with values that need care in files.
    static func record(_ random: inout SeededRandom, _ number: Int) -> [UInt8] {
        var members: [JSONValue.Member] = []
        for field in MoodField.allCases where !field.isOptional || random.isOne(in: 2) {
            members.append(.init("\(field.name)", value(of: field, &random, number)))
        }
        return Array(canonical(Array(JSONValue.object(members).text.utf8)).utf8)
    }

    private static func value(of field: MoodField, _ random: inout SeededRandom, _ number: Int) -> JSONValue {
        func line(_ random: inout SeededRandom) -> String {
            random.pick(texts.filter { !$0.contains(where: \.isNewline) && !$0.contains("\t") })
        }
        switch field.kind {
        case .id:
            let low = 0x8000_0000_0000_0000 | random.next() >> 2
            return .string(MoodID(high: 0x0189_0000_0000_7000 + UInt64(number), low: low).text)
        case .emoji: return .string(random.pick(["😊", "👩‍👩‍👧", "🇩🇪", "1️⃣", "❤️"]))
        case .label, .line:
            let text = line(&random).trimmedSpaces
            return .string(text.isEmpty ? "a" : text)
        case .time: return .string(Timestamp(milliseconds: Int64(random.next() >> 24))?.text ?? "")
        case .notes: return .string(random.pick(texts))
        case .tags:
            var draft = MoodDraft()
            draft.setTags((0..<random.below(4)).map { _ in line(&random) })
            return .array(draft.tags.map { .string($0) })
        case .attachments:
            return random.isOne(in: 3) ? [["kind": "link", "url": "https://a.example/,"]] : []
        case .flag, .number, .object, .timeZone, .revision: return RandomMood.value(of: field, &random)
        }
    }

    /// The mood of an item in stored form.
    private static func canonical(_ json: [UInt8]) -> String {
        var writer = JSONWriter(capacity: 512)
        json.withUnsafeBytes { bytes in
            var mood = MoodMembers(trusting: ValidJSON(trusting: bytes))
            mood.revision = 1
            mood.write(to: &writer)
        }
        return String(decoding: writer.buffer.bytes, as: UTF8.self)
    }

    static func text(_ format: ExportFormat, _ records: [[UInt8]]) -> [UInt8] {
        var export = MoodExport(format, timeZone: "Europe/Berlin")
        var text = ByteBuffer(capacity: 1024)
        export.begin(to: &text)
        for record in records { record.withUnsafeBytes { export.append($0, to: &text) } }
        export.end(to: &text)
        return Array(text.bytes)
    }

    @Test(arguments: SeededRandom.seeds) func losslessFormatsGiveTheSameMoods(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = (0..<200).map { Self.record(&random, $0) }
        for format in [ExportFormat.jsonl, .csv] {
            let text = Self.text(format, records)
            #expect(try FormatDetection.format(of: ImportBytes(text), ImportOptions()).rawValue == format.rawValue)
            let moods = try MoodImport(text, as: nil, ImportOptions())
            var place = 0
            while let item = moods.next() {
                guard case .mood(let mood) = item else {
                    Issue.record("seed \(seed), \(format): \(item)")
                    continue
                }
                #expect(mood.carriesID)
                let isSame = Self.canonical(mood.json).utf8.elementsEqual(records[place])
                #expect(
                    isSame,
                    "seed \(seed), \(format): \(Self.canonical(mood.json)) \(String(decoding: records[place], as: UTF8.self))"
                )
                place += 1
            }
            #expect(place == records.count)
        }
    }

    /// The other formats keep the members that they have words for.
    @Test(arguments: SeededRandom.seeds) func otherFormatsKeepWhatTheyCan(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = (0..<100).map { Self.record(&random, $0) }
        for format in [ImportFormat.daylio, .jrnl, .ics] {
            let text = Self.text(try #require(ExportFormat(rawValue: format.rawValue)), records)
            #expect(try FormatDetection.format(of: ImportBytes(text), ImportOptions()) == format)
            let moods = try MoodImport(text, as: format, MoodImportTests.options())
            var place = 0
            while let item = moods.next() {
                guard case .mood(let mood) = item else {
                    Issue.record("seed \(seed), \(format): \(item)")
                    continue
                }
                let (found, wanted) = (try JSONValue.parse(mood.json), try JSONValue.parse(records[place]))
                #expect(
                    found["label"]?.string?.utf8.elementsEqual(wanted["label"]?.string?.utf8 ?? "".utf8) == true,
                    "\(format) \(seed)")
                if format != .daylio { #expect(found["emoji"]?.string == wanted["emoji"]?.string) }
                if format == .ics {
                    let fields = MoodField.allCases.filter { $0 == .id || $0.calendarProperty != nil }
                    for name in fields.map({ "\($0.name)" }) where wanted[name]?.boolean != false {
                        #expect(found[name]?.text == wanted[name]?.text, "\(name) \(seed)")
                    }
                }
                place += 1
            }
            #expect(place == records.count)
        }
    }
}
