import JSONCodec
import MoodStore
import Testing

@testable import MoodHost

/// The recipients and the order of events.
@Suite struct EventTests {
    static func create(_ id: Int, _ number: Int, _ more: String = "") -> String {
        request(id, "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"Mood \#(number)"\#(more)}"#)
    }

    static func subscribe(_ topics: String = #""mood""#, since: Int? = nil) -> String {
        let since = since.map { #","since":\#($0)"# } ?? ""
        return request(100, "events.subscribe", #"{"topics":[\#(topics)]\#(since)}"#)
    }

    /// A short form of all messages, in order: answers by their id, events by topic and seq.
    static func order(_ messages: [JSONValue]) -> [String] {
        messages.flatMap { message -> [String] in
            if let batch = message.array {
                return ["[" + batch.map { String($0.id ?? -1) }.joined(separator: " ") + "]"]
            }
            guard let event = message["params"] else { return [message.kind ?? message.id.map(String.init) ?? "?"] }
            let name = "\(event["topic"]?.string ?? "?") \(event["seq"]?.integer ?? -1)"
            return [event["lagged"] == nil ? name : name + " lagged"]
        }
    }

    private static func changes(_ event: JSONValue) -> [String] {
        (event["params"]?["changes"]?.array ?? []).map { change in
            let number = change["id"]?.string.map { $0.suffix(2) } ?? "?"
            let mood = change["mood"].map { " \($0["revision"]?.integer ?? 0)" } ?? ""
            return "\(change["type"]?.string ?? "?") \(number)\(mood)"
        }
    }

    @Test(arguments: [true, false]) func aCommitIsToldOfBeforeItsAnswer(isInMemory: Bool) throws {
        let directory = TestDirectory()
        let session = isInMemory ? TestSession() : TestSession(directory)
        let messages = try session.answers(
            Self.create(1, 1), Self.subscribe(), Self.create(2, 2),
            request(3, "mood.setFavorite", #"{"id":"\#(testID(1))","isFavorite":true}"#),
            request(4, "mood.setFavorite", #"{"id":"\#(testID(1))","isFavorite":true}"#),
            request(5, "mood.delete", #"{"id":"\#(testID(2))"}"#),
            request(6, "mood.delete", #"{"id":"\#(testID(2))"}"#),
            request(7, "mood.delete", #"{"id":"\#(testID(1))","dryRun":true}"#),
            request(8, "store.insertSamples"), request(9, "store.undo"), request(10, "mood.clear", #"{"confirm":true}"#)
        )
        #expect(
            Self.order(messages) == [
                "1", "100", "mood 2", "2", "mood 3", "3", "4", "mood 4", "5", "notFound", "7", "mood 5", "8", "mood 6",
                "9", "mood 7", "10",
            ])
        let events = messages.filter { $0["params"] != nil }
        #expect(events.prefix(3).map(Self.changes) == [["created 02 2"], ["updated 01 3"], ["deleted 02"]])
        #expect(events[3]["params"]?["changes"]?.array?.count == 5)
        #expect(Set(Self.changes(events[4]).map { $0.prefix(7) }) == ["deleted"] && Self.changes(events[4]).count == 5)
        #expect(Self.changes(events[5]) == ["deleted 01"])
        #expect(events.allSatisfy { $0["method"]?.string == "events.event" && $0["id"] == nil })
        #expect(events.allSatisfy { $0["params"]?["subscription"]?.string == "s1" })
        #expect(events[0]["params"]?["changes"]?.array?[0]["mood"]?["label"]?.string == "Mood 2")
        #expect(events[0]["params"]?["at"]?.string == "2026-01-02T03:04:05.678Z")
    }

    /// Each commit of a batch is an event with the moods after it, before the one answer.
    @Test func aBatchIsToldOfBeforeItsAnswer() throws {
        let session = TestSession(TestDirectory())
        let toggle = request(2, "mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#)
        let messages = try session.answers(
            Self.subscribe(), "[" + [Self.create(1, 1), toggle, Self.create(3, 1), toggle].joined(separator: ",") + "]")
        #expect(Self.order(messages) == ["100", "mood 1", "mood 2", "mood 3", "[1 2 3 2]"])
        let marks = messages.compactMap { $0["params"]?["changes"]?.array?[0]["mood"]?["isFavorite"]?.boolean }
        #expect(marks == [false, true, false])
        // A failure in the middle does not affect the other members.
        let failing = try session.answers(
            "[" + [toggle, request(9, "mood.get", "{}"), toggle].joined(separator: ",") + "]")
        #expect(Self.order(failing) == ["mood 4", "mood 5", "[2 9 2]"])
    }

    @Test func eventsLeaveWithTheSyncAndGoBackWithIt() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.answers(Self.subscribe(#""mood","nav""#), Self.create(1, 1))
        fault.set("fdatasync", 5)
        let lost = try session.answers(
            Self.create(2, 2), request(3, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(2))"}}"#),
            request(4, "nav.navigate", #"{"route":{"name":"crudList"}}"#))
        #expect(Self.order(lost) == ["outcomeUnknown", "notFound", "nav 1", "4"])
        #expect(try Self.order(session.answers(Self.create(5, 3))) == ["mood 2", "5"])
    }

    @Test func namesTheFirstHundredChanges() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            for part in 0..<3 {
                let creations = (1...100).map { Self.create($0, part * 100 + $0) }
                _ = try session.answers("[" + creations.joined(separator: ",") + "]")
            }
            let ids = (1...150).map { "\"\(testID($0))\"" }.joined(separator: ",")
            let messages = try session.answers(
                Self.subscribe(), request(1, "mood.updateMany", #"{"ids":[\#(ids)],"set":{"notes":"n"}}"#),
                request(2, "mood.clear", #"{"confirm":true}"#))
            let events = messages.compactMap { $0["params"] }
            #expect(events.map { $0["changes"]?.array?.count } == [100, 100])
            #expect(events.map { $0["truncated"]?.boolean } == [true, true])
            #expect(events.map { $0["count"]?.integer } == [150, 300])
            #expect(events[0]["changes"]?.array?[99]["id"]?.string == testID(100))
            #expect(events[0]["changes"]?.array?[99]["mood"]?["notes"]?.string == "n")
        }
    }

    /// Moods that make an event too large are left out, and the client must ask for them.
    @Test func leavesLargeMoodsOut() throws {
        let session = TestSession()
        let notes = String(repeating: "n", count: 60_000)
        for number in 1...30 { _ = try session.answers(Self.create(number, number, #","notes":"\#(notes)""#)) }
        let ids = (1...30).map { "\"\(testID($0))\"" }.joined(separator: ",")
        let messages = try session.answers(
            Self.subscribe(), request(1, "mood.updateMany", #"{"ids":[\#(ids)],"set":{"tags":["t"]}}"#))
        let changes = try #require(messages[1]["params"]?["changes"]?.array)
        #expect(changes.count == 30)
        #expect(
            changes.map { $0["mood"] != nil } == Array(repeating: true, count: 4) + Array(repeating: false, count: 26))
    }

    // MARK: Since

    @Test func tellsOfWhatLiesBehindARevision() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        for number in 1...5 { _ = try session.answers(Self.create(number, number)) }
        let messages = try session.answers(
            Self.create(6, 6), Self.subscribe(since: 2), request(7, "host.ping"), Self.create(8, 7))
        #expect(Self.order(messages) == ["6", "100", "mood 3", "mood 4", "mood 5", "mood 6", "7", "mood 7", "8"])
        #expect(messages[1]["result"]?.text == #"{"subscription":"s1","revision":6}"#)
        #expect(try Self.order(session.answers(Self.subscribe(since: 7))) == ["100"])
    }

    @Test func saysWhatIsTooOld() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        for number in 1...3 { _ = try session.answers(Self.create(number, number)) }
        _ = try session.result("store.compact", #"{"keepHistoryFrom":100}"#)
        #expect(try session.call("events.subscribe", #"{"since":2}"#)["result"]?["resync"]?.boolean == true)
        #expect(try session.call("events.subscribe", #"{"since":3}"#)["result"]?["resync"] == nil)
        // A future revision belongs to another store.
        #expect(try session.call("events.subscribe", #"{"since":4}"#)["result"]?["resync"]?.boolean == true)
        // A store in memory keeps nothing for later reports.
        let memory = TestSession()
        _ = try memory.answers(Self.create(1, 1))
        #expect(try memory.call("events.subscribe", #"{"since":0}"#)["result"]?["resync"]?.boolean == true)
        #expect(try memory.call("events.subscribe", #"{"since":1}"#)["result"]?["resync"] == nil)
        #expect(try memory.call("events.subscribe", #"{"topics":["nav"],"since":0}"#)["result"]?["resync"] == nil)
    }

    /// Events requested with `since` come as fast as the client reads, in bounded memory.
    @Test func tellsOfManyInPieces() throws {
        let directory = TestDirectory()
        let filler = TestSession(directory)
        let notes = String(repeating: "n", count: 30_000)
        for number in 1...120 { _ = try filler.answers(Self.create(number, number, #","notes":"\#(notes)""#)) }
        let session = TestSession(directory)
        session.receive(Array((Self.subscribe(since: 0) + "\n" + request(1, "host.ping") + "\n").utf8))
        var output = ""
        var pieces = 0
        while !session.process() {
            #expect(session.waitingBytes < 1_100_000 + 64 * 1024)
            output += session.takeOutput()
            pieces += 1
        }
        output += session.takeOutput()
        let messages = try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(Self.order(messages) == ["100"] + (1...120).map { "mood \($0)" } + ["1"])
        #expect(pieces >= 3)
    }

    // MARK: Others

    /// Commits of another process are reported when this one sees them, in order with its own, across compactions.
    @Test(arguments: [1, 5, 11, 29]) func tellsOfWhatOthersDo(seed: Int) throws {
        let directory = TestDirectory()
        let sessions = [TestSession(directory), TestSession(directory), TestSession(directory)]
        var seqs: [[Int]] = [[], [], []]
        for session in sessions { _ = try session.answers(Self.subscribe()) }
        for number in 1...80 {
            let mixed = (number * 7919 + seed * 104_729) ^ (number * seed >> 2)
            let place = mixed / 8 % 3
            let call =
                switch mixed % 8 {
                case 0: request(1, "store.compact")
                case 1: request(1, "mood.list")
                case 2: request(1, "store.insertSamples")
                default: Self.create(1, number)
                }
            let messages = try sessions[place].answers(call)
            seqs[place] += messages.compactMap { $0["params"]?["seq"]?.integer }
            // The events before the answer of a request cover everything that it saw.
            let answer = try #require(messages.last { $0.id == 1 })
            if let revision = answer["result"]?["revision"]?.integer, call.contains("create") {
                #expect(seqs[place].last == revision, "seed \(seed)")
            }
        }
        for (place, session) in sessions.enumerated() {
            seqs[place] += try session.answers(request(2, "mood.list")).compactMap { $0["params"]?["seq"]?.integer }
            #expect(seqs[place] == Array(1...(seqs[place].last ?? 1)), "seed \(seed), session \(place)")
        }
        #expect(Set(seqs.map(\.count)).count == 1, "seed \(seed)")
    }

    /// While the client reads nothing, the host keeps no commits of others for it.
    @Test func aClientThatDoesNotReadIsToldSo() throws {
        let directory = TestDirectory()
        var options = HostOptions(place: .directory(directory.path))
        #expect(options.limits.set(.queuedOutputBytes, to: 64 * 1024) == nil)
        let session = TestSession(directory, options)
        let other = TestSession(directory)
        _ = try session.answers(Self.subscribe(#""mood","store""#), request(1, "host.ping"))
        for number in 1...300 { _ = try other.answers(Self.create(1, number)) }
        session.receive([])
        #expect(!session.process())
        #expect(session.isOutputFull && session.isTooSlow)
        let waiting = session.waitingBytes
        #expect(waiting < 64 * 1024 + 2 * 1024)
        session.endSlowSubscriptions()
        #expect(!session.isTooSlow)
        let messages = try session.takeOutput().split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        let order = Self.order(messages)
        let last = messages.count - 1
        #expect(order == (1...last).map { "mood \($0)" } + ["mood \(last) lagged"])
        // It continues from there, or gets no more events.
        #expect(try Self.order(session.answers(Self.create(2, 400))) == ["2"])
        let rest = try session.answers(Self.subscribe(since: last)).dropFirst()
        #expect(Self.order(Array(rest)) == (last + 1...301).map { "mood \($0)" })
    }

    @Test func aStoreThatWasReplacedHasNoSequence() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        let other = TestSession(directory)
        _ = try session.answers(Self.create(1, 1), Self.create(1, 2), Self.subscribe(#""mood","store","nav""#))
        _ = try session.answers(Self.subscribe(#""nav""#))
        _ = try other.result("store.compact")
        #expect(try Self.order(session.answers(request(2, "host.ping"))) == ["store 1", "2"])
        _ = try other.result("store.reset", #"{"confirm":true}"#)
        #expect(try Self.order(session.answers(request(3, "host.ping"))) == ["store 2", "mood 0 lagged", "3"])
        let messages = try session.answers(request(4, "nav.navigate", #"{"route":{"name":"crudList"}}"#))
        #expect(messages[0]["params"]?["subscription"]?.string == "s2")
    }

    // MARK: Routers

    @Test func routersAreToldOfWhenTheyMove() throws {
        let session = TestSession()
        let list = #"{"route":{"name":"crudList"},"router":"r"}"#
        let messages = try session.answers(
            Self.subscribe(#""nav""#), request(1, "nav.navigate", list),
            request(2, "nav.open", #"{"url":"moodboard://menu"}"#),
            request(3, "nav.goBack", #"{"router":"r"}"#), request(4, "nav.goBack", #"{"router":"r"}"#),
            request(5, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#))
        #expect(Self.order(messages) == ["100", "nav 1", "1", "2", "nav 2", "3", "4", "notFound"])
        #expect(messages[1]["params"]?["router"]?.string == "r")
        #expect(messages[1]["params"]?["state"]?["depth"]?.integer == 1)
    }

    @Test(arguments: [true, false]) func deletionTakesRoutesAway(isSubscribed: Bool) throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        let other = TestSession(directory)
        for number in 1...3 { _ = try session.answers(Self.create(number, number)) }
        func show(_ number: Int, _ router: String) -> String {
            request(
                9, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(number))"},"router":"\#(router)"}"#)
        }
        _ = try session.answers(
            show(1, "main"), show(2, "main"), show(1, "a"), show(2, "b"), show(3, "b"),
            request(9, "nav.navigate", #"{"route":{"name":"crudList"},"router":"a"}"#))
        if isSubscribed { _ = try session.answers(Self.subscribe(#""mood","nav""#)) }
        let delete = request(1, "mood.delete", #"{"id":"\#(testID(1))"}"#)
        let messages = try session.answers(delete)
        #expect(Self.order(messages) == (isSubscribed ? ["mood 4", "nav 1", "nav 2", "1"] : ["1"]))
        let routes = #"[{"name":"moodDetail","id":"\#(testID(2))"}]"#
        #expect(try session.result("nav.state")["path"]?.text == routes)
        #expect(try session.result("nav.state", #"{"router":"a"}"#)["path"]?.text == #"[{"name":"crudList"}]"#)
        // A mood that another process deleted is gone too; a deleted mood that exists again stays.
        _ = try other.answers(request(1, "mood.delete", #"{"id":"\#(testID(2))"}"#))
        let seen = try session.answers(request(2, "nav.state"), request(3, "nav.state", #"{"router":"b"}"#))
        #expect(Self.order(seen) == (isSubscribed ? ["mood 5", "nav 3", "nav 4", "2", "3"] : ["2", "3"]))
        #expect(seen.last { $0.id == 2 }?["result"]?["depth"]?.integer == 0)
        #expect(seen.last { $0.id == 3 }?["result"]?["depth"]?.integer == 1)
        // A trial run removes nothing.
        _ = try session.answers(request(1, "mood.delete", #"{"id":"\#(testID(3))","dryRun":true}"#))
        #expect(try session.result("nav.state", #"{"router":"b"}"#)["depth"]?.integer == 1)
        // A deletion that did not become durable removes nothing either.
        _ = try session.answers(request(1, "mood.clear", #"{"confirm":true}"#))
        #expect(try session.result("nav.state", #"{"router":"b"}"#)["depth"]?.integer == 0)
    }

    @Test func routesComeBackWhereADeletionDidNotLast() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.answers(
            Self.create(1, 1), request(2, "nav.navigate", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#))
        fault.set("fdatasync", 5)
        let lost = try session.answers(
            request(3, "mood.delete", #"{"id":"\#(testID(1))"}"#), request(4, "nav.state"))
        #expect(lost.map(\.outcome) == ["outcomeUnknown", "ok"])
        #expect(lost[1]["result"]?["depth"]?.integer == 1)
    }

    // MARK: Subscriptions

    @Test func thereAreSoManySubscriptions() throws {
        let session = TestSession()
        for number in 1...64 {
            #expect(try session.result("events.subscribe")["subscription"]?.string == "s\(number)")
        }
        let refused = try session.call("events.subscribe")
        #expect(refused.kind == "limitExceeded")
        #expect(refused["error"]?["data"]?["limit"]?.string == "subscriptions")
        #expect(refused["error"]?["data"]?["value"]?.integer == 64)
        #expect(try session.result("events.unsubscribe", #"{"subscription":"s7"}"#).text == "{}")
        #expect(try session.call("events.unsubscribe", #"{"subscription":"s7"}"#).kind == "notFound")
        #expect(try session.result("events.subscribe")["subscription"]?.string == "s65")
        let messages = try session.answers(Self.create(1, 1))
        #expect(messages.count == 65)
        #expect(Set(messages.compactMap { $0["params"]?["subscription"]?.string }).count == 64)
    }

    @Test func saysWhatIsWrongWithTopics() throws {
        let session = TestSession()
        #expect(try session.call("events.subscribe", #"{"topics":["moods"]}"#).path == "/topics/0")
        #expect(try session.call("events.subscribe", #"{"topics":[]}"#).path == "/topics")
        #expect(try session.call("events.subscribe", #"{"topics":["nav","nav"]}"#).path == "/topics/1")
        #expect(try session.call("events.subscribe", #"{"since":-1}"#).path == "/since")
        #expect(try session.call("events.unsubscribe").path == "/subscription")
    }

    /// An event has the framing of the latest message.
    @Test func eventsAreFramedAsTheLatestMessage() throws {
        let session = TestSession()
        _ = try session.answers(Self.subscribe())
        let message = Self.create(1, 1)
        let output = session.output(for: "Content-Length: \(message.utf8.count)\r\n\r\n\(message)")
        #expect(output.hasPrefix("Content-Length: "))
        #expect(output.components(of: "Content-Length: ") == 2)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
