import Testing

@testable import MoodClient

@Suite struct StoreCommandTests {
    private static let problem =
        #"{"file":"moods.json","offset":137,"reason":"It is \u001b wrong.","kind":"damaged"}"#

    @Test func verifyTellsWhatIsWrongAndEndsWithOne() {
        let good = Outside(["store.verify": #"{"ok":true,"moods":3,"bytes":1549,"problems":[]}"#])
        #expect(good.run("store", "verify") == .success)
        #expect(good.output == "3 moods, all whole; 1.5 kB read\n" && good.error.isEmpty)
        #expect(good.sent == [.init(method: "store.verify", params: "")])
        let bad = Outside(["store.verify": #"{"ok":false,"moods":3,"bytes":1549,"problems":[\#(Self.problem)]}"#])
        #expect(bad.run("store", "verify") == .failure)
        #expect(bad.output == "moods.json, byte 137: It is \\u001b wrong.\n")
        #expect(bad.error.contains("mood doctor"))
        #expect(bad.run("store", "verify", "--json") == .failure)
        #expect(bad.output.hasSuffix("]}\n"))
    }

    @Test func compactTellsTheSizes() {
        let outside = Outside(["store.compact": #"{"revision":3,"moods":1,"bytesBefore":2000,"bytesAfter":950}"#])
        #expect(outside.run("store", "compact") == .success)
        #expect(outside.output == "1 mood in one file: 950 bytes, before 2.0 kB\n")
    }

    private func salvaged(_ skipped: String, _ count: Int, sealed: Bool = true) -> Outside {
        Outside([
            "store.salvage":
                #"{"to":"/here/new","moods":2,"bytes":700,"revision":4,"files":["moods.json"],"snapshotSealed":\#(sealed),"skipped":[\#(skipped)],"skippedCount":\#(count)}"#
        ])
    }

    @Test(arguments: [
        ("new", "/here/new"), ("/there/new", "/there/new"), ("./a b", "/here/./a b"), ("-x", "/here/-x"),
    ])
    func salvageSendsAnAbsolutePath(given: String, sent: String) {
        let outside = salvaged("", 0)
        #expect(outside.run("store", "salvage", "--", given) == .success)
        #expect(outside.sent == [.init(method: "store.salvage", params: "{\"to\":\"\(sent)\"}")])
        #expect(outside.output == "Saved 2 moods in \(given)\n" && outside.error.isEmpty)
    }

    @Test func salvageTellsWhatItPassedOver() {
        let outside = salvaged(Self.problem, 3, sealed: false)
        #expect(outside.run("store", "salvage", "new") == .success)
        #expect(
            outside.output == """
                Saved 2 moods in new
                Passed over 3 things that are not whole:
                moods.json, byte 137: It is \\u001b wrong.
                … and 2 more

                """)
        #expect(outside.error.contains("checksum"))
    }

    @Test func acceptAndResetWantAYes() {
        for action in ["accept", "reset"] {
            let outside = Outside()
            #expect(outside.run("store", action) == .usage)
            #expect(outside.error.contains("mood store \(action) --yes") && outside.sent.isEmpty)
        }
        let outside = Outside([
            "store.accept":
                #"{"accepted":true,"moods":2,"revision":5,"bytes":700,"completed":1,"overtaken":2,"backup":"backup-2.json"}"#,
            "store.reset": #"{"setAside":"/s/set-aside-1"}"#,
        ])
        #expect(outside.run("store", "accept", "--yes") == .success)
        #expect(outside.output == "Accepted: 2 moods, revision 5\n")
        #expect(outside.error.contains("1 mood got") && outside.error.contains("Of 2 moods"))
        #expect(outside.error.contains("backup-2.json"))
        #expect(outside.run("store", "reset", "-y") == .success)
        #expect(outside.output.hasSuffix("The store is empty now; the old files are in /s/set-aside-1\n"))
        #expect(outside.sent.map(\.params) == [#"{"confirm":true}"#, #"{"confirm":true}"#])
    }

    @Test func whatThereWasNothingToDoForIsSaid() {
        let outside = Outside([
            "store.accept": #"{"accepted":false,"moods":2,"revision":5,"bytes":700,"completed":0,"overtaken":0}"#,
            "store.reset": "{}",
        ])
        #expect(outside.run("store", "accept", "--yes") == .success)
        #expect(outside.run("store", "reset", "--yes") == .success)
        #expect(outside.output == "moods.json was not edited; nothing was changed\nThere was nothing to set aside\n")
    }

    @Test func everyWrongLineOfAnEditIsTold() {
        let problems = (2...30).map {
            #"{"file":"moods.json","offset":\#($0 * 100),"line":\#($0),"reason":"is wrong"}"#
        }
        let error = Canned.error(
            1003, "refused", "It cannot be accepted.",
            more:
                #","by":"store.accept","reason":"It cannot be accepted.","problems":[\#(problems.joined(separator: ","))]"#
        )
        let outside = Outside { _, _ in Canned.failure(error) }
        #expect(outside.run("store", "accept", "--yes") == .failure)
        #expect(outside.error.contains("      moods.json:2: is wrong\n") && outside.error.contains("moods.json:21:"))
        #expect(!outside.error.contains("moods.json:22:") && outside.error.contains("… and 9 more"))
    }

    @Test(arguments: [
        (["store"], "ACTION is missing"), (["store", "accpt"], "Did you mean 'accept'?"),
        (["store", "verify", "x"], "one too many"), (["store", "salvage"], "Where to?"),
        (["store", "salvage", ""], "begins with a slash"),
    ])
    func aCommandLineThatMakesNoSenseIsExplained(arguments: [String], message: String) {
        let outside = Outside()
        #expect(outside.run(arguments) == .usage)
        #expect(outside.error.contains(message) && outside.sent.isEmpty, "\(outside.error)")
    }
}

@Suite struct ProgressBarTests {
    private static let verified = ["store.verify": #"{"ok":true,"moods":3,"bytes":1549,"problems":[]}"#]

    private func notice(_ done: Int, _ total: Int) -> String {
        #"{"token":"mood","value":{"done":\#(done),"total":\#(total),"message":"Reading"}}"#
    }

    private func outside() -> Outside {
        let outside = Outside(Self.verified)
        outside.notices = [notice(0, 0), notice(0, 200), notice(1, 200), notice(94, 200), notice(200, 200)]
        return outside
    }

    @Test func isDrawnOnATerminalAndGoes() {
        let outside = outside()
        outside.isErrorTerminal = true
        outside.environment = ["NO_COLOR": "1"]
        #expect(outside.run("store", "verify") == .success)
        #expect(outside.sent.map(\.params) == [#"{"progressToken":"mood"}"#])
        let drawn = outside.error.components("\r\u{1b}[K")
        #expect(
            drawn == [
                "", "Reading [------------------------------]   0 %", "Reading [##############----------------]  47 %",
                "Reading [##############################] 100 %", "",
            ])
        #expect(outside.output == "3 moods, all whole; 1.5 kB read\n")
    }

    @Test func isColouredUnlessSomebodyMindsColours() {
        let colored = outside()
        colored.isErrorTerminal = true
        #expect(colored.run("store", "verify") == .success)
        #expect(colored.error.contains("\u{1b}[1m##"))
        #expect(colored.run("store", "verify", "--color", "never") == .success)
        let plain = outside()
        plain.isErrorTerminal = true
        #expect(plain.run("store", "verify", "--color=never") == .success)
        #expect(!plain.error.contains("\u{1b}[1m"))
    }

    @Test func fitsANarrowTerminal() {
        for columns in [1, 12, 20, 30] {
            let outside = outside()
            outside.isErrorTerminal = true
            outside.columns = columns
            outside.environment = ["NO_COLOR": "1"]
            #expect(outside.run("store", "verify") == .success)
            for line in outside.error.components("\r\u{1b}[K") { #expect(line.count <= max(columns, 13), "\(line)") }
        }
    }

    /// No terminal, a dumb one, or a program that reads the answer.
    @Test(arguments: [0, 1, 2]) func isNotDrawnForAnybodyElse(which: Int) {
        let outside = outside()
        outside.isErrorTerminal = which > 0
        if which == 1 { outside.environment = ["TERM": "dumb"] }
        #expect(outside.run(["store", "verify"] + (which == 2 ? ["--json"] : [])) == .success)
        #expect(outside.error.isEmpty && outside.sent.map(\.params) == [""])
    }

    @Test func goesAlsoWhenTheRequestFails() {
        let outside = Outside { _, _ in Canned.failure(Canned.error(1014, "storeUnavailable")) }
        outside.notices = [notice(94, 200)]
        outside.isErrorTerminal = true
        #expect(outside.run("store", "verify") == .failure)
        #expect(outside.error.contains("%\r\u{1b}[Kmood: It is wrong."))
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
