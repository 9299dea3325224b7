import JSONCodec
import MoodProtocol
import Platform
import Testing

@testable import MoodHost

/// The helper thread opens a store that takes long: pings do not wait, and the rest keeps its order.
@Suite struct LongOpeningTests {
    private static let count = 160
    private let gate = HelperGate(.reading)
    private let directory = TestDirectory()
    private let index: String

    /// A store with a snapshot without an index, which is read whole.
    init() throws {
        let notes = String(repeating: "x", count: 60_000)
        let maker = TestSession(directory)
        let lines = (0..<Self.count).map { number in
            request(
                number, "mood.create",
                #"{"id":"\#(testID(number))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        }
        _ = maker.output(for: lines.joined(separator: "\n") + "\n")
        _ = try maker.result("store.compact")
        withExtendedLifetime(maker) {}
        index = try #require(directory.names.first { $0.hasPrefix("index-") })
        unlink(directory.path + "/" + index)
    }

    private func open() -> TestSession {
        let session = TestSession(directory, gate.fileSystem)
        session.waitBeside()
        return session
    }

    private static func create(_ number: Int) -> String {
        request(number, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
    }

    private static func list(_ number: Int) -> String { request(number, "mood.list", #"{"limit":1}"#) }

    private func now(_ session: TestSession, _ lines: String...) throws -> [JSONValue] {
        try session.outputNow(for: lines.joined(separator: "\n") + "\n").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
    }

    @Test func itHoldsUpNoPingAndTheRestKeepsItsOrder() throws {
        let session = open()
        let first = try now(
            session, request(1000, "host.ping"), Self.list(1001), request(1002, "host.ping"), Self.create(1003),
            request(1004, "host.info"))
        #expect(first.map(\.id) == [1000, 1002, 1004] && first.allSatisfy { $0.outcome == "ok" })
        #expect(first[2]["result"]?["store"]?["error"]?["kind"]?.string == "storeBusy")
        gate.awaitSomebody()
        let second = try now(session, request(1005, "host.ping"), request(1006, "store.info"))
        #expect(second.map(\.id) == [1005])
        #expect(session.hasPending)
        gate.open()
        let rest = try session.answers()
        #expect(rest.map(\.id) == [1001, 1003, 1006] && rest.allSatisfy { $0.outcome == "ok" })
        #expect(rest[0]["result"]?["total"]?.integer == Self.count)
        #expect(rest[2]["result"]?["moods"]?.integer == Self.count + 1)
        #expect(try session.result("host.info")["store"]?["moods"]?.integer == Self.count + 1)
        #expect(!session.hasPending)
    }

    @Test(arguments: ["store.info", "host.info", "store.verify", "mood.list"])
    func whatNeedsTheStoreWaitsForIt(method: String) throws {
        let session = open()
        #expect(try now(session, request(1000, method)).isEmpty)
        gate.open()
        let answers = try session.answers(request(1001, "mood.get", #"{"id":"\#(testID(1))"}"#))
        #expect(answers.compactMap(\.id).sorted() == [1000, 1001] && answers.allSatisfy { $0.outcome == "ok" })
        let result = answers.first { $0.id == 1000 }?["result"]
        let moods = result?["moods"] ?? result?["store"]?["moods"] ?? result?["total"]
        #expect(moods?.integer == Self.count)
    }

    /// An index that does not fit is made again.
    @Test(arguments: ["", "another", String(repeating: "x", count: 5000)])
    func anIndexThatDoesNotFitIsMadeBeside(content: String) throws {
        directory.write(index, content)
        let session = open()
        #expect(try now(session, Self.list(1000), request(1001, "host.ping")).map(\.id) == [1001])
        gate.open()
        #expect(try session.answers()[0]["result"]?["total"]?.integer == Self.count)
    }

    @Test func aBatchWaitsAsAWhole() throws {
        let session = open()
        #expect(try now(session, "[\(request(1, "host.ping")),\(Self.list(2)),\(Self.create(1003))]").isEmpty)
        gate.open()
        let answers = try session.answers()
        #expect(answers.first?.array?.map(\.id) == [1, 2, 1003])
        #expect(answers.first?.array?.allSatisfy { $0.outcome == "ok" } == true)
        #expect(try session.result("store.info")["moods"]?.integer == Self.count + 1)
    }

    /// Others may commit between the end of the opening and the request.
    @Test func whatOthersCommittedMeanwhileIsSeen() throws {
        let session = open()
        #expect(try now(session, Self.list(1000)).isEmpty)
        gate.open()
        session.awaitHelper()
        #expect(try TestSession(directory).answers(Self.create(1001)).map(\.outcome) == ["ok"])
        #expect(try session.answers()[0]["result"]?["total"]?.integer == Self.count + 1)
    }

    @Test func itCanBeCancelledMeanwhile() throws {
        let session = open()
        #expect(try now(session, Self.list(1000), Self.create(1001)).isEmpty)
        let meanwhile = try now(session, notification("$/cancelRequest", #"{"id":1000}"#), request(3, "host.ping"))
        #expect(meanwhile.map(\.id).contains(3))
        gate.open()
        let answers = try session.answers(Self.list(1002))
        #expect(answers.map(\.id).suffix(2) == [1001, 1002])
        #expect(answers.last?["result"]?["total"]?.integer == Self.count + 1)
    }

    /// A host that must end does not wait for it.
    @Test func atTheEndItIsNotWaitedFor() throws {
        let session = open()
        #expect(try now(session, Self.list(1000), Self.create(1001)).isEmpty)
        gate.awaitSomebody()
        session.refuseWork()
        let answers = try now(session, request(1002, "host.ping"))
        #expect(answers.map(\.id) == [1000, 1001, 1002])
        #expect(answers.map(\.outcome) == ["storeBusy", "storeBusy", "ok"])
        #expect(!session.hasPending)
        gate.open()
        session.awaitHelper()
    }

    /// The request gets the error, and the next one tries again.
    @Test func afterAFailureItIsTriedAgain() throws {
        gate.open()
        let path = directory.path + "/moods.json"
        try FileSystem.system.rename(path, path + ".away")
        directory.write("moods.json", String(repeating: "{", count: 9 << 20))
        let session = open()
        for number in 1000...1001 {
            let answers = try session.answers(Self.list(number))
            #expect(answers.map(\.id) == [number] && answers[0].kind?.hasPrefix("store") == true, "\(answers)")
        }
        try FileSystem.system.rename(path + ".away", path)
        #expect(try session.answers(Self.list(1002))[0]["result"]?["total"]?.integer == Self.count)
    }
}
