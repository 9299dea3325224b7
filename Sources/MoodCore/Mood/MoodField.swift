import JSONCodec

/// The members of a mood in the order of writing: their only table.
///
/// It serves reading, overlaying, writing, the scan of stored records, the inspector, migration, the params and results
/// of methods and the JSON Schemas of the store's files. (SwiftData: a `Schema`; Room: the columns of an `@Entity`.)
///
///     MoodField.allCases.filter(\.isOptional).map(\.name)   // valence, scales, timeZone
///
/// The members that every mood has are fixed for the schema version. A new member is `.added`, because there are stored
/// moods without it. It gets a case and a row here, between `tags` and `attachments`, and a place in `MoodValues`. If
/// its kind is ready, a table in each format, tool and screen takes it from here. Else it gets an `Object` with its rule
/// in its own file.
public enum MoodField: Int, CaseIterable, Sendable {
    case id, emoji, label, timestamp, isFavorite, notes, tags, valence, scales, timeZone, attachments, createdAt,
        updatedAt,
        revision

    /// Always inlined, so that a caller that needs one column gets a constant and builds no row.
    @inline(__always)
    public var row: Row {
        switch self {
        case .id: Row("id", .id, .made, "A UUID, in lower case.")
        case .emoji: Row("emoji", .emoji, .required, since: 1, "Exactly one emoji.")
        case .label: Row("label", .label, .required, since: 1, "What the mood is called: 1-200 characters.")
        case .timestamp: Row("timestamp", .time, .now, since: 1, "When it was felt; now, if absent.")
        case .isFavorite: Row("isFavorite", .flag, .filled("false"), since: 2, "Whether it is a favorite.")
        case .notes: Row("notes", .notes, .filled("\"\""), "Anything more, at most 64 KiB.")
        case .tags: Row("tags", .tags, .filled("[]"), "At most 32 different tags of 1-64 characters.")
        case .valence: Row("valence", .number(-1...1), .optional, "How pleasant it was, from -1 to 1.")
        case .scales:
            Row(
                "scales", .object(.scales), .added,
                "What else was measured: 1-16 names with numbers from -1000 to 1000.")
        case .timeZone: Row("timeZone", .timeZone, .optional, "The IANA zone in which the moment was lived.")
        case .attachments: Row("attachments", .attachments, .filled("[]"), "What it carries besides text.")
        case .createdAt: Row("createdAt", .time, .made, "When it was recorded.")
        case .updatedAt: Row("updatedAt", .time, .made, "When it last changed.")
        case .revision: Row("revision", .revision, .made, "The store's revision when it last changed.")
        }
    }

    /// The facts about a member.
    public struct Row: Sendable {
        public let name: StaticString
        public let kind: Kind
        public let presence: Presence
        /// The schema version of the store whose moods first had it.
        public let since: Int
        /// The meaning, for people.
        let summary: StaticString

        init(_ name: StaticString, _ kind: Kind, _ presence: Presence, since: Int = 3, _ summary: StaticString) {
            self.name = name
            self.kind = kind
            self.presence = presence
            self.since = since
            self.summary = summary
        }
    }

    /// The kind of a member's value.
    public enum Kind: Sendable {
        case id, time, revision, emoji, label, notes, tags, timeZone, attachments
        /// Ready: true or false.
        case flag
        /// Ready: a number in a range.
        case number(ClosedRange<Double>)
        /// Ready: one line with at most so many characters, stored without white space around it.
        case line(Int)
        case object(Object)

        public var json: JSONKind {
            switch self {
            case .id, .time, .emoji, .label, .notes, .timeZone, .line: .string
            case .revision, .number: .number
            case .flag: .boolean
            case .tags, .attachments: .array
            case .object: .object
            }
        }

        /// The problem of a value for a ready kind or an object: the name of its member (nil is the value itself) and a
        /// clause. Other kinds have rules of their own.
        public func problem(_ value: ValidJSON) -> (name: JSONText?, reason: String)? {
            var reader = JSONReader(value)
            switch self {
            case .flag: return reader.kind == .boolean ? nil : (nil, "must be true or false; it is \(reader.kind.name)")
            case .number(let range):
                if let number = reader.number()?.double, range.contains(number) { return nil }
                let (from, to) = (JSONValue.double(range.lowerBound).text, JSONValue.double(range.upperBound).text)
                return (nil, "must be a number from \(from) to \(to)")
            case .line(let charactersMax):
                guard let text = reader.text() else { return (nil, "must be a string; it is \(reader.kind.name)") }
                return text.withDecoded { Self.lineProblem($0, charactersMax) }.map { (nil, $0) }
            case .object(let object): return object.rule.problem(value)
            case .id, .time, .revision, .emoji, .label, .notes, .tags, .timeZone, .attachments: return nil
            }
        }

        /// The problem of a line, without the white space around it; nil if it is valid.
        public static func lineProblem(_ text: UnsafeRawBufferPointer, _ charactersMax: Int) -> String? {
            TextRule.lineProblem(
                TextRule.trimmed(text), charactersMax: charactersMax, bytesMax: charactersMax * lineBytesPerCharacter)
        }

        /// A limit besides that of characters, which have any number of bytes.
        private static let lineBytesPerCharacter = 8
    }

    /// The kinds of object, each with its own rule. The table holds only their names. It is plain memory, so reading a
    /// row copies no closure.
    public enum Object: Sendable {
        case scales

        public var rule: ObjectRule {
            switch self {
            case .scales: Scales.rule
            }
        }
    }

    /// The rule of a kind of object.
    public struct ObjectRule: Sendable {
        /// The first problem of a value: the name of its member (nil is the value itself) and a clause.
        public let problem: @Sendable (ValidJSON) -> (name: JSONText?, reason: String)?
        /// The keywords of its JSON Schema.
        public let keywords: [JSONValue.Member]
        /// Whether a valid value is empty, which removes the member.
        let isEmpty: @Sendable (ValidJSON) -> Bool
        /// Whether two valid values have the same meaning.
        let isSame: @Sendable (ValidJSON, ValidJSON) -> Bool
        /// Writes a valid value in its canonical form.
        let write: @Sendable (ValidJSON, inout JSONWriter) -> Void
    }

    /// The source of a member, and its value if the caller gives none.
    public enum Presence: Sendable {
        /// Every mood has it. The host makes it.
        case made
        /// Every mood has it. The caller must give it.
        case required
        /// Every mood has it. Its default is the present moment.
        case now
        /// Every mood has it. Its default is this JSON.
        case filled(StaticString)
        /// A mood may lack it. null removes it.
        case optional
        /// Optional, and added when stores of its schema version were in use. A stored value that breaks its rule is an
        /// unknown member of that name, and stays.
        case added
    }

    /// The optional members.
    public static let optional = allCases.filter(\.isOptional)

    /// The added members of a ready kind. No code but tables knows them.
    public static let ready = allCases.filter(\.isReady)

    public var isReady: Bool {
        switch kind {
        case .flag, .number, .line: isAdded
        default: false
        }
    }

    /// The private property of iCalendar objects; nil if they have words of their own for it.
    public var calendarProperty: String? {
        switch kind {
        case .flag, .number, .line, .object, .timeZone:
            let name = "\(name)"
            return "X-MOODBOARD-" + (self == .isFavorite ? "FAVORITE" : name.uppercased())
        case .id, .time, .revision, .emoji, .label, .notes, .tags, .attachments: return nil
        }
    }

    public var name: StaticString { row.name }
    public var kind: Kind { row.kind }
    /// The meaning, for people.
    public var summary: String { "\(row.summary)" }
    public var isAdded: Bool { if case .added = row.presence { true } else { false } }

    public var isOptional: Bool {
        switch row.presence {
        case .optional, .added: true
        case .made, .required, .now, .filled: false
        }
    }

    /// Whether a caller may give it.
    public var isGiven: Bool { if case .made = row.presence { false } else { true } }

    /// Finds the member of a name.
    /// - Parameter expected: the number of the member to compare first; most records have theirs in order.
    @inline(__always)
    public init?(_ key: JSONText, expecting expected: Int = 0) {
        guard let first = MoodField(rawValue: expected), key.equals(first.name) else {
            self.init(searching: key, after: expected)
            return
        }
        self = first
    }

    @inline(never)
    private init?(searching key: JSONText, after expected: Int) {
        let last = MoodField.revision.rawValue
        var index = expected
        for _ in 0...last {
            index = index < last ? index + 1 : 0
            if let field = MoodField(rawValue: index), key.equals(field.name) {
                self = field
                return
            }
        }
        return nil
    }

    /// The index of its value in `MoodValues`.
    var place: Int { rawValue - MoodField.emoji.rawValue }
}

/// A place for the value of each member from `emoji` to `attachments`.
typealias MoodValues = InlineArray<10, MoodValue>

/// The bytes of a value: the inside of a string, any other value whole. A `JSONText` in two words, because each request
/// with a mood passes the mood along.
struct MoodValue {
    private let start: UnsafeRawPointer?
    /// The length, and in the lowest bit whether there are escapes.
    private let bits: Int

    init(_ text: JSONText) {
        start = text.raw.baseAddress
        bits = text.raw.count << 1 | (text.isEscaped ? 1 : 0)
    }

    var text: JSONText {
        JSONText(raw: UnsafeRawBufferPointer(start: start, count: bits >> 1), isEscaped: bits & 1 == 1)
    }

    var json: ValidJSON { ValidJSON(trusting: UnsafeRawBufferPointer(start: start, count: bits >> 1)) }
}

/// A set of members.
public struct MoodFields: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    @inline(__always)
    public init(_ field: MoodField) { rawValue = 1 << UInt32(truncatingIfNeeded: field.rawValue) }

    static let optional = MoodFields { $0.isOptional }
    /// The required and default members that a caller may give, except the time.
    static let texts = MoodFields { $0.isGiven && !$0.isOptional && $0 != .timestamp }

    private init(where isWanted: (MoodField) -> Bool) {
        self = MoodField.allCases.filter(isWanted).reduce(into: []) { $0.insert(MoodFields($1)) }
    }

    /// Calls `body` with each member, in order.
    @inline(__always)
    func forEach(_ body: (MoodField) -> Void) {
        var rest = rawValue
        while rest != 0 {
            if let field = MoodField(rawValue: rest.trailingZeroBitCount) { body(field) }
            rest &= rest &- 1
        }
    }
}
