import JSONCodec

/// The feelings that a person chooses from, each with its emoji, name and valence.
///
///     palette.entry(saying: "glad")                          // 😊 Happy 0.8, by an alias
///     palette.longestMatch(["so", "so", "day"])?.entry       // 😐 Meh, from two words
///
/// `NameFolding` compares names. No two feelings share a name.
public struct Palette: Sendable, Equatable {
    public static let entriesMax = 64
    public static let aliasesMax = 16

    /// One feeling.
    public struct Entry: Sendable, Equatable {
        public var emoji: String
        public var label: String
        /// From -1 to 1.
        public var valence: Double
        public var aliases: [String]

        public init(_ emoji: String, _ label: String, _ valence: Double, _ aliases: [String] = []) {
            self.emoji = emoji
            self.label = label
            self.valence = valence
            self.aliases = aliases
        }
    }

    public private(set) var entries: [Entry]
    /// Feelings by folded label and alias.
    private let byName: [[UInt8]: Int]
    /// The first feeling of each emoji.
    private let byEmoji: [[UInt8]: Int]

    /// The problem of a palette, and its place in the array.
    public struct Problem: Error, Equatable {
        /// A JSON Pointer.
        public let path: String
        public let reason: String
    }

    /// - Parameter isKept: whether it comes from a file. Earlier versions accepted names that differ only in
    ///   canonically equivalent accents; in a file the first one counts.
    /// - Throws: if a name is given twice, or if there is no feeling or more than `entriesMax`.
    public init(_ entries: [Entry], isKept: Bool = false) throws(Problem) {
        guard 1...Self.entriesMax ~= entries.count else {
            throw Problem(path: "", reason: "must have 1 to \(Self.entriesMax) feelings")
        }
        var taken: [[UInt8]: Int] = [:]
        var byName: [[UInt8]: Int] = [:]
        var byEmoji: [[UInt8]: Int] = [:]
        for (place, entry) in entries.enumerated() {
            for (number, name) in ([entry.label] + entry.aliases).enumerated() {
                let folded = CaseFolding.folded(name)
                let key = NameFolding.key(name)
                if let other = taken[folded] ?? (isKept ? nil : byName[key]) {
                    throw Problem(
                        path: "/\(place)" + (number == 0 ? "/label" : "/aliases/\(number - 1)"),
                        reason:
                            "is the name of \(entries[other].label) already; upper and lower case make no difference")
                }
                taken[folded] = place
                if byName[key] == nil { byName[key] = place }
            }
            let emoji = NameFolding.emojiKey(entry.emoji)
            if byEmoji[emoji] == nil { byEmoji[emoji] = place }
        }
        self.entries = entries
        self.byName = byName
        self.byEmoji = byEmoji
    }

    /// The default palette.
    public static let standard: Palette = {
        let entries = [
            Entry("😊", "Happy", 0.8, ["good", "glad", "joyful"]),
            Entry("🎉", "Excited", 0.9, ["rad", "thrilled"]),
            Entry("🥰", "Loved", 1, ["loving", "grateful"]),
            Entry("😌", "Calm", 0.5, ["relaxed", "peaceful", "content"]),
            Entry("🙂", "Okay", 0.2, ["ok", "fine", "all right"]),
            Entry("😐", "Meh", 0, ["so so", "neutral"]),
            Entry("😴", "Tired", -0.2, ["sleepy", "exhausted"]),
            Entry("😟", "Worried", -0.4, ["anxious", "nervous"]),
            Entry("😰", "Stressed", -0.5, ["tense", "overwhelmed"]),
            Entry("😢", "Sad", -0.6, ["bad", "down", "unhappy"]),
            Entry("😡", "Angry", -0.7, ["mad", "furious"]),
            Entry("😭", "Awful", -1, ["terrible", "miserable"]),
        ]
        // A test shows that this succeeds.
        guard let palette = try? Palette(entries) else { preconditionFailure("the standard palette breaks its rules") }
        return palette
    }()

    public static func == (a: Palette, b: Palette) -> Bool { a.entries == b.entries }
}

// MARK: - Looking up

extension Palette {
    /// The feeling of this label or alias. White space around it does not count.
    public func entry(saying name: String) -> Entry? { byName[NameFolding.key(name)].map { entries[$0] } }

    /// The first feeling of this emoji.
    public func entry(emoji: String) -> Entry? { byEmoji[NameFolding.emojiKey(emoji)].map { entries[$0] } }

    /// The feeling of the longest label or alias that the words begin with, and its number of words.
    public func longestMatch(_ words: [String]) -> (entry: Entry, words: Int)? {
        for count in stride(from: words.count, to: 0, by: -1) {
            if let entry = entry(saying: words[..<count].joined(separator: " ")) { return (entry, count) }
        }
        return nil
    }

    /// The emojis in order, each once.
    public var emojis: [String] {
        entries.indices.filter { byEmoji[NameFolding.emojiKey(entries[$0].emoji)] == $0 }.map { entries[$0].emoji }
    }

    /// The estimated valence for a label and emoji: by label, else by emoji.
    public func valence(label: String, emoji: String) -> Double? {
        (entry(saying: label) ?? entry(emoji: emoji))?.valence
    }
}

extension CaseFolding {
    /// A text without the white space around it, folded.
    public static func folded(_ text: String) -> [UInt8] {
        var text = text
        var folded: [UInt8] = []
        text.withUTF8 { appendFolded(utf8: TextRule.trimmed(UnsafeRawBufferPointer($0)), to: &folded) }
        return folded
    }
}

// MARK: - As JSON

extension Palette {
    /// Reads the form that `write` gives, and checks the kind of each value.
    public init(_ value: JSONValue, isKept: Bool = false) throws(Problem) {
        guard let array = value.array else { throw Problem(path: "", reason: "must be an array of feelings") }
        var entries: [Entry] = []
        for (place, value) in array.prefix(Self.entriesMax + 1).enumerated() {
            do throws(Problem) { entries.append(try Entry(value)) } catch {
                throw Problem(path: "/\(place)" + error.path, reason: error.reason)
            }
        }
        try self.init(entries, isKept: isKept)
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.member("emoji", entry.emoji)
            writer.member("label", entry.label)
            writer.member("valence", entry.valence)
            writer.beginArray("aliases")
            for alias in entry.aliases { writer.string(alias) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }
}

extension Palette.Entry {
    fileprivate init(_ value: JSONValue) throws(Palette.Problem) {
        guard let object = value.object else { throw Palette.Problem(path: "", reason: "must be an object") }
        for member in object where !["emoji", "label", "valence", "aliases"].contains(member.name) {
            throw Palette.Problem(
                path: "/" + member.name, reason: "is no member of a feeling; there are emoji, label, valence, aliases")
        }
        func text(
            _ value: JSONValue?, _ path: String, _ rule: (UnsafeRawBufferPointer) -> String?
        ) throws(Palette.Problem) -> String {
            guard var text = value?.string else {
                throw Palette.Problem(path: path, reason: value == nil ? "is required" : "must be a string")
            }
            let (problem, trimmed) = text.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                return (rule(bytes), String(decoding: TextRule.trimmed(bytes), as: UTF8.self))
            }
            if let problem { throw Palette.Problem(path: path, reason: problem) }
            return trimmed
        }
        let emoji = try text(value["emoji"], "/emoji", Emoji.problem)
        let label = try text(value["label"], "/label") { TextRule.labelProblem($0) }
        guard let valence = value["valence"]?.double, -1...1 ~= valence else {
            throw Palette.Problem(
                path: "/valence", reason: value["valence"] == nil ? "is required" : "must be a number from -1 to 1")
        }
        var aliases: [String] = []
        if let given = value["aliases"] {
            guard let array = given.array, array.count <= Palette.aliasesMax else {
                throw Palette.Problem(
                    path: "/aliases", reason: "must be an array of at most \(Palette.aliasesMax) names")
            }
            for (place, alias) in array.enumerated() {
                aliases.append(try text(alias, "/aliases/\(place)") { TextRule.labelProblem($0) })
            }
        }
        self.init(emoji, label, valence, aliases)
    }
}
