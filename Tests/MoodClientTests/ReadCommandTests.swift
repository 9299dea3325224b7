import Testing

@testable import MoodClient

@Suite struct ReadCommandTests {
    @Test func listIsATableInLocalTime() {
        let moods = [
            Canned.mood(isFavorite: true, notes: "two\nlines", tags: ["sea", "sun"]),
            Canned.mood("7da60963-166e-4e03-b457-84483f34ec0e", label: "日本"),
        ]
        let outside = Outside(["mood.list": Canned.page(moods, total: 2)])
        outside.isOutputTerminal = true
        #expect(outside.run("list", "--color", "never") == .success)
        #expect(
            outside.output == """
                    ID        ★  DAY         TIME (CET)  MOOD      TAGS       NOTE
                @1  00000001  ★  2026-01-02  06:04       😊 Happy  #sea #sun  two↵lines
                @2  3f34ec0e     2026-01-02  06:04       😊 日本

                """)
        #expect(outside.sent.first == .init(method: "mood.list", params: ""))
        #expect(outside.error.isEmpty)
    }

    @Test func listAndShowHaveScalesWhereThereAreSome() {
        let mood = String(Canned.mood().dropLast()) + #","scales":{"sleep":7,"a\u001b":-2.50}}"#
        let other = Canned.mood("7da60963-166e-4e03-b457-84483f34ec0e", label: "日本")
        let outside = Outside(["mood.list": Canned.page([mood, other], total: 2), "mood.get": mood])
        outside.isOutputTerminal = true
        #expect(outside.run("list", "--color", "never") == .success)
        #expect(
            outside.output == """
                    ID        DAY         TIME (CET)  MOOD      SCALES
                @1  00000001  2026-01-02  06:04       😊 Happy  sleep 7, a\\u001b -2.50
                @2  3f34ec0e  2026-01-02  06:04       😊 日本

                """)
        let shown = Outside(["mood.get": mood])
        #expect(shown.run("show", Canned.id) == .success)
        #expect(shown.output.contains("\n  scales     sleep 7, a\\u001b -2.50\n"))
        #expect(!shown.output.contains("{"))
    }

    @Test func listIsCutToTheTerminalAndEscaped() {
        let outside = Outside([
            "mood.list": Canned.page(
                [Canned.mood(label: "a\u{1b}[2J\u{202e}", notes: String(repeating: "n", count: 99))], total: 1)
        ])
        outside.isOutputTerminal = true
        outside.columns = 60
        #expect(outside.run("list", "--color", "never") == .success)
        #expect(!outside.output.contains("\u{1b}") && !outside.output.contains("\u{202e}"))
        #expect(outside.output.contains("…"))
        for line in outside.output.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 60) }
    }

    /// Two columns stay free, because terminals differ on the width of an emoji.
    @Test(arguments: [(100, 98), (60, 58), (40, 38), (30, 28), (24, 22)])
    func aNarrowTerminalKeepsTheDayAndTheMood(_ columns: Int, _ used: Int) {
        let mood = Canned.mood(
            label: "Happy", isFavorite: true, notes: String(repeating: "n", count: 99), tags: ["sea", "sun", "work"])
        let outside = Outside(["mood.list": Canned.page([mood], total: 1)])
        outside.isOutputTerminal = true
        outside.columns = columns
        #expect(outside.run("list", "--color", "never") == .success)
        let lines = outside.output.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(DisplayWidth.of(String(line)) <= used, "\(line)") }
        #expect(lines[1].hasPrefix("@1") && lines[1].contains("2026-01-02") && lines[1].contains("😊"))
        if columns > 24 { #expect(lines[1].contains("😊 Happy")) }
        #expect(lines[1].contains("nn") == (columns > 30))
    }

    @Test func theBarShowsTheValenceAndMarksWhatIsOnlyLikely() {
        let own = String(Canned.mood().dropLast()) + #","valence":0.2}"#
        let moods = [own, Canned.mood(d1, label: "SAD"), Canned.mood(d2, label: "Odd")]
        let outside = Outside([
            "mood.list": Canned.page(moods, total: 3),
            "settings.get": #"{"palette":[{"emoji":"😢","label":"Sad","valence":-0.6,"aliases":[]}]}"#,
        ])
        outside.isOutputTerminal = true
        #expect(outside.run("list", "--color", "never") == .success)
        let lines = outside.output.split(separator: "\n")
        #expect(lines[1].hasSuffix("😊 Happy  ▰▰▰▱▱") && lines[2].hasSuffix("😊 SAD    ▰▱▱▱▱~"))
        #expect(lines[3].hasSuffix("😊 Odd"))
    }

    private let d1 = "7da60963-166e-4e03-b457-84483f34ec0e"
    private let d2 = "7da60963-166e-4e03-b457-84483f34ec0f"

    @Test func offATerminalAMoodIsALineOfFields() {
        let first = String(Canned.mood(notes: "a\tb\n\\c", tags: ["sea", "sun"]).dropLast()) + #","valence":-0.50}"#
        let outside = Outside(["mood.list": Canned.page([first, Canned.mood(d1, label: "日本")], total: 2)])
        #expect(outside.run("list") == .success)
        #expect(
            outside.output
                == "\(Canned.id)\t2026-01-02T05:04:00.678Z\t😊\tHappy\t-0.50\tsea,sun\ta\\tb\\n\\\\c\n"
                + "\(d1)\t2026-01-02T05:04:00.678Z\t😊\t日本\t\t\t\n")
        #expect(outside.error.isEmpty)
    }

    @Test func aMoodALineAsJSONAndInOnesOwnForm() {
        let moods = [Canned.mood(isFavorite: true, tags: ["a", "b"]), Canned.mood(d1, label: "{x}")]
        let outside = Outside(["mood.list": Canned.page(moods, total: 2)])
        #expect(outside.run("list", "--jsonl") == .success)
        #expect(outside.output == moods[0] + "\n" + moods[1] + "\n")
        let own = Outside(["mood.list": Canned.page(moods, total: 2)])
        #expect(own.run("ls", "--template", "{date} {time} {emoji} {label} [{tags}]{favorite}{{}}") == .success)
        #expect(own.output == "2026-01-02 06:04 😊 Happy [a,b]★{}\n2026-01-02 06:04 😊 {x} []{}\n")
        for wrong in ["{labl}", "{label"] { #expect(Outside().run("list", "--template", wrong) == .usage) }
        #expect(Outside().run("list", "--jsonl", "--json") == .usage)
    }

    @Test func tagsAreOneOfAllOfOrNoneOf() {
        let outside = Outside(["mood.list": Canned.page([])])
        #expect(outside.run("list", "--tag", "#a, b", "-t", "!c,#d", "-t", "e", "--text", "x", "--exact") == .success)
        #expect(
            outside.sent[0].params == #"{"limit":100,"filter":{"text":"x","exact":true,"tags":["e"],"#
                + #""anyTags":["a","b"],"noTags":["c","d"]}}"#)
        #expect(Outside().run("list", "--tag", "a,b", "--tag", "c,d") == .usage)
        #expect(Outside().run("list", "--tag", "!") == .usage)
        #expect(Outside().run("list", "--exact") == .usage)
    }

    @Test func aListThatIsTallerThanTheTerminalGoesThroughThePager() {
        func pager(_ outside: Outside) -> String { outside.shellRuns.first?.command ?? "" }
        func run(_ environment: [String: String], lines: Int = 3, _ arguments: [String] = []) -> Outside {
            let moods = [Canned.mood(), Canned.mood(d1)]
            let outside = Outside(["mood.list": Canned.page(moods, total: 2)])
            outside.isOutputTerminal = true
            outside.lines = lines
            outside.environment = environment
            #expect(outside.run(["list", "--color", "never"] + arguments) == .success)
            return outside
        }
        let usual = run([:])
        #expect(usual.output.isEmpty && usual.shellRuns.count == 1)
        #expect(pager(usual).hasSuffix("less -FRX -R"))
        let paged = usual.shellRuns.first?.input ?? []
        #expect(String(decoding: paged, as: UTF8.self).contains("@2  3f34ec0e"))
        #expect(pager(run(["PAGER": "most"])).hasSuffix(" most"))
        #expect(pager(run(["PAGER": "most", "MOOD_PAGER": "cat"])).hasSuffix(" cat"))
        for none in [run(["MOOD_PAGER": ""]), run(["TERM": "dumb"]), run([:], lines: 4), run([:], ["--no-pager"])] {
            #expect(none.shellRuns.isEmpty && none.output.contains("@2  3f34ec0e"))
        }
    }

    @Test func listPassesItsFilterOn() {
        let outside = Outside(["mood.list": Canned.page([])])
        outside.run(
            "list", "-l", "5", "--sort", "label", "--order=asc", "-f", "--text", "x", "-t", "a", "-t", "b", "--emoji",
            "😊", "--label", "L", "--valence-from", "-0.5", "--cursor", "c")
        #expect(
            outside.sent[0].params
                == #"{"limit":5,"sort":"label","order":"asc","filter":{"isFavorite":true,"text":"x","#
                + #""emoji":"😊","label":"L","tags":["a","b"],"valenceFrom":-0.5},"cursor":"c"}"#)
        #expect(outside.output.isEmpty && outside.error == "No mood matches.\n")
    }

    @Test(arguments: [
        ["list"], ["list", "--count"], ["list", "--text", "x"], ["list", "--deleted"], ["tags"], ["log"], ["stats"],
        ["report"],
    ])
    func anEmptyListOfAStoreThatIsNotThereSaysSo(arguments: [String]) {
        func outside(bytes: Int) -> Outside {
            Outside([
                "mood.list": #"{"items":[],"total":0}"#, "mood.deleted": #"{"items":[]}"#,
                "mood.tags": #"{"tags":[]}"#, "store.log": #"{"items":[]}"#, "stats.render": #"{"text":"None."}"#,
                "stats.summary": "{}",
                "store.info": #"{"path":"/typo","inMemory":false,"moods":0,"bytes":\#(bytes),"readOnly":false}"#,
            ])
        }
        let missing = outside(bytes: 0)
        #expect(missing.run(arguments) == .success)
        #expect(missing.error.hasPrefix("There is no store in /typo yet. The first mood makes it.\n"))
        let empty = outside(bytes: 200)
        #expect(empty.run(arguments) == .success && empty.output == missing.output)
        #expect(!empty.error.contains("store"))
        let program = outside(bytes: 0)
        #expect(program.run(arguments + ["--json"]) == .success && program.error.isEmpty)
    }

    @Test func anEmptyListSaysWhatTheHostSays() {
        let outside = Outside([
            "mood.list": #"{"items":[],"total":0,"empty":{"title":"No\u001b moods","hint":"Use mood.create"}}"#
        ])
        #expect(outside.run("list") == .success)
        #expect(
            outside.output.isEmpty && outside.error == "No\\u001b moods.\n'mood add 😊 Happy' remembers the first one.\n"
        )

        let silent = Outside(["mood.list": #"{"items":[],"total":0}"#])
        #expect(silent.run("list") == .success)
        #expect(silent.error == "No moods yet.\n'mood add 😊 Happy' remembers the first one.\n")
    }

    @Test func aPageThatIsNotAllSaysSo() {
        let outside = Outside { _, params in
            let ids = (0..<3).map { "\($0)194f2a1-0000-7000-8000-000000000001" }
            let isSecond = params.contains("cursor")
            let moods = (isSecond ? ids[2...] : ids[..<2]).map { Canned.mood($0) }
            return .result(Array(Canned.page(moods, total: 3, next: isSecond ? nil : "c").utf8))
        }
        outside.isOutputTerminal = true
        #expect(outside.run("list") == .success)
        #expect(outside.output.split(separator: "\n").count == 3)
        #expect(outside.error == "2 of 3 moods; 'mood list --all' shows all that match.\n")
        let printed = outside.output
        #expect(outside.run("list", "--all") == .success)
        #expect(outside.output.dropFirst(printed.count).split(separator: "\n").count == 4)
    }

    @Test func allAsJSONIsOneDocument() {
        let pages = [Canned.page([Canned.mood()], total: 2, next: "c"), Canned.page([Canned.mood(d1)])]
        let outside = Outside { _, params in .result(Array(pages[params.contains("cursor") ? 1 : 0].utf8)) }
        #expect(outside.run("list", "--all", "--json") == .success)
        #expect(outside.output == Canned.page([Canned.mood(), Canned.mood(d1)], total: 2) + "\n")
        let none = Outside(["mood.list": Canned.page([])])
        #expect(none.run("list", "--all", "--json") == .success && none.output == "{\"items\":[]}\n")
        #expect(outside.sent.map(\.params) == [#"{"limit":100}"#, #"{"limit":1000,"cursor":"c"}"#])
    }

    @Test func countIsANumber() {
        let outside = Outside(["mood.list": #"{"items":[],"total":42}"#])
        #expect(outside.run("list", "--count", "-f") == .success)
        #expect(outside.output == "42\n")
        #expect(outside.sent[0].params == #"{"limit":1,"filter":{"isFavorite":true},"count":true}"#)

        let program = Outside(["mood.list": #"{"items":[],"total":42}"#])
        #expect(program.run("list", "--count", "--json") == .success)
        #expect(program.sent[0].params == #"{"count":true}"#)
        #expect(program.output == #"{"items":[],"total":42}"# + "\n")
    }

    @Test func showTellsEverything() {
        let json =
            #"{"id":"\#(Canned.id)","emoji":"😊","label":"Happy","timestamp":"2026-01-02T05:04:00.678Z","isFavorite":true,"#
            + #""notes":"a\n\u001bb","tags":["sea"],"valence":0.5,"attachments":[],"mood\u202ering":{"x":[1]},"revision":3}"#
        let outside = Outside(["mood.get": json])
        #expect(outside.run("show", Canned.id) == .success)
        #expect(
            outside.output == """
                😊 Happy ★
                  id              \(Canned.id)
                  when            2026-01-02 06:04 CET (2026-01-02T05:04:00.678Z)
                  tags            #sea
                  valence         0.5
                  mood\\u202ering  {"x":[1]}
                  revision        3

                  a
                  \\u001bb

                """)
    }

    @Test func shareIsTheTextAsItIs() {
        let outside = Outside(["mood.share": #"{"text":"a\n\u001bb","mediaType":"text/plain","format":"text"}"#])
        #expect(
            outside.run(
                "share", Canned.id, "--format", "html", "--template", "{x}", "--locale", "de_DE", "--time-zone", "UTC",
                "--now", "2026-01-02T12:00:00Z") == .success)
        #expect(outside.output == "a\n\u{1b}b\n")
        #expect(
            outside.sent[0].params == #"{"id":"\#(Canned.id)","format":"html","template":"{x}","locale":"de_DE","#
                + #""timeZone":"UTC","now":"2026-01-02T12:00:00Z"}"#)
        let terminal = Outside(["mood.share": #"{"text":"a\n\u001bb\n"}"#])
        terminal.isOutputTerminal = true
        #expect(terminal.run("share", Canned.id) == .success)
        #expect(terminal.output == "a\n\\u001bb\n")
    }

    @Test func infoShowsTheStoreOrWhyThereIsNone() {
        let good = Outside([
            "host.info":
                #"{"name":"MoodBoard","version":"0.1.0","protocolVersion":1,"store":{"path":"/s\u001b","inMemory":false,"#
                + #""schemaVersion":3,"revision":9,"moods":2,"favorites":1,"bytes":123456,"readOnly":false}}"#
        ])
        #expect(good.run("info") == .success)
        #expect(good.output.contains("moods     2 (1 favorite)\n") && good.output.contains("size      123.4 kB\n"))
        #expect(good.output.contains("store     /s\\u001b\n"))
        let bad = Outside([
            "host.info":
                #"{"name":"MoodBoard","store":{"path":"/s","error":{"kind":"storeCorrupt","message":"Damaged."}}}"#
        ])
        #expect(bad.run("info") == .success)
        #expect(bad.output.contains("cannot be opened  Damaged.\n"))
    }

    @Test(arguments: [
        (0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (999_999, "999.9 kB"), (1_000_000, "1.0 MB"),
        (5_250_000_000, "5.2 GB"), (9_000_000_000_000_000, "9000.0 TB"),
    ])
    func sizesAreReadable(_ bytes: Int, _ text: String) {
        #expect(Client.size(bytes) == text)
    }
}
