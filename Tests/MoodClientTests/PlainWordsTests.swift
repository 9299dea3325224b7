import JSONCodec
import Testing

@testable import MoodClient

/// Words without quotes, and texts on a terminal.
@Suite struct PlainWordsTests {
    @Test(arguments: [
        (["@last", "tea", "with", "mum"], ["@last"]), (["@1", "@3-4", "late"], ["@1", "@3-4"]),
        (["18b34748", "6da9ca5a", "late"], ["18b34748", "6da9ca5a"]), (["@last", "decade", "of", "fun"], ["@last"]),
        (["@last", "20261120", "was", "great"], ["@last"]), (["@last", "@home", "again"], ["@last"]),
    ])
    func aNoteNeedsNoQuotes(_ words: [String], _ ids: [String]) {
        #expect(NoteWords.idCount(words, wordsBeforeDashes: words.count, isFiltered: false) == ids.count)
    }

    @Test func aNoteIsTheRestOfTheLine() {
        let outside = Outside(["mood.setNotes": Canned.mood()])
        #expect(outside.run("note", Canned.id, "tea", "with", "mum") == .success)
        #expect(outside.sent.last?.params == #"{"id":"\#(Canned.id)","notes":"tea with mum"}"#)
        #expect(outside.run("note", Canned.id, "--", "@1", "--x") == .success)
        #expect(outside.sent.last?.params == #"{"id":"\#(Canned.id)","notes":"@1 --x"}"#)
        #expect(outside.run("note", Canned.id, "") == .success && outside.output.contains("Removed the notes"))
        #expect(outside.run("note", Canned.id) == .usage && outside.error.contains("TEXT is missing"))
    }

    @Test(arguments: ["happy, slept well", "Happy: slept well", "happy slept well", "😊, slept well"])
    func punctuationEndsTheMood(_ line: String) throws {
        let feeling = PersonalPalette.Feeling(emoji: "😊", label: "Happy", valence: 1, aliases: [])
        var palette = PersonalPalette()
        palette.feelings = [feeling]
        for words in [line.split(separator: " ").map(String.init), [line]] where words.count > 1 || !line.hasPrefix("😊")
        {
            let read = try MoodWords(words, wordsBeforeDashes: words.count, palette: { palette })
            #expect(read.emoji == "😊" && read.label == "Happy" && read.note.hasSuffix("slept well"), "\(words)")
            #expect(read.note.first == "s", "\(words): \(read.note)")
        }
    }

    @Test func whatIsNoEmojiIsSaidSo() {
        for arguments in [["edit", Canned.id, "--emoji", "not"], ["list", "--emoji", "not"]] {
            let outside = Outside()
            #expect(outside.run(arguments) == .badData && outside.error.contains("'not' is no emoji"))
        }
        let outside = Outside(["mood.list": Canned.page([])])
        #expect(outside.run("list", "--emoji", "❤") == .success)
        #expect(outside.sent.first?.params.contains("\"emoji\":\"❤\u{fe0f}\"") == true)
    }

    @Test func exactGoesWithALabel() {
        let outside = Outside(["mood.list": Canned.page([])])
        #expect(outside.run("list", "--label", "Happy", "--exact") == .success)
        #expect(outside.sent.first?.params.contains(#""filter":{"label":"Happy","exact":true}"#) == true)
        #expect(outside.run("list", "--exact") == .usage)
    }

    @Test func historySaysWhatWasBroughtBack() {
        let mood = Canned.mood()
        let outside = Outside([
            "mood.history":
                #"{"items":[{"revision":3,"at":"2026-01-02T05:04:02Z","kind":"created","mood":\#(mood)},{"revision":2,"at":"2026-01-02T05:04:01Z","kind":"deleted"},{"revision":1,"at":"2026-01-02T05:04:00Z","kind":"created","mood":\#(mood)}]}"#
        ])
        #expect(outside.run("history", Canned.id) == .success)
        let verbs = outside.output.split(separator: "\n").map { line in
            ["Brought back", "Recorded", "Deleted"].first { line.contains($0) } ?? ""
        }
        #expect(verbs == ["Brought back", "Deleted", "Recorded"])
    }

    @Test func aMoodThatIsNotDeletedCannotBeBroughtBack() {
        let other = "0194f2a1-0000-7000-8000-000000000002"
        let outside = Outside([
            "mood.deleted": #"{"items":[{"id":"\#(other)"}]}"#, "mood.get": Canned.mood(),
            "mood.undelete": Canned.mood(),
        ])
        #expect(outside.run("undelete", other, Canned.id) == .notFound)
        #expect(outside.error.contains("😊 Happy (00000001) is not deleted"))
        #expect(!outside.sent.contains { $0.method == "mood.undelete" }, "one that is not: nothing is done")
        #expect(outside.run("undelete", other) == .success)
    }

    @Test func aListOfEightyColumnsKeepsTheNote() {
        let tags = ["work", "late"]
        let mood = Canned.mood(label: "Quite content", notes: "Walk by the sea with Ada", tags: tags)
        let outside = Outside(["mood.list": Canned.page([mood], total: 1), "store.info": #"{"path":"/s"}"#])
        outside.isOutputTerminal = true
        for (columns, note) in [(80, "Walk by the sea"), (50, "Walk by"), (120, "Walk by the sea with Ada")] {
            outside.columns = columns
            let before = outside.output.count
            #expect(outside.run("list", "--no-pager", "--color", "never") == .success)
            let lines = outside.output.dropFirst(before).split(separator: "\n")
            #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= columns - 2 })
            #expect(lines.last?.contains(note) == true, "\(columns): \(lines)")
        }
    }

    @Test func showBreaksLinesAtWordsAndPrintsTabs() {
        let note =
            "a\tb\n" + Array(repeating: "word", count: 30).joined(separator: " ") + "\r\nhttps://example.com/"
            + String(repeating: "x", count: 90)
        let outside = Outside(["mood.get": Canned.mood(notes: note)])
        outside.isOutputTerminal = true
        #expect(outside.run("show", Canned.id, "--no-pager", "--color", "never") == .success)
        let lines = outside.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("  a       b") && !outside.output.contains("\\t") && !outside.output.contains("\\r"))
        let words = lines.filter { $0.contains("word") }
        #expect(words.count == 2 && words.allSatisfy { $0.count <= 78 && $0.hasSuffix("word") })
        #expect(lines.contains { $0.hasSuffix(String(repeating: "x", count: 90)) }, "an address stays whole")
    }

    @Test(arguments: ["less", "/usr/bin/less", "LESS=X less -F", "less -FX"]) func lessShowsColors(_ pager: String) {
        let outside = Outside(["mood.get": Canned.mood(notes: String(repeating: "x\n", count: 40))])
        outside.isOutputTerminal = true
        outside.environment = ["PAGER": pager, "LESS": "-F -X", "TERM": "xterm"]
        #expect(outside.run("show", Canned.id) == .success)
        #expect(outside.shellRuns.first?.command.hasSuffix(pager + " -R") == true)
    }

    @Test(arguments: ["more", "lessen", "cat | less"]) func otherPagersAreLeftAsTheyAre(_ pager: String) {
        #expect(!Client.isLess(pager))
    }

    @Test func outputIsSpelledInOneWay() {
        for name in [nil] + Command.all.map({ Optional($0.name) }) {
            let outside = Outside()
            _ = outside.run(["help"] + (name.map { [$0] } ?? []))
            let text = outside.output.replacing("mood favourite", with: "").replacing("mood unfavourite", with: "")
                .lowercased()
            #expect(!text.contains("favourite") && !text.contains("colour"), "\(name ?? "")")
        }
    }
}
