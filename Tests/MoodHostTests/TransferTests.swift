import JSONCodec
import MoodFormats
import MoodProtocol
import Platform
import Seeds
import Testing

@testable import MoodHost

/// `store.import` and `store.export`.
@Suite struct TransferTests {
    /// All moods without their revisions.
    private static func moods(_ session: TestSession) throws -> [String] {
        (try session.result("mood.list", #"{"limit":1000}"#)["items"]?.array ?? []).map { mood in
            JSONValue.object((mood.object ?? []).filter { $0.name != "revision" }).text
        }
    }

    private static func export(_ session: TestSession, _ format: String, between: () throws -> Void = {}) throws
        -> [String]
    {
        var pages: [String] = []
        var cursor: String?
        repeat {
            let params = #"{"format":"\#(format)"\#(cursor.map { #","cursor":"\#($0)""# } ?? "")}"#
            let page = try session.result("store.export", params)
            pages.append(page["text"]?.string ?? "")
            cursor = page["nextCursor"]?.string
            try between()
        } while cursor != nil
        return pages
    }

    private static func text(_ text: String) -> String { JSONValue.string(text).text }

    @Test(arguments: [
        ("store.import", ImportFormat.allCases.map(\.rawValue)),
        ("store.export", ExportFormat.allCases.map(\.rawValue)),
    ])
    func theSchemaNamesEveryFormat(method: String, formats: [String]) throws {
        let methods = try SchemaChecker.published("openrpc.json")["methods"]?.array ?? []
        let params = methods.first { $0["name"]?.string == method }?["params"]?.array ?? []
        let schema = params.first { $0["name"]?.string == "format" }?["schema"]
        #expect(schema?["anyOf"]?.array?.first?["enum"]?.array?.compactMap(\.string) == formats)
    }

    @Test(arguments: SeededRandom.seeds) func whatIsExportedIsImportedAsItWas(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for first in [TestSession(), TestSession(TestDirectory())] {
            for number in 1...40 {
                let notes = random.pick(["", "a", "a\nb", "\"q\", ;", "=1"])
                let tags = random.pick(["[]", #"["a","b,c"]"#, #"["[x"]"#])
                first.now += Int64(random.below(100_000))
                _ = try first.result(
                    "mood.create",
                    #"{"id":"\#(testID(number))","emoji":"😊","label":"L\#(number)","notes":\#(Self.text(notes)),"tags":\#(tags),"valence":0.\#(random.below(9)),"isFavorite":\#(random.isOne(in: 2))}"#
                )
                if random.isOne(in: 3) { _ = try first.result("mood.toggleFavorite", #"{"id":"\#(testID(number))"}"#) }
            }
            for format in ["jsonl", "csv"] {
                let text = try Self.export(first, format).joined()
                let second = TestSession(TestDirectory())
                second.now += 10_000_000
                let report = try second.result("store.import", #"{"text":\#(Self.text(text)),"strict":true}"#)
                #expect(report.text == #"{"created":40,"updated":0,"unchanged":0,"leftOut":0,"problems":[]}"#)
                #expect(try Self.moods(second) == Self.moods(first), "seed \(seed), \(format)")
                #expect(try second.result("store.info")["revision"]?.integer == 1)
                let again = try second.result("store.import", #"{"text":\#(Self.text(text))}"#)
                #expect(again["unchanged"]?.integer == 40)
                #expect(try second.result("store.info")["revision"]?.integer == 1)
            }
        }
    }

    @Test func allPagesShowTheStateOfTheFirst() throws {
        var options = HostOptions(place: .memory)
        let refusal = options.limits.set(.messageBytes, to: 65_536)
        #expect(refusal == nil)
        let directory = TestDirectory()
        var onDisk = options
        onDisk.place = .directory(directory.path)
        for session in [TestSession(options), TestSession(directory, onDisk)] {
            let notes = String(repeating: "\\\"", count: 4000)
            for number in 1...30 {
                _ = try session.result(
                    "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
            }
            var later = 100
            let pages = try Self.export(session, "jsonl") {
                later += 1
                _ = try session.result("mood.create", #"{"id":"\#(testID(later))","emoji":"😢","label":"Later"}"#)
                _ = try session.call("mood.delete", #"{"id":"\#(testID(later - 95))"}"#)
            }
            #expect(pages.count > 5)
            let lines = pages.joined().split(separator: "\n")
            #expect(lines.count == 30 && !lines.contains { $0.contains("Later") })
            // The last part is over, and an invalid cursor is refused.
            let cursor = try session.result("store.export", #"{"format":"jsonl"}"#)["nextCursor"]?.string ?? ""
            #expect(
                try session.call("store.export", #"{"format":"csv","cursor":"\#(cursor)"}"#).kind == "invalidParams")
            let page = try session.result("store.export", #"{"format":"jsonl","cursor":"\#(cursor)"}"#)["text"]?.string
            let same = try session.result("store.export", #"{"format":"jsonl","cursor":"\#(cursor)"}"#)["text"]?.string
            #expect(page == same, "an answer that was lost can be had again")
        }
    }

    /// A commit that is too long for a journal has its own file, and behaves like any other.
    @Test func aGreatImportIsOneCommitThatCanBeTakenBack() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        let notes = String(repeating: "n", count: 60_000)
        let lines = (2...90).map { number in
            #"{"id":"\#(testID(number))","emoji":"😊","label":"B","notes":"\#(notes)","timestamp":"2026-01-01T00:00:00Z"}"#
        }
        directory.write("import.txt", lines.joined(separator: "\n"))
        let before = try Self.moods(session)
        let report = try session.result("store.import", #"{"path":"\#(directory.path)/import.txt","opId":"i"}"#)
        #expect(report["created"]?.integer == 89)
        #expect(try FileSystem.system.isThere(directory.path + "/history/commit-2.jsonl"))
        // A page has 4 MiB at most.
        let after = try session.result("mood.list")["total"]?.integer
        _ = try session.result("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#)
        let other = TestSession(directory)
        let log = try other.result("store.log")["items"]?.array ?? []
        #expect(log.map { $0["revision"]?.integer } == [3, 2, 1])
        #expect(log[1]["summary"]?.string == "Recorded 89 moods" && log[1]["count"] == nil)
        let history = try other.result("mood.history", #"{"id":"\#(testID(90))"}"#)["items"]?.array ?? []
        #expect(history.map { $0["revision"]?.integer } == [2] && history[0]["kind"]?.string == "created")
        let undone = try other.result("store.undo", #"{"scope":"store","revision":2}"#)
        #expect(undone["undone"]?.array?.first?["ids"]?.array?.count == 89)
        #expect(try Self.moods(other).count == 1)
        #expect(try other.result("store.redo", #"{"scope":"store"}"#)["undone"]?.array?.count == 1)
        let again = TestSession(directory)
        #expect(try again.result("mood.list", #"{"limit":1000}"#)["total"]?.integer == 90)
        #expect(try again.result("store.undo", #"{"scope":"store","steps":2}"#)["undone"]?.array?.count == 2)
        #expect(try Self.moods(again).count == before.count && after == 90)
        #expect(try again.result("store.verify")["ok"]?.boolean == true)
        // A changed file is no longer history, and the host reports it.
        let name = directory.path + "/history/commit-2.jsonl"
        directory.write(
            "history/commit-2.jsonl", directory.text("history/commit-2.jsonl").replacing("\"B\"", with: "\"C\""))
        let damaged = try TestSession(directory).call("store.log")
        #expect(damaged.kind == "storeCorrupt" || name.isEmpty)
        let verified = try TestSession(directory).result("store.verify")
        #expect(verified["ok"]?.boolean == false)
        #expect(verified["problems"]?.array?.map { $0["file"]?.string } == ["history/commit-2.jsonl"])
    }

    /// A host was killed while it made a large commit. Its revision then went to another commit, which no journal has.
    @Test func whatAKilledCommitLeftFillsNoGap() throws {
        let (directory, other) = (TestDirectory(), TestDirectory())
        let notes = String(repeating: "n", count: 60_000)
        let lines = (2...90).map { #"{"id":"\#(testID($0))","emoji":"😊","label":"B","notes":"\#(notes)"}"# }
        do {
            let (here, there) = (TestSession(directory), TestSession(other))
            for session in [here, there] {
                _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"First"}"#)
            }
            other.write("import.txt", lines.joined(separator: "\n"))
            _ = try there.result("store.import", #"{"path":"\#(other.path)/import.txt"}"#)
            _ = try here.result("store.compact")
        }
        directory.write("history/commit-2.jsonl", other.text("history/commit-2.jsonl"))
        directory.write("moods.json", directory.text("moods.json").replacing("\"First\"", with: "\"Edited\""))
        let session = TestSession(directory)
        #expect(try session.result("store.verify")["problems"]?.array?.map { $0["kind"]?.string } == ["edited"])
        #expect(try session.result("store.accept", #"{"confirm":true}"#)["revision"]?.integer == 2)
        #expect(try session.result("store.log")["items"]?.array?.isEmpty == true)
        #expect(try session.result("mood.list")["total"]?.integer == 1)
        #expect(try !FileSystem.system.isThere(directory.path + "/history/commit-2.jsonl"))
    }

    @Test func whatCannotBeReadIsListedAndTheRestIsTaken() throws {
        let session = TestSession(TestDirectory())
        let text = "label,timestamp,valence\nA,2026-01-01T00:00:00Z,2\nB,2026-01-01T00:00:00Z,0.5\nC,x,\n"
        let report = try session.result("store.import", #"{"text":\#(Self.text(text))}"#)
        #expect(report["created"]?.integer == 2 && report["leftOut"]?.integer == 1)
        #expect(report["problems"]?.array?.map { $0["isKept"]?.boolean } == [true, nil])
        #expect(report["problems"]?.array?.map { $0["line"]?.integer } == [2, 4])
        #expect(report["problems"]?.array?.map { $0["column"]?.integer } == [3, 2])
        let strict = try session.call("store.import", #"{"text":\#(Self.text(text)),"strict":true}"#)
        #expect(strict.code == -32602 && strict["error"]?["data"]?["problems"]?.array?.count == 2)
        #expect(try session.result("store.info")["revision"]?.integer == 1)
    }

    /// Parts that may not be kept are left off.
    @Test func aMoodWithATimeAndAFeelingIsTaken() throws {
        let session = TestSession(TestDirectory())
        let long = String(repeating: "x", count: 300)
        let notes = String(repeating: "n", count: 70_000)
        let tags = (0..<40).map { #""t\#($0)""# } + [#""\#(long)""#, #""T1""#, "7"]
        let scales = (0..<20).map { #""s\#($0)":\#($0)"# } + [#""far":1001"#, #""text":"x""#]
        let lines = [
            #"{"emoji":"xx","label":"Happy","timestamp":"2026-01-01T00:00:01Z","notes":"\#(notes)","valence":7,"timeZone":"Mars/Base"}"#,
            #"{"emoji":"🫠","label":"\#(long)","timestamp":"2026-01-01T00:00:02Z","tags":[\#(tags.joined(separator: ","))]}"#,
            #"{"emoji":"😊","label":"","timestamp":"2026-01-01T00:00:03Z","scales":{\#(scales.joined(separator: ","))}}"#,
            #"{"id":"no","label":"Calm\nand more","timestamp":"2026-01-01T00:00:04Z","attachments":[{"kind":"link","url":"ftp://x"}],"isFavorite":"x"}"#,
            #"{"emoji":"😊","label":"Lost","timestamp":"never"}"#, #"{"emoji":"xx","timestamp":"2026-01-01T00:00:05Z"}"#,
        ]
        let text = Self.text(lines.joined(separator: "\n"))
        let report = try session.result("store.import", #"{"text":\#(text)}"#)
        #expect(report["created"]?.integer == 4 && report["leftOut"]?.integer == 2, "\(report.text.prefix(3000))")
        let moods = try session.result("mood.list", #"{"order":"asc"}"#)["items"]?.array ?? []
        #expect(moods.map { $0["emoji"]?.string } == ["😊", "🫠", "😊", "💭"])
        #expect(moods[0]["notes"]?.string?.utf8.count == 70_000 && moods[0]["valence"] == nil)
        #expect(moods[1]["notes"]?.string == long && moods[1]["label"]?.string?.hasSuffix("…") == true)
        #expect(moods[1]["tags"]?.array?.count == 32 && moods[2]["scales"]?.object?.count == 16)
        #expect(moods[2]["label"]?.string == "Happy" && moods[3]["label"]?.string == "Calm and more")
        let again = try session.result("store.import", #"{"text":\#(text)}"#)
        #expect(again["unchanged"]?.integer == 4)
        #expect(try session.call("store.import", #"{"text":\#(text),"strict":true}"#).code == -32602)
    }

    @Test func linesOfOtherProgramsMayWriteTimesInTheirWay() throws {
        let session = TestSession(TestDirectory())
        let text = Self.text(
            #"{"emoji":"😊","label":"A","timestamp":"29.08.2024 21:10"}"# + "\n"
                + #"{"emoji":"😊","label":"B","timestamp":"2024-08-29 21:10:00 +0200"}"# + "\n"
                + #"{"emoji":"😊","label":"C","timestamp":"yesterday"}"#)
        let report = try session.result("store.import", #"{"text":\#(text),"timeZone":"Europe/Berlin"}"#)
        #expect(report["created"]?.integer == 2 && report["leftOut"]?.integer == 1)
        let moods = try session.result("mood.list")["items"]?.array ?? []
        #expect(moods.allSatisfy { $0["timestamp"]?.string == "2024-08-29T19:10:00.000Z" })
        #expect(report["problems"]?.array?.count == 1)
    }

    /// A file of fewer members leaves the others of a mood that is there.
    @Test func aMoodKeepsWhatAFileCannotSay() throws {
        let session = TestSession(TestDirectory())
        let id = "01890000-0000-7000-8000-000000000001"
        let first =
            #"{"id":"\#(id)","emoji":"🦄","label":"Happy","timestamp":"2026-01-02T03:04:05.678Z","notes":"n","tags":["t"],"valence":0.5,"#
            + #""scales":{"a":1,"b":2},"timeZone":"Europe/Berlin","isFavorite":true,"updatedAt":"2026-01-02T03:04:05.678Z","#
            + #""attachments":[{"kind":"link","url":"https://a.example/"},{"kind":"place","latitude":1.5,"longitude":2.5}]}"#
        func take(_ text: String, _ more: String = "") throws -> JSONValue? {
            let report = try session.result("store.import", #"{"text":\#(Self.text(text))\#(more)}"#)
            #expect(report["created"]?.integer == 1 || report["updated"]?.integer == 1, "\(report.text)")
            return try session.result("mood.list")["items"]?.array?.first
        }
        let before = try #require(try take(first))
        let calendar = try take(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:\(id)\nDTSTART:20260102T030405Z\nLAST-MODIFIED:20270102T030405Z\n"
                + "SUMMARY:Happy\nDESCRIPTION:new\nCATEGORIES:t\nGEO:3;4\nEND:VEVENT\nEND:VCALENDAR\n")
        for name in ["emoji", "label", "timestamp", "tags", "valence", "scales", "timeZone", "isFavorite", "createdAt"]
        {
            #expect(calendar?[name]?.text == before[name]?.text, "\(name)")
        }
        #expect(calendar?["notes"]?.string == "new" && calendar?["attachments"]?.array?.count == 2)
        #expect(calendar?["attachments"]?.array?[1]["latitude"]?.double == 3)
        let table = try take(
            "id,label,timestamp,notes,scales.a\n\(id),Sad,2026-01-02T03:04:05Z,,9\n", #","replace":true"#)
        #expect(table?["label"]?.string == "Sad" && table?["emoji"]?.string == "😢" && table?["notes"]?.string == "")
        #expect(table?["scales"]?["a"]?.integer == 9 && table?["scales"]?["b"]?.integer == 2)
        #expect(table?["valence"]?.text == "0.5" && table?["isFavorite"]?.boolean == true)
        // jsonl says everything.
        let whole = try take(
            #"{"id":"\#(id)","emoji":"😊","label":"A","timestamp":"2026-01-02T03:04:05Z"}"#, #","replace":true"#)
        #expect(whole?["valence"] == nil && whole?["scales"] == nil && whole?["isFavorite"]?.boolean == false)
    }

    @Test func anIdThatStandsTwiceIsTold() throws {
        let session = TestSession(TestDirectory())
        let lines = ["A", "B", "A"].map {
            #"{"id":"01890000-0000-7000-8000-000000000001","emoji":"😊","label":"\#($0)","timestamp":"2026-01-02T03:04:05Z"}"#
        }
        let text = Self.text(lines.joined(separator: "\n"))
        let report = try session.result("store.import", #"{"text":\#(text)}"#)
        #expect(report["created"]?.integer == 1 && report["unchanged"]?.integer == 2)
        #expect(report["problems"]?.array?.map { $0["line"]?.integer } == [2])
        #expect(try session.call("store.import", #"{"text":\#(text),"strict":true}"#).code == nil)
    }

    /// A copy that is cut off or changed is not taken as any other file either.
    @Test func aDamagedCopyIsNotImported() throws {
        let session = TestSession(TestDirectory())
        _ = try session.result("mood.create", #"{"emoji":"😊","label":"A"}"#)
        _ = try session.result("mood.create", #"{"emoji":"😊","label":"B"}"#)
        let copy = try session.result("store.export", #"{"format":"jsonl","backup":true}"#)["text"]?.string ?? ""
        let lines = copy.split(separator: "\n").map(String.init)
        let cut = lines.dropLast(2).joined(separator: "\n") + "\n"
        let headless = lines.dropFirst().joined(separator: "\n") + "\n"
        for text in [cut, headless, copy.replacing("\"A\"", with: "\"C\"")] {
            let other = TestSession(TestDirectory())
            let answer = try other.call("store.import", #"{"text":\#(Self.text(text))}"#)
            #expect(answer.code == -32602, "\(answer.text)")
            #expect(try other.result("mood.list")["total"]?.integer == 0)
        }
        let whole = try TestSession(TestDirectory()).result("store.import", #"{"text":\#(Self.text(copy))}"#)
        #expect(whole["created"]?.integer == 2)
    }

    @Test func replaceMakesMoodsWhatTheFileSays() throws {
        let session = TestSession(TestDirectory())
        let text = "label,timestamp,notes\nA,2026-01-01T00:00:00Z,first\n"
        _ = try session.result("store.import", #"{"text":\#(Self.text(text))}"#)
        let id = try session.result("mood.list")["items"]?.array?.first?["id"]?.string ?? ""
        _ = try session.result("mood.setNotes", #"{"id":"\#(id)","notes":"mine"}"#)
        #expect(try session.result("store.import", #"{"text":\#(Self.text(text))}"#)["unchanged"]?.integer == 1)
        #expect(try session.result("mood.get", #"{"id":"\#(id)"}"#)["notes"]?.string == "mine")
        #expect(
            try session.result("store.import", #"{"text":\#(Self.text(text)),"replace":true}"#)["updated"]?.integer == 1
        )
        #expect(try session.result("mood.get", #"{"id":"\#(id)"}"#)["notes"]?.string == "first")
        // A deleted mood comes back.
        _ = try session.result("mood.delete", #"{"id":"\#(id)"}"#)
        #expect(try session.result("store.import", #"{"text":\#(Self.text(text))}"#)["created"]?.integer == 1)
    }
}
