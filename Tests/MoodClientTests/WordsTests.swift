import JSONCodec
import Testing

@testable import MoodClient

@Suite struct WordsTests {
    private static let palette: PersonalPalette = {
        let settings = try? JSONValue(
            parsing: #"""
                {"palette":[{"emoji":"😌","label":"Calm","valence":0.5,"aliases":["at ease","ruhig"]},
                {"emoji":"😡","label":"Fâché","valence":-0.6,"aliases":[]},
                {"emoji":"😌","label":"At peace","valence":0.6,"aliases":["at"]},
                {"emoji":"☺️","label":"Content","valence":0.4,"aliases":[]}]}
                """#)
        return settings.map(PersonalPalette.init) ?? PersonalPalette()
    }()

    struct Case: Sendable, CustomTestStringConvertible {
        let words: [String]
        var emoji = "😌"
        var label = "Calm"
        var tags: [String] = []
        var time: String?
        var note = ""
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Case(words: ["calm"]), Case(words: ["CALM"]), Case(words: ["Ruhig"]),
        Case(words: ["calm", "slept", "well", "+sport"], tags: ["sport"], note: "slept well"),
        Case(words: ["calm slept  well"], note: "slept  well"),
        Case(words: ["at", "ease", "now"], note: "now"),
        Case(words: ["at", "peace", "at last"], label: "At peace", note: "at last"),
        Case(words: ["at", "home"], label: "At peace", note: "home"),
        Case(words: ["fache"], emoji: "😡", label: "Fâché"),
        Case(words: ["fa\u{302}che\u{301}"], emoji: "😡", label: "Fâché"),
        Case(words: ["calm", "@2h", "tea"], time: "2h", note: "tea"),
        Case(words: ["@last night", "calm", "tea"], time: "last night", note: "tea"),
        Case(words: ["calm", "+a", "@2h", "+b,#c", "tea"], tags: ["a", "b", "c"], time: "2h", note: "tea"),
        Case(words: ["calm", "tea", "@home"], note: "tea @home"), Case(words: ["calm", "+", "@"], note: "+ @"),
        Case(words: ["😊", "Happy"], emoji: "😊", label: "Happy"),
        Case(words: ["😊", "Happy", "two", "words"], emoji: "😊", label: "Happy", note: "two words"),
        Case(words: ["😌", "+a"], tags: ["a"]), Case(words: ["😌", "@2h"], time: "2h"),
        Case(words: ["☺"], emoji: "☺️", label: "Content"), Case(words: ["❤", "Love"], emoji: "❤️", label: "Love"),
        Case(words: [":smile:", "Glad"], emoji: "😄", label: "Glad"), Case(words: [":relieved:"]),
        Case(words: ["🤷\u{200d}♂", "So"], emoji: "🤷\u{200d}♂️", label: "So"),
        Case(words: ["1️⃣", "One"], emoji: "1️⃣", label: "One"),
        Case(words: ["😊😊", "Twice"], emoji: "😊😊", label: "Twice"),
    ])
    func areAMoodSignsAndANote(_ test: Case) throws {
        let words = try MoodWords(test.words, wordsBeforeDashes: .max, palette: { Self.palette })
        #expect(words.emoji.utf8.elementsEqual(test.emoji.utf8))
        #expect(words.label == test.label && words.tags == test.tags && words.time == test.time)
        #expect(words.note == test.note)
    }

    @Test func afterTwoDashesNothingIsASign() throws {
        let words = try MoodWords(["calm", "+a", "+1", "@2h"], wordsBeforeDashes: 2, palette: { Self.palette })
        #expect(words.tags == ["a"] && words.time == nil && words.note == "+1 @2h")
        let bare = try MoodWords(["😊", "+1"], wordsBeforeDashes: 0, palette: { Self.palette })
        #expect(bare.label == "+1")
    }

    @Test(
        arguments: [
            (["calmm"], "Did you mean 'Calm'?"), (["at", "pease"], nil), (["at eese"], nil),
            (["kalm", "tea"], "'Calm'"),
            (["xyz"], "mood add 😌 'xyz'"), (["🦄"], "mood add 🦄 LABEL"), ([":smiel:"], "':smile:'"),
            ([":qqqqqq:"], "':qqqqqq:'"),
            ([], "Which mood?"), (["+a"], "Which mood?"),
        ] as [([String], String?)])
    func whatIsNoMoodIsSaidWithTheNearest(_ words: [String], _ part: String?) {
        guard let part else { return }
        let outside = Outside(["settings.get": Self.settings])
        #expect(outside.run(["add"] + words) == .usage)
        #expect(outside.error.contains(part), "\(outside.error)")
        #expect(!outside.sent.contains { $0.method == "mood.create" })
    }

    private static let settings =
        #"{"palette":[{"emoji":"😌","label":"Calm","valence":0.5,"aliases":["at ease","ruhig"]}]}"#

    @Test func addSendsWhatTheWordsSay() {
        let outside = Outside(["settings.get": Self.settings, "mood.create": Canned.mood()])
        #expect(outside.run("add", "calm", "slept", "+Sport", "-t", "#sport,sea", "--op-id", "x") == .success)
        #expect(
            outside.sent.first?.params
                == #"{"emoji":"😌","label":"Calm","notes":"slept","tags":["Sport","sea"],"opId":"x"}"#)
        #expect(Outside(["settings.get": Self.settings]).run("add", "calm", "a", "--note", "b") == .usage)
        #expect(Outside(["settings.get": Self.settings]).run("add", "calm", "@2h", "--at", "3h") == .usage)
        // An emoji and a label need no palette.
        let plain = Outside(["mood.create": Canned.mood()])
        #expect(plain.run("add", "😊", "Happy") == .success && plain.sent[0].method == "mood.create")
    }

    @Test func aMomentToComeIsTakenWithAWord() {
        let outside = Outside(["mood.create": Canned.mood()])
        outside.now = 1_767_300_000
        #expect(outside.run("add", "😊", "Happy", "--at", "2026-01-02T05:04:00.678Z") == .success)
        #expect(outside.error.hasPrefix("That is still to come: 2026-01-02 06:04."))
    }

    @Test func theFirstMoodSaysWhereItIsKept() {
        let outside = Outside(["mood.create": Canned.mood(), "store.info": #"{"path":"/new/place","revision":1}"#])
        #expect(outside.run("add", "😊", "Happy") == .success)
        #expect(outside.error == "Your moods are kept in /new/place, which is new.\n")
        let later = Outside(["mood.create": Canned.mood(), "store.info": #"{"path":"/new/place","revision":2}"#])
        #expect(later.run("add", "😊", "Happy") == .success && later.error.isEmpty)
    }
}

@Suite struct SeveralTests {
    private static let a = "0194f2a1-0000-7000-8000-000000000001"
    private static let d = "7da60963-166e-4e03-b457-84483f34ec0e"

    private func journal() -> Outside {
        Outside([
            "mood.list": Canned.page([Canned.mood(Self.a), Canned.mood(Self.d)], total: 2),
            "mood.get": Canned.mood(Self.a), "mood.deleteMany": #"{"deleted":2}"#, "mood.updateMany": #"{"updated":2}"#,
        ])
    }

    @Test(arguments: [
        (["rm", "--tag", "x", "-y"], "mood.deleteMany", "", "Deleted 2 moods\n"),
        (["fav", "--text", "x"], "mood.updateMany", #","set":{"isFavorite":true}"#, "Favorite: 2 moods\n"),
        (["note", "-f", "-y", "N"], "mood.updateMany", #","set":{"notes":"N"}"#, "Wrote the notes of 2 moods\n"),
        (
            ["edit", "--where-tag", "x", "-t", "y", "--yes"], "mood.updateMany", #","set":{"tags":["y"]}"#,
            "Changed 2 moods\n"
        ),
    ])
    func aFilterNamesThem(_ arguments: [String], _ method: String, _ more: String, _ output: String) {
        let outside = journal()
        #expect(outside.run(arguments) == .success)
        #expect(
            outside.sent.last == .init(method: method, params: "{\"ids\":[\"\(Self.a)\",\"\(Self.d)\"]\(more)}"))
        #expect(outside.output == output)
    }

    @Test func whatDestroysSeveralIsShownAndAskedFor() {
        for (typed, status) in [("y\n", ExitCode.success), ("\n", .failure)] {
            let outside = journal()
            outside.isInputTerminal = true
            outside.typed = typed
            #expect(outside.run("rm", "--tag", "x") == status)
            #expect(outside.error.contains("  😊 Happy of 2026-01-02 06:04  \(Self.a)\n"))
            #expect(outside.error.contains("Delete these 2 moods? [y/N] "))
            #expect(outside.sent.contains { $0.method == "mood.deleteMany" } == (status == .success))
        }
        // Without a terminal there is no person to ask.
        let script = journal()
        #expect(script.run("rm", "--tag", "x") == .usage && script.error.contains("--yes"))
        #expect(!script.sent.contains { $0.method == "mood.deleteMany" })
        #expect(journal().run("rm", "--tag", "x", "--dry-run") == .success)
    }

    @Test func idsAndAFilterAreNotMixedAndNoMatchIsNotFound() {
        #expect(journal().run("rm", "-y", Self.a, "--tag", "x") == .usage)
        #expect(Outside(["mood.list": Canned.page([])]).run("rm", "-y", "--tag", "x") == .notFound)
    }

    @Test func severalAreShownAndShared() {
        let outside = journal()
        #expect(outside.run("show", Self.a, Self.d) == .success)
        #expect(outside.output.split(separator: "\n", omittingEmptySubsequences: false).count { $0 == "😊 Happy" } == 2)
        let shared = Outside(["mood.share": #"{"text":"T"}"#])
        #expect(shared.run("share", Self.a, Self.d) == .success && shared.output == "T\n\nT\n")
    }

    @Test func theTimeThatWasLivedIsShownBesideTheOneHere() {
        let mood = String(Canned.mood().dropLast()) + #","timeZone":"Asia/Tokyo"}"#
        let outside = Outside(["mood.get": mood])
        #expect(outside.run("show", Self.a) == .success)
        #expect(outside.output.contains("  when       2026-01-02 14:04 Asia/Tokyo (2026-01-02T05:04:00.678Z)\n"))
        #expect(outside.output.contains("  here       2026-01-02 06:04 CET\n"))
    }
}
