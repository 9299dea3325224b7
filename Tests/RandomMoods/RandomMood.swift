import JSONCodec
import MoodCore
import Seeds

/// Random moods: every member in every form of a request, and members of later versions.
public enum RandomMood {
    private static let texts = [
        "Happy", "a \"b\" \\ c", "tab\there", "line\nbreak", "日本語", "e\u{301}", "\u{1}\u{1f}", "</script>", "😊 and 🎉",
        "isFavorite", "updatedAt\":1", "{}", "[1,2]", String(repeating: "long ", count: 40),
    ]

    public static func text(_ random: inout SeededRandom) -> String { texts.randomElement(using: &random) ?? "" }

    public static func time(_ random: inout SeededRandom) -> Timestamp {
        let range = Timestamp.minimum.milliseconds...Timestamp.maximum.milliseconds
        return Timestamp(milliseconds: .random(in: range, using: &random)) ?? .minimum
    }

    public static func attachment(_ random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: ["kind": "link", "url": "https://example.com/x", "title": .string(text(&random))]
        case 1: ["kind": "email", "address": "a@b.c"]
        case 2:
            [
                "kind": "place", "latitude": .double(.random(in: -90...90, using: &random)),
                "longitude": .double(.random(in: -180...180, using: &random)), "address": .string(text(&random)),
            ]
        case 3: ["kind": "image", "path": "/a", "aspectRatio": 1.5.value, "alt": .string(text(&random))]
        case 4: ["kind": "audio", "url": "https://example.com/a", "mood": ["later": true]]
        case 5:
            [
                "kind": "event", "title": .string(text(&random)),
                "occurrences": [["start": .string(time(&random).text), "end": .string(time(&random).text)]],
            ]
        default: ["kind": "relation", "moodId": .string(id(&random).text), "type": "follows"]
        }
    }

    /// 1-16 names in stored form, and numbers in any form of the writer.
    public static func scales(_ random: inout SeededRandom) -> JSONValue {
        let names = ["sleep", "energy", "pain 1-10", "kaffee ☕", "a\"b\\", "e\u{301}", "0", "isFavorite", "/~"]
            .shuffled(using: &random)
        let more = (0..<Int.random(in: 0...7, using: &random)).map { "n\($0)" }
        let all = names.prefix(.random(in: 1...names.count, using: &random)) + more
        return .object(
            all.map { name in
                let number: Double =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: Double(Int.random(in: -1000...1000, using: &random))
                    case 1: .random(in: -1000...1000, using: &random)
                    case 2: Double(Int.random(in: -100...100, using: &random)) / 4
                    default: .random(in: -1e-6...1e-6, using: &random)
                    }
                return .init(name, .double(number))
            })
    }

    public static func id(_ random: inout SeededRandom) -> MoodID { MoodID(high: random.next(), low: random.next()) }

    /// A value of a member in stored form.
    public static func value(of field: MoodField, _ random: inout SeededRandom) -> JSONValue {
        switch field.kind {
        case .id: .string(id(&random).text)
        case .emoji: Bool.random(using: &random) ? "😊" : "🇫🇮"
        case .label, .line: .string(label(&random))
        case .time: .string(time(&random).text)
        case .flag: .boolean(.random(using: &random))
        case .notes: .string(Bool.random(using: &random) ? "" : text(&random))
        case .tags: .array((0..<Int.random(in: 0...3, using: &random)).map { .string("tag \($0)") })
        case .number(let range): .double(.random(in: range, using: &random))
        case .object(.scales): scales(&random)
        case .timeZone: .string(["Europe/Helsinki", "Asia/Tokyo", "UTC"].randomElement(using: &random) ?? "UTC")
        case .attachments: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in attachment(&random) })
        case .revision: .number(String(Int.random(in: 1...1_000_000, using: &random)))
        }
    }

    /// A record in canonical form.
    public static func record(_ random: inout SeededRandom) -> String {
        func chance() -> Bool { Bool.random(using: &random) }
        var members: [JSONValue.Member] = []
        for field in MoodField.allCases where !field.isOptional || chance() {
            members.append(.init("\(field.name)", value(of: field, &random)))
        }
        if chance() {
            members.append(.init("later", ["isFavorite": true, "revision": 7, "text": .string(text(&random))]))
        }
        if chance() { members.append(.init(text(&random) + "?", .null)) }
        return JSONValue.object(members).text
    }

    /// A label in stored form: trimmed, on one line of at most 40 characters.
    private static func label(_ random: inout SeededRandom) -> String {
        var label = String(
            text(&random).filter { !$0.isNewline && $0 != "\t" && $0 != "\u{1}" && $0 != "\u{1f}" }.prefix(40))
        return label.isEmpty
            ? "Calm" : label.withUTF8 { String(decoding: TextRule.trimmed(UnsafeRawBufferPointer($0)), as: UTF8.self) }
    }
}

extension Double {
    var value: JSONValue { .double(self) }
}
