import JSONCodec
import Testing

@testable import MoodClient

@Suite struct DraftTests {
    private static let mood =
        String(Canned.mood(notes: "one\ntwo", tags: ["a", "b"]).dropLast())
        + #","valence":0.5,"scales":{"sleep":7}}"#

    private func edited(_ arguments: [String], _ editors: [(String) -> String], answers: [String: String] = [:]) -> (
        ExitCode, Outside
    ) {
        var answers = answers
        answers["mood.get"] = Self.mood
        let outside = Outside { method, _ in
            let text = answers[method] ?? Self.mood
            return text.hasPrefix("{\"code\"") ? Canned.failure(text) : .result(Array(text.utf8))
        }
        outside.environment = ["HOME": "/home/ada", "EDITOR": "ed -x"]
        var rest = editors
        outside.shell = { outside, arguments in
            guard let path = arguments.first, !rest.isEmpty else { return }
            let text = String(decoding: outside.files[path] ?? [], as: UTF8.self)
            outside.files[path] = Array(rest.removeFirst()(text).utf8)
        }
        return (outside.run(arguments), outside)
    }

    @Test(arguments: [
        ("/set/label", "label: is wrong."), ("/set/valence", "valence: is wrong."),
        ("/set/timestamp", "time: is wrong."),
        ("/set/tags/1", "tags: is wrong."), ("/set/scales/sleep", "scales: is wrong."),
        ("/set/timeZone", "time-zone: is wrong."), ("/set/notes", "The notes is wrong."),
    ])
    func anErrorInTheEditorNamesTheField(_ path: String, _ told: String) {
        let error = Canned.error(-32602, "invalidParams", "\(path) is wrong.", more: #","path":"\#(path)""#)
        var shown = ""
        let (status, outside) = edited(
            ["edit", Canned.id, "-e"],
            [
                { $0.replacing("Happy", with: "Glad") },
                { text in
                    shown = text
                    return text
                },
            ], answers: ["mood.update": error])
        #expect(shown.hasPrefix("# \(told)\n---\n"))
        #expect(status == .badData && outside.error.hasPrefix("mood: \(told)\n"))
    }

    @Test func aDraftThatStaysWrongSaysWhatIs() {
        var number = 0
        let again = { (text: String) -> String in
            number += 1
            return text.replacing("Happy", with: "Glad") + "\(number)\n"
        }
        let error = Canned.error(-32602, "invalidParams", "/set/label is wrong.", more: #","path":"/set/label""#)
        let (status, outside) = edited(
            ["edit", Canned.id, "-e"], Array(repeating: again, count: 30), answers: ["mood.update": error])
        #expect(
            status == .badData && outside.error.hasPrefix("mood: label: is wrong.\n      What you wrote is kept in "))
    }

    @Test func theEditorShowsFrontMatterAndNotesAndChangesAreSent() {
        var shown = ""
        let (status, outside) = edited(
            ["edit", Canned.id, "-e"],
            [
                { text in
                    shown = text
                    return text.replacing("label: Happy", with: "label: Glad").replacing("two", with: "three")
                }
            ])
        #expect(status == .success && outside.shellRuns.map(\.command) == ["ed -x"])
        #expect(
            shown == """
                ---
                emoji: 😊
                label: Happy
                time: 2026-01-02 06:04
                time-zone:
                tags: a, b
                favorite: no
                valence: 0.5
                scales: sleep=7
                ---
                one
                two

                """)
        #expect(
            outside.sent.last?.params
                == #"{"id":"\#(Canned.id)","set":{"label":"Glad","notes":"one\nthree"},"ifRevision":1}"#)
        #expect(outside.files.isEmpty)
    }

    @Test func aTextThatIsLeftAsItWasChangesNothing() {
        let (status, outside) = edited(["edit", Canned.id, "-e"], [{ $0 }])
        #expect(status == .success && outside.error == "Nothing was changed.\n")
        #expect(outside.sent.map(\.method) == ["mood.get"] && outside.files.isEmpty)
    }

    @Test func whatIsWrongComesBackAsARemark() {
        var second = ""
        let (status, outside) = edited(
            ["edit", Canned.id, "-e"],
            [
                { $0.replacing("valence: 0.5", with: "valence: much") },
                { text in
                    second = text
                    return text.replacing("valence: much", with: "valence:")
                },
            ])
        #expect(status == .success)
        #expect(second.hasPrefix("# valence is a number from -1 to 1, not 'much'.\n---\n"))
        #expect(outside.sent.last?.params.contains(#""set":{"valence":null}"#) == true)
    }

    /// The editor's result as bytes.
    private func left(_ bytes: [UInt8], _ arguments: [String]) -> (ExitCode, Outside) {
        let outside = Outside(["mood.get": Self.mood, "mood.create": Self.mood, "mood.update": Self.mood])
        outside.environment = ["HOME": "/home/ada", "EDITOR": "ed"]
        outside.shell = { outside, arguments in outside.files[arguments[0]] = bytes }
        return (outside.run(arguments), outside)
    }

    @Test(arguments: ["\r\n", "\r"]) func otherLineEndsAndAByteOrderMarkAreRead(_ end: String) {
        let text = "\u{feff}---\nemoji: 😊\nlabel: Happy\n---\none\ntwo\n".replacing("\n", with: end)
        let (status, outside) = left(Array(text.utf8), ["add", "-e"])
        #expect(status == .success && outside.shellRuns.count == 1)
        #expect(outside.sent.first?.params == #"{"emoji":"😊","label":"Happy","notes":"one\ntwo"}"#)
    }

    @Test func aByteOrderMarkAndEveryFieldAreRead() throws {
        let text = """
            \u{feff}---
            emoji: 😊
            label: Deep
            tags: a, b c, #d
            favorite: yes
            scales: sleep=7, energy=2.5
            valence: -0.25
            ---
            # Heading

            ---

            - item
            \ttab end  


            """
        let (status, outside) = left(Array(text.utf8), ["add", "-e"])
        let sent = try JSONValue.parse(Array(outside.sent.first?.params.utf8 ?? "".utf8))
        #expect(status == .success && sent["tags"]?.text == #"["a","b c","d"]"# && sent["valence"]?.double == -0.25)
        #expect(sent["notes"]?.string == "# Heading\n\n---\n\n- item\n\ttab end  ")
    }

    @Test func whatIsNotUTF8IsRefusedAndKept() {
        let bytes = Array("---\nemoji: 😊\nlabel: Caf".utf8) + [0xe9, 0x0a] + Array("---\n".utf8)
        for arguments in [["add", "-e"], ["edit", Canned.id, "-e"]] {
            let (status, outside) = left(bytes, arguments)
            #expect(status == .badData && outside.error.contains("not UTF-8") && outside.shellRuns.count == 1)
            #expect(Array(outside.files.values) == [bytes])
            #expect(!outside.sent.contains { $0.method == "mood.create" || $0.method == "mood.update" })
        }
    }

    @Test(arguments: ["", "\n \n", "# gone\n"]) func anEmptiedTextGivesUpAtOnce(_ text: String) {
        for arguments in [["add", "-e"], ["edit", Canned.id, "-e"]] {
            let (status, outside) = left(Array(text.utf8), arguments)
            #expect(status == .failure && outside.shellRuns.count == 1 && outside.files.isEmpty)
            #expect(outside.error.split(separator: "\n").count == 1, "\(outside.error)")
        }
    }

    @Test func aNewMoodThatWasLeftAsItWasIsNotKept() {
        let (status, outside) = edited(["add", "😊", "Happy", "-e"], [{ $0 }])
        #expect(status == .failure && outside.sent.isEmpty && outside.files.isEmpty)
        #expect(edited(["edit", Canned.id, "-e"], [{ $0 }]).0 == .success)
    }

    @Test(arguments: ["one\r\ntwo", "one\rtwo\r"]) func lineEndsOfNotesAreNoChange(_ notes: String) {
        let outside = Outside(["mood.get": Canned.mood(notes: notes), "mood.update": Self.mood])
        outside.environment = ["HOME": "/home/ada", "EDITOR": "ed"]
        #expect(outside.run("edit", Canned.id, "-e") == .success && outside.sent.last?.method == "mood.get")
        outside.shell = { outside, arguments in
            outside.files[arguments[0]]?.replace(Array("Happy".utf8), with: Array("Glad".utf8))
        }
        outside.run("edit", Canned.id, "-e")
        #expect(outside.sent.last?.params.contains("notes") == false)
    }

    @Test func draftsOfMoreThanThirtyDaysAreRemoved() {
        let outside = Outside(["mood.create": Self.mood])
        outside.environment = ["HOME": "/home/ada", "EDITOR": "ed"]
        let folder = "/home/ada/.local/state/moodboard/drafts/"
        let month = 30 * 86_400
        for (name, age) in [("mood-\((outside.now - month - 60) * 1_000).md", 31), ("notes.md", 0)] {
            outside.files[folder + name] = [UInt8(age)]
        }
        outside.files[folder + "mood-\((outside.now - month + 60) * 1_000).md"] = [29]
        outside.run("add", "-e")
        #expect(outside.files.values.map { $0[0] }.sorted() == [0, 29])
    }

    @Test func aDraftThatCannotBeSentIsKeptAndNamed() {
        for (answer, status) in [
            (
                Canned.error(-32602, "invalidParams", "/set/label is too long.", more: #","path":"/set/label""#),
                ExitCode.badData
            ),
            (Canned.error(1002, "conflict", "Somebody changed it."), .failure),
        ] {
            let (ended, outside) = edited(
                ["edit", Canned.id, "-e"], [{ $0.replacing("Happy", with: "Glad") }], answers: ["mood.update": answer])
            #expect(ended == status)
            let path = outside.files.keys.first ?? ""
            #expect(path.hasPrefix("/home/ada/.local/state/moodboard/drafts/mood-") && outside.error.contains(path))
            #expect(String(decoding: outside.files[path] ?? [], as: UTF8.self).contains("label: Glad"))
        }
    }

    @Test func aNewMoodBeginsWithTheWords() {
        let (status, outside) = edited(
            ["add", "😊", "Happy", "+sea", "walk", "-e"], [{ $0.replacing("walk", with: "walk\nswim") }])
        #expect(status == .success)
        #expect(
            outside.sent.first
                == .init(
                    method: "mood.create",
                    params: #"{"emoji":"😊","label":"Happy","notes":"walk\nswim","tags":["sea"]}"#))
    }

    @Test(arguments: [
        "", "x", "---\nlabel: a\n", "---\nlabel\n---\n", "---\nlabl: a\n---\n", "---\nlabel: a\nlabel: b\n---\n",
    ])
    func whatIsNoDraftIsRefused(_ text: String) {
        #expect(throws: Draft.Fault.self) { try Draft(parsing: text) }
    }

    @Test func textAndDraftAreTheSame() throws {
        var draft = Draft()
        draft.values = [
            "emoji": "😊", "label": "a: b", "tags": "x, y", "time": "", "time-zone": "", "favorite": "", "valence": "",
            "scales": "",
        ]
        draft.notes = "---\n# no remark\n\nend"
        #expect(try Draft(parsing: draft.text(remark: "wrong\nagain")) == draft)
    }
}

@Suite struct CompletionTests {
    private func words(_ line: [String]) -> [String] {
        let outside = Outside([
            "mood.tags": #"{"tags":[{"tag":"Sea side","count":3},{"tag":"sport","count":1}]}"#,
            "settings.get": #"{"palette":[{"emoji":"😌","label":"Calm","valence":0.5,"aliases":[]}]}"#,
            "store.info": #"{"path":"/s"}"#, "mood.get": Canned.mood(),
            "mood.list": Canned.page([Canned.mood()], total: 1),
            "stats.summary": #"{"feelings":[{"emoji":"😔","label":"Glum","count":2}]}"#,
            "rpc.discover": #"{"methods":[{"name":"mood.create","summary":"Record a mood."}]}"#,
        ])
        outside.files["/usr/share/zoneinfo/tzdata.zi"] = Array("# 1\nZ Europe/Helsinki 1 - LMT\nL Europe/Kyiv K\n".utf8)
        outside.environment = ["XDG_STATE_HOME": "/state", "TERM": "dumb"]
        outside.isOutputTerminal = true
        outside.run("list")
        let before = outside.output.count
        #expect(outside.run(["completion", "words", "--"] + line) == .success)
        return outside.output.dropFirst(before).split(separator: "\n").map(String.init)
    }

    @Test func commandsOptionsTagsFeelingsAndHandles() {
        #expect(words(["unf"]) == ["unfav\tMake moods not favorites."])
        #expect(words(["list", "--fav"]) == ["--favorite\tOnly favorites."])
        #expect(words(["list", "--tag", "s"]) == ["Sea side\t3 moods", "sport\t1 moods"])
        #expect(words(["--store", "/x", "list", "--color", "al"]) == ["always\t"])
        #expect(words(["add", "ca"]) == ["calm\t😌"])
        #expect(words(["add", "calm", "+s"]) == ["+Sea side\t3 moods", "+sport\t1 moods"])
        #expect(words(["list", "-t", "sport,se"]) == ["sport,Sea side\t3 moods"])
        #expect(words(["list", "--tag=!sp"]) == ["--tag=!sport\t1 moods"])
        #expect(words(["list", "--label", "glu"]) == ["Glum\t😔"])
        #expect(words(["export", "da"]) == ["daylio\t"] && words(["store", "sal"]) == ["salvage\t"])
        #expect(words(["rpc", "mood.cr"]) == ["mood.create\tRecord a mood."])
        #expect(words(["list", "--time-zone", "europe/h"]) == ["Europe/Helsinki\t"])
        #expect(words(["settings", "k"]) == ["keepZone\t"] && words(["settings", "keepZone", ""]).count == 2)
        #expect(words(["palette", "rm", "c"]) == ["calm\t😌"])
        for line in [
            ["import", ""], ["restore", ""], ["backup", ""], ["report", "-o", ""], ["list", "--host", "x"],
        ] {
            #expect(words(line) == ["\tfiles"], "\(line)")
        }
        #expect(words(["plugin", "add", ""]) == ["\tfolders"] && words(["list", "--store", ""]) == ["\tfolders"])
        #expect(
            words(["rm", "@"]) == [
                "@last\tthe latest mood", "@added\tthe one added last", "@1\t😊 Happy of 2026-01-02 06:04",
            ])
        #expect(words(["nothing", ""]).isEmpty)
    }

    @Test func theStoreOfTheLineIsAsked() {
        for (line, store) in [
            (["--store", "/x", "list", "--tag", ""], HostLaunch.Store.directory("/x")),
            (["list", "--store=/y", "--tag", ""], .directory("/y")), (["list", "--tag", ""], .usual),
        ] {
            let outside = Outside()
            #expect(outside.run(["completion", "words", "--"] + line) == .success)
            #expect(outside.started.map(\.store) == [store])
        }
    }

    @Test func aHostThatCannotBeAskedCompletesNothing() {
        let outside = Outside { (_, _) throws(ClientError) in throw .unavailable("Gone.", advice: nil) }
        #expect(outside.run("completion", "words", "--", "list", "--tag", "") == .success)
        #expect(outside.output.isEmpty && outside.error.isEmpty)
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func thereIsAScript(_ shell: String) {
        let outside = Outside()
        #expect(outside.run("completion", shell) == .success)
        #expect(outside.output.contains("completion words --") && outside.started.isEmpty)
    }

    @Test func anotherShellIsUsage() { #expect(Outside().run("completion", "csh") == .usage) }
}

@Suite struct ManualTests {
    @Test(arguments: [nil] + Command.all.map { Optional($0.name) })
    func aPageTellsEveryOption(_ name: String?) throws {
        let outside = Outside()
        #expect(outside.run(["man"] + (name.map { [$0] } ?? [])) == .success)
        #expect(outside.output.hasPrefix(".TH MOOD") && outside.output.contains("\n.SH NAME\n"))
        let command = Command.all.first { $0.name == name }
        for option in command?.options ?? CommandOption.everywhere {
            #expect(outside.output.contains("\\-\\-" + option.name.replacing("-", with: "\\-")), "\(option.name)")
        }
        for line in outside.output.split(separator: "\n") where line.hasPrefix(".") {
            #expect([".TH", ".SH", ".TP", ".PP", ".B", ".I", ".BR"].contains(line.prefix { $0 != " " }), "\(line)")
        }
        for command in Command.all where name == nil {
            #expect(outside.output.contains("\\fBmood " + command.name.replacing("-", with: "\\-")))
        }
    }
}

@Suite struct RemindTests {
    @Test(arguments: [
        ("21:00", 21, 0), ("9pm", 21, 0), ("9:30 PM", 21, 30), ("12am", 0, 0), ("12:05pm", 12, 5), ("7:05", 7, 5),
    ])
    func aTimeOfDayIsRead(_ text: String, _ hour: Int, _ minute: Int) {
        let clock = Client.clock(text)
        #expect(clock?.hour == hour && clock?.minute == minute)
    }

    @Test(arguments: ["", "21", "24:00", "9:60", "13pm", "0am", "-1:00", "1:2:3", "123:00", "x", "9:", ":30"])
    func whatIsNoneIsUsage(_ text: String) { #expect(Outside().run("remind", "--", text) == .usage) }

    @Test func itPrintsATimerALineOrAnEntry() {
        let timer = Outside()
        #expect(timer.run("remind", "21:00") == .success && timer.output.contains("OnCalendar=*-*-* 21:00:00\n"))
        #expect(timer.error.contains("systemctl --user enable --now mood-remind.timer"))
        let line = Outside()
        #expect(line.run("remind", "9:30pm", "--as", "cron") == .success && line.output.hasPrefix("30 21 * * * "))
        let entry = Outside()
        #expect(entry.run("remind", "21:00", "--as", "ics") == .success)
        #expect(entry.output.contains("DTSTART:20260102T210000\r\n") && entry.output.hasSuffix("END:VCALENDAR\r\n"))
        #expect(timer.started.isEmpty && line.started.isEmpty)
    }
}

@Suite struct OtherProgramTests {
    @Test func aProgramOnPathIsACommand() {
        let outside = Outside()
        outside.environment = ["PATH": "/bin:/opt"]
        outside.executables = ["/opt/mood-chart", "/opt/mood-list"]
        outside.run("chart", "--year", "2026")
        #expect(outside.became == ["/opt/mood-chart", "--year", "2026"])
        let own = Outside(["mood.list": Canned.page([])])
        own.environment = ["PATH": "/opt"]
        own.executables = ["/opt/mood-list", "/opt/mood-help"]
        #expect(own.run("list") == .success && own.became.isEmpty)
        #expect(own.run("help") == .success && own.became.isEmpty)
        #expect(own.run("../opt/mood-list") == .usage && own.became.isEmpty)
    }
}
