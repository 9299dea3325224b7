import JSONCodec
import Platform

extension PluginDoctor {
    /// Runs all trials. Stops if the plugin does not answer the greeting.
    /// - Returns: whether the plugin answered it.
    func examine() throws(ClientError) -> Bool {
        let isGreeted = try attempt("a polite host: hello, unknown methods, goodbye") { talk in
            for id: JSONValue in [1, 2] {
                talk.send(ask(id: id))
                expectRefusals(talk, of: [id])
            }
            bid(talk)
        }
        guard isGreeted else { return false }
        try notifications()
        try pieces()
        try ids()
        try large()
        try flood()
        try cancellations()
        try declared()
        try endings()
        return true
    }

    /// Sends goodbye, ends the plugin's input, and expects the plugin to end in time.
    private func bid(_ talk: Conversation) {
        talk.send(Inspection.notification("plugin.goodbye"))
        talk.wait(1000) { talk.isSent }
        talk.closeInput()
        expectEnd(talk, after: "plugin.goodbye and the end of its input")
    }

    private func expectEnd(_ talk: Conversation, within milliseconds: Int = endMilliseconds, after what: String) {
        expectEnd(talk, Clause.life, within: milliseconds, after: what)
    }

    private func notifications() throws(ClientError) {
        try attempt("notifications: unknown ones, and cancellations of nothing") { talk in
            talk.send(Inspection.notification("no/such/notification", ["value": 1]))
            talk.send(Inspection.notification("$/cancelRequest", ["id": 4711]))
            talk.send(Inspection.notification("$/cancelRequest", ["id": "a text"]))
            talk.send(Inspection.notification("$/progress", ["token": "t", "value": ["done": 1]]))
            for method in ownMethods.prefix(1) { talk.send(Inspection.notification(method.name, method.params)) }
            talk.send(ask(id: 1))
            expectRefusals(talk, of: [1])
        }
    }

    private func pieces() throws(ClientError) {
        try attempt("split and joined frames: single bytes, many messages in one write") { talk in
            for byte in Array((ask(Self.probe, ["text": "sea 🌊"], id: 1) + "\n").utf8) {
                talk.send([byte])
                talk.wait(100) { talk.isSent }
            }
            let ids = (2...40).map { JSONValue.number(String($0)) }
            talk.send(ids.map { ask(id: $0) }.joined(separator: "\n"))
            expectRefusals(talk, of: [1] + ids)
        }
    }

    private func ids() throws(ClientError) {
        try attempt("ids of every kind: large, negative, texts") { talk in
            let ids = Self.ids + [.string(String(repeating: "i", count: 256))]
            for id in ids { talk.send(ask(id: id)) }
            expectRefusals(talk, of: ids)
        }
    }

    private func large() throws(ClientError) {
        try attempt("large params: a megabyte, long numbers, deep nesting") { talk in
            let deep = (0..<40).reduce(into: JSONValue.array([])) { value, _ in value = .array([value]) }
            let params: [JSONValue] = [
                ["text": .string(String(repeating: "0123456789abcdef", count: 1 << 16))],
                ["number": .number("1e300"), "digits": .number(String(repeating: "7", count: 300))],
                ["deep": deep], ["text": "\u{2028}\u{2029}\u{85}\u{0b}\u{0c}\r\n\u{0}\u{feff}"],
            ]
            for (number, value) in params.enumerated() {
                talk.send(ask(Self.probe, value, id: .number(String(number + 1))))
            }
            expectRefusals(talk, of: (1...params.count).map { .number(String($0)) }, within: 10_000)
        }
    }

    private func flood() throws(ClientError) {
        try attempt("a flood of 300 requests, and a host that does not read for a while") { talk in
            let ids = (1000..<1300).map { JSONValue.string("\($0)" + String(repeating: "-", count: 250)) }
            talk.isReading = false
            talk.send(ids.map { ask(id: $0) }.joined(separator: "\n"))
            readFlood(talk, answers: ids.count + 1, pause: 400)
            expectRefusals(talk, of: ids, within: 100)
        }
    }

    private func cancellations() throws(ClientError) {
        try attempt("cancel races: before, with and after the request") { talk in
            var ids: [JSONValue] = []
            for number in 1...30 {
                let id = JSONValue.number(String(number))
                ids.append(id)
                let method = ownMethods.first
                let request = ask(method?.name ?? Self.probe, method?.params ?? .object([]), id: id)
                let cancel = Inspection.notification("$/cancelRequest", ["id": id])
                switch number % 3 {
                case 0: talk.send("\(cancel)\n\(request)")
                case 1: talk.send("\(request)\n\(cancel)")
                default:
                    talk.send(request)
                    talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || !talk.answers(to: id).isEmpty }
                    talk.send(cancel)
                }
            }
            expectAnswers(talk, to: ids, within: timeoutMilliseconds)
        }
    }

    private func endings() throws(ClientError) {
        try attempt("the input ends in the middle of a line") { talk in
            inspection.isBroken = true
            talk.send(Array(#"{"jsonrpc":"2.0","id":9,"meth"#.utf8))
            talk.wait(1000) { talk.isSent }
            talk.closeInput()
            expectEnd(talk, after: "its input ended in the middle of a line")
        }
        try attempt("the input ends before anything was said", isGreeted: false) { talk in
            talk.closeInput()
            expectEnd(talk, within: helloMilliseconds, after: "its input ended, before anything was said")
        }
        try attempt("a host that is silent, then SIGTERM") { talk in
            talk.wait(1000) { talk.isOutputAtEnd }
            if talk.isOutputAtEnd {
                return note(Clause.life, "It ended by itself while the host was silent.")
            }
            talk.subject.terminate()
            expectEnd(talk, within: Self.termMilliseconds, after: "SIGTERM")
        }
        try attempt("a host that reads no more") { talk in
            talk.subject.closeOutput()
            talk.send(ask(id: 1))
            talk.wait(200)
            talk.closeInput()
            expectEnd(talk, after: "its output is not read, and its input ended")
        }
    }
}
