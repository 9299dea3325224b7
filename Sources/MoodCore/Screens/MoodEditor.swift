import JSONCodec

/// The form for a mood: a person's input so far, right or wrong, and its problems. It lives and ends with the session.
/// The store has nothing before it is submitted. (SwiftUI: the `@State` of a sheet; React: a controlled form; Compose:
/// a state holder.)
///
///     var editor = MoodEditor()
///     editor.begin(rules)
///     editor.set(label: "Calm")
///     editor.problems(rules)      // empty: it can be submitted
///
/// A text that breaks a rule stays as typed and is shown with its problem, as on any screen.
public struct MoodEditor: Sendable {
    /// The configurable limits; the host passes them in.
    public struct Rules: Sendable {
        public var labelCharactersMax: Int
        public var notesBytesMax: Int
        public var tagsMax: Int
        /// The form's emojis, in the palette's order.
        public var emojis: [String]

        public init(
            labelCharactersMax: Int, notesBytesMax: Int, tagsMax: Int, emojis: [String] = Palette.standard.emojis
        ) {
            self.emojis = emojis
            self.labelCharactersMax = labelCharactersMax
            self.notesBytesMax = notesBytesMax
            self.tagsMax = tagsMax
        }
    }

    /// A problem that prevents submitting the form.
    public struct Problem: Sendable, Equatable {
        /// A JSON Pointer to the member, as `set` takes it.
        public let path: String
        /// A sentence that says what to do.
        public let message: String
    }

    /// The person's input.
    private struct Fields {
        var emoji = MoodEditor.usualEmoji
        var label = ""
        var notes = ""
        var tags: [String] = []
    }

    /// The selection in a closed form.
    private static let usualEmoji = "😊"

    /// The most that a form holds: bytes of UTF-8, and `tagCost` for each tag. Far more than can be submitted.
    public static let bytesMax = 2 << 20
    private static let tagCost = 64
    /// The most tags that fit in a form.
    public static let tagsMax = bytesMax / tagCost
    /// The most problems to list. A form can hold very many wrong tags.
    private static let problemsMax = 64

    /// Whether the form is open.
    public private(set) var isPresented = false
    /// The mood that the person edits; nil for a new one.
    public private(set) var editing: MoodID?
    private var fields = Fields()
    /// The first values of the form.
    private var original = Fields()

    public init() {}

    // MARK: What a person does

    /// Opens an empty form for a new mood, with the first emoji selected.
    public mutating func begin(_ rules: Rules) {
        self = MoodEditor()
        isPresented = true
        if let first = rules.emojis.first { fields.emoji = first }
        original = fields
    }

    /// Opens a form with a mood's content.
    public mutating func begin(_ id: MoodID, _ mood: MoodMembers) {
        self = MoodEditor()
        isPresented = true
        editing = id
        fields = Fields(
            emoji: mood.emoji?.string ?? "", label: mood.label?.string ?? "", notes: mood.notes?.string ?? "",
            tags: mood.tags.flatMap { JSONValue($0).array }?.compactMap(\.string) ?? [])
        original = fields
    }

    /// Replaces the given members.
    public mutating func set(
        emoji: String? = nil, label: String? = nil, notes: String? = nil, tags: [String]? = nil
    ) {
        if let emoji { fields.emoji = emoji }
        if let label { fields.label = label }
        if let notes { fields.notes = notes }
        if let tags { fields.tags = tags }
    }

    /// Closes the form and drops the input.
    public mutating func close() { self = MoodEditor() }

    // MARK: What it says

    public var selectedEmoji: String { fields.emoji }
    public var label: String { fields.label }
    public var notes: String { fields.notes }
    public var tags: [String] { fields.tags }

    /// The emojis to choose from. The mood's own and the selected one are always among them.
    public func availableEmojis(_ rules: Rules) -> [String] {
        var emojis = rules.emojis
        for emoji in [original.emoji, fields.emoji]
        where Self.problem(emoji, Emoji.problem) == nil && !emojis.contains(where: { Self.isSame($0, emoji) }) {
            emojis.append(emoji)
        }
        return emojis
    }

    /// The size of the input, for comparison with `bytesMax`.
    public var byteCount: Int {
        fields.tags.reduce(fields.emoji.utf8.count + fields.label.utf8.count + fields.notes.utf8.count) {
            $0 + $1.utf8.count + Self.tagCost
        }
    }

    /// The reasons why the form cannot be submitted, in the order of its fields; empty for a closed form. A member that
    /// was stored breaking a rule, and is not changed here, is none.
    public func problems(_ rules: Rules) -> [Problem] {
        guard isPresented else { return [] }
        var problems: [Problem] = []
        func add(_ path: String, _ subject: String, _ clause: String?) {
            guard let clause, problems.count < Self.problemsMax else { return }
            problems.append(Problem(path: path, message: "\(subject) \(clause)."))
        }
        if isChanged(\.emoji) { add("/emoji", "The emoji", Self.problem(fields.emoji, Emoji.problem)) }
        if isChanged(\.label) {
            add(
                "/label", "The label",
                Self.problem(fields.label) { TextRule.labelProblem($0, charactersMax: rules.labelCharactersMax) })
        }
        if isChanged(\.notes) {
            add(
                "/notes", "The text of the notes",
                Self.problem(fields.notes) { TextRule.notesProblem($0, bytesMax: rules.notesBytesMax) }
                    ?? (fields.notes.utf8.contains(0) ? TextRule.nullProblem : nil))
        }
        guard areTagsChanged else { return problems }
        if fields.tags.count > rules.tagsMax {
            add("/tags", "A mood", "may have at most \(rules.tagsMax) tags; it has \(fields.tags.count)")
        }
        let tags = fields.tags.prefix(rules.tagsMax)
        for (place, tag) in tags.enumerated() {
            let path = "/tags/\(place)"
            let subject = "Tag \(place + 1)"
            if let clause = Self.problem(tag, TextRule.tagProblem) {
                add(path, subject, clause)
            } else if tags[..<place].contains(where: { CaseFolding.folded($0) == CaseFolding.folded(tag) }) {
                add(path, subject, "must not repeat an earlier one")
            }
        }
        return problems
    }

    /// Whether a text is new, or differs from the stored one.
    private func isChanged(_ text: KeyPath<Fields, String>) -> Bool {
        editing == nil || !Self.isSame(fields[keyPath: text], original[keyPath: text])
    }

    private var areTagsChanged: Bool {
        editing == nil || !fields.tags.elementsEqual(original.tags, by: Self.isSame)
    }

    private static func problem(_ text: String, _ rule: (UnsafeRawBufferPointer) -> String?) -> String? {
        var text = text
        return text.withUTF8 { rule(UnsafeRawBufferPointer($0)) }
    }

    /// Compares bytes, as the store does: texts that only look alike are different.
    private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}

// MARK: - As JSON

extension MoodEditor {
    /// Writes `{isPresented, editing?, selectedEmoji, label, notes, tags, availableEmojis, canSubmit, problems}`.
    public func write(_ rules: Rules, to writer: inout JSONWriter) {
        let problems = problems(rules)
        writer.beginObject()
        writer.member("isPresented", isPresented)
        if let editing { writer.member("editing", editing) }
        writer.member("selectedEmoji", selectedEmoji)
        writer.member("label", label)
        writer.member("notes", notes)
        writer.key("tags")
        Self.write(tags, to: &writer)
        writer.key("availableEmojis")
        Self.write(availableEmojis(rules), to: &writer)
        writer.member("canSubmit", isPresented && problems.isEmpty)
        writer.beginArray("problems")
        for problem in problems {
            writer.beginObject()
            writer.member("path", problem.path)
            writer.member("message", problem.message)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Writes the form's changes as an object: everything for a new mood, else only what differs from the first values,
    /// so that changes by other clients stay.
    public func writeChange(to writer: inout JSONWriter) {
        writer.beginObject()
        if isChanged(\.emoji) { writer.member("emoji", fields.emoji) }
        if isChanged(\.label) { writer.member("label", fields.label) }
        if isChanged(\.notes) { writer.member("notes", fields.notes) }
        if areTagsChanged {
            writer.key("tags")
            Self.write(fields.tags, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ texts: [String], to writer: inout JSONWriter) {
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }
}
