import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// The helper thread makes large undos, with the store: pings do not wait, and the rest keeps its order.
@Suite struct LongUndoTests {
    private static let moods = 300

    private let gate: HelperGate
    private let directory = TestDirectory()
    private let session: TestSession

    init() throws { try self.init(.makingDurable) }

    /// A store with deletions too large for an undo in the loop; the gate is closed.
    private init(_ place: HelperGate.Place) throws {
        gate = HelperGate(place)
        gate.open()
        session = TestSession(directory, gate.fileSystem)
        session.waitBeside()
        var text = "timestamp,emoji,label,notes\\n"
        let notes = String(repeating: "long ", count: 1_000)
        for number in 0..<Self.moods { text += "2026-01-01T00:00:\(number % 50 + 10)Z,😊,Happy,\(notes)\(number)\\n" }
        #expect(try session.result("store.import", #"{"text":"\#(text)"}"#)["created"]?.integer == Self.moods)
        #expect(try session.result("mood.clear", #"{"confirm":true}"#)["deleted"]?.integer == Self.moods)
        gate.close()
    }

    private func now(_ lines: String...) throws -> [JSONValue] { try session.answersNow(lines) }

    /// The answers after the gate is open.
    private func later() throws -> [JSONValue] {
        gate.open()
        return try session.answers()
    }

    private func info() throws -> (moods: Int?, revision: Int?) {
        let info = try session.result("store.info")
        return (info["moods"]?.integer, info["revision"]?.integer)
    }

    @Test(arguments: ["session", "store"])
    func itHoldsUpNoPingAndLaterRequestsSeeIt(scope: String) throws {
        let scope = #"{"scope":"\#(scope)"}"#
        #expect(
            try now(request(2, "store.undo", scope), request(3, "host.ping"), request(4, "mood.list")).map(\.id) == [3])
        #expect(try now(request(5, "host.ping"), request(6, "store.info")).map(\.id) == [5])
        var answers = try later()
        #expect(answers.map(\.id) == [2, 4, 6] && answers.allSatisfy { $0.outcome == "ok" })
        let undone = try #require(answers[0]["result"]?["undone"]?.array)
        #expect(undone.map { $0["ids"]?.array?.count } == [Self.moods])
        #expect(answers[1]["result"]?["total"]?.integer == Self.moods)
        gate.close()
        #expect(try now(request(7, "store.redo", scope), request(8, "host.ping")).map(\.id) == [8])
        answers = try later()
        #expect(answers.map(\.id) == [7] && answers.map(\.outcome) == ["ok"])
        #expect(try info() == (0, 4))
    }

    @Test func progressIsTold() throws {
        gate.open()
        let answers = try session.answers(request(2, "store.undo", #"{"scope":"store","progressToken":"p"}"#))
        let told = answers.filter { $0["method"]?.string == "$/progress" }.compactMap { $0["params"]?["value"] }
        #expect(told.first?["message"]?.string == "Undoing")
        #expect(told.last?["done"]?.integer == Self.moods && told.last?["total"]?.integer == Self.moods)
        #expect(answers.last?.id == 2)
    }

    @Test func itCanBeCancelledWhileItReads() throws {
        let tests = try LongUndoTests(.reading)
        let undo = request(2, "store.undo", #"{"scope":"store"}"#)
        #expect(try tests.now(undo, request(3, "host.ping")).map(\.id) == [3])
        tests.gate.awaitSomebody()
        #expect(try tests.now(notification("$/cancelRequest", #"{"id":2}"#)).isEmpty)
        #expect(try tests.later().map(\.outcome) == ["cancelled"])
        #expect(try tests.info() == (0, 2))
        #expect(try tests.session.result("store.undo")["undone"]?.array?.count == 1)
    }

    @Test func anOperationIsDoneOnce() throws {
        gate.open()
        let params = #"{"scope":"store","opId":"one"}"#
        let first = try session.result("store.undo", params)
        #expect(first["undone"]?.array?.count == 1)
        #expect(try session.result("store.undo", params).text == first.text)
        #expect(try info() == (Self.moods, 3))
    }

    @Test func whatIsOnlyTriedChangesNothing() throws {
        gate.open()
        #expect(try session.result("store.undo", #"{"dryRun":true}"#)["undone"]?.array?.count == 1)
        #expect(try info() == (0, 2))
        #expect(try session.call("store.redo", #"{"scope":"store","revision":2}"#).outcome == "refused")
        #expect(try session.call("store.undo").outcome == "ok")
    }

    @Test func subscribersAreToldOnceBeforeItsAnswer() throws {
        gate.open()
        _ = try session.result("events.subscribe", #"{"topics":["mood"]}"#)
        let answers = try session.answers(request(2, "store.undo", #"{"scope":"store"}"#), request(3, "host.ping"))
        let order = answers.map { $0["method"]?.string ?? "\($0.id ?? 0)" }.filter { $0 != "3" }
        #expect(order == ["events.event", "2"])
    }

    /// The members of a batch take effect in their order.
    @Test func inABatchItIsMadeAtOnce() throws {
        gate.open()
        let batch = "[\(request(1, "store.undo", #"{"scope":"store"}"#)),\(request(2, "store.info"))]"
        let answers = try #require(try session.answers(batch).first?.array)
        #expect(answers.map(\.id) == [1, 2] && answers[1]["result"]?["moods"]?.integer == Self.moods)
    }
}
