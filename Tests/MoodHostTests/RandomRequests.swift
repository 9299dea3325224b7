import JSONCodec
import MoodCore
import Seeds

/// Random moods for `mood.create`: every member, every kind of attachment, each with and without optional members.
struct RandomRequests {
    var random: SeededRandom
    /// Moods that relations name, besides some that do not exist.
    private var made: [String] = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let lines = [
        "Happy", "a \"b\" \\ c", "日本語", "e\u{301}", "</script>", "😊 and 🎉", "{}", "ö; a, b", "\u{202E}back",
        String(repeating: "long ", count: 40), "עברית", "a\u{200D}b",
    ]
    private static let texts = lines + ["", "tab\there", "line\nbreak\r\n\r\nend", "\u{1}\u{1f}\u{7f}\u{2028}"]
    private static let emojis = ["😊", "🇫🇮", "👨‍👩‍👧", "❤️", "5️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]
    private static let zones = ["Europe/Helsinki", "America/New_York", "Asia/Kathmandu", "UTC", "Pacific/Apia"]
    private static let hosts = ["Ann", "Ann ", "李雷"]
    static let kinds = ["link", "email", "place", "image", "audio", "event", "relation"]

    private mutating func chance() -> Bool { Bool.random(using: &random) }
    private mutating func line() -> String { Self.lines.randomElement(using: &random) ?? "" }

    mutating func id() -> String { MoodID(high: random.next(), low: random.next()).text }

    /// Any time, also the limits, but more often about now.
    mutating func time() -> Timestamp {
        let all = Timestamp.minimum.milliseconds...Timestamp.maximum.milliseconds
        let now: Int64 = 1_767_323_045_678
        let about = now - 4_000_000_000...now + 4_000_000_000
        return switch random.next() % 8 {
        case 0: .minimum
        case 1: .maximum
        case 2, 3: Timestamp(milliseconds: .random(in: all, using: &random)) ?? .minimum
        default: Timestamp(milliseconds: .random(in: about, using: &random)) ?? .minimum
        }
    }

    /// The params of a request, with an id.
    mutating func mood() -> JSONValue {
        let id = id()
        made.append(id)
        var members: [JSONValue.Member] = [
            .init("id", .string(id)), .init("emoji", .string(Self.emojis.randomElement(using: &random) ?? "😊")),
            .init("label", .string(line())), .init("timestamp", .string(time().text)),
            .init("isFavorite", .boolean(chance())),
            .init("notes", .string(Self.texts.randomElement(using: &random) ?? "")),
            .init("tags", .array((0..<Int.random(in: 0...3, using: &random)).map { .string("tag \($0)") })),
        ]
        if chance() { members.append(.init("valence", .double(.random(in: -1...1, using: &random)))) }
        if chance() { members.append(.init("scales", scales())) }
        if chance() { members.append(.init("timeZone", .string(Self.zones.randomElement(using: &random) ?? "UTC"))) }
        // Each kind at least once in some of them.
        var kinds = chance() || chance() ? Self.kinds : []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            kinds.append(Self.kinds.randomElement(using: &random) ?? "link")
        }
        kinds.shuffle(using: &random)
        members.append(.init("attachments", .array(kinds.map { attachment($0) })))
        return .object(members)
    }

    private mutating func scales() -> JSONValue {
        let names = Self.lines.filter { $0.count <= 32 }.shuffled(using: &random).prefix(
            .random(in: 1...5, using: &random))
        return .object(names.map { .init($0, .double(.random(in: -1000...1000, using: &random))) })
    }

    private mutating func attachment(_ kind: String) -> JSONValue {
        var members = [JSONValue.Member("kind", .string(kind))]
        switch kind {
        case "link":
            members.append(.init("url", .string(chance() ? "https://example.org/ö?a=%20" : "HTTP://A")))
            maybe("title", &members)
        case "email":
            members.append(.init("address", .string(chance() ? "a@b.c" : "\"a\"@ö.org")))
            maybe("label", &members)
        case "place":
            members.append(.init("latitude", .double(chance() ? .random(in: -90...90, using: &random) : 90)))
            members.append(.init("longitude", .double(chance() ? .random(in: -180...180, using: &random) : -180)))
            maybe("label", &members)
            maybe("address", &members)
        case "image":
            source("png", &members)
            if chance() { members.append(.init("aspectRatio", .double(.random(in: 0.001...1000, using: &random)))) }
            maybe("alt", &members)
        case "audio":
            source("m4a", &members)
            maybe("title", &members)
        case "event": event(&members)
        default:
            let other = chance() ? made.randomElement(using: &random) : nil
            members.append(.init("moodId", .string(other ?? id())))
            members.append(.init("type", .string(line())))
        }
        return .object(members)
    }

    private mutating func maybe(_ name: String, _ members: inout [JSONValue.Member]) {
        if chance() { members.append(.init(name, .string(line()))) }
    }

    private mutating func source(_ ending: String, _ members: inout [JSONValue.Member]) {
        members.append(
            chance()
                ? .init("path", .string("/a \"ö\"/\(random.next()).\(ending)"))
                : .init("url", .string("https://example.org/\(random.next()).\(ending)")))
    }

    private mutating func event(_ members: inout [JSONValue.Member]) {
        let occurrences = (0..<(chance() ? 1 : Int.random(in: 2...5, using: &random))).map { _ -> JSONValue in
            let times = [time(), time()].sorted()
            return ["start": .string(times[0].text), "end": .string((chance() ? times[0] : times[1]).text)]
        }
        members.append(.init("title", .string(line())))
        members.append(.init("occurrences", .array(occurrences)))
        maybe("location", &members)
        if chance() { members.append(.init("description", .string(Self.texts.randomElement(using: &random) ?? ""))) }
        if chance() || chance() {
            members.append(.init("hostName", .string(Self.hosts.randomElement(using: &random) ?? "Ann")))
        }
        if chance() { members.append(.init("url", "https://example.org/event")) }
    }
}
