import JSONCodec
import Platform
import Synchronization
import Testing

@testable import MoodHost

/// Requests that are answered later, after others.
@Suite struct PendingTests {
    /// Stops reads of the helper thread until it is opened.
    private final class Gate: Sendable {
        private let loop = pthread_self().hashValue
        private let isClosed = Mutex(true)

        func open() { isClosed.withLock { $0 = false } }
        func close() { isClosed.withLock { $0 = true } }

        var fileSystem: FileSystem {
            let system = FileSystem.system
            var slow = system
            slow.read = { [self] descriptor, room, offset throws(SystemError) in
                while pthread_self().hashValue != loop, isClosed.withLock({ $0 }) { usleep(500) }
                return try system.read(descriptor, room, offset)
            }
            return slow
        }
    }

    private let gate = Gate()
    private let session: TestSession
    private let saved = TestDirectory()

    init() throws {
        session = TestSession(TestDirectory(), gate.fileSystem)
        _ = session.outputNow(for: Self.create(1) + "\n")
    }

    private static func create(_ number: Int) -> String {
        request(number, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
    }

    private func now(_ lines: String...) throws -> [JSONValue] { try session.answersNow(lines) }

    /// The answers after the gate is open.
    private func later() throws -> [JSONValue] {
        gate.open()
        return try session.answers()
    }

    @Test(arguments: ["store.verify", "store.compact", "store.salvage"])
    func othersAreAnsweredMeanwhile(method: String) throws {
        let long = request(2, method, method == "store.salvage" ? #"{"to":"\#(saved.path)"}"# : "{}")
        // The gate stops a compaction before it has opened the store, which it does with the lock held: a change would
        // wait.
        let changes = method == "store.compact" ? [] : [Self.create(4)]
        let first = try session.answersNow([long, request(3, "host.ping")] + changes)
        #expect(first.map(\.id) == [3] + changes.map { _ in 4 })
        let listed = try now(request(5, "mood.list"))
        #expect(listed.first?["result"]?["items"]?.array?.count == 1 + changes.count, "\(listed)")
        #expect(session.hasPending)
        let answers = try later()
        #expect(answers.map(\.id) == [2] && answers.map(\.outcome) == ["ok"])
        #expect(!session.hasPending)
        #expect(try session.result("store.verify")["ok"]?.boolean == true)
    }

    @Test func itTellsOfTheStateAtItsArrival() throws {
        #expect(try now(request(2, "store.verify"), Self.create(3)).map(\.id) == [3])
        #expect(try later().first?["result"]?["moods"]?.integer == 1)
    }

    /// The moods and the bytes are of one moment.
    @Test func whatIsCheckedIsOneState() throws {
        gate.open()
        let before = try session.result("store.verify")
        gate.close()
        #expect(try now(request(2, "store.verify"), Self.create(3), Self.create(4)).map(\.id) == [3, 4])
        let answer = try later().first?["result"]
        #expect(answer?["moods"]?.integer == 1 && answer?.text == before.text)
    }

    /// It reports the written state, even if the store has changed before the answer.
    @Test func aCompactionTellsOfOneState() throws {
        gate.open()
        let before = try session.result("store.info")
        #expect(try now(request(2, "store.compact")).isEmpty)
        session.awaitHelper()
        _ = try now(Self.create(3), Self.create(4))
        let report = try #require(try later().first?["result"])
        #expect(report["revision"]?.integer == 1 && report["moods"]?.integer == 1)
        #expect(report["bytesBefore"]?.integer == before["bytes"]?.integer)
        let after = try session.result("store.info")
        #expect(after["revision"]?.integer == 3)
        #expect(try #require(report["bytesAfter"]?.integer) < #require(after["bytes"]?.integer))
    }

    @Test func aCompactionInMemoryTellsOfTheStateAtItsArrival() throws {
        let session = TestSession()
        let answers = try session.answers(Self.create(1), request(2, "store.compact"), Self.create(3), Self.create(4))
        let report = try #require(answers.first { $0.id == 2 }?["result"])
        #expect(report["revision"]?.integer == 1 && report["moods"]?.integer == 1)
        #expect(report["bytesBefore"]?.integer == report["bytesAfter"]?.integer)
        #expect(report["historyFrom"]?.integer == 2)
    }

    /// In memory too.
    @Test(arguments: [
        ("stats.summary", ""), ("stats.year", #""year":2026,"#), ("stats.month", #""month":"2026-01","#),
        ("stats.onThisDay", ""), ("stats.render", #""what":"year","#), ("store.verify", ""), ("store.compact", ""),
        ("store.export", #""format":"csv","#),
    ])
    func everyLongMethodTellsHowFarItIs(method: String, params: String) throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            _ = try session.result("store.insertSamples")
            let text = session.output(for: request(2, method, #"{\#(params)"progressToken":"p"}"#) + "\n")
            let messages = try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            let told = messages.dropLast().map { $0["params"]?["value"] }
            #expect(messages.last?.id == 2 && messages.last?.outcome == "ok")
            #expect(messages.dropLast().allSatisfy { $0["params"]?["token"]?.string == "p" })
            #expect(told.count >= 2 && told.first??["done"]?.integer == 0)
            let last = told.last ?? nil
            #expect(last?["done"]?.integer != nil && last?["done"]?.integer == last?["total"]?.integer)
        }
    }

    @Test func aRepairWaitsForItAndHoldsUpNoPing() throws {
        session.waitBeside()
        let repair = request(3, "store.reset", #"{"confirm":true}"#)
        #expect(try now(request(2, "store.verify"), repair, request(4, "host.ping")).map(\.id) == [4])
        #expect(try now(request(5, "mood.list"), request(6, "host.ping")).map(\.id) == [6])
        let answers = try later()
        #expect(answers.map(\.id) == [2, 3, 5] && answers.map(\.outcome) == ["ok", "ok", "ok"])
        #expect(answers[2]["result"]?["items"]?.array?.count == 0)
    }

    @Test func severalAreDoneInTheirOrder() throws {
        let salvage = request(4, "store.salvage", #"{"to":"\#(saved.path)"}"#)
        #expect(try now(request(2, "store.verify"), request(3, "store.compact"), salvage).isEmpty)
        #expect(try later().map(\.id) == [2, 3, 4])
    }

    @Test func whatIsSavedIsTheStateAtItsArrival() throws {
        let salvage = request(2, "store.salvage", #"{"to":"\#(saved.path)"}"#)
        #expect(try now(Self.create(5), salvage, request(3, "mood.clear", #"{"confirm":true}"#)).map(\.id) == [5, 3])
        #expect(try later().first?["result"]?["moods"]?.integer == 2)
    }

    /// A reset moves the files away: work on them comes first.
    @Test func aResetComesAfterTheWorkOfEarlierRequests() throws {
        gate.open()
        let salvage = request(2, "store.salvage", #"{"to":"\#(saved.path)"}"#)
        let answers = try session.answers(salvage, request(3, "store.reset", #"{"confirm":true}"#))
        #expect(Set(answers.map(\.id)) == [2, 3] && answers.map(\.outcome) == ["ok", "ok"])
        #expect(answers.first { $0.id == 2 }?["result"]?["moods"]?.integer == 1)
    }

    @Test func oneThatHasBegunCanBeCancelled() throws {
        #expect(try now(request(2, "store.verify"), request(3, "store.verify"), request(4, "store.verify")).isEmpty)
        let cancel = notification("$/cancelRequest", #"{"id":2}"#)
        let silence = notification("notifications/cancelled", #"{"requestId":3}"#)
        #expect(try now(cancel, silence, notification("$/cancelRequest", #"{"id":99}"#)).isEmpty)
        let answers = try later()
        #expect(answers.map(\.id) == [2, 4] && answers.map(\.outcome) == ["cancelled", "ok"])
    }

    @Test func aCancelledCompactionAndSalvageLeaveNothing() throws {
        let before = try session.result("store.info")["bytes"]?.integer
        #expect(
            try now(request(2, "store.compact"), request(3, "store.salvage", #"{"to":"\#(saved.path)"}"#)).isEmpty)
        #expect(
            try now(
                #"[\#(notification("$/cancelRequest", #"{"id":2}"#)),\#(notification("$/cancelRequest", #"{"id":3}"#))]"#
            ).isEmpty)
        #expect(try later().map(\.outcome) == ["cancelled", "cancelled"])
        #expect(try session.result("store.info")["bytes"]?.integer == before && saved.names.isEmpty)
    }

    @Test func aBatchWaitsForAllOfItsMembers() throws {
        let members = [
            request(2, "store.verify"), request(3, "host.ping"), notification("store.verify"), Self.create(4),
            request(5, "store.verify"),
        ]
        #expect(try now("[\(members.joined(separator: ","))]", request(6, "host.ping")).map(\.id) == [6])
        let answers = try later()
        #expect(answers.count == 1 && answers.first?.array?.map(\.id) == [2, 3, 4, 5])
    }

    @Test func aBatchOfNotificationsIsNotAnswered() throws {
        #expect(try now("[\(notification("store.verify"))]", notification("store.compact")).isEmpty)
        #expect(session.hasPending)
        #expect(try later().isEmpty && !session.hasPending)
    }

    /// The members of a batch share the room of one message with late answers.
    @Test func aLateAnswerSharesTheRoomOfItsBatch() throws {
        let session = TestSession(limits: [(.messageBytes, 2048)])
        let label = String(repeating: "x", count: 200)
        let create = request(1, "mood.create", #"{"emoji":"😊","label":"\#(label)","notes":"\#(label)\#(label)"}"#)
        let batch = "[\(request(2, "store.verify")),\(create)]"
        let text = session.output(for: batch + "\n")
        let answers = try #require(try JSONValue(parsing: text).array)
        #expect(text.utf8.count <= 2049 && answers.map(\.id) == [2, 1])
        #expect(answers.map(\.outcome) == ["ok", "ok"])
    }

    @Test func itIsAnsweredOnceWhereItsGroupIsLost() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.answers(Self.create(1))
        fault.set("fdatasync", 5)
        let batch = "[\(Self.create(2)),\(request(3, "store.verify"))]"
        let answers = try session.answers(batch, request(4, "host.ping"))
        #expect(answers.first?.id == 4)
        #expect(answers.last?.array?.map(\.outcome) == ["outcomeUnknown", "ok"])
        #expect(answers.count == 2)
    }

    @Test func whoEndsTheProcessIsNotHeldUp() throws {
        let batch = "[\(request(3, "host.ping")),\(request(4, "store.compact"))]"
        #expect(try now(request(2, "store.verify"), batch).isEmpty)
        session.refuseWork()
        let answers = try now(request(5, "store.verify"))
        #expect(answers.first?.id == 2 && answers.first?.outcome == "shuttingDown")
        #expect(answers.dropFirst().first?.array?.map(\.outcome) == ["ok", "shuttingDown"])
        #expect(answers.last?.id == 5 && answers.last?.outcome == "shuttingDown" && answers.count == 3)
        #expect(!session.hasPending)
        #expect(try later().isEmpty)
    }

    @Test func manyAreTakenAFewAtATime() throws {
        let lines = (1...300).map { request($0, "store.verify") } + [request(301, "host.ping")]
        gate.open()
        let answers = try session.output(for: lines.joined(separator: "\n") + "\n").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        #expect(answers.filter { $0.id != 301 }.compactMap(\.id) == Array(1...300))
        #expect(answers.contains { $0.id == 301 } && answers.count == 301)
    }
}
