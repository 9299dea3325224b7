import JSONCodec
import MoodCore

/// The texts of params, each with its rule in `MoodCore`.
extension TextFormat {
    private static func length(_ minimum: Int, _ maximum: Int) -> [JSONValue.Member] {
        [.init("minLength", .number(String(minimum))), .init("maxLength", .number(String(maximum)))]
    }

    public static let plain = TextFormat([]) { _, _ in nil }

    /// Any text: a person's input, or a file.
    static let anything = {
        var format = TextFormat.plain
        format.takesNullCharacter = true
        return format
    }()

    public static let emoji = TextFormat(
        [.init("minLength", 1), .init("description", "Exactly one emoji.")], rule: .emoji
    ) { text, _ in
        Emoji.problem(text)
    }

    /// An emoji to find. Its variation selector may be missing, because keyboards leave it out.
    static let emojiFilter = TextFormat([.init("minLength", 1), .init("description", "Exactly one emoji.")]) {
        text, _ in
        Emoji.problem(text, selectorMayLack: true)
    }

    public static let label = TextFormat(length(1, TextRule.labelCharactersMax), rule: .label) { text, limits in
        TextRule.labelProblem(text, charactersMax: limits[.label])
    }

    public static let notes = TextFormat([], byteLimit: .notesBytes, rule: .notes) { text, limits in
        TextRule.notesProblem(text, bytesMax: limits[.notesBytes])
    }

    public static let tag = TextFormat(length(1, TextRule.tagCharactersMax)) { text, _ in TextRule.tagProblem(text) }

    public static let timeZone = TextFormat([.init("description", "An IANA time zone name.")]) { text, _ in
        TextRule.timeZoneProblem(text)
    }

    static let dateFormat = TextFormat(
        [
            .init("minLength", 1), .init("maxLength", 100),
            .init("description", "Marks as of strptime(3), and what stands between them."),
        ]
    ) { text, _ in
        TextRule.dateFormatProblem(text)
    }

    static let date = TextFormat([.init("format", "date")]) { text, _ in TextRule.dateProblem(text) }

    static let month = TextFormat([.init("pattern", "^[0-9]{4}-(0[1-9]|1[0-2])$")]) { text, _ in
        TextRule.monthProblem(text)
    }

    static let dayStart = TextFormat([.init("pattern", "^(0[0-9]|1[01]):[0-5][0-9]$|^12:00$")]) { text, _ in
        Settings.dayStartProblem(text)
    }

    static let locale = TextFormat([.init("description", "A locale identifier.")]) { text, _ in
        TextRule.localeProblem(text)
    }

    static let url = TextFormat([.init("format", "uri")]) { text, _ in TextRule.urlProblem(text) }

    static let email = TextFormat([.init("format", "email")]) { text, _ in TextRule.emailProblem(text) }

    static let path = TextFormat([.init("pattern", "^/")]) { text, _ in TextRule.pathProblem(text) }

    /// One line for people.
    static let line = TextFormat(length(1, TextRule.labelBytesMax)) { text, _ in
        TextRule.attachedLineProblem(text)
    }

    /// A mood's member of one line.
    static func memberLine(_ charactersMax: Int) -> TextFormat {
        TextFormat(length(1, charactersMax)) { text, _ in MoodField.Kind.lineProblem(text, charactersMax) }
    }

    static let deepLink = TextFormat([.init("pattern", "^moodboard://")]) { text, _ in
        DeepLink.route(of: String(decoding: text, as: UTF8.self)) == nil
            ? "must be moodboard:// and one of menu, intro-state, observation, architecture, moods or mood/<id>" : nil
    }

    static let template = TextFormat([]) { text, _ in
        ShareTemplate.problem(text)
    }

    public static let name = TextFormat(length(1, 64)) { text, _ in
        text.isEmpty || text.count > 64 || TextRule.hasControlCharacter(text)
            ? "must have 1 to 64 bytes and no control characters" : nil
    }

    /// A name that a person gives.
    static let savedName = TextFormat(length(1, 64)) { text, _ in TextRule.nameProblem(text) }

    static let cursor = TextFormat([.init("description", "A nextCursor of the same list.")]) { text, _ in
        text.count > 16 * 1024 ? "is no cursor of this list" : nil
    }

    /// The last digits of an id, with or without hyphens.
    static let idEnding = TextFormat(
        [.init("pattern", "^[0-9A-Fa-f-]{6,36}$"), .init("description", "At least 6 hexadecimal digits.")]
    ) { text, _ in
        let digits = idDigits(text)
        return (6...32).contains(digits.count) && digits.allSatisfy { $0 < 58 ? $0 >= 48 : (97...102).contains($0) }
            ? nil : "must be the last 6 to 32 hexadecimal digits of an id"
    }

    /// The digits of an id, or of its end, in lower case and without hyphens.
    public static func idDigits(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.filter { $0 != UInt8(ascii: "-") }.map { (65...70).contains($0) ? $0 | 0x20 : $0 }
    }

    public static let token = TextFormat(length(1, 128)) { text, _ in
        text.isEmpty || text.count > 128 ? "must have 1 to 128 bytes" : nil
    }
}
