import JSONCodec
import Platform
import Testing

@testable import MoodClient

@Suite struct KeyTests {
    private static let cases: [(String, [Key])] = [
        ("a", [.character("a")]), ("é😊", [.character("é"), .character("😊")]), ("\r\n", [.enter, .enter]),
        ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]), ("\u{1b}OA\u{1b}OH", [.up, .home]),
        ("\u{1b}[5~\u{1b}[6~\u{1b}[3~\u{1b}[1~\u{1b}[4~", [.pageUp, .pageDown, .delete, .home, .end]),
        ("\u{1b}[Z\t\u{7f}\u{08}", [.backTab, .tab, .backspace, .backspace]),
        ("\u{3}\u{1a}", [.control("c"), .control("z")]),
        ("\u{1b}[<0;5;3M\u{1b}[<0;5;3m", [.click(line: 2, column: 4)]),
        ("\u{1b}[<64;1;1M\u{1b}[<65;1;1M", [.wheelUp, .wheelDown]),
        ("\u{1b}[200~a\nb\u{1b}[201~c", [.paste("a\nb"), .character("c")]), ("\u{1b}\r", [.control("j")]),
        ("\u{1b}[99;99Xq", [.character("q")]), ("\u{1b}[<9999999999999999999999;1;1M", []), ("\u{0}", []),
    ]

    @Test(arguments: cases.indices) func isReadWholeAndByteByByte(_ index: Int) {
        let (text, keys) = Self.cases[index]
        var bytes = Array(text.utf8)
        #expect(Key.take(&bytes, isComplete: true) == keys && bytes.isEmpty)
        var found: [Key] = []
        var rest: [UInt8] = []
        for byte in text.utf8 {
            rest.append(byte)
            found += Key.take(&rest, isComplete: false)
        }
        found += Key.take(&rest, isComplete: true)
        #expect(found == keys && rest.isEmpty)
    }

    @Test func anEscapeAloneWaitsForMoreAndIsThenAKey() {
        var bytes: [UInt8] = [0x1b]
        #expect(Key.take(&bytes, isComplete: false).isEmpty && bytes == [0x1b])
        #expect(Key.take(&bytes, isComplete: true) == [.escape] && bytes.isEmpty)
    }

    /// Any bytes of a terminal are consumed.
    @Test func anyBytesAreTaken() {
        var state: UInt64 = 7
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let interesting: [UInt8] = [0x1b, 0x5b, 0x3c, 0x4d, 0x3b, 0x7e, 0x4f, 0xf0, 0x80, 0xff]
                bytes.append(
                    state >> 60 < 8 ? interesting[Int(state >> 40 % 10)] : UInt8(truncatingIfNeeded: state >> 33))
            }
            _ = Key.take(&bytes, isComplete: true)
            #expect(bytes.isEmpty, "seed 7")
        }
    }
}

@Suite struct LineEditorTests {
    @Test func editsAtTheCursor() {
        var editor = LineEditor("ab")
        for key in [
            Key.left, .character("é"), .end, .character("!"), .home, .delete, .character("A"), .control("e"),
            .backspace,
        ] {
            let isTaken = editor.take(key)
            #expect(isTaken)
        }
        #expect(editor.string == "Aéb")
        _ = editor.take(.paste("x\r\ny"))
        #expect(editor.string == "Aébx\ny")
        _ = editor.take(.control("u"))
        let isTaken = editor.take(.up)
        #expect(editor.string.isEmpty && !isTaken)
    }

    @Test func aLongTextIsShownAroundTheCursor() {
        let editor = LineEditor(String(repeating: "x", count: 50) + "😊")
        let (text, column) = editor.shown(columns: 10)
        #expect(DisplayWidth.of(text) <= 10 && text.hasSuffix("😊") && column <= 10)
        #expect(LineEditor("a\nb").shown(columns: 10).text == "a↵b")
    }
}

/// Keys for a browser, and the frames that it drew.
private final class Pressed {
    var keys: [String]
    var frames: [[UInt8]] = []
    var size = (columns: 60, lines: 16)
    private(set) var stops = 0

    init(_ keys: [String]) { self.keys = keys }

    var terminal: BrowseTerminal {
        BrowseTerminal(
            size: { self.size },
            wait: { _, _ in
                var ready = TerminalScreen.Ready()
                ready.hasInput = true
                return ready
            },
            // After the last key the terminal is gone.
            read: { () throws(SystemError) in self.keys.isEmpty ? [] : Array(self.keys.removeFirst().utf8) },
            write: { (bytes) throws(SystemError) in self.frames.append(bytes) },
            stop: { () throws(SystemError) in self.stops += 1 })
    }

    var drawn: String { frames.map { String(decoding: $0, as: UTF8.self) }.joined() }
}

@Suite struct BrowserTests {
    private static let row = #"""
        {"id":"mood-1","type":"moodRow","moodId":"1","emoji":"😊","title":"Happy","text":"now","isFavorite":true,"actions":[
        {"label":"Edit","destructive":false,"action":{"type":"edit","id":"1"}},
        {"label":"Delete","destructive":true,"action":{"type":"delete","id":"1"}},
        {"label":"Open","destructive":false,"action":{"type":"navigate","route":{"name":"moodDetail","id":"1"}}}],
        "accessibility":{"label":"😊 Happy, now"},"action":{"type":"navigate","route":{"name":"moodDetail","id":"1"}}}
        """#

    private static let list = #"""
        {"route":{"name":"crudList"},"title":"Moods","cells":[\#(row),\#(row.replacing("1\"", with: "2\"").replacing("Happy", with: "Sad"))],
        "toolbar":[{"type":"dismiss","accessibility":{"label":"Close"},"action":{"type":"goBack"}}],
        "actions":[{"label":"New mood","destructive":false,"action":{"type":"add"}}],"footer":["Tap it."]}
        """#

    private static let form = #"""
        {"route":{"name":"introState"},"title":"Form","cells":[{"id":"e1","type":"choice","text":"😊","isSelected":true,"action":
        {"type":"selectEmoji","emoji":"😊"}},{"id":"e2","type":"choice","text":"😢","isSelected":false,"action":
        {"type":"selectEmoji","emoji":"😢"}},{"id":"field-label","type":"field","name":"label","title":"Label","text":"",
        "problem":"It is empty."},{"id":"field-tags","type":"field","name":"tags","title":"Tags","text":"a"}],
        "toolbar":[],"actions":[{"label":"Cancel","destructive":false,"action":{"type":"cancel"}}],"footer":[]}
        """#

    private func browse(_ keys: [String], _ answer: @escaping (String, String) -> String? = { _, _ in nil }) -> (
        Pressed, Outside
    ) {
        let pressed = Pressed(keys)
        let outside = Outside { method, params in
            if let own = answer(method, params) { return .result(Array(own.utf8)) }
            switch method {
            case "events.subscribe": return .result(Array(#"{"subscription":"s","revision":3}"#.utf8))
            case "store.info": return .result(Array(#"{"revision":3}"#.utf8))
            case "action.perform": return .result(Array(#"{"effects":[]}"#.utf8))
            case "nav.screen":
                let isForm = params.contains("introState")
                return .result(Array((isForm ? Self.form : Self.list).replacing("\n", with: "").utf8))
            default: return .result(Array("{}".utf8))
            }
        }
        let invocation = Invocation(command: .browse, words: [], wordsBeforeDashes: 0, given: [:])
        let client = Client(invocation, console: outside.console, launcher: outside.launcher)
        #expect(throws: Never.self) { try Browser(client, pressed.terminal).run() }
        return (pressed, outside)
    }

    private func actions(_ outside: Outside) -> [String] {
        outside.sent.filter { $0.method == "action.perform" || $0.method == "editor.set" }.map(\.params)
    }

    @Test func drawsTheScreenWithAKeyForEachOffer() {
        let (pressed, outside) = browse(["q"])
        for text in ["Moods", "😊 Happy", "Tap it.", "n New mood", "e Edit", "d Delete", "o Open", "c Close"] {
            #expect(pressed.drawn.contains(text), "\(text)")
        }
        #expect(pressed.frames.count == 1)
        #expect(outside.sent.map(\.method) == ["events.subscribe", "nav.navigate", "nav.screen"])
    }

    @Test func keysDoWhatIsOffered() {
        let (_, outside) = browse(["\u{1b}[B", "\r", "o", "n", "\u{7f}", "q"])
        #expect(
            actions(outside) == [
                #"{"action":{"type":"navigate","route":{"name":"moodDetail","id":"2"}}}"#,
                #"{"action":{"type":"navigate","route":{"name":"moodDetail","id":"2"}}}"#,
                #"{"action":{"type":"add"}}"#, #"{"action":{"type":"goBack"}}"#,
            ])
    }

    @Test func whatDestroysIsAskedForFirst() {
        let (pressed, outside) = browse(["d", "x", "d", "y", "q"])
        #expect(actions(outside) == [#"{"action":{"type":"delete","id":"1"}}"#])
        #expect(pressed.drawn.contains("Delete: are you sure? [y/N]") && pressed.drawn.contains("Left as it was."))
    }

    @Test func theFormStandsOverAScreenThatHasNone() {
        let (pressed, outside) = browse([
            "n", "\r", "Glad", "\r", "\u{1b}[B", "\r", ", b", "\r", "\u{1b}[A", "\u{1b}[A", "\u{1b}[C", "\r", "c", "q",
        ]) {
            method, params in
            guard method == "action.perform", params.contains("add") || params.contains("cancel") else { return nil }
            return #"{"effects":[],"editor":{"isPresented":\#(params.contains("add"))}}"#
        }
        #expect(pressed.drawn.contains("✗ It is empty.") && pressed.drawn.contains("[😊]"))
        // Before the first key the form shows no problem.
        #expect(!String(decoding: pressed.frames[1], as: UTF8.self).contains("✗"))
        #expect(
            actions(outside) == [
                #"{"action":{"type":"add"}}"#, #"{"label":"Glad"}"#, #"{"tags":["a","b"]}"#,
                #"{"action":{"type":"selectEmoji","emoji":"😢"}}"#, #"{"action":{"type":"cancel"}}"#,
            ])
    }

    @Test func aChosenEmojiBringsItsLabel() {
        let palette = #"{"palette":[{"emoji":"😊","label":"Happy"},{"emoji":"😢","label":"Sad"}]}"#
        func chosen(_ label: String) -> [String] {
            let keys = ["n", "\u{1b}[A", "\u{1b}[C", "\r", "q"]
            return actions(
                browse(keys) { method, params in
                    switch method {
                    case "settings.get": palette
                    case "editor.state": #"{"selectedEmoji":"😊","label":"\#(label)"}"#
                    case "action.perform" where params.contains("add"): #"{"effects":[],"editor":{"isPresented":true}}"#
                    default: nil
                    }
                }.1)
        }
        let choice = #"{"action":{"type":"selectEmoji","emoji":"😢"}}"#
        #expect(chosen("").suffix(2) == [choice, #"{"label":"Sad"}"#])
        #expect(chosen("Happy").last == #"{"label":"Sad"}"#)
        #expect(chosen("My own").last == choice)
    }

    @Test func aNewMoodBeginsWithTheLabelOfItsEmoji() {
        let form = #"{"effects":[],"editor":{"isPresented":true,"selectedEmoji":"😊","label":""}}"#
        let (_, outside) = browse(["n", "q"]) { method, params in
            switch method {
            case "settings.get": #"{"palette":[{"emoji":"😊","label":"Happy"}]}"#
            case "action.perform" where params.contains("add"): form
            default: nil
            }
        }
        #expect(actions(outside) == [#"{"action":{"type":"add"}}"#, #"{"label":"Happy"}"#])
        var editor = LineEditor("Happy", isSuggestion: true)
        _ = editor.take(.character("G"))
        _ = editor.take(.character("o"))
        #expect(editor.string == "Go", "what is typed takes the place of a suggestion")
    }

    @Test func aSearchShowsWhatMatchesUntilEscape() {
        let mood = Canned.mood(label: "Calm", notes: "tea")
        let (pressed, outside) = browse(["/", "tea #sea", "\r", "\u{7f}", "q"]) { method, _ in
            method == "mood.list" ? Canned.page([mood]) : nil
        }
        let sent = outside.sent.first { $0.method == "mood.list" }?.params
        #expect(sent == #"{"filter":{"tags":["sea"],"text":"tea"},"rows":true}"#)
        #expect(pressed.drawn.contains("Moods: tea #sea") && pressed.drawn.contains("2026-01-02 06:04  tea"))
        #expect(actions(outside).isEmpty, "Escape leaves the search, not the list")
    }

    @Test func undoIsAKeyAndSaysWhatItDid() {
        let (pressed, outside) = browse(["u", "U", "q"]) { method, _ in
            switch method {
            case "store.undo", "store.redo": #"{"revision":4,"undone":[{"revision":3}]}"#
            case "store.log": #"{"items":[{"revision":3,"summary":"Recorded 😊 Happy"}]}"#
            default: nil
            }
        }
        #expect(pressed.drawn.contains("Took back: Recorded 😊 Happy") && pressed.drawn.contains("Made again: Recorded"))
        #expect(outside.sent.filter { $0.method.hasPrefix("store.") && $0.params == #"{"scope":"store"}"# }.count == 2)
    }

    @Test func noKeyStandsTwice() {
        let (pressed, _) = browse(["q"]) { method, _ in
            method == "nav.screen"
                ? #"{"route":{"name":"menu"},"title":"M","cells":[],"toolbar":[],"actions":[]}"# : nil
        }
        #expect(pressed.drawn.ranges(of: "q Quit").count == 1)
    }

    @Test func clicksChooseAndThenOpen() {
        let (_, outside) = browse(["\u{1b}[<0;8;3M", "\u{1b}[<0;8;3M", "q"])
        #expect(actions(outside) == [#"{"action":{"type":"navigate","route":{"name":"moodDetail","id":"2"}}}"#])
    }

    @Test func whatTheHostRefusesIsToldAndTheScreenStays() {
        let pressed = Pressed(["o", "q"])
        let outside = Outside { method, _ in
            if method == "action.perform" { return Canned.failure(Canned.error(1001, "notFound", "It is gone.")) }
            return .result(Array((method == "nav.screen" ? Self.list.replacing("\n", with: "") : "{}").utf8))
        }
        let invocation = Invocation(command: .browse, words: [], wordsBeforeDashes: 0, given: [:])
        let client = Client(invocation, console: outside.console, launcher: outside.launcher)
        #expect(throws: Never.self) { try Browser(client, pressed.terminal).run() }
        #expect(pressed.drawn.contains("It is gone."))
    }

    @Test func changesOfOthersAreSaidAndShown() {
        let pressed = Pressed(["j", "q"])
        let outside = Outside { method, _ in
            .result(Array((method == "nav.screen" ? Self.list.replacing("\n", with: "") : #"{"revision":3}"#).utf8))
        }
        outside.events = [
            #"{"topic":"mood","seq":3,"changes":[]}"#,
            #"{"topic":"mood","seq":4,"changes":[{"type":"updated","id":"1","mood":\#(Canned.mood())}]}"#,
        ]
        let invocation = Invocation(command: .browse, words: [], wordsBeforeDashes: 0, given: [:])
        let client = Client(invocation, console: outside.console, launcher: outside.launcher)
        #expect(throws: Never.self) { try Browser(client, pressed.terminal).run() }
        #expect(pressed.drawn.contains("Changed elsewhere: 😊 Happy updated"))
        #expect(outside.sent.count { $0.method == "nav.screen" } == 2)
    }

    /// One write for each frame, and none if nothing changes.
    @Test func aFrameIsOneWriteOfChangedLines() {
        let (pressed, _) = browse(["x", "x", "\u{1b}[B", "q"])
        #expect(pressed.frames.count == 3)
        let moved = String(decoding: pressed.frames[2], as: UTF8.self)
        #expect(moved.contains("Sad") && !moved.contains("Tap it."))
        for frame in pressed.frames {
            let text = String(decoding: frame, as: UTF8.self)
            #expect(text.hasPrefix("\u{1b}[?2026h") && text.hasSuffix("\u{1b}[?2026l"))
        }
    }

    @Test(arguments: [(20, 5), (40, 8), (200, 60), (1, 1)])
    func fitsAnyTerminal(_ columns: Int, _ lines: Int) {
        let pressed = Pressed(["?", " ", "d", "n", "q"])
        pressed.size = (columns, lines)
        let outside = Outside { method, _ in
            .result(Array((method == "nav.screen" ? Self.list.replacing("\n", with: "") : "{}").utf8))
        }
        let invocation = Invocation(command: .browse, words: [], wordsBeforeDashes: 0, given: [:])
        let client = Client(invocation, console: outside.console, launcher: outside.launcher)
        #expect(throws: Never.self) { try Browser(client, pressed.terminal).run() }
        for frame in pressed.frames {
            #expect(!String(decoding: frame, as: UTF8.self).contains("\u{1b}[\(lines + 1);"))
        }
    }

    @Test func aPipeIsNoTerminal() {
        #expect(Outside().run("browse") == .usage)
        #expect(Outside().run("key") == .usage)
    }

    @Test func aKeyIsAMood() throws {
        let feelings = PersonalPalette.Feeling(emoji: "😊", label: "Happy", valence: 1, aliases: [])
        let other = PersonalPalette.Feeling(emoji: "😌", label: "Calm", valence: 1, aliases: [])
        func choose(_ keys: [String]) throws -> QuickAdd.Choice? {
            try QuickAdd([feelings, other], Pressed(keys).terminal, style: Style(isColored: false)).choose()
        }
        #expect(try choose(["2", "Tea", "\r"]) == .init(emoji: "😌", label: "Calm", note: "Tea"))
        #expect(try choose(["1", "\r"]) == .init(emoji: "😊", label: "Happy", note: ""))
        for keys in [["1", "x", "\u{3}"], ["q"], ["\u{3}"], ["9"], [], ["\u{1b}\u{1b}x"]] {
            #expect(try choose(keys) == nil)
        }
    }
}
