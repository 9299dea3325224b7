import JSONCodec
import JSONRPC
import MoodProtocol
import Testing

@testable import MoodHost

@Suite struct LimitTests {
    @Test func aBatchHasAtMost128Members() throws {
        let session = TestSession()
        let members = (0..<129).map { request($0, "host.ping") }
        let full = try session.answers("[" + members.dropLast().joined(separator: ",") + "]")
        #expect(full.first?.array?.count == 128)
        let over = try session.answers("[" + members.joined(separator: ",") + "]", request(7, "host.ping"))
        #expect(over.map(\.outcome) == ["batchTooLarge", "ok"])
        #expect(over[0]["id"]?.text == "null")
    }

    @Test func nothingOfAnOversizedBatchIsDone() throws {
        let session = TestSession(limits: [(.batch, 2)])
        let create = notification("mood.create", #"{"emoji":"😊","label":"A"}"#)
        let answers = try session.answers("[\(create),\(create),\(create)]", request(1, "mood.list"))
        #expect(answers.map(\.outcome) == ["batchTooLarge", "ok"])
        #expect(answers[1]["result"]?["total"]?.integer == 0)
    }

    /// The one answer of a batch obeys the message limit: members that do not fit are not done, and get an error.
    @Test func aBatchAnswerOverTheLimitSaysSoMemberByMember() throws {
        let limit = 256 * 1024
        let session = TestSession(limits: [(.messageBytes, limit)])
        let notes = String(repeating: "x", count: 40_000)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        var members = (0..<10).map { request($0, "mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#) }
        members.append(request(10, "nav.navigate", #"{"route":{"name":"crudList"}}"#))
        members.append(request(11, "host.ping"))
        let output = session.output(for: "[" + members.joined(separator: ",") + "]\n")
        #expect(output.utf8.count <= limit)
        let answers = try #require(try JSONValue(parsing: String(output.dropLast())).array)
        #expect(answers.map(\.id) == (0..<12).map { $0 })
        let done = answers.filter { $0.outcome == "ok" }
        let refused = answers.filter { $0.outcome == "messageTooLarge" }
        #expect(done.count + refused.count == 12)
        #expect((4...8).contains(done.count), "\(done.count) fit")
        #expect(answers.last?.outcome == "ok", "what is small still fits")
        // Refused members were not done.
        let toggles = done.count - 2
        #expect(try session.result("store.info")["revision"]?.integer == 1 + toggles)
    }

    @Test func aMessageOverTheLimitIsSkippedAndTheNextAnswered() throws {
        for isHeader in [false, true] {
            let session = TestSession(limits: [(.messageBytes, 1024)])
            let body = request(1, "host.ping") + String(repeating: " ", count: 2_000)
            let message = isHeader ? "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" : body + "\n"
            session.receive(Array(message.utf8))
            while !session.process() {}
            let output = session.takeOutput()
            #expect(output.contains("\"kind\":\"messageTooLarge\"") && output.contains("\"id\":null"))
            #expect(output.hasPrefix("Content-Length") == isHeader)
            #expect(try session.answers(request(2, "host.ping")).map(\.outcome) == ["ok"])
        }
    }

    @Test func depthAndIDsHaveLimits() throws {
        let session = TestSession()
        func nested(_ depth: Int) -> String {
            // The envelope is the first level.
            let arrays = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return #"{"jsonrpc":"2.0","id":1,"method":"host.ping","x":\#(arrays)}"#
        }
        #expect(try session.answers(nested(64)).map(\.outcome) == ["ok"])
        #expect(try session.answers(nested(65)).map(\.outcome) == ["parseError"])
        let long = String(repeating: "i", count: 256)
        #expect(
            try session.answers(#"{"jsonrpc":"2.0","id":"\#(long)","method":"host.ping"}"#).map(\.outcome) == ["ok"])
        let over = try session.answers(#"{"jsonrpc":"2.0","id":"\#(long)i","method":"host.ping"}"#)
        #expect(over.map(\.outcome) == ["invalidRequest"] && over[0]["id"]?.text == "null")
    }

    /// The host does not read from a client that does not read; when the client reads again, nothing is missing.
    @Test func aFullOutputStopsTheWorkAndLosesNothing() throws {
        let session = TestSession(limits: [(.queuedOutputBytes, 64 * 1024)])
        let notes = String(repeating: "x", count: 20_000)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        let lines = (0..<200).map {
            request($0, $0 % 10 == 9 ? "mood.toggleFavorite" : "mood.get", #"{"id":"\#(testID(1))"}"#)
        }
        session.receive(Array((lines.joined(separator: "\n") + "\n").utf8))
        var output = ""
        var rounds = 0
        while true {
            let isDone = session.process()
            #expect(session.waitingBytes < 64 * 1024 + 128 * 1024 + 21_000, "a bounded amount waits")
            #expect(isDone || session.waitingBytes > 0)
            output += session.takeOutput()
            rounds += 1
            if isDone { break }
        }
        #expect(rounds > 10)
        let answers = try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(answers.map(\.id) == (0..<200).map { $0 })
        #expect(answers.last?["result"]?["revision"]?.integer == 21)
    }

    @Test func outputThatLeavesInSmallPiecesIsWhole() throws {
        let options = HostOptions(place: .memory)
        var session = Session(core: Core(options, .memory(isReadOnly: false)))
        let lines = (0..<50).map { request($0, "nav.menu") + "\n" }.joined()
        let input = Array(lines.utf8)
        _ = session.receive(upTo: input.count) { room in
            room.copyBytes(from: input)
            return input.count
        }
        session.endInput()
        var output: [UInt8] = []
        while session.hasWork || !session.sendable.isEmpty {
            if session.hasWork { session.process(milliseconds: 0) }
            let count = min(977, session.sendable.count)
            output += session.sendable[..<count]
            session.didSend(count)
        }
        let ids = try String(decoding: output, as: UTF8.self).split(separator: "\n").map {
            try JSONValue(parsing: String($0)).id
        }
        #expect(ids == (0..<50).map { $0 })
    }

    /// The host finishes the last message that it has begun to send, and sends no other, wherever the client stopped.
    @Test(arguments: [Framing.line, .header]) func nothingIsCutInTheMiddle(framing: Framing) throws {
        let options = HostOptions(place: .memory)
        for taken in [0, 1, 2, 20, 40, 41, 60, 500] {
            var session = Session(core: Core(options, .memory(isReadOnly: false)))
            var input = JSONWriter(capacity: 256)
            for number in 10..<30 {
                let mark = input.count
                input.buffer.append(utf8: request(number, "host.ping"))
                input.endMessage(from: mark, framing: framing)
            }
            let bytes = Array(input.buffer.bytes)
            _ = session.receive(upTo: bytes.count) { room in
                room.copyBytes(from: bytes)
                return bytes.count
            }
            session.process(milliseconds: 0)
            let whole = Array(session.sendable)
            session.didSend(min(taken, 3))
            if taken > 3 { session.didSend(taken - 3) }
            session.dropUnbegunMessages()
            let rest = Array(session.sendable)
            let left = whole[..<(taken + rest.count)]
            #expect(rest == Array(whole[taken..<left.count]))
            var reader = FrameReader(messageBytesMax: 1000)
            left.withUnsafeBytes { reader.buffer.append($0) }
            var count = 0
            while let frame = reader.next(isAtEnd: true) {
                if case .message = frame { count += 1 } else { Issue.record("a message was cut behind \(taken) bytes") }
            }
            let size = whole.count / 20
            #expect(count == (taken + size - 1) / size, "\(taken)")
        }
    }

    @Test func limitsThatAreSetAreToldAndKept() throws {
        let session = TestSession(limits: [
            (.label, 3), (.tags, 1), (.listPage, 2), (.notesBytes, 4), (.attachments, 0),
        ])
        let info = try session.result("host.info")
        #expect(info["limits"]?["label"]?.integer == 3)
        #expect(info["limits"]?.object?.map(\.name) == Limits.Name.allCases.map(\.rawValue))
        for (params, path) in [
            (#"{"emoji":"😊","label":"abcd"}"#, "/label"), (#"{"emoji":"😊","label":"a","tags":["a","b"]}"#, "/tags"),
            (#"{"emoji":"😊","label":"a","notes":"abcde"}"#, "/notes"),
            (#"{"emoji":"😊","label":"a","attachments":[{"kind":"link","url":"https://a"}]}"#, "/attachments"),
        ] {
            #expect(try session.call("mood.create", params).path == path)
        }
        #expect(try session.call("mood.list", #"{"limit":3}"#).path == "/limit")
        #expect(try session.call("mood.list", #"{"limit":2}"#).outcome == "ok")
    }

    @Test func thereAreAtMost64Routers() throws {
        let session = TestSession()
        for number in 0..<63 {
            let params = #"{"route":{"name":"crudList"},"router":"r\#(number)"}"#
            #expect(try session.call("nav.navigate", params).outcome == "ok")
        }
        let over = try session.call("nav.navigate", #"{"route":{"name":"crudList"},"router":"one too many"}"#)
        #expect(over.outcome == "limitExceeded")
        #expect(over["error"]?["data"]?["value"]?.integer == 64)
        #expect(try session.call("nav.navigate", #"{"route":{"name":"crudList"}}"#).outcome == "ok")
        #expect(try session.call("nav.state", #"{"router":"another"}"#).outcome == "ok", "looking makes none")
    }

    @Test func aRouterHoldsAtMost64Routes() throws {
        let session = TestSession()
        for _ in 0..<64 { _ = try session.result("nav.navigate", #"{"route":{"name":"crudList"}}"#) }
        let over = try session.call("nav.navigate", #"{"route":{"name":"observation"}}"#)
        #expect(over.outcome == "limitExceeded")
        #expect(try session.result("nav.state")["depth"]?.integer == 64)
    }
}
