import Platform
import Testing

@testable import MoodClient

/// `undo`, `redo`, `log`, `undelete`, `export`, `import`, `backup`, `restore`.
@Suite struct TransferCommandTests {
    private static let id = "01890000-0000-7000-8000-0000aabbccdd"
    private static let mood =
        #"{"id":"\#(id)","emoji":"😊","label":"Happy","timestamp":"2026-01-02T11:00:00.000Z","isFavorite":false,"notes":"","tags":[]}"#

    private static func folder() -> String {
        let path =
            "/tmp/mood-transfer-\(ProcessFacts.processID)-\(Clock.monotonicMilliseconds)-\(UInt64.random(in: 0 ... .max))"
        try? FileSystem.system.makeDirectory(path)
        return path
    }

    private static func names(_ folder: String) -> [String] { ((try? FileSystem.system.list(folder)) ?? []).sorted() }

    private static func remove(_ folder: String) {
        for name in names(folder) { try? FileSystem.system.unlink(folder + "/" + name) }
    }

    @Test func undoSaysWhatItTookBackAndHowToMakeItAgain() {
        let outside = Outside([
            "store.undo": #"{"revision":5,"undone":[{"revision":4,"kind":"deleted","ids":[]}]}"#,
            "store.log": #"{"items":[{"revision":4,"summary":"Deleted 😢 Sad"}]}"#,
        ])
        #expect(outside.run("undo") == .success)
        #expect(outside.output == "Took back: Deleted 😢 Sad\n")
        #expect(outside.error == "To make it again: mood redo\n")
        #expect(outside.sent.first?.params == #"{"scope":"store"}"#)
        #expect(outside.run("undo", "3") == .success)
        #expect(outside.sent[2].params == #"{"scope":"store","steps":3}"#)
        #expect(outside.run("undo", "0") == .usage && outside.run("undo", "many") == .usage)
    }

    @Test func nothingToUndoIsSaidByTheExitStatus() {
        let outside = Outside([
            "store.undo": #"{"revision":5,"undone":[]}"#, "store.redo": #"{"revision":5,"undone":[]}"#,
        ])
        #expect(outside.run("undo") == .notFound)
        #expect(outside.run("redo") == .notFound)
        #expect(outside.output.isEmpty && outside.error.contains("nothing to undo"))
    }

    @Test func logAndDeletedAreTablesAtATerminal() {
        let outside = Outside([
            "store.log":
                #"{"items":[{"revision":4,"at":"2026-01-02T11:00:00.000Z","summary":"Deleted 😢 Sad","isUndone":true},{"revision":3,"at":"2026-01-02T10:00:00.000Z","summary":"Recorded 😢 Sad","isUndone":false}]}"#,
            "mood.deleted":
                #"{"items":[{"id":"\#(Self.id)","revision":4,"at":"2026-01-02T11:00:00.000Z","mood":\#(Self.mood)}]}"#,
        ])
        #expect(outside.run("log") == .success)
        #expect(
            outside.output == """
                4\t2026-01-02T11:00:00.000Z\tDeleted 😢 Sad\t\ttaken back
                3\t2026-01-02T10:00:00.000Z\tRecorded 😢 Sad\t\t\n
                """)
        #expect(outside.run("list", "--deleted") == .success)
        #expect(outside.output.contains("\(Self.id)\t"))
        #expect(outside.output.contains("\t😊\tHappy\t2026-01-02T11:00:00.000Z\t"))
        outside.isOutputTerminal = true
        #expect(outside.run("log") == .success)
        #expect(outside.output.contains("CHANGE") && outside.output.contains("2026-01-02 12:00"))
        #expect(outside.run("list", "--deleted") == .success)
        #expect(outside.output.contains("aabbccdd") && outside.output.contains("DELETED"))
    }

    @Test func undeleteTakesTheLastDigits() {
        let outside = Outside([
            "mood.deleted": #"{"items":[{"id":"\#(Self.id)","revision":4}]}"#, "mood.undelete": Self.mood,
        ])
        #expect(outside.run("undelete", "AABBCCDD") == .success)
        #expect(outside.output == "Brought back 😊 Happy\n")
        #expect(outside.sent.last?.params == #"{"id":"\#(Self.id)"}"#)
        #expect(outside.run("undelete", "123456") == .notFound)
        #expect(outside.run("undelete", "12345") == .notFound)
    }

    @Test func importWantsAYesOffATerminalAndAsksAtOne() {
        let report =
            #"{"created":2,"updated":0,"unchanged":1,"leftOut":1,"problems":[{"line":3,"column":2,"reason":"has no zone: say it (timeZone, such as UTC)","text":"x"}]}"#
        let outside = Outside(["store.import": report])
        #expect(outside.run("import", "moods.csv") == .usage)
        #expect(outside.sent.map(\.params) == [#"{"path":"/here/moods.csv","dryRun":true}"#])
        #expect(outside.run("import", "moods.csv", "--yes", "--map", "mood=label,meh=-0.4") == .badData)
        #expect(outside.output == "Added 2 moods, left 1 as they are\n")
        #expect(outside.error.contains("line 3, column 2: has no zone: say it (--time-zone, such as UTC)"))
        #expect(outside.error.contains("mood undo"))
        #expect(outside.sent[1].params == #"{"path":"/here/moods.csv","map":{"mood":"label","meh":-0.4}}"#)
        let terminal = Outside(["store.import": report])
        terminal.isInputTerminal = true
        terminal.typed = "n\n"
        #expect(terminal.run("restore", "b.jsonl") == .failure)
        #expect(
            terminal.sent.map(\.params) == [
                #"{"copy":true,"path":"/here/b.jsonl","dryRun":true}"#
            ])
        terminal.typed = "y\n"
        #expect(terminal.run("restore", "b.jsonl") == .badData)
        #expect(terminal.sent.last?.params == #"{"copy":true,"path":"/here/b.jsonl"}"#)
    }

    /// `mood import f && rm f` must not lose a line.
    @Test func theExitStatusSaysWhetherAllWasTaken() {
        func run(_ counts: String, _ problems: String = "[]", _ words: [String] = []) -> (ExitCode, String) {
            let outside = Outside(["store.import": #"{"created":\#(counts),"problems":\#(problems)}"#])
            let code = outside.run(["import", "f.csv", "--yes"] + words)
            return (code, outside.output + outside.error)
        }
        let lost = #"[{"line":3,"reason":"The time is not a time.","text":"x"}]"#
        let kept = #"[{"line":4,"column":2,"reason":"valence must be a number.","text":"x","isKept":true}]"#
        #expect(run(#"2,"updated":0,"unchanged":0,"leftOut":0"#).0 == .success)
        let all = run(#"2,"updated":0,"unchanged":0,"leftOut":0"#, kept)
        #expect(all.0 == .success && all.1.contains("line 4, column 2: valence must be a number."))
        let some = run(#"2,"updated":0,"unchanged":0,"leftOut":1"#, lost)
        #expect(some.0 == .badData && some.1.contains("Added 2 moods") && some.1.contains("One row was not taken"))
        #expect(some.1.contains("import the file again"))
        #expect(run(#"2,"updated":0,"unchanged":0,"leftOut":1"#, lost, ["--json"]).0 == .badData)
        let none = run(#"0,"updated":0,"unchanged":0,"leftOut":0"#)
        #expect(none.0 == .badData && none.1.contains("No mood was found in 'f.csv'"))
        #expect(run(#"0,"updated":0,"unchanged":3,"leftOut":0"#).0 == .success)
    }

    @Test func linesOfOneReasonAreToldTogether() {
        func told(_ lines: [Int]) -> String {
            let problems = lines.map { #"{"line":\#($0),"column":1,"reason":"The time has no zone.","text":""}"# }
            let outside = Outside([
                "store.import":
                    #"{"created":0,"updated":0,"unchanged":0,"leftOut":\#(lines.count + 1),"problems":[{"line":9,"reason":"The label is missing.","text":""},\#(problems.joined(separator: ","))]}"#
            ])
            #expect(outside.run("import", "f.csv", "--yes") == .badData)
            return outside.error.split(separator: "\n").dropFirst().prefix(2).joined(separator: " | ")
        }
        let other = "line 9: The label is missing. | "
        #expect(told([2]) == other + "line 2, column 1: The time has no zone.")
        #expect(told([2, 3]) == other + "lines 2 and 3, column 1: The time has no zone.")
        #expect(told([2, 3, 4, 5]) == other + "lines 2, 3, 4 and 5, column 1: The time has no zone.")
        #expect(told(Array(2...41)) == other + "lines 2, 3, 4 and 37 more, column 1: The time has no zone.")
    }

    @Test func aPipeIsCopiedForTheHost() {
        let outside = Outside(["store.import": #"{"created":1,"updated":0,"unchanged":0,"leftOut":0,"problems":[]}"#])
        outside.pipes = ["/dev/fd/63"]
        #expect(outside.run("import", "-", "--yes", "--date-format", "%d/%m/%Y") == .success)
        #expect(outside.run("import", "/dev/fd/63", "--yes") == .success)
        #expect(outside.run("restore", "-", "--yes") == .success)
        #expect(
            outside.sent.map(\.params) == [
                #"{"path":"/copy","dateFormat":"%d/%m/%Y"}"#, #"{"path":"/copy"}"#,
                #"{"copy":true,"path":"/copy"}"#,
            ])
    }

    @Test func exportPutsThePartsTogether() {
        let outside = Outside { _, params in
            .result(Array((params.contains("cursor") ? #"{"text":"b\n"}"# : #"{"text":"a\n","nextCursor":"c"}"#).utf8))
        }
        #expect(outside.run("export", "csv", "--tag", "x") == .success)
        #expect(outside.output == "a\nb\n")
        #expect(
            outside.sent.map(\.params) == [
                #"{"format":"csv","filter":{"tags":["x"]}}"#, #"{"format":"csv","cursor":"c"}"#,
            ])
    }

    @Test func nothingIsWrittenOverWithoutForce() {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let outside = Outside(["store.export": #"{"text":"a\n"}"#])
        #expect(outside.run("export", "-o", "\(folder)/x") == .success)
        #expect(outside.error.contains("1 mood, 2 bytes"))
        #expect(outside.run("export", "-o", "\(folder)/x") == .badData)
        #expect(outside.error.contains("--force"))
        #expect(outside.run("export", "-o", "\(folder)/x", "--force") == .success)
        #expect(Self.names(folder) == ["x"])
        #expect(outside.run("export", "-o", "\(folder)/none/x") == .badData)
        for name in ["moods.json", "lock"] { #expect(outside.run("export", "-o", "\(folder)/\(name)") == .success) }
        #expect(outside.run("export", "-o", "\(folder)/moods.json", "--force") == .badData)
        #expect(outside.error.contains("folder of a store"))
    }
}
