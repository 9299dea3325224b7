import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// A missing store reads as an empty one, and the first change makes it. (The rest is in `store-not-there.transcript`.)
@Suite struct StoreNotThereTests {
    private static let create = EventTests.create(1, 1)

    @Test func anotherProcessMayMakeIt() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        #expect(try session.result("mood.list")["total"]?.integer == 0)
        let other = TestSession(directory)
        #expect(try other.answers(Self.create).map(\.outcome) == ["ok"])
        #expect(try session.result("mood.list")["total"]?.integer == 1)
        #expect(try session.answers(EventTests.create(2, 2)).first?["result"]?["revision"]?.integer == 2)
    }

    @Test func whoeverWatchesSeesItCome() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        #expect(
            try session.answers(EventTests.subscribe(#""mood","store""#)).first?["result"]?["revision"]?.integer == 0)
        #expect(session.output(for: "").isEmpty && !directory.isThere)
        let other = TestSession(directory)
        _ = try other.answers(Self.create, EventTests.create(2, 2))
        let events = session.output(for: "").split(separator: "\n").compactMap { try? JSONValue(parsing: String($0)) }
        #expect(EventTests.order(events) == ["mood 1", "mood 2"])
        // Another store in its place is reported as usual.
        _ = try other.result("store.reset", #"{"confirm":true}"#)
        let ends = session.output(for: "").split(separator: "\n").compactMap { try? JSONValue(parsing: String($0)) }
        #expect(EventTests.order(ends) == ["store 1", "mood 0 lagged"])
    }

    @Test func theOneWhoMakesItIsToldOnce() throws {
        let session = TestSession(TestDirectory())
        let messages = try session.answers(EventTests.subscribe(), Self.create, EventTests.create(2, 2))
        #expect(EventTests.order(messages) == ["100", "mood 1", "1", "mood 2", "2"])
    }

    @Test func whereItCannotBeMadeNothingIsKept() throws {
        let directory = TestDirectory()
        var files = FileSystem.system
        files.makeDirectory = { path throws(SystemError) in
            throw SystemError(call: "mkdir", subject: path, code: EACCES)
        }
        let session = TestSession(directory, files)
        #expect(try session.answers(Self.create).map(\.outcome) == ["storeUnavailable"])
        #expect(try session.result("mood.list")["total"]?.integer == 0)
    }

    /// The host makes removed files again from its state. But if the directory of an open store is gone, the store may
    /// have been moved or unmounted.
    @Test func noneBeginsInThePlaceOfOneThatWasOpen() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        #expect(try session.answers(Self.create).map(\.outcome) == ["ok"])
        for name in directory.names { unlink(directory.path + "/" + name) }
        #expect(try session.answers(EventTests.create(2, 2)).map(\.outcome) == ["ok"])
        #expect(try TestSession(directory).result("mood.list")["total"]?.integer == 2)
        TestDirectory.remove(directory.path)
        #expect(try session.answers(EventTests.create(2, 2)).map(\.outcome) == ["storeUnavailable"])
        #expect(try session.call("mood.list").outcome == "storeUnavailable")
        #expect(!directory.isThere)
        #expect(try session.result("store.reset", #"{"confirm":true}"#)["setAside"] == nil)
        #expect(try session.answers(EventTests.create(2, 2)).first?["result"]?["revision"]?.integer == 1)
    }
}
