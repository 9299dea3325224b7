import JSONCodec
import Testing

@testable import MoodCore

@Suite struct MoodEditorTests {
    private static let rules = MoodEditor.Rules(labelCharactersMax: 200, notesBytesMax: 65_536, tagsMax: 32)
    private static let id = MoodID(high: 0x0190_b5a0_7c5e_7000, low: 0x8000_3f2a_9c1d_4e5b)

    private static func open(_ change: (inout MoodEditor) -> Void = { _ in }) -> MoodEditor {
        var editor = MoodEditor()
        editor.begin(Self.rules)
        change(&editor)
        return editor
    }

    private static func edit(_ mood: String, _ change: (inout MoodEditor) -> Void = { _ in }) -> MoodEditor {
        var editor = MoodEditor()
        let bytes = Array(mood.utf8)
        bytes.withUnsafeBytes { editor.begin(id, MoodMembers(trusting: ValidJSON(trusting: $0))) }
        change(&editor)
        return editor
    }

    private static func paths(_ editor: MoodEditor) -> [String] { editor.problems(rules).map(\.path) }

    @Test func theEmojisToChooseFromAreEmojisAndDifferent() {
        #expect(Palette.standard.emojis.count >= 12)
        #expect(Set(Palette.standard.emojis).count == Palette.standard.emojis.count)
        for emoji in Palette.standard.emojis {
            let problem = Array(emoji.utf8).withUnsafeBytes { Emoji.problem($0) }
            #expect(problem == nil, "\(emoji)")
        }
    }

    @Test func aNewFormLacksItsLabelAlone() throws {
        let editor = Self.open()
        #expect(editor.isPresented && editor.editing == nil)
        #expect(Palette.standard.emojis.contains(editor.selectedEmoji) && editor.label.isEmpty && editor.notes.isEmpty)
        #expect(Self.paths(editor) == ["/label"])
        let message = try #require(editor.problems(Self.rules).first?.message)
        #expect(message == "The label must not be empty or only white space.")
        #expect(Self.paths(Self.open { $0.set(label: "Calm") }) == [])
    }

    @Test func aClosedFormIsNeitherWrongNorRight() throws {
        var editor = MoodEditor()
        #expect(Self.paths(editor) == [])
        let state = try JSONValue(parsing: written { editor.write(Self.rules, to: &$0) })
        #expect(state["canSubmit"]?.boolean == false && state["isPresented"]?.boolean == false)
        editor.begin(Self.rules)
        editor.set(label: "x")
        editor.close()
        #expect(editor.label.isEmpty && !editor.isPresented)
    }

    @Test(arguments: [
        ("label", "", "/label"), ("label", " \u{2003}", "/label"), ("label", "a\nb", "/label"),
        ("label", String(repeating: "a", count: 201), "/label"), ("emoji", "", "/emoji"), ("emoji", "x", "/emoji"),
        ("emoji", "😊😊", "/emoji"), ("notes", String(repeating: "a", count: 65_537), "/notes"), ("tag", "", "/tags/1"),
        ("tag", "a", "/tags/1"), ("tag", " a\t", "/tags/1"), ("tag", String(repeating: "b", count: 65), "/tags/1"),
    ])
    func whatBreaksARuleIsKeptAndShown(field: String, text: String, path: String) {
        let editor = Self.open { editor in
            editor.set(label: "Calm", tags: ["a"])
            switch field {
            case "label": editor.set(label: text)
            case "emoji": editor.set(emoji: text)
            case "notes": editor.set(notes: text)
            default: editor.set(tags: ["a", text])
            }
        }
        #expect(Self.paths(editor) == [path])
        #expect([editor.label, editor.selectedEmoji, editor.notes, editor.tags.last].contains(text))
        for problem in editor.problems(Self.rules) { #expect(problem.message.hasSuffix(".")) }
    }

    @Test func whatIsAtItsLimitIsRight() {
        let editor = Self.open {
            $0.set(
                emoji: "👩‍👩‍👧‍👧", label: String(repeating: "ä", count: 200),
                notes: String(repeating: "a", count: 65_536), tags: (0..<32).map { "tag \($0)" })
        }
        #expect(Self.paths(editor) == [])
        // Texts that only look alike are different.
        #expect(Self.paths(Self.open { $0.set(label: "a", tags: ["é", "e\u{301}"]) }) == [])
    }

    @Test func moreTagsThanAllowedAreOneProblem() {
        let editor = Self.open { $0.set(label: "a", tags: (0..<40).map { "tag \($0)" }) }
        #expect(Self.paths(editor) == ["/tags"])
        let many = Self.open { $0.set(label: "a", tags: Array(repeating: "", count: 100_000)) }
        #expect(Self.paths(many).count == 33, "bounded, however many there are")
        #expect(many.byteCount > MoodEditor.bytesMax, "each tag costs something, also an empty one")
    }

    @Test func theEmojiOfAMoodIsThereToChoose() {
        let editor = Self.edit(#"{"emoji":"🐝","label":"Busy","notes":"n","tags":["a","b"]}"#)
        #expect(editor.editing == Self.id && editor.selectedEmoji == "🐝" && editor.label == "Busy")
        #expect(editor.notes == "n" && editor.tags == ["a", "b"])
        #expect(editor.availableEmojis(Self.rules) == Palette.standard.emojis + ["🐝"])
        var other = editor
        other.set(emoji: "🦋")
        #expect(other.availableEmojis(Self.rules) == Palette.standard.emojis + ["🐝", "🦋"])
        other.set(emoji: "no emoji")
        #expect(other.availableEmojis(Self.rules) == Palette.standard.emojis + ["🐝"])
    }

    @Test func anEditIsWhatDiffers() {
        func change(_ body: (inout MoodEditor) -> Void) -> String {
            let editor = Self.edit(#"{"emoji":"😊","label":"A","notes":"n","tags":["a"]}"#, body)
            return written { editor.writeChange(to: &$0) }
        }
        #expect(change { _ in } == "{}")
        #expect(change { $0.set(label: "B") } == #"{"label":"B"}"#)
        #expect(change { $0.set(emoji: "😢") } == #"{"emoji":"😢"}"#)
        #expect(change { $0.set(label: "B", notes: "n", tags: ["a"]) } == #"{"label":"B"}"#)
        #expect(change { $0.set(notes: "", tags: []) } == #"{"notes":"","tags":[]}"#)
        // A different text that looks alike.
        let accented = Self.edit(#"{"label":"é"}"#) { $0.set(label: "e\u{301}") }
        #expect(written { accented.writeChange(to: &$0) }.utf8.elementsEqual("{\"label\":\"e\u{301}\"}".utf8))
    }

    @Test func aNewMoodIsAllOfTheForm() {
        let editor = Self.open { $0.set(label: " A ") }
        #expect(written { editor.writeChange(to: &$0) } == #"{"emoji":"😊","label":" A ","notes":"","tags":[]}"#)
    }

    /// A stored member that breaks a rule stays; only a change of it has to obey.
    @Test(arguments: [
        #""label":"a\u0000b""#, "\"label\":\"\(String(repeating: "l", count: 300))\"",
        "\"notes\":\"\(String(repeating: "n", count: 70_000))\"", #""notes":"\u0000""#, #""tags":["a","A"]"#,
    ])
    func aStoredMemberThatBreaksARuleHindersNoOther(member: String) {
        let mood = #"{"emoji":"🐝","label":"Busy",\#(member)}"#
        #expect(Self.paths(Self.edit(mood)) == [])
        #expect(Self.paths(Self.edit(mood) { $0.set(emoji: "😊") }) == [])
        let changed = Self.edit(mood) { $0.set(emoji: "x", label: "", notes: "\u{0}", tags: ["b", "B"]) }
        #expect(Self.paths(changed) == ["/emoji", "/label", "/notes", "/tags/1"] || member.contains("notes\":\"\\u"))
    }

    @Test func beginningAnewForgets() {
        var editor = Self.edit(#"{"emoji":"🐝","label":"Busy"}"#)
        editor.begin(Self.rules)
        #expect(
            editor.editing == nil && editor.label.isEmpty
                && editor.availableEmojis(Self.rules) == Palette.standard.emojis)
    }
}
