import JSONCodec
import JSONRPC
import Platform

extension HostDoctor {
    /// Runs all trials in each framing that the host speaks.
    func examine() throws(ClientError) {
        try findFramings()
        for framing in framings {
            let name = framing == .line ? "lines" : "headers"
            try requests(framing, name)
            try rubbish(framing, name)
            try batches(framing, name)
            try pieces(framing, name)
            try large(framing, name)
            try floods(framing, name)
        }
        guard let framing = framings.first else { return }
        try endings(framing)
    }

    private func requests(_ framing: Framing, _ name: String) throws(ClientError) {
        try attempt("\(name): ids of every kind, a method that is not there") { talk in
            let ids = Self.ids + [0]
            for id in ids { send(ask(id: id), framing, talk) }
            expectAnswers(talk, to: ids)
            for id in ids {
                guard let answer = talk.answers(to: id).first, answer.errorCode != -32601 else { continue }
                note(Inspection.Clause.unknown, "It is answered with \(Inspection.excerpt(answer))")
                break
            }
        }
        try attempt("\(name): notifications are never answered") { talk in
            send(Inspection.notification("no/such/notification", ["value": 1]), framing, talk)
            send(Inspection.notification("$/cancelRequest", ["id": 4711]), framing, talk)
            send(Inspection.notification(Self.probe), framing, talk)
            send(ask(id: 1), framing, talk)
            expectAnswers(talk, to: [1])
            if talk.received.contains(where: { $0.id?.isNull ?? false }) {
                note(Inspection.Clause.notification, "A notification is answered.")
            }
        }
        try attempt("\(name): answers that it has not asked for") { talk in
            let answers = [
                #"{"jsonrpc":"2.0","id":77,"result":{}}"#, #"{"jsonrpc":"2.0","id":"x","result":null}"#,
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}"#,
            ]
            for text in answers + ["[\(answers.joined(separator: ","))]"] { send(text, framing, talk) }
            send(ask(id: 1), framing, talk)
            expectAnswers(talk, to: [1])
            if talk.received.count > 1, let answer = talk.received.first {
                note(Inspection.Clause.response, "An answer is answered, with \(Inspection.excerpt(answer))")
            }
        }
        try attempt("\(name): cancel races, before, with and after the request") { talk in
            var ids: [JSONValue] = []
            for number in 1...60 {
                let id = JSONValue.number(String(number))
                ids.append(id)
                let (request, cancel) = (ask(id: id), Inspection.notification("$/cancelRequest", ["id": id]))
                for text in number % 2 == 0 ? [cancel, request] : [request, cancel] { send(text, framing, talk) }
            }
            expectAnswers(talk, to: ids, Clause.cancel)
        }
    }

    private func rubbish(_ framing: Framing, _ name: String) throws(ClientError) {
        let texts = [
            "rubbish", "{\"jsonrpc\":\"2.0\",", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",}", "{'id':1}", "[1,",
            "\u{0}\u{1}\u{2}", "NaN", "\"\\ud800", "01", "\u{feff}{}",
        ]
        for text in texts {
            try attempt("\(name): no JSON: \(text.prefix(24))") { talk in
                inspection.isBroken = true
                inspection.asked["1"] = 1
                send(text, framing, talk)
                expect(talk, code: -32700, id: .null, to: "'\(text)'", Clause.parse)
                expectLife(talk, after: "'\(text)'", Clause.parse, framing)
            }
        }
        let invalid: [(text: String, id: JSONValue)] = [
            ("{}", .null), ("1", .null), ("\"text\"", .null), (#"{"jsonrpc":"2.0","method":1,"id":5}"#, 5),
            (#"{"jsonrpc":"2.0","id":6}"#, 6), (#"{"jsonrpc":"2.0","method":"a","params":"text","id":7}"#, 7),
            (#"{"jsonrpc":"2.0","method":"a","id":{}}"#, .null),
        ]
        for (text, id) in invalid {
            try attempt("\(name): no request: \(text)") { talk in
                inspection.isBroken = true
                inspection.asked[id.text] = 1
                send(text, framing, talk)
                talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || !talk.received.isEmpty }
                if let answer = talk.received.first, answer.value?["error"] == nil {
                    note(Clause.invalid, "'\(text)' is answered with \(Inspection.excerpt(answer))")
                } else if talk.received.isEmpty {
                    note(Clause.invalid, "'\(text)' has no answer.")
                }
                expectLife(talk, after: "'\(text)'", Clause.invalid, framing)
            }
        }
        try attempt("\(name): bytes that are no UTF-8") { talk in
            inspection.isBroken = true
            var bytes =
                Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".utf8) + [0xff, 0xc0, 0x80] + Array("\"}".utf8)
            inspection.asked["1"] = 1
            if framing == .header { bytes = Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes }
            talk.send(bytes + (framing == .line ? [0x0a] : []))
            expectLife(talk, after: "bytes that are no UTF-8", Clause.parse, framing)
        }
    }

    private func batches(_ framing: Framing, _ name: String) throws(ClientError) {
        try attempt("\(name): batches") { talk in
            inspection.isBroken = true
            inspection.asked = ["1": 1, "2": 1]
            let members = [
                Inspection.request(Self.probe, .object([]), id: 1), Inspection.notification("no/such"), "7",
                Inspection.request(Self.probe, .object([]), id: 2),
            ]
            send("[\(members.joined(separator: ","))]", framing, talk)
            talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || !talk.received.isEmpty }
            talk.wait(50)
            guard let answer = talk.received.first else { return note(Clause.batch, "A batch has no answer.") }
            guard let answers = answer.value?.array, talk.received.count == 1 else {
                return note(Clause.batch, "A batch is answered with one array, not with \(Inspection.excerpt(answer))")
            }
            if answers.count != 3 {
                note(Clause.batch, "Two requests, 7 and a notification want three answers, not \(answers.count).")
            }
        }
        try attempt("\(name): an empty batch") { talk in
            inspection.isBroken = true
            send("[]", framing, talk)
            expect(talk, code: -32600, id: .null, to: "An empty array", Clause.batch)
        }
        try attempt("\(name): a batch of notifications") { talk in
            let notification = Inspection.notification("no/such")
            send("[\(notification),\(notification)]", framing, talk)
            send(ask(id: 1), framing, talk)
            expectAnswers(talk, to: [1])
            if talk.received.count != 1 { note(Clause.batch, "A batch of notifications is answered.") }
        }
    }

    private func pieces(_ framing: Framing, _ name: String) throws(ClientError) {
        try attempt("\(name): single bytes, and many messages in one write") { talk in
            for byte in Self.frame(ask(Self.probe, ["text": "sea 🌊"], id: 1), framing) {
                talk.send([byte])
                talk.wait(100) { talk.isSent }
            }
            expectAnswers(talk, to: [1], Clause.line)
            let ids = (2...100).map { JSONValue.number(String($0)) }
            talk.send(ids.flatMap { Self.frame(ask(id: $0), framing) })
            expectAnswers(talk, to: ids, Clause.line)
        }
        guard framing == .header else {
            return try attempt("lines that end with CR LF, and blank ones") { talk in
                talk.send(Array("\r\n\n\(ask(id: 1))\r\n\n".utf8))
                expectAnswers(talk, to: [1], Clause.line)
            }
        }
        try attempt("headers: small letters, other headers") { talk in
            let text = ask(id: 1)
            talk.send(
                Array("content-type: application/json\r\ncontent-length:\(text.utf8.count)\r\nX: y\r\n\r\n\(text)".utf8)
            )
            expectAnswers(talk, to: [1], Clause.header)
        }
    }

    private func large(_ framing: Framing, _ name: String) throws(ClientError) {
        let parts: [(what: String, text: String)] = [
            ("a message of 32 MiB", #""\#(String(repeating: "0123456789abcdef", count: 1 << 21))""#),
            (
                "100,000 open brackets",
                String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
            ), ("a number of 100,000 digits", String(repeating: "7", count: 100_000)), ("the number 1e400", "1e400"),
            ("a text of escapes", #""\#(String(repeating: "\\u0000", count: 10_000))""#),
        ]
        for (what, text) in parts {
            try attempt("\(name): \(what)") { talk in
                inspection.isBroken = true
                inspection.asked["1"] = 1
                send(
                    #"{"jsonrpc":"2.0","id":1,"method":"\#(Self.probe)","params":{"value":\#(text)}}"#, framing, talk)
                talk.wait(30_000) { talk.isOutputAtEnd || talk.isSent }
                expectLife(talk, after: what, Clause.limits, framing)
                let count = talk.received.filter { $0.answers(1) || $0.id?.isNull ?? false }.count
                if count != 1, !talk.isOutputAtEnd { note(Clause.limits, "\(what) has \(count) answers.") }
            }
        }
    }

    private func floods(_ framing: Framing, _ name: String) throws(ClientError) {
        try attempt("\(name): a flood of 1,000 requests, and a reader that pauses") { talk in
            let ids = (1000..<2000).map { JSONValue.string("\($0)" + String(repeating: "-", count: 200)) }
            talk.isReading = false
            for id in ids { talk.send(Self.frame(ask(id: id), framing)) }
            readFlood(talk, answers: ids.count, pause: 500)
            talk.wait(50)
            let answered = Set(talk.received.compactMap { $0.id?.text })
            if answered.count < ids.count {
                note(
                    Inspection.Clause.response,
                    "\(ids.count - answered.count) of \(ids.count) requests have no answer, in a flood.")
            }
        }
    }
}
