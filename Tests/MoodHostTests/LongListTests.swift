import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// A thread of its own looks through many moods for a list: it waits for no work on files, and pings wait for neither.
@Suite struct LongListTests {
    private static let moods = 300

    private let gate = HelperGate(.syncing)
    private let directory = TestDirectory()

    private func fill(_ session: TestSession) throws {
        session.waitBeside()
        session.lookThroughNoneAtOnce()
        var text = "timestamp,emoji,label\\n"
        for number in 0..<Self.moods { text += "2026-01-01T00:00:\(number % 50 + 10)Z,😊,m\(number % 10)\\n" }
        #expect(try session.result("store.import", #"{"text":"\#(text)"}"#)["created"]?.integer == Self.moods)
    }

    private func list(_ id: Int) -> String {
        request(id, "mood.list", #"{"filter":{"label":"m7"},"count":true,"limit":1}"#)
    }

    private func total(_ answer: JSONValue?) -> Int? { answer?["result"]?["total"]?.integer }

    @Test func aListWaitsForNoWorkOnFiles() throws {
        gate.open()
        let session = TestSession(directory, gate.fileSystem)
        try fill(session)
        gate.close()
        defer { gate.open() }
        #expect(try session.answersNow([request(2, "store.compact")]).isEmpty)
        gate.awaitSomebody()
        #expect(try session.answersNow([list(3), request(4, "host.ping")]).map(\.id) == [4])
        session.attendReader()
        let answers = try session.answersNow([request(5, "host.ping")])
        #expect(answers.map(\.id) == [3, 5] && total(answers.first) == Self.moods / 10)
        gate.open()
        #expect(try session.answers().map(\.id) == [2])
    }

    /// Moods in memory keep their place in the order too, and the host tells of them meanwhile.
    @Test func aListInMemoryHoldsUpNoPing() throws {
        let session = TestSession()
        try fill(session)
        let create = request(5, "mood.create", #"{"emoji":"😊","label":"m7"}"#)
        let now = try session.answersNow([list(2), request(3, "host.ping"), request(4, "host.info"), create, list(6)])
        #expect(now.map(\.id) == [3, 4])
        #expect(now.last?["result"]?["store"]?["moods"]?.integer == Self.moods)
        let answers = try session.answers()
        #expect(answers.map(\.id) == [2, 5, 6])
        #expect([answers.first, answers.last].map(total) == [Self.moods / 10, Self.moods / 10 + 1])
    }

    /// Members of a batch are beside the loop too, and later ones see what earlier ones did.
    @Test(arguments: [true, false]) func aListInABatchHoldsUpNoPing(isInMemory: Bool) throws {
        gate.open()
        let session = isInMemory ? TestSession() : TestSession(directory, gate.fileSystem)
        try fill(session)
        let create = request(5, "mood.create", #"{"emoji":"😊","label":"m7"}"#)
        let batch = "[\(list(2)),\(create),\(list(6)),\(list(7))]"
        #expect(try session.answersNow([batch, request(3, "host.ping"), list(8)]).map(\.id) == [3])
        let answers = try session.answers()
        let members = try #require(answers.first?.array)
        #expect(members.map(\.id) == [2, 5, 6, 7] && answers.dropFirst().map(\.id) == [8])
        let found = [total(members[0]), total(members[2]), total(members[3]), total(answers.last)]
        #expect(found == [Self.moods / 10, Self.moods / 10 + 1, Self.moods / 10 + 1, Self.moods / 10 + 1])
    }

    @Test func aListOfAToolHoldsUpNoPing() throws {
        let session = TestSession()
        try fill(session)
        let meta =
            #"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
        let params = #"{"name":"mood_find","arguments":{"text":"m7","limit":3},"_meta":\#(meta)}"#
        let call = request(2, "tools/call", params)
        #expect(try session.answersNow([call, request(3, "host.ping")]).map(\.id) == [3])
        let answer = try #require(try session.answers().first)
        #expect(answer.id == 2 && answer["result"]?["structuredContent"]?["items"]?.array?.count == 3)
    }

    @Test func aListInMemoryCanBeCancelled() throws {
        let session = TestSession()
        try fill(session)
        gate.close()
        let gate = gate
        session.occupyReader { gate.pass() }
        #expect(try session.answersNow([list(2), request(3, "host.ping")]).map(\.id) == [3])
        #expect(try session.answersNow([notification("$/cancelRequest", #"{"id":2}"#)]).isEmpty)
        gate.open()
        #expect(try session.answers().map(\.outcome) == ["cancelled"])
        #expect(total(try session.answers(list(3)).first) == Self.moods / 10)
    }

    /// A route whose mood is there stays while another thread has the moods.
    @Test func routesStayWhileAListIsMade() throws {
        let session = TestSession()
        try fill(session)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"m7"}"#)
        _ = try session.result("events.subscribe")
        _ = try session.answers(
            request(1, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#))
        #expect(try session.answersNow([list(2), request(3, "host.ping")]).map(\.id) == [3])
        _ = try session.answers()
        #expect(try session.result("nav.state")["depth"]?.integer == 1)
    }
}
