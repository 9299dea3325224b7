import Platform
import Testing

@testable import MoodClient

/// Errors in the words of the person at a shell: what is wrong, and what to type.
@Suite struct SpokenErrorTests {
    private static let corrupt = Canned.error(1015, "storeCorrupt", "settings.json is not as it was written.")

    @Test(arguments: [
        ("There is no journal yet. Say new:true to begin one.", "There is no journal yet. Give --new to begin one."),
        (
            "Both this store and the journal have moods. Say confirm:true to have all of them in both.",
            "Both this store and the journal have moods. Give --yes to have all of them in both."
        ),
        ("Say journal:ID to name one of them.", "Give --journal ID to name one of them."),
        ("Leave out new:true to join it.", "Leave out --new to join it."),
        ("Leave that first (sync.leave).", "Leave that first ('mood sync leave')."),
        ("Set it up with sync.setup.", "Set it up with 'mood sync setup'."),
        ("See sync.conflicts.", "See 'mood sync conflicts'."),
        ("filter.push, age, has failed.", "--filter-push, age, has failed."),
    ])
    func syncSpeaksOfOptionsAndCommands(_ message: String, _ told: String) {
        let outside = Outside { _, _ in Canned.failure(Canned.error(1003, "refused", message)) }
        #expect(outside.run("sync", "status") == .failure)
        #expect(outside.error == "mood: \(told)\n")
        let status =
            #"{"state":"incomplete","pending":0,"replicas":[],"lastError":"\#(message)"}"#
        let shown = Outside(["sync.status": status])
        #expect(shown.run("sync", "status") == .success && shown.output.contains(told))
    }

    @Test(arguments: [
        ("/url", "/url has the scheme ftp. Give folder:/path.", "The URL has the scheme ftp. Give folder:/path."),
        ("/filter/push", "/filter/push must be a program.", "--filter-push must be a program."),
        ("/journal", "/journal is no id.", "--journal is no id."),
    ])
    func aFaultOfTheSetupNamesItsOption(_ path: String, _ message: String, _ told: String) {
        let error = Canned.error(-32602, "invalidParams", message, more: #","path":"\#(path)""#)
        let outside = Outside { _, _ in Canned.failure(error) }
        #expect(outside.run("sync", "setup", "ftp://x") == .badData)
        #expect(outside.error == "mood: \(told)\n")
    }

    @Test func conflictsNameTheirMoods() {
        let conflict =
            #"{"id":"\#(Canned.id)/label/r/1/0","mood":"\#(Canned.id)","member":"label","shown":"Happy","other":"Glad"}"#
        let outside = Outside(["sync.conflicts": #"{"items":[\#(conflict)]}"#, "mood.get": Canned.mood()])
        #expect(outside.run("sync", "conflicts") == .success)
        #expect(outside.output.hasPrefix("1  😊 Happy of 2026-01-02 06:04\n   \(Canned.id)/label/r/1/0\n   label: "))
    }

    @Test func aFileIsNamedOnce() {
        let error = Canned.error(
            -32602, "invalidParams", "path: 2 things in it cannot be read; the first: line 2: no zone (timeZone, so).",
            more:
                #","path":"/path","problems":[{"line":2,"reason":"no zone (timeZone, so)."},{"line":3,"reason":"no."}]"#
        )
        let outside = Outside { _, _ in Canned.failure(error) }
        #expect(outside.run("import", "f.csv", "--strict", "--yes") == .badData)
        #expect(
            outside.error == """
                mood: FILE: 2 things in it cannot be read; the first: line 2: no zone (--time-zone, so).
                      line 2: no zone (--time-zone, so).
                      line 3: no.

                """)
    }

    @Test func aNameWithALineEndIsStillAnOption() {
        let error = Canned.error(
            -32602, "invalidParams", #"/scales/a\\nb has a name that must not."#, more: #","path":"/scales/a\nb""#)
        let outside = Outside { _, _ in Canned.failure(error) }
        #expect(outside.run("add", "😊", "Happy", "--scale", "a\nb=3") == .badData)
        #expect(outside.error == "mood: --scale has a name that must not.\n")
    }

    @Test(arguments: [
        ("/palette/2/valence", "must be a number from -1.0 to 1.0", "--valence must be a number from -1.0 to 1.0."),
        ("/palette/2/emoji", "must be exactly one emoji", "The emoji must be exactly one emoji."),
        ("/palette/2/label", "is the label of 🥶 Cold", "'Icy' is the label of 🥶 Cold."),
        ("/palette/2/aliases/0", "is taken", "'frosty' is taken."),
        ("/palette", "is too long", "The palette is too long."),
    ])
    func aFaultOfAFeelingNamesItsPart(_ path: String, _ reason: String, _ told: String) {
        let error = Canned.error(
            -32602, "invalidParams", "\(path) \(reason).", more: #","path":"\#(path)","reason":"\#(reason)""#)
        let outside = Outside { method, _ in
            method == "settings.get" ? .result(Array(#"{"palette":[]}"#.utf8)) : Canned.failure(error)
        }
        #expect(outside.run("palette", "add", "🧊Icy", "--valence", "3", "--alias", "frosty") == .badData)
        #expect(outside.error == "mood: \(told)\n")
        #expect(outside.sent.last?.params.contains(#""emoji":"🧊","label":"Icy""#) == true)
    }

    // MARK: Words of a mood

    @Test(arguments: [
        (["😊Happy"], "😊", "Happy", ""), (["😊Happy,", "slept", "well"], "😊", "Happy", "slept well"),
        (["😊 Happy"], "😊", "Happy", ""), (["❤️Loved"], "❤️", "Loved", ""), (["👩‍👧Close"], "👩‍👧", "Close", ""),
        (["😊", "Happy"], "😊", "Happy", ""),
    ])
    func anEmojiNeedsNoSpaceAfterIt(_ words: [String], _ emoji: String, _ label: String, _ note: String) throws {
        let read = try MoodWords(words, wordsBeforeDashes: words.count, palette: { PersonalPalette() })
        #expect(read.emoji == emoji && read.label == label && read.note == note)
    }

    @Test func twoEmojiAreToldApart() {
        let outside = Outside(["settings.get": "{}"])
        #expect(outside.run("add", "😊😢") == .usage)
        #expect(outside.error.contains("'😊😢' is more than one emoji. Put a space after the first: mood add 😊 LABEL"))
    }

    @Test func aPaletteThatCannotBeReadIsSaid() {
        let outside = Outside { _, _ in Canned.failure(Self.corrupt) }
        #expect(outside.run("add", "happy") == .failure)
        #expect(outside.error == "mood: settings.json is not as it was written.\n")
        // A host without settings has no palette.
        let without = Outside([:])
        #expect(without.run("add", "happy") == .usage && without.error.contains("no word of your palette"))
    }

    @Test func doctorKnowsTheSettings() {
        let problem = #"{"file":"settings.json","offset":67,"reason":"It is damaged.","kind":"unreadable"}"#
        let outside = Outside([
            "host.info": #"{"name":"moodboard","version":"0.1.0","store":{"path":"/s","moods":1,"bytes":9}}"#,
            "store.verify": #"{"ok":false,"moods":1,"bytes":9,"problems":[\#(problem)]}"#,
        ])
        #expect(outside.run("doctor") == .failure)
        #expect(outside.output.contains("     mv /s/settings.json /s/settings-damaged.json\n"))
        #expect(outside.output.contains("Moods are not affected") && !outside.output.contains("ls -la"))
    }

    // MARK: What was done

    @Test(arguments: [
        (["add", "😊", "Happy"], true), (["add", "😊", "Happy", "--dry-run"], false), (["show", Canned.id], false),
        (["undo"], true), (["rpc", "mood.create", "{}"], true), (["edit", Canned.id, "--label", "Glad"], true),
    ])
    func anOutputThatFailsAfterAChangeSaysSo(_ words: [String], _ isChanged: Bool) {
        let outside = Outside { method, _ in
            .result(Array((method == "store.undo" ? #"{"undone":[{"revision":1}]}"# : Canned.mood()).utf8))
        }
        outside.writeError = SystemError(call: "write", code: ENOSPC)
        #expect(outside.run(words) == .failure)
        #expect(outside.error.contains("The output could not be written"))
        #expect(outside.error.contains("The change was made and is kept") == isChanged)
    }

    @Test func aFileThatIsNotThereIsSaidBeforeYesIsWanted() {
        let missing = Canned.error(-32602, "invalidParams", "/path cannot be read.", more: #","path":"/path""#)
        for command in ["import", "restore"] {
            let outside = Outside { _, _ in Canned.failure(missing) }
            #expect(outside.run(command, "nofile") == .badData)
            #expect(outside.error == "mood: FILE cannot be read.\n")
        }
        let there = Outside(["store.import": #"{"created":1,"updated":0,"unchanged":0,"problems":[]}"#])
        #expect(there.run("restore", "file") == .usage && there.error.contains("--yes"))
        #expect(there.sent.allSatisfy { $0.params.contains(#""dryRun":true"#) })
    }

    @Test func aDumbTerminalGetsHelp() {
        let outside = Outside([:])
        (outside.isInputTerminal, outside.isOutputTerminal) = (true, true)
        outside.environment["TERM"] = "dumb"
        #expect(outside.run() == .success && outside.output.contains("mood add"))
    }

    // MARK: What changed

    private static func version(_ revision: Int, _ kind: String, _ members: String) -> String {
        #"{"revision":\#(revision),"at":"2026-01-02T05:04:0\#(revision)Z","kind":"\#(kind)","mood":{"id":"\#(Canned.id)","emoji":"😌","label":"Calm","updatedAt":"\#(revision)",\#(members)}}"#
    }

    private static let versions = [
        version(
            3, "updated",
            #""timestamp":"2026-01-02T06:04:00Z","notes":"b","tags":["sea"],"isFavorite":true,"scales":{"sleep":8,"pain":1}"#
        ),
        version(
            2, "updated",
            #""timestamp":"2026-01-02T05:04:00Z","notes":"a","tags":[],"valence":0.5,"scales":{"sleep":7}"#),
        version(1, "created", #""timestamp":"2026-01-02T05:04:00Z","notes":"a","tags":[]"#),
    ]
    private static let last =
        #"time 2026-01-02 06:04 → 2026-01-02 07:04, note "a" → "b", tags none → sea, valence 0.5 → none, sleep 7 → 8, pain none → 1, favorite no → yes"#
    private static let first = "valence none → 0.5, sleep none → 7"

    @Test func historyShowsWhatChanged() {
        let outside = Outside(["mood.history": #"{"items":[\#(Self.versions.joined(separator: ","))]}"#])
        #expect(outside.run("history", Canned.id) == .success)
        #expect(
            outside.output == """
                3  2026-01-02 06:04  Changed  😌 Calm: \(Self.last)
                2  2026-01-02 06:04  Changed  😌 Calm: \(Self.first)
                1  2026-01-02 06:04  Recorded  😌 Calm  a

                """)
        // The version before the last one shown is read too.
        let short = Outside { _, params in
            let page = params.contains("cursor") ? Self.versions[1] : Self.versions[0]
            return .result(Array(#"{"items":[\#(page)],"nextCursor":"c"}"#.utf8))
        }
        #expect(short.run("history", Canned.id, "--limit", "1") == .success)
        #expect(short.output == "3  2026-01-02 06:04  Changed  😌 Calm: \(Self.last)\n")
    }

    @Test func theLogShowsWhatChanged() {
        func item(_ revision: Int) -> String {
            #"{"revision":\#(revision),"at":"2026-01-02T05:04:0\#(revision)Z","kind":"updated","summary":"Changed 😌 Calm","ids":["\#(Canned.id)"],"isUndone":false}"#
        }
        let outside = Outside([
            "mood.history": #"{"items":[\#(Self.versions.joined(separator: ","))]}"#,
            "store.log": #"{"items":[\#(item(3)),\#(item(2))]}"#,
        ])
        #expect(outside.run("log") == .success)
        #expect(
            outside.output == """
                3\t2026-01-02T05:04:03Z\tChanged 😌 Calm: \(Self.last)\t\t
                2\t2026-01-02T05:04:02Z\tChanged 😌 Calm: \(Self.first)\t\t

                """)
        #expect(outside.sent.map(\.method) == ["store.log", "mood.history"])
    }

    @Test func aPastThatCannotBeReadHidesNoLineOfTheLog() {
        let item =
            #"{"revision":2,"at":"2026-01-02T05:04:02Z","kind":"updated","summary":"Changed 😌 Calm","ids":["\#(Canned.id)"],"isUndone":false}"#
        let outside = Outside(["store.log": #"{"items":[\#(item)]}"#])
        #expect(outside.run("log") == .success)
        #expect(outside.output == "2\t2026-01-02T05:04:02Z\tChanged 😌 Calm\t\t\n")
    }
}
