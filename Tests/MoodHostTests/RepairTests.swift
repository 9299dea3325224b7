import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// A running host whose store is repaired: the next request meets the new state.
@Suite struct RepairTests {
    private let confirmed = #"{"confirm":true}"#

    private func filled(_ directory: TestDirectory) throws -> TestSession {
        let session = TestSession(directory)
        for (number, label) in [(1, "One"), (2, "Two")] {
            _ = try session.result(
                "mood.create",
                #"{"id":"\#(testID(number))","emoji":"😊","label":"\#(label)","timestamp":"2026-01-0\#(number)T00:00:00Z"}"#
            )
        }
        _ = try session.result("store.compact")
        return session
    }

    private func edit(_ directory: TestDirectory, _ old: String, _ new: String) {
        directory.write("moods.json", directory.text("moods.json").replacing(old, with: new))
    }

    private func labels(_ session: TestSession) throws -> [String] {
        let list = try session.result("mood.list", #"{"order":"asc"}"#)
        return (list["items"]?.array ?? []).compactMap { $0["label"]?.string }
    }

    @Test func anAcceptedEditIsThereAtOnceAndCanBeChanged() throws {
        let directory = TestDirectory()
        let session = try filled(directory)
        edit(directory, "\"One\"", "\"Won\"")
        let report = try session.result("store.accept", confirmed)
        #expect(report["accepted"]?.boolean == true && report["revision"]?.integer == 3)
        #expect(report["moods"]?.integer == 2 && report["backup"]?.string == "backup-2.json")
        #expect(try labels(session) == ["Won", "Two"])
        let mood = try session.result("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#)
        #expect(mood["revision"]?.integer == 4)
        #expect(try session.result("store.accept", confirmed)["accepted"]?.boolean == false)
    }

    @Test func aMoodAddedByHandGetsWhatItLacks() throws {
        let directory = TestDirectory()
        let session = try filled(directory)
        edit(
            directory, "\"moods\":[",
            #""moods":[{"emoji":"😴","label":" Tired ","timestamp":"2026-01-01T12:00:00+02:00","mine":[1, 2]},"#)
        let report = try session.result("store.accept", confirmed)
        #expect(report["completed"]?.integer == 1 && report["moods"]?.integer == 3)
        let list = try session.result("mood.list", #"{"order":"asc"}"#)
        let mood = try #require(list["items"]?.array?[1])
        #expect(mood["label"]?.string == "Tired" && mood["timestamp"]?.string == "2026-01-01T10:00:00.000Z")
        #expect(mood["revision"]?.integer == 3 && mood["isFavorite"]?.boolean == false && mood["tags"]?.array != nil)
        #expect(mood["mine"]?.text == "[1,2]" || mood["mine"]?.array?.count == 2)
        #expect(mood["createdAt"]?.string == list["items"]?.array?[1]["updatedAt"]?.string)
        #expect(try session.result("store.verify")["ok"]?.boolean == true)
    }

    @Test(arguments: [
        (#""emoji":"😊""#, #""emoji":"x""#, "emoji"), (#""label":"Two""#, #""label":"""#, "label"),
        (#""tags":[]"#, #""tags":["a","a"]"#, "tags"), (#""notes":"""#, #""notes":null"#, "notes"),
        (#","revision":2}"#, #","revision":-2}"#, "revision"), (#","label":"Two""#, "", "lacks \"label\""),
        (#""isFavorite":false"#, #""isFavorite":0"#, "isFavorite"),
        (#""notes":"""#, #""notes":"","actions":1"#, "actions"),
        (#""attachments":[]"#, #""attachments":[{"kind":"link"}]"#, "attachments"),
        (#""notes":"""#, #""notes":"","valence":2"#, "valence"),
    ])
    func whatARequestMayNotSayNeitherMayAnEdit(old: String, new: String, reason: String) throws {
        let directory = TestDirectory()
        let session = try filled(directory)
        edit(directory, old, new)
        let before = directory.text("moods.json")
        let answer = try session.call("store.accept", confirmed)
        #expect(answer.kind == "refused" && answer["error"]?["data"]?["by"]?.string == "store.accept")
        let problem = try #require(answer["error"]?["data"]?["problems"]?.array?.first)
        #expect(problem["reason"]?.string?.contains(reason) == true, "\(problem.text)")
        #expect(problem["line"]?.integer.map { (2...3).contains($0) } == true)
        let offset = try #require(problem["offset"]?.integer)
        #expect(offset > 0 && offset < before.utf8.count)
        #expect(directory.text("moods.json") == before)
    }

    @Test func aResetStoreIsNewAtOnce() throws {
        let directory = TestDirectory()
        let session = try filled(directory)
        let aside = try #require(try session.result("store.reset", confirmed)["setAside"]?.string)
        #expect(aside.hasPrefix(directory.path + "/set-aside-"))
        #expect(try labels(session).isEmpty)
        #expect(try session.result("store.info")["revision"]?.integer == 0)
        _ = try session.result("mood.create", #"{"emoji":"😊","label":"New"}"#)
        #expect(directory.text(String(aside.dropFirst(directory.path.utf8.count + 1)) + "/moods.json").contains("Two"))
    }

    /// Its subscribers must read everything again, so its answer comes first.
    @Test func aResetHoldsUpNoPingAndItsEventFollowsItsAnswer() throws {
        let directory = TestDirectory()
        let gate = HelperGate(.makingDurable)
        _ = try filled(directory)
        let session = TestSession(directory, gate.fileSystem)
        session.waitBeside()
        _ = try session.result("events.subscribe", #"{"topics":["store","mood"]}"#)
        let lines = [request(2, "store.reset", confirmed), request(3, "host.ping"), request(4, "mood.list")]
        #expect(try session.answersNow(lines).map(\.id) == [3])
        #expect(try session.answersNow([request(5, "host.ping")]).map(\.id) == [5])
        gate.open()
        // The new store is there, and the loop does not know it yet.
        session.awaitHelper()
        #expect(try session.answersNow([request(6, "host.ping")]).map(\.id) == [6])
        let rest = try session.answers()
        #expect(rest.map(\.id) == [2, nil, nil, 4])
        #expect(rest[1]["params"]?["type"]?.string == "replaced" && rest[2]["params"]?["resync"]?.boolean == true)
        #expect(rest[3]["result"]?["total"]?.integer == 0)
    }

    @Test func aResetMendsAStoreThatCannotBeOpened() throws {
        let directory = TestDirectory()
        _ = try filled(directory)
        directory.write("moods.json", "this is not JSON")
        let session = TestSession(directory)
        #expect(try session.call("mood.list").outcome == "storeCorrupt")
        #expect(try session.call("store.accept", confirmed).kind == "refused")
        #expect(try session.call("store.reset", confirmed).outcome == "ok")
        #expect(try labels(session).isEmpty)
    }

    @Test func changesOfTheSameReadAreInWhatIsSetAsideOrSaved() throws {
        let directory = TestDirectory()
        let saved = TestDirectory()
        let session = try filled(directory)
        let answers = try session.answers(
            request(1, "mood.setNotes", #"{"id":"\#(testID(1))","notes":"in time"}"#),
            request(2, "store.salvage", #"{"to":"\#(saved.path)"}"#), request(3, "store.reset", confirmed),
            request(4, "mood.list"), request(5, "mood.create", #"{"emoji":"😊","label":"New"}"#))
        #expect(answers.map(\.outcome) == ["ok", "ok", "ok", "ok", "ok"] && answers.map(\.id) == [1, 2, 3, 4, 5])
        #expect(answers[3]["result"]?["items"]?.array?.isEmpty == true)
        #expect(saved.text("moods.json").contains("in time"))
        let aside = directory.names.first { $0.hasPrefix("set-aside-") } ?? ""
        #expect(directory.text(aside + "/journal-2.jsonl").contains("in time"))
    }

    /// Whole commits may stand after a damaged one. A session that has the store open shows none of them.
    @Test(arguments: [nil, "store.info", "store.verify", "mood.list"])
    func anOpenStoreIsSalvagedAsAClosedOneIs(before: String?) throws {
        let directory = TestDirectory()
        do {
            let session = TestSession(directory)
            for number in 1...5 {
                _ = try session.result(
                    "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"Mood \#(number)"}"#)
            }
        }
        directory.write("journal-1.jsonl", directory.text("journal-1.jsonl").replacing("Mood 3", with: "Moos 3"))
        let saved = TestDirectory()
        let session = TestSession(directory)
        if let before { _ = try session.call(before) }
        let report = try session.result("store.salvage", #"{"to":"\#(saved.path)"}"#)
        #expect(report["moods"]?.integer == 4 && report["revision"]?.integer == 5)
        #expect(report["skippedCount"]?.integer == 1)
    }

    /// A group that is answered again must not reset the store a second time.
    @Test func aFailedSyncBehindAResetDoesNotRepeatIt() throws {
        let directory = TestDirectory()
        let fault = Fault()
        _ = try filled(directory)
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.list")
        fault.set("fdatasync", EIO)
        let answers = try session.answers(
            request(1, "store.reset", confirmed), request(2, "mood.create", #"{"emoji":"😊","label":"Lost"}"#))
        #expect(answers.map(\.outcome) == ["ok", "outcomeUnknown"])
        #expect(directory.names.filter { $0.hasPrefix("set-aside-") }.count == 1)
    }

    @Test func inABatchARepairIsNotDoneTwiceEither() throws {
        let directory = TestDirectory()
        let fault = Fault()
        _ = try filled(directory)
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.list")
        fault.set("fdatasync", EIO)
        let batch =
            "[" + request(1, "store.reset", confirmed) + ","
            + request(2, "mood.create", #"{"emoji":"😊","label":"Lost"}"#) + "]"
        let answers = try #require(try session.answers(batch).first?.array)
        #expect(answers.map(\.outcome) == ["ok", "outcomeUnknown"])
        #expect(directory.names.filter { $0.hasPrefix("set-aside-") }.count == 1)
    }

    /// Another host on the directory, with the store open, continues with the repaired one.
    @Test func anotherHostGoesOnWithTheMendedStore() throws {
        let directory = TestDirectory()
        let mending = try filled(directory)
        let before = TestSession(directory)
        #expect(try labels(before) == ["One", "Two"])
        edit(directory, "\"One\"", "\"Won\"")
        let beside = TestSession(directory)
        #expect(try beside.call("mood.clear", confirmed).kind == "storeReadOnly")
        _ = try mending.result("store.accept", confirmed)
        for session in [before, beside] {
            #expect(try labels(session) == ["Won", "Two"])
            #expect(try session.call("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#).outcome == "ok")
        }
        _ = try mending.result("store.reset", confirmed)
        for session in [before, beside, mending] {
            _ = try session.result("mood.create", #"{"emoji":"😊","label":"New"}"#)
        }
        #expect(try labels(before).count == 3 && labels(beside).count == 3)
        #expect(try before.result("store.verify")["ok"]?.boolean == true)
    }

    @Test func whatIsReadOnlyIsNotMendedButSaved() throws {
        let directory = TestDirectory()
        let saved = TestDirectory()
        _ = try filled(directory)
        let session = TestSession(directory, isReadOnly: true)
        #expect(try session.call("store.accept", confirmed).kind == "storeReadOnly")
        #expect(try session.call("store.reset", confirmed).kind == "storeReadOnly")
        #expect(try session.result("store.salvage", #"{"to":"\#(saved.path)"}"#)["moods"]?.integer == 2)
        let memory = TestSession()
        for (method, params) in [
            ("store.accept", confirmed), ("store.reset", confirmed), ("store.salvage", #"{"to":"\#(saved.path)"}"#),
        ] { #expect(try memory.call(method, params).kind == "refused") }
    }

    @Test func aPathMustBeAbsoluteAndAnswerIsConfirmed() throws {
        let session = TestSession()
        #expect(try session.call("store.salvage", #"{"to":"here"}"#).path == "/to")
        #expect(try session.call("store.salvage").path == "/to")
        for method in ["store.accept", "store.reset"] {
            #expect(try session.call(method).path == "/confirm")
            #expect(try session.call(method, #"{"confirm":false}"#).path == "/confirm")
        }
    }
}

/// Progress leaves while the request works, unless other output waits.
@Suite struct ProgressTests {
    private static func notices(_ lines: [JSONValue]) -> [JSONValue] {
        lines.filter { $0["method"]?.string == "$/progress" }
    }

    private func large(_ directory: TestDirectory) throws -> TestSession {
        let session = TestSession(directory)
        let notes = String(repeating: "n", count: 60_000)
        for _ in 1...60 { _ = try session.result("mood.create", #"{"emoji":"😊","label":"A","notes":"\#(notes)"}"#) }
        return session
    }

    @Test(arguments: ["store.verify", "store.compact", "store.salvage"])
    func comesBeforeTheAnswerAndEndsWithTheTotal(method: String) throws {
        let directory = TestDirectory()
        let saved = TestDirectory()
        let session = try large(directory)
        let to = method == "store.salvage" ? #","to":"\#(saved.path)""# : ""
        let lines = try session.answers(request(9, method, #"{"progressToken":"t"\#(to)}"#))
        #expect(lines.last?.id == 9 && lines.last?.outcome == "ok")
        let values = Self.notices(lines).compactMap { $0["params"]?["value"] }
        #expect(values.count == lines.count - 1 && values.count >= 2)
        #expect(Self.notices(lines).allSatisfy { $0["params"]?["token"]?.string == "t" })
        let done = values.compactMap { $0["done"]?.integer }
        #expect(done.first == 0 && done == done.sorted() && done.last == values.last?["total"]?.integer)
        #expect(try session.answers(request(10, "host.ping")).count == 1)
    }

    @Test func compactionCountsMoods() throws {
        let session = TestSession(TestDirectory())
        let lines = (1...9000).map { request($0, "mood.create", #"{"emoji":"😊","label":"A"}"#) }
        _ = session.output(for: lines.joined(separator: "\n") + "\n")
        let values = Self.notices(try session.answers(request(1, "store.compact", #"{"progressToken":1}"#))).compactMap
        {
            $0["params"]?["value"]
        }
        #expect(values.first?["done"]?.integer == 0 && values.last?["done"]?.integer == 9000)
        #expect(values.allSatisfy { $0["total"]?.integer == 9000 })
    }

    /// A client that does not read misses all progress but the latest, and gets whole notifications before the answer.
    @Test func waitsWithTheOutput() throws {
        let session = try large(TestDirectory())
        let verify = request(2, "store.verify", #"{"progressToken":7}"#)
        let after = try session.answers(request(1, "host.ping"), verify)
        #expect(after.first?.id == 1 && after.last?.id == 2 && Self.notices(after).count >= 2)
        let batch = try session.answers("[\(verify)]")
        #expect(batch.last?.array?.count == 1 && Self.notices(batch).count >= 2)
    }
}
