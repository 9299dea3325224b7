import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// The helper thread imports a large file, with the store: pings do not wait, and the rest keeps its order.
@Suite struct LongImportTests {
    private let gate = HelperGate(.makingDurable)
    private let directory = TestDirectory()
    private let files = TestDirectory()
    private let session: TestSession

    init() throws {
        session = TestSession(directory, gate.fileSystem)
        session.waitBeside()
        mkdir(files.path, 0o700)
    }

    private static func create(_ number: Int) -> String {
        request(number, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
    }

    /// A table that is too large for the loop.
    private func table(_ rows: Int = 4_000, bad: Int = 0) -> String {
        var text = "timestamp,emoji,label,notes\n"
        for number in 0..<rows {
            let (minute, second) = ("\(number / 60 % 60 + 100)".dropFirst(), "\(number % 60 + 100)".dropFirst())
            text += "2026-01-01T00:\(minute):\(second)Z,😊,Happy,row \(number)\n"
        }
        for _ in 0..<bad { text += "never,😊,Happy,\n" }
        files.write("table.csv", text)
        return "\"path\":\"\(files.path)/table.csv\""
    }

    private func now(_ lines: String...) throws -> [JSONValue] { try session.answersNow(lines) }

    /// The answers after the gate is open.
    private func later() throws -> [JSONValue] {
        gate.open()
        return try session.answers()
    }

    @Test func itHoldsUpNoPingAndLaterRequestsSeeIt() throws {
        #expect(try now(Self.create(1)).map(\.outcome) == ["ok"])
        let answers = try now(
            request(2, "store.import", "{\(table())}"), request(3, "host.ping"), request(4, "mood.list"),
            Self.create(5), request(6, "host.info"))
        #expect(answers.map(\.id) == [3, 6] && answers.map(\.outcome) == ["ok", "ok"])
        #expect(answers[1]["result"]?["store"]?["moods"]?.integer == 1)
        #expect(try now(request(7, "host.ping"), request(8, "store.info")).map(\.id) == [7])
        #expect(session.hasPending)
        let rest = try later()
        #expect(rest.map(\.id) == [2, 4, 5, 8] && rest.allSatisfy { $0.outcome == "ok" })
        #expect(rest[0]["result"]?["created"]?.integer == 4_000)
        #expect(rest[1]["result"]?["total"]?.integer == 4_001)
        #expect(rest[3]["result"]?["moods"]?.integer == 4_002)
        #expect(rest[3]["result"]?["revision"]?.integer == 3)
        #expect(!session.hasPending)
    }

    /// In memory too: it leaves nothing where it is cancelled, and is one commit.
    @Test func inMemoryItHoldsUpNoPing() throws {
        let session = TestSession()
        session.waitBeside()
        let line = request(2, "store.import", "{\(table(100_000))}")
        #expect(try session.answersNow([line, request(3, "host.ping"), request(4, "mood.list")]).map(\.id) == [3])
        #expect(try session.answersNow([notification("$/cancelRequest", #"{"id":2}"#)]).isEmpty)
        let answers = try session.answers()
        #expect(answers.map(\.outcome) == ["cancelled", "ok"] && answers[1]["result"]?["total"]?.integer == 0)
        #expect(try session.result("store.import", "{\(table())}")["created"]?.integer == 4_000)
        #expect(try session.result("store.undo")["undone"]?.array?.count == 1)
    }

    @Test func itIsOneCommitAndOneUndo() throws {
        gate.open()
        #expect(try session.result("store.import", "{\(table())}")["created"]?.integer == 4_000)
        #expect(try session.result("store.undo")["undone"]?.array?.count == 1)
        let info = try session.result("store.info")
        #expect(info["moods"]?.integer == 0 && info["revision"]?.integer == 2)
        #expect(try session.result("store.redo")["undone"]?.array?.count == 1)
        #expect(try session.result("store.info")["moods"]?.integer == 4_000)
    }

    /// It is large enough to become a snapshot.
    @Test func itMayBeAsLargeAsASnapshot() throws {
        gate.open()
        _ = try session.result("mood.create", #"{"emoji":"😊","label":"A"}"#)
        #expect(try session.result("store.import", "{\(table(20_000))}")["created"]?.integer == 20_000)
        #expect(directory.names.contains("backup-1.json"))
        let info = try session.result("store.info")
        #expect(info["moods"]?.integer == 20_001 && info["revision"]?.integer == 2)
        #expect(try session.result("store.undo")["undone"]?.array?.count == 1)
        #expect(try session.result("store.info")["moods"]?.integer == 1)
        #expect(try session.result("store.verify")["ok"]?.boolean == true)
    }

    @Test func progressIsTold() throws {
        gate.open()
        let answers = try session.answers(request(2, "store.import", "{\(table()),\"progressToken\":\"p\"}"))
        let told = answers.filter { $0["method"]?.string == "$/progress" }.compactMap { $0["params"]?["value"] }
        #expect(told.first?["done"]?.integer == 0)
        #expect(told.last?["done"]?.integer == told.last?["total"]?.integer)
        #expect(answers.last?.id == 2)
    }

    @Test func itCanBeCancelledUntilItIsCommitted() throws {
        #expect(try now(Self.create(1)).map(\.outcome) == ["ok"])
        // Large enough not to be over before the next line is read.
        #expect(try now(request(2, "store.import", "{\(table(100_000))}"), request(3, "mood.list")).isEmpty)
        #expect(try now(notification("$/cancelRequest", #"{"id":2}"#)).isEmpty)
        let answers = try later()
        #expect(answers.map(\.id) == [2, 3] && answers.map(\.outcome) == ["cancelled", "ok"])
        #expect(answers[1]["result"]?["total"]?.integer == 1)
        #expect(try session.result("store.info")["revision"]?.integer == 1)
        #expect(try session.call("mood.create", #"{"emoji":"😊","label":"A"}"#).outcome == "ok")
    }

    /// They need the lock that the import has: the process does not wait for itself, and they keep their order.
    @Test func changesOfPluginsWaitForItInTheirOrder() throws {
        #expect(try now(Self.create(1)).map(\.outcome) == ["ok"])
        let id = "org.example.one"
        for folder in ["plugins", "plugins/\(id)"] { mkdir("\(directory.path)/\(folder)", 0o700) }
        directory.write(
            "plugins/\(id)/plugin.json",
            #"{"manifestVersion":1,"id":"\#(id)","name":"One","version":"1","protocol":[1],"exec":["sh"],"provides":{}}"#
        )
        let found = try session.result("plugin.info", #"{"id":"\#(id)"}"#)["digest"]
        let digest = try #require(found?.string)
        let answers = try now(
            request(2, "store.import", "{\(table())}"), request(3, "host.ping"),
            request(4, "plugin.trust", #"{"id":"\#(id)","digest":"\#(digest)"}"#),
            request(5, "plugin.disable", #"{"id":"\#(id)"}"#), request(6, "plugin.info", #"{"id":"\#(id)"}"#),
            request(7, "plugin.untrust", #"{"id":"\#(id)"}"#), request(8, "host.ping"))
        #expect(answers.map(\.id) == [3, 8])
        let rest = try later()
        #expect(rest.map(\.id) == [2, 4, 5, 6, 7] && rest.allSatisfy { $0.outcome == "ok" })
        #expect(
            rest.dropFirst().map { $0["result"]?["state"]?.string }
                == ["stopped", "disabled", "disabled", "untrusted"])
        TestDirectory.remove("\(directory.path)/plugins-run/\(id)")
    }

    @Test func aLaterRequestCanBeCancelledMeanwhile() throws {
        #expect(try now(request(2, "store.import", "{\(table())}"), Self.create(3), Self.create(4)).isEmpty)
        #expect(try now(notification("$/cancelRequest", #"{"id":3}"#), request(5, "host.ping")).map(\.id) == [5])
        let answers = try later()
        #expect(answers.map(\.id) == [2, 3, 4] && answers.map(\.outcome) == ["ok", "cancelled", "ok"])
    }

    /// A host that must end cannot know whether a change becomes durable, and says so.
    @Test func atTheEndNothingIsSaidThatMayNotBeSo() throws {
        #expect(try now(Self.create(1)).map(\.outcome) == ["ok"])
        #expect(try now(request(2, "store.import", "{\(table())}")).isEmpty)
        gate.awaitSomebody()
        session.refuseWork()
        let answers = try now(request(3, "host.ping"))
        #expect(answers.map(\.id) == [2, 3] && answers[0].outcome == "outcomeUnknown")
        gate.open()
        session.attendWork()
    }

    @Test func anOperationIsDoneOnce() throws {
        gate.open()
        let params = #"{\#(table()),"opId":"one"}"#
        let first = try session.result("store.import", params)
        #expect(first["created"]?.integer == 4_000)
        #expect(try session.result("store.import", params).text == first.text)
        #expect(try session.result("store.info")["revision"]?.integer == 1)
        #expect(try session.call("store.import", #"{\#(table()),"opId":"one","replace":true}"#).outcome == "conflict")
    }

    @Test func whatKeepsNothingMakesNoStore() throws {
        gate.open()
        #expect(try session.result("store.import", #"{\#(table()),"dryRun":true}"#)["created"]?.integer == 4_000)
        #expect(try session.call("store.import", #"{\#(table(bad: 1)),"strict":true}"#).outcome == "invalidParams")
        #expect(!directory.isThere)
        #expect(try session.result("store.import", #"{\#(table()),"strict":true}"#)["created"]?.integer == 4_000)
        #expect(try session.result("store.info")["moods"]?.integer == 4_000)
    }

    @Test func problemsHaveTheirLines() throws {
        gate.open()
        let result = try session.result("store.import", "{\(table(bad: 2))}")
        #expect(result["problems"]?.array?.map { $0["line"]?.integer } == [4_002, 4_003])
        #expect(try session.result("store.import", "{\(table(bad: 2))}")["unchanged"]?.integer == 4_000)
    }

    @Test func subscribersAreToldOnceBeforeItsAnswer() throws {
        gate.open()
        _ = try session.result("events.subscribe", #"{"topics":["mood"]}"#)
        let answers = try session.answers(request(2, "store.import", "{\(table())}"), Self.create(3))
        #expect(answers.map { $0["method"]?.string ?? "\($0.id ?? 0)" } == ["events.event", "2", "events.event", "3"])
        #expect(answers[0]["params"]?["count"]?.integer == 4_000)
        #expect(answers[2]["params"]?["seq"]?.integer == 2)
    }

    /// The members of a batch take effect in their order.
    @Test func inABatchItIsMadeAtOnce() throws {
        gate.open()
        let batch = "[\(request(1, "store.import", "{\(table())}")),\(request(2, "store.info"))]"
        let answers = try #require(try session.answers(batch).first?.array)
        #expect(answers.map(\.id) == [1, 2] && answers[1]["result"]?["moods"]?.integer == 4_000)
    }

    @Test(arguments: [true, false]) func settingsComeWithIt(isInMemory: Bool) throws {
        gate.open()
        let session = isInMemory ? TestSession() : session
        var text = #"{"settings":{"dayStartsAt":"04:00"}}"# + "\n"
        for number in 0..<3_000 {
            text += #"{"id":"\#(testID(number))","emoji":"😊","label":"A","timestamp":"2026-01-01T00:00:00Z"}"# + "\n"
        }
        files.write("backup.jsonl", text)
        let result = try session.result("store.import", #"{"path":"\#(files.path)/backup.jsonl"}"#)
        #expect(result["created"]?.integer == 3_000)
        #expect(try session.result("settings.get")["dayStartsAt"]?.string == "04:00")
    }

    /// Another process changes the store before and after.
    @Test func theLockIsHeldMeanwhileAndGivenBack() throws {
        #expect(try now(Self.create(1)).map(\.outcome) == ["ok"])
        #expect(try now(request(2, "store.import", "{\(table())}")).isEmpty)
        // The helper thread takes the lock when it begins.
        var isHeld = false
        for _ in 0..<20_000 where !isHeld {
            do {
                _ = try FileLock.acquire(directory.path + "/lock", timeoutMilliseconds: 0, in: .system)
                usleep(500)
            } catch {
                isHeld = true
            }
        }
        #expect(isHeld)
        #expect(try later().map(\.outcome) == ["ok"])
        _ = try FileLock.acquire(directory.path + "/lock", timeoutMilliseconds: 0, in: .system)
    }
}
