import Testing

@testable import MoodClient

@Suite struct ReadCommandTests {
    @Test func listIsATableInLocalTime() {
        let moods = [
            Canned.mood(isFavorite: true, notes: "two\nlines", tags: ["sea", "sun"]),
            Canned.mood("7da60963-166e-4e03-b457-84483f34ec0e", label: "日本"),
        ]
        let outside = Outside(["mood.list": Canned.page(moods, total: 2)])
        #expect(outside.run("list") == .success)
        #expect(
            outside.output == """
                ID        ★  MOOD      WHEN (CET)        TAGS       NOTE
                0194f2a1  ★  😊 Happy  2026-01-02 06:04  #sea #sun  two↵lines
                7da60963     😊 日本   2026-01-02 06:04

                """)
        #expect(outside.sent == [.init(method: "mood.list", params: "")])
        #expect(outside.error.isEmpty)
    }

    @Test func listAndShowHaveScalesWhereThereAreSome() {
        let mood = String(Canned.mood().dropLast()) + #","scales":{"sleep":7,"a\u001b":-2.50}}"#
        let other = Canned.mood("7da60963-166e-4e03-b457-84483f34ec0e", label: "日本")
        let outside = Outside(["mood.list": Canned.page([mood, other], total: 2), "mood.get": mood])
        #expect(outside.run("list") == .success)
        #expect(
            outside.output == """
                ID        MOOD      WHEN (CET)        SCALES
                0194f2a1  😊 Happy  2026-01-02 06:04  sleep 7, a\\u001b -2.50
                7da60963  😊 日本   2026-01-02 06:04

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

    @Test func listPassesItsFilterOn() {
        let outside = Outside(["mood.list": Canned.page([])])
        outside.run(
            "list", "-l", "5", "--sort", "label", "--order=asc", "-f", "--text", "x", "-t", "a", "-t", "b", "--emoji",
            "😊",
            "--label", "L", "--from", "2026-01-02", "--to", "yesterday", "--cursor", "c")
        #expect(
            outside.sent[0].params
                == #"{"limit":5,"sort":"label","order":"asc","filter":{"isFavorite":true,"text":"x","#
                + #""emoji":"😊","label":"L","tags":["a","b"],"from":"2026-01-01T23:00:00Z","to":"2026-01-01T12:00:00Z"},"#
                + #""cursor":"c"}"#)
        #expect(outside.output == "No mood matches.\n")
    }

    @Test(arguments: [["list"], ["list", "--count"], ["list", "--text", "x"]])
    func anEmptyListOfAStoreThatIsNotThereSaysSo(arguments: [String]) {
        func outside(bytes: Int) -> Outside {
            Outside([
                "mood.list": #"{"items":[],"total":0}"#,
                "store.info": #"{"path":"/typo","inMemory":false,"moods":0,"bytes":\#(bytes),"readOnly":false}"#,
            ])
        }
        let missing = outside(bytes: 0)
        #expect(missing.run(arguments) == .success)
        #expect(missing.error == "There is no store in /typo yet. The first mood makes it.\n")
        let empty = outside(bytes: 200)
        #expect(empty.run(arguments) == .success && empty.error.isEmpty && empty.output == missing.output)
        let program = outside(bytes: 0)
        #expect(program.run(arguments + ["--json"]) == .success && program.error.isEmpty)
    }

    @Test func anEmptyListSaysWhatTheHostSays() {
        let outside = Outside([
            "mood.list": #"{"items":[],"total":0,"empty":{"title":"No moods","hint":"Add\u001b one"}}"#
        ])
        #expect(outside.run("list") == .success)
        #expect(outside.output == "No moods\nAdd\\u001b one\n")

        let silent = Outside(["mood.list": #"{"items":[],"total":0}"#])
        #expect(silent.run("list") == .success)
        #expect(silent.output == "No moods yet. 'mood add 😊 Happy' remembers the first one.\n")
    }

    @Test func aPageThatIsNotAllSaysSo() {
        let outside = Outside { _, params in
            let ids = (0..<3).map { "\($0)194f2a1-0000-7000-8000-000000000001" }
            let isSecond = params.contains("cursor")
            let moods = (isSecond ? ids[2...] : ids[..<2]).map { Canned.mood($0) }
            return .result(Array(Canned.page(moods, total: 3, next: isSecond ? nil : "c").utf8))
        }
        #expect(outside.run("list") == .success)
        #expect(outside.output.split(separator: "\n").count == 3)
        #expect(outside.error == "2 of 3 moods; 'mood list --all' shows all that match.\n")
        let printed = outside.output
        #expect(outside.run("list", "--all") == .success)
        #expect(outside.output.dropFirst(printed.count).split(separator: "\n").count == 4)
    }

    @Test func allAsJSONIsAPageALine() {
        let pages = [Canned.page([Canned.mood()], next: "c"), Canned.page([])]
        let outside = Outside { _, params in .result(Array(pages[params.contains("cursor") ? 1 : 0].utf8)) }
        #expect(outside.run("list", "--all", "--json") == .success)
        #expect(outside.output == pages[0] + "\n" + pages[1] + "\n")
        #expect(outside.sent.map(\.params) == [#"{"limit":1000}"#, #"{"limit":1000,"cursor":"c"}"#])
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
                "--now", "now") == .success)
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
        #expect(good.output.contains("moods     2 (1 favourite)\n") && good.output.contains("size      123.4 kB\n"))
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
