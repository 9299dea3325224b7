import Testing

@testable import MoodClient

@Suite struct ChangeCommandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let method: String
        let params: String
        let output: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let id = Canned.id

    @Test(arguments: [
        Case(
            arguments: ["add", "😊", "Happy"], method: "mood.create", params: #"{"emoji":"😊","label":"Happy"}"#,
            output: "Added 😊 Happy (00000001)\n"),
        Case(
            arguments: [
                "add", "😊", "Happy", "--note", "a\nb", "-t", "x", "--tag=y", "--at", "2026-01-02T10:00:00Z", "-f",
                "--valence", "-0.5",
                "--time-zone", "Europe/Berlin", "--dry-run",
            ],
            method: "mood.create",
            params: #"{"emoji":"😊","label":"Happy","notes":"a\nb","tags":["x","y"],"timestamp":"2026-01-02T10:00:00Z","#
                + #""isFavorite":true,"valence":-0.5,"timeZone":"Europe/Berlin","dryRun":true}"#,
            output: "Added 😊 Happy (dry run: nothing was kept)\n"),
        Case(
            arguments: ["add", "--", "😊", "-- dashes", "+1", "@2h"], method: "mood.create",
            params: #"{"emoji":"😊","label":"-- dashes","notes":"+1 @2h"}"#, output: "Added 😊 Happy (00000001)\n"),
        Case(
            arguments: ["add", "😊", "Happy", "--valence", "1e0"], method: "mood.create",
            params: #"{"emoji":"😊","label":"Happy","valence":1}"#, output: "Added 😊 Happy (00000001)\n"),
        Case(
            arguments: ["add", "😊", "Happy", "--scale", "sleep=7", "--scale=a = b=-2.50", "--scale", "sleep=8"],
            method: "mood.create", params: #"{"emoji":"😊","label":"Happy","scales":{"sleep":8,"a = b":-2.5}}"#,
            output: "Added 😊 Happy (00000001)\n"),
        Case(
            arguments: ["edit", id, "--no-scales"], method: "mood.update",
            params: #"{"id":"\#(id)","set":{"scales":null}}"#, output: "Changed 😊 Happy (00000001)\n"),
        Case(
            arguments: ["edit", id, "--emoji", "🎉", "--label", "New", "--no-tags", "--no-favorite", "--no-valence"],
            method: "mood.update",
            params: #"{"id":"\#(id)","set":{"emoji":"🎉","label":"New","tags":[],"isFavorite":false,"valence":null}}"#,
            output: "Changed 😊 Happy (00000001)\n"),
        Case(
            arguments: ["edit", id, "-t", "x", "--no-time-zone", "--if-revision", "7"], method: "mood.update",
            params: #"{"id":"\#(id)","set":{"tags":["x"],"timeZone":null},"ifRevision":7}"#,
            output: "Changed 😊 Happy (00000001)\n"),
        Case(
            arguments: ["fav", id], method: "mood.setFavorite", params: #"{"id":"\#(id)","isFavorite":true}"#,
            output: "Favorite: 😊 Happy (00000001)\n"),
        Case(
            arguments: ["unfav", id], method: "mood.setFavorite", params: #"{"id":"\#(id)","isFavorite":false}"#,
            output: "No favorite: 😊 Happy (00000001)\n"),
        Case(
            arguments: ["note", id, "Coffee"], method: "mood.setNotes", params: #"{"id":"\#(id)","notes":"Coffee"}"#,
            output: "Wrote the notes of 😊 Happy (00000001)\n"),
        Case(
            arguments: ["note", id, ""], method: "mood.setNotes", params: #"{"id":"\#(id)","notes":""}"#,
            output: "Removed the notes of 😊 Happy (00000001)\n"),
        Case(
            arguments: ["rm", id], method: "mood.delete", params: #"{"id":"\#(id)"}"#, output: "Deleted 00000001\n"),
        Case(
            arguments: ["rm", id, id, "7da60963-166e-4e03-b457-84483f34ec0e", "--dry-run"], method: "mood.deleteMany",
            params: #"{"ids":["\#(id)","7da60963-166e-4e03-b457-84483f34ec0e"],"dryRun":true}"#,
            output: "Deleted 2 moods (dry run: nothing was kept)\n"),
        Case(
            arguments: ["clear", "--yes"], method: "mood.clear", params: #"{"confirm":true}"#,
            output: "Deleted 1 mood\n"),
    ])
    func sendsOneChangeAndTellsIt(_ test: Case) throws {
        let answers = [
            "mood.list": Canned.page([Canned.mood()], total: 1), "mood.deleteMany": #"{"deleted":2}"#,
            "mood.delete": #"{"id":"\#(Canned.id)","deleted":true}"#, "mood.clear": #"{"deleted":1}"#,
        ]
        let outside = Outside { method, _ in .result(Array((answers[method] ?? Canned.mood()).utf8)) }
        #expect(outside.run(test.arguments) == .success)
        #expect(outside.sent.first == .init(method: test.method, params: test.params))
        #expect(outside.output == test.output)
        #expect(outside.closed == 1)

        // With `--json` the request is equal, and the result is printed byte for byte.
        let odd = #"{ "id" : "é", "deleted":1.0 , "x":"\u00e9"}"#
        let program = Outside { _, _ in .result(Array(odd.utf8)) }
        #expect(program.run(test.arguments + (test.arguments.contains("--") ? [] : ["--json"])) != .usage)
        if !test.arguments.contains("--") {
            #expect(program.sent.first == .init(method: test.method, params: test.params))
            #expect(program.output == odd + "\n")
        }
    }

    @Test func aScaleIsLaidOverTheOthers() throws {
        let mood = String(Canned.mood().dropLast()) + #","scales":{"sleep":7,"energy":-2.5}}"#
        let outside = Outside { _, _ in .result(Array(mood.utf8)) }
        #expect(outside.run("edit", Canned.id, "--scale", "energy=3", "--scale", "pain=1") == .success)
        #expect(
            Array(outside.sent.prefix(2)) == [
                .init(method: "mood.get", params: #"{"id":"\#(Canned.id)"}"#),
                .init(
                    method: "mood.update",
                    params: #"{"id":"\#(Canned.id)","set":{"scales":{"sleep":7,"energy":3,"pain":1}},"ifRevision":1}"#),
            ])
        let first = Outside { _, _ in .result(Array(Canned.mood().utf8)) }
        #expect(first.run("edit", Canned.id, "--scale", "a=1", "--label", "B", "--if-revision", "9") == .success)
        #expect(
            first.sent[1].params == #"{"id":"\#(Canned.id)","set":{"label":"B","scales":{"a":1}},"ifRevision":9}"#)
    }

    @Test func notesComeFromStdin() {
        for arguments in [
            ["add", "😊", "Happy", "--note", "-"], ["note", Canned.id, "-"], ["edit", Canned.id, "-n", "-"],
        ] {
            let outside = Outside { _, _ in .result(Array(Canned.mood().utf8)) }
            outside.input = Array("two\nlines\n".utf8)
            #expect(outside.run(arguments + ["--json"]) == .success)
            #expect(outside.sent[0].params.contains(#""notes":"two\nlines""#))
        }
    }

    @Test func inputThatIsNoTextOrTooLongIsBadData() {
        let binary = Outside()
        binary.input = [0xff, 0xfe]
        #expect(binary.run("note", Canned.id, "-") == .badData)
        let long = Outside()
        long.input = [UInt8](repeating: 0x61, count: Client.inputBytesMax + 1)
        #expect(long.run("note", Canned.id, "-") == .badData)
        #expect(binary.started.isEmpty && long.started.isEmpty)
    }

    @Test func contradictionsAreUsage() {
        for arguments in [
            ["edit", "@last"], ["edit", "@last", "-f", "--no-favorite"], ["edit", "@last", "-t", "x", "--no-tags"],
            ["edit", "@last", "--valence", "1", "--no-valence"], ["edit", "@last", "--scale", "a=1", "--no-scales"],
            ["add", "😊", "A", "--scale", "sleep"], ["add", "😊", "A", "--scale", "=1"],
            ["add", "😊", "A", "--scale", "sleep=x"], ["edit", "@last", "--scale", "sleep="],
            ["add", "😊", "A", "--scale", "sleep=1e999"], ["clear"], ["nav", "goo"],
            ["nav", "open"], ["nav", "go"], ["nav", "state", "menu"], ["list", "--all", "--count"], ["list", "x"],
        ] {
            let outside = Outside()
            #expect(outside.run(arguments) == .usage, "\(arguments)")
            #expect(outside.started.isEmpty)
            #expect(outside.error.contains("See 'mood \(arguments[0]) --help'."))
        }
    }

    @Test func removalAsksOnlyAtATerminal() {
        for (typed, status, methods) in [
            ("y\n", ExitCode.success, ["mood.get", "mood.delete"]), ("Yes\n", .success, ["mood.get", "mood.delete"]),
            ("\n", .failure, ["mood.get"]), ("n\n", .failure, ["mood.get"]), (nil, .failure, ["mood.get"]),
        ] {
            let outside = Outside { _, _ in .result(Array(Canned.mood(label: "Sad\u{1b}").utf8)) }
            outside.isInputTerminal = true
            outside.typed = typed
            #expect(outside.run("rm", Canned.id) == status)
            #expect(outside.sent.map(\.method) == methods)
            #expect(outside.error.hasPrefix("Delete 😊 Sad\\u001b of 2026-01-02 06:04? [y/N] "))
        }
        for more in [["--yes"], ["-y"], ["--dry-run"]] {
            let outside = Outside { _, _ in .result(Array(Canned.mood().utf8)) }
            outside.isInputTerminal = true
            #expect(outside.run(["rm", Canned.id] + more) == .success)
            #expect(outside.error.isEmpty)
        }
    }

    @Test func ifRevisionIsForOneMood() {
        let other = "7da60963-166e-4e03-b457-84483f34ec0e"
        #expect(Outside().run("rm", Canned.id, other, "--if-revision", "3") == .usage)
    }

    @Test func hostAndStoreArePassedOn() {
        let outside = Outside(["mood.clear": #"{"deleted":2}"#])
        #expect(outside.run("--host", "/opt/moodboard", "clear", "-y", "--store=/tmp/x") == .success)
        #expect(outside.started == [HostLaunch(program: "/opt/moodboard", store: .directory("/tmp/x"))])
        #expect(outside.started[0].arguments == ["--store", "/tmp/x"])
        #expect(outside.output == "Deleted 2 moods\n")
    }
}
