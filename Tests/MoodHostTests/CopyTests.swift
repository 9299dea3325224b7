import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// Copies of a store over the wire, and stores that show less than they acknowledged.
@Suite struct CopyTests {
    private static func text(_ text: String) -> String { JSONValue.string(text).text }

    private static func copy(_ session: TestSession) throws -> String {
        try session.result("store.export", #"{"format":"jsonl","backup":true}"#)["text"]?.string ?? ""
    }

    private static func filled(_ directory: TestDirectory) throws {
        let session = TestSession(directory)
        for number in 1...4 {
            _ = try session.result(
                "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"L\#(number)"}"#)
        }
    }

    private static func damage(_ directory: TestDirectory) {
        let name = "journal-1.jsonl"
        directory.write(name, directory.text(name).replacing("\"L2\"", with: "\"X2\""))
    }

    @Test func whatAStoreHoldsComesBack() throws {
        var options = HostOptions(place: .memory)
        let refusals = [options.limits.set(.notesBytes, to: 100_000), options.limits.set(.tags, to: 50)]
        #expect(refusals.allSatisfy { $0 == nil })
        let first = TestSession(options)
        let tags = (0..<40).map { "\"t\($0)\"" }.joined(separator: ",")
        let notes = String(repeating: "n", count: 90_000)
        _ = try first.result(
            "mood.create",
            #"{"id":"\#(testID(1))","emoji":"😊","label":"L","notes":"\#(notes)","tags":[\#(tags)]}"#)
        var copy = try Self.copy(first)
        // An unknown member and an unknown kind: then the checksum of the copy is wrong, and --damaged takes it.
        copy = copy.replacing(
            "\"attachments\":[]",
            with: #""attachments":[{"kind":"video","x":1},{"kind":"link","url":"ftp://a"}],"odd":{"a":1}"#)
        let second = TestSession(TestDirectory())
        let refused = try second.call("store.import", #"{"text":\#(Self.text(copy)),"copy":true}"#)
        #expect(refused.kind == "invalidParams")
        #expect(try second.result("store.info")["moods"]?.integer == 0)
        let lines = copy.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n") + "\n"
        let report = try second.result("store.import", #"{"text":\#(Self.text(lines)),"copy":true}"#)
        #expect(report["created"]?.integer == 1 && report["isChecked"]?.boolean == false)
        let mood = try second.result("mood.get", #"{"id":"\#(testID(1))"}"#)
        #expect(mood["notes"]?.string == notes && mood["tags"]?.array?.count == 40)
        #expect(mood["odd"]?.text == #"{"a":1}"# && mood["attachments"]?.array?.count == 2)
        // The rules of requests apply to a file that is no copy.
        let third = TestSession(TestDirectory())
        let foreign = try third.result("store.import", #"{"text":\#(Self.text(lines))}"#)
        #expect(foreign["problems"]?.array?.isEmpty == false)
        #expect(try third.result("mood.get", #"{"id":"\#(testID(1))"}"#)["attachments"]?.array?.count ?? 0 < 2)
    }

    /// Damaged settings keep no person from a copy of the moods.
    @Test func aCopyIsMadeBesideDamagedSettings() throws {
        let directory = TestDirectory()
        try Self.filled(directory)
        _ = try TestSession(directory).result("settings.set", #"{"dayStartsAt":"04:00"}"#)
        directory.write("settings.json", directory.text("settings.json").replacing("04:00", with: "05:00"))
        let session = TestSession(directory)
        for more in [#","backup":true"#, ""] {
            let refused = try session.call("store.export", #"{"format":"jsonl"\#(more)}"#)
            #expect(refused.kind == "storeCorrupt")
            #expect(refused["error"]?["data"]?["file"]?.string == "settings.json")
            #expect(refused["error"]?["message"]?.string?.contains("say damaged:true") == true)
        }
        let copy = try session.result("store.export", #"{"format":"jsonl","backup":true,"damaged":true}"#)
        let text = copy["text"]?.string ?? ""
        #expect(!text.contains(#""settings""#))
        let head = try JSONValue(parsing: String(text.prefix { $0 != "\n" }))
        #expect(head["storeId"]?.string?.count == 36 && head["revision"]?.integer == 4)
        let report = try TestSession(TestDirectory()).result(
            "store.import", #"{"text":\#(Self.text(text)),"copy":true}"#)
        #expect(report["created"]?.integer == 4 && report["isChecked"]?.boolean == true)
    }

    @Test func aCopyIsCheckedBeforeAnythingIsTaken() throws {
        let directory = TestDirectory()
        try Self.filled(directory)
        let copy = try Self.copy(TestSession(directory))
        let whole = TestSession(TestDirectory())
        let report = try whole.result("store.import", #"{"text":\#(Self.text(copy)),"copy":true}"#)
        #expect(report["created"]?.integer == 4 && report["isChecked"]?.boolean == true)
        let cut = copy.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        let session = TestSession(TestDirectory())
        let refused = try session.call("store.import", #"{"text":\#(Self.text(cut)),"copy":true}"#)
        #expect(refused.kind == "invalidParams" && refused["error"]?["data"]?["path"]?.string == "/damaged")
        let lines = copy.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n") + "\n{}\n"
        let unread = try session.call("store.import", #"{"text":\#(Self.text(lines)),"copy":true}"#)
        #expect(unread["error"]?["message"]?.string?.hasPrefix("/damaged is needed to take ") == true)
        let imported = try session.call("store.import", #"{"text":\#(Self.text(cut))}"#)
        #expect(imported["error"]?["message"]?.string?.contains("store.import with copy and damaged takes") == true)
        let taken = try session.result("store.import", #"{"text":\#(Self.text(cut)),"copy":true,"damaged":true}"#)
        #expect(taken["created"]?.integer == 4 && taken["problems"]?.array?.count == 1)
    }

    @Test(arguments: [
        ("store.export", #"{"format":"csv","backup":true}"#), ("store.import", #"{"text":"","damaged":true}"#),
        ("store.export", #"{"format":"jsonl","backup":true,"history":true}"#),
        ("store.export", #"{"format":"jsonl","backup":true,"filter":{"isFavorite":true}}"#),
        ("store.import", #"{"text":"","copy":true,"format":"csv"}"#),
        ("store.import", #"{"text":"","copy":true,"map":{"a":"label"}}"#),
    ])
    func whatDoesNotBelongToACopyIsRefused(method: String, params: String) throws {
        #expect(try TestSession().call(method, params).kind == "invalidParams")
    }

    @Test func aDamagedStoreSaysSoWhereverMoodsAreShown() throws {
        let directory = TestDirectory()
        try Self.filled(directory)
        #expect(try TestSession(directory).result("store.info")["damaged"] == nil)
        Self.damage(directory)
        let session = TestSession(directory)
        let damaged = try #require(try session.result("store.info")["damaged"])
        #expect(damaged["file"]?.string == "journal-1.jsonl" && damaged["shown"]?.integer == 1)
        #expect(damaged["durable"]?.integer == 4 && damaged["offset"]?.integer ?? 0 > 0)
        #expect(try session.result("host.info")["store"]?["damaged"]?.text == damaged.text)
        for route in [#"{"name":"crudList"}"#, #"{"name":"moodDetail","id":"\#(testID(1))"}"#] {
            let screen = try session.result("nav.screen", #"{"route":\#(route),"locale":"de_DE"}"#)
            #expect(screen["footer"]?.array?.first?.string?.hasPrefix("Nicht alles") == true)
        }
        let detail = try session.result("mood.detail", #"{"id":"\#(testID(1))"}"#)
        #expect(detail["cells"]?.array?.contains { $0["kind"]?.string == "storeCorrupt" } == true)
        for format in ["jsonl", "csv", "ics", "html"] {
            let refused = try session.call("store.export", #"{"format":"\#(format)"}"#)
            #expect(refused.kind == "storeCorrupt")
            let taken = try session.result("store.export", #"{"format":"\#(format)","damaged":true}"#)
            #expect(taken["text"]?.string?.contains("L1") == true)
        }
    }

    @Test func membersOfTheDocumentComeBack() throws {
        let directory = TestDirectory()
        try FileSystem.system.makeDirectoryIfMissing(directory.path)
        directory.write(
            "moods.json",
            #"{"schemaVersion":2,"theme":{"hue":7},"moods":[{"emoji":"😊","label":"a","timestamp":"2026-01-02T03:04:05Z"}]}"#
        )
        let copy = try Self.copy(TestSession(directory))
        for isUsed in [false, true] {
            let other = TestDirectory()
            let session = TestSession(other)
            if isUsed { _ = try session.result("mood.create", #"{"emoji":"😊","label":"b"}"#) }
            _ = try session.result("store.import", #"{"text":\#(Self.text(copy)),"copy":true,"dryRun":true}"#)
            #expect(isUsed == other.names.contains("moods.json"))
            let report = try session.result("store.import", #"{"text":\#(Self.text(copy)),"copy":true}"#)
            #expect(report["created"]?.integer == 1)
            #expect(other.text("moods.json").contains(#","theme":{"hue":7},"moods":["#))
            #expect(try session.result("store.verify")["ok"]?.boolean == true)
        }
    }
}
