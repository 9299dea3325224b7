import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// Limits of events, and their ends.
@Suite struct EventBoundTests {
    /// A batch may change more than may wait for sending: the host reports the rest after its answer; in memory never.
    @Test(arguments: [true, false]) func aBatchIsToldOfInBoundedMemory(isInMemory: Bool) throws {
        let directory = TestDirectory()
        var options = HostOptions(place: isInMemory ? .memory : .directory(directory.path))
        #expect(options.limits.set(.queuedOutputBytes, to: 64 * 1024) == nil)
        let session = isInMemory ? TestSession(options) : TestSession(directory, options)
        let notes = String(repeating: "n", count: 10_000)
        for number in 1...4 { _ = try session.answers(EventTests.create(number, number, #","notes":"\#(notes)""#)) }
        for _ in 1...8 { _ = try session.answers(EventTests.subscribe()) }
        let ids = (1...4).map { "\"\(testID($0))\"" }.joined(separator: ",")
        let changes = (1...30).map {
            request($0, "mood.updateMany", #"{"ids":[\#(ids)],"set":{"label":"\#($0)"}}"#)
        }
        session.receive(Array(("[" + changes.joined(separator: ",") + "]\n").utf8))
        var output = ""
        while true {
            let isDone = session.process()
            // The notifications of one commit to all subscriptions may exceed the limit.
            #expect(session.waitingBytes < 64 * 1024 + 2 * 8 * 41 * 1024)
            output += session.takeOutput()
            if isDone { break }
        }
        let messages = try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        let answer = try #require(messages.firstIndex { $0.array != nil })
        #expect(messages[answer].array?.count == 30)
        for number in 1...8 {
            let own = messages.compactMap { $0["params"] }.filter { $0["subscription"]?.string == "s\(number)" }
            let seqs = own.filter { $0["lagged"] == nil }.compactMap { $0["seq"]?.integer }
            #expect(seqs == Array(5..<(5 + seqs.count)))
            if isInMemory {
                #expect(own.last?["lagged"]?.boolean == true)
            } else {
                #expect(seqs.count == 30)
            }
        }
    }

    /// The directory may have another user's store, so the host shows and writes nothing of it.
    @Test(arguments: ["mood.list", "mood.create"]) func aDirectoryInThePlaceOfAnotherIsNoticed(method: String) throws {
        let (directory, other) = (TestDirectory(), TestDirectory())
        let session = TestSession(directory)
        _ = try session.answers(
            EventTests.create(1, 1), EventTests.create(1, 2), EventTests.subscribe(#""mood","store""#))
        for number in 1...5 { _ = try TestSession(other).answers(EventTests.create(1, number + 10)) }
        try FileSystem.system.rename(directory.path, other.path + "-old")
        try FileSystem.system.rename(other.path, directory.path)
        defer { TestDirectory.remove(other.path + "-old") }
        let call = method == "mood.list" ? request(1, "mood.list") : EventTests.create(1, 20)
        #expect(try session.answers(call).map(\.outcome) == ["storeUnavailable"])
        #expect(try TestSession(directory).result("mood.list")["total"]?.integer == 5)
    }
}
