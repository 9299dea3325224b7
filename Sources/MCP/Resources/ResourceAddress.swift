import MoodCore

/// The meaning of a `moodboard://` address of a resource.
///
///     moodboard://moods                moodboard://day/2026-11-20       moodboard://tag/work
///     moodboard://mood/ID              moodboard://stats/week           moodboard://year/2026
///     moodboard://screen/crudList      moodboard://menu
///
/// The next page of a list of moods (the first three) also has `?cursor=CURSOR`.
///
/// All characters but letters, digits and `-._~` are percent-encoded (RFC 3986, section 2.1).
public enum ResourceAddress: Equatable, Sendable {
    case moods(cursor: String?)
    case mood(MoodID)
    case day(String, cursor: String? = nil)
    case tag(String, cursor: String? = nil)
    case stats(String)
    case year(Int)
    case screen(Route)
    case menu

    private static let scheme = "moodboard://"
    private static let bytesMax = 2048

    /// Nil if no store can have such a resource.
    public init?(_ uri: String) {
        guard uri.utf8.count <= Self.bytesMax, uri.lowercased().hasPrefix(Self.scheme) else { return nil }
        let rest = uri.dropFirst(Self.scheme.count)
        let path = rest.prefix { $0 != "?" }
        let query = rest.dropFirst(path.count + 1)
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.count == 2 ? Self.decoded(parts[1]) : "" else { return nil }
        var cursor: String?
        if !query.isEmpty {
            guard ["moods", "day", "tag"].contains(parts[0]), query.hasPrefix("cursor="),
                let text = Self.decoded(query.dropFirst(7))
            else { return nil }
            cursor = text
        }
        switch (parts[0], parts.count) {
        case ("moods", 1): self = .moods(cursor: cursor)
        case ("menu", 1): self = .menu
        case ("mood", 2):
            guard let id = MoodID(word) else { return nil }
            self = .mood(id)
        case ("day", 2):
            guard Self.isDate(word) else { return nil }
            self = .day(word, cursor: cursor)
        case ("tag", 2):
            guard !word.isEmpty, word.utf8.count <= 512 else { return nil }
            self = .tag(word, cursor: cursor)
        case ("stats", 2):
            guard !word.isEmpty, word.utf8.count <= 100 else { return nil }
            self = .stats(word)
        case ("year", 2):
            guard word.utf8.count == 4, let year = Int(word), year > 0 else { return nil }
            self = .year(year)
        case ("screen", 2):
            guard let route = Self.route(word) else { return nil }
            self = .screen(route)
        default: return nil
        }
    }

    /// A route by its name, or by the rest of its own address: `crudList`, `moods`, `mood/ID`.
    private static func route(_ word: String) -> Route? {
        if let route = Route(name: word, id: nil) ?? DeepLink.route(of: scheme + word) { return route }
        guard word.hasPrefix("moodDetail/"), let id = MoodID(String(word.dropFirst(11))) else { return nil }
        return .moodDetail(id)
    }

    private static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 10
            && bytes.indices.allSatisfy { ($0 == 4 || $0 == 7) ? bytes[$0] == 0x2d : 0x30...0x39 ~= bytes[$0] }
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// A text percent-encoded as a part of an address.
    public static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }

    /// A template of addresses.
    public struct Template: Sendable {
        public let template: String
        public let name: String
        public let summary: String
        public let mediaType: StaticString
        /// The host's method that reads it; nil if every host has it.
        public let method: StaticString?
    }

    public static let templates = [
        Template(
            template: "moodboard://mood/{id}", name: "mood", summary: "One mood, as JSON and as Markdown.",
            mediaType: "application/json", method: nil),
        Template(
            template: "moodboard://day/{date}", name: "day", summary: "The moods of a day such as 2026-11-20.",
            mediaType: "application/json", method: "time.parse"),
        Template(
            template: "moodboard://tag/{tag}", name: "tag", summary: "The moods with a tag.",
            mediaType: "application/json", method: nil),
        Template(
            template: "moodboard://stats/{span}", name: "stats",
            summary: "Statistics of a span: week, month, 2026-01, 2026.", mediaType: "application/json",
            method: "stats.summary"),
        Template(
            template: "moodboard://year/{year}", name: "year", summary: "A year in pixels, as SVG and as text.",
            mediaType: "image/svg+xml", method: "stats.render"),
        Template(
            template: "moodboard://screen/{route}", name: "screen",
            summary: "A screen as data: menu, introState, observation, architecture, crudList, or mood/ID.",
            mediaType: "application/json", method: nil),
    ]
}
