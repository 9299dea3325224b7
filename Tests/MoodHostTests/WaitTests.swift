import JSONCodec
import MoodProtocol
import Platform
import Testing

@testable import MoodHost

/// The needs of a request are met before its handler runs; one that must wait has not begun.
@Suite struct WaitTests {
    private static func create(_ number: Int) -> String {
        request(number, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
    }

    /// A handler without its `Need` would meet a closed store.
    @Test func everyMethodHasTheStoreThatItNeeds() throws {
        let directory = TestDirectory()
        _ = TestSession(directory).outputNow(for: Self.create(1) + "\n")
        let document = try TestSession().result("rpc.discover")
        var count = 0
        for method in try #require(document["methods"]?.array) {
            let name = try #require(method["name"]?.string)
            let given = method["examples"]?.array?.first?["params"]?.array ?? []
            let params = JSONValue.object(
                given.compactMap { one in
                    one["name"]?.string.flatMap { name in one["value"].map { JSONValue.Member(name, $0) } }
                })
            let answer = TestSession(directory).output(for: request(1, name, params.text) + "\n")
            #expect(!answer.contains("The store is not open"), "\(name) \(params.text): \(answer)")
            count += 1
        }
        #expect(count > 70)
    }

    /// Earlier members of the batch are not done again, even if they need no lock.
    @Test func aBatchGoesOnAtTheMemberThatWaits() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = session.outputNow(for: Self.create(1) + "\n")
        session.waitBeside()
        do {
            let lock = try FileLock.acquire(directory.path + "/lock", timeoutMilliseconds: 0, in: .system)
            let move = request(2, "nav.navigate", #"{"route":{"name":"crudList"}}"#)
            let batch = "[\(move),\(notification("nav.goBack")),\(move),\(Self.create(3)),\(move)]"
            #expect(session.outputNow(for: batch + "\n").isEmpty)
            _ = lock.file.descriptor
        }
        session.awaitLock()
        let answers = try session.answers(request(5, "nav.log"))
        let batch = try #require(answers.first?.array)
        #expect(batch.map(\.outcome) == ["ok", "ok", "ok", "ok"])
        #expect(batch.map { $0["result"]?["depth"]?.integer } == [1, 1, nil, 2])
        #expect(answers.last?["result"]?["items"]?.array?.count == 4, "each was done once")
    }

    /// A large import hands over the store when its group is durable, and not before: it does not carry a failed sync
    /// along.
    @Test func aFailedSyncBesideALargeImportIsOver() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        _ = session.outputNow(for: Self.create(1) + "\n")
        let lines = (0..<1500).map { number in
            #"{"emoji":"😊","label":"i\#(number)","timestamp":"2025-01-01T00:00:00Z","notes":"\#(String(repeating: "x", count: 90))"}"#
        }
        directory.write("large.jsonl", lines.joined(separator: "\n"))
        fault.set("fdatasync", 5)
        let importing = request(3, "store.import", #"{"path":"\#(directory.path)/large.jsonl","format":"jsonl"}"#)
        let answers = try session.answers(Self.create(2), importing, request(4, "mood.get", #"{"id":"\#(testID(2))"}"#))
        #expect(answers.map(\.id) == [2, 3, 4])
        #expect(answers[0].kind == "outcomeUnknown" && answers[1].outcome == "ok" && answers[2].kind == "notFound")
        #expect(try session.call("mood.create", #"{"emoji":"😊","label":"later"}"#).outcome == "ok")
    }
}
