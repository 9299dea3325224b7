import JSONCodec
import JSONRPC
import Platform

extension HostDoctor {
    /// Trials of endings: the input ends at every byte, signals, readers that are gone, and kill -9.
    func endings(_ framing: Framing) throws(ClientError) {
        let message = Self.frame(Inspection.request("a", .object([]), id: 1), framing)
        begin("the input ends after each byte of a message")
        for count in 0...message.count {
            try run { talk, _ in
                inspection.isBroken = true
                inspection.asked["1"] = 1
                talk.send(Array(message[..<count]))
                talk.wait(1000) { talk.isSent }
                talk.closeInput()
                expectEnd(talk, after: "the end of its input, \(count) bytes into a message")
                let isWhole = count == message.count || framing == .line && count == message.count - 1
                if isWhole, talk.answers(to: 1).isEmpty {
                    note(
                        count == message.count ? Clause.end : Clause.line,
                        count == message.count
                            ? "What was sent before the end of the input is not answered."
                            : "A last line without its line feed is a message too, and is not answered.")
                }
            }
        }
        try attempt("the end of the input after many requests") { talk in
            let ids = (1...200).map { JSONValue.number(String($0)) }
            talk.send(ids.flatMap { Self.frame(ask(id: $0), framing) })
            talk.wait(Self.answerMilliseconds) { talk.isSent }
            talk.closeInput()
            talk.isReading = false
            talk.wait(100)
            talk.isReading = true
            talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd }
            expectAnswers(talk, to: ids, Clause.end)
            expectEnd(talk, after: "the end of its input")
            if let status = talk.subject.ending(), status != .exited(0) {
                note(Clause.end, "After the end of its input it ends with \(status).")
            }
        }
        for signal in ChildProcess.EndingSignal.allCases {
            for isDeafened in [false, true] {
                let name = signal.rawValue + (isDeafened ? ", which its parent had blocked" : "")
                begin(name)
                try run(isDeafened: isDeafened) { talk, host in
                    send(ask(id: 1), framing, talk)
                    expectAnswers(talk, to: [1])
                    host.send(signal)
                    expectEnd(talk, after: name)
                }
            }
        }
        try attempt("a client that reads no more") { talk in
            send(ask(id: 1), framing, talk)
            expectAnswers(talk, to: [1])
            talk.subject.closeOutput()
            for number in 2...50 { send(ask(id: .number(String(number))), framing, talk) }
            talk.wait(500) { talk.isSent }
            talk.closeInput()
            expectEnd(talk, after: "nobody reads what it writes, and its input ended")
        }
        try attempt("kill -9 under a flood, and a start after it") { talk in
            for number in 1...200 { send(ask(id: .number(String(number))), framing, talk) }
            talk.wait(20) { talk.isSent }
            talk.subject.kill()
            _ = talk.waitForEnd(Self.endMilliseconds)
            isCutOff = true
        }
        try attempt("a start after kill -9") { talk in
            send(ask(id: 1), framing, talk)
            expectAnswers(talk, to: [1])
        }
    }
}
