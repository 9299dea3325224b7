import JSONCodec

/// The trials of a peer, with their findings. A doctor for a kind of peer inherits it.
class Doctor {
    static let answerMilliseconds = 5000
    /// A method that no peer has.
    static let probe = "no.such.method"
    /// Ids of every kind.
    static let ids: [JSONValue] = [
        1, "1", -7, 2_147_483_648, 9_007_199_254_740_991, "", "a", "with \"quotes\" and \\", "ünï ☃ 𝄞",
        "0194f2a1-7c1e-7b3a-8f00-5b1a2c3d4e5f",
    ]

    final var findings = Findings()
    private var trial = ""
    /// The rules checked in the present trial.
    final var inspection = Inspection()

    final func note(_ clause: String, _ what: String) { findings.add(clause, what, in: trial) }

    final func begin(_ name: String) {
        trial = name
        findings.trials += 1
    }

    /// Makes a request and counts it.
    final func ask(_ method: String = probe, _ params: JSONValue = .object([]), id: JSONValue) -> String {
        inspection.ask(method, params, id: id)
    }

    /// Checks the rules for every message of the peer.
    final func inspect(_ talk: Conversation, rubbish clause: String) {
        inspection.look(at: talk.received, rubbish: clause)
        for fault in inspection.faults { note(fault.clause, fault.what) }
    }

    /// Expects an answer to each of these ids.
    final func expectAnswers(
        _ talk: Conversation, to ids: [JSONValue], _ clause: String = Inspection.Clause.response,
        within milliseconds: Int = answerMilliseconds
    ) {
        talk.waitForAnswers(to: ids, milliseconds)
        let missing = ids.filter { talk.answers(to: $0).isEmpty }
        guard let first = missing.first else { return }
        let ended = lastWords(talk).map { "; it has ended\($0)" } ?? ""
        note(
            clause,
            "\(missing.count) of \(ids.count) requests have no answer, the first has the id \(first.text)\(ended)")
    }

    final func expectEnd(
        _ talk: Conversation, _ clause: String, within milliseconds: Int, after what: String
    ) {
        guard talk.waitForEnd(milliseconds) == nil else { return }
        note(clause, "It still runs \(milliseconds) ms after \(what).")
    }

    /// Reads again after a pause in which neither the requests nor the answers of a flood fit in a pipe. A slow peer is
    /// not wrong.
    final func readFlood(_ talk: Conversation, answers count: Int, pause milliseconds: Int) {
        talk.wait(milliseconds)
        talk.isReading = true
        var before = -1
        while before < talk.received.count, talk.received.count < count, !talk.isOutputAtEnd {
            before = talk.received.count
            talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || talk.received.count > before }
        }
    }

    /// The exit status and the last error on stderr: ` (exit status 1): NameError: …`. Nil while the peer runs.
    final func lastWords(_ talk: Conversation) -> String? {
        guard talk.isOutputAtEnd, let status = talk.waitForEnd(1000) else { return nil }
        let lines = String(decoding: talk.complaints.suffix(2000), as: UTF8.self).split(separator: "\n")
        // Some languages print the error before the list of places, others after it.
        let line = lines.last { $0.contains("Error") || $0.contains("error") } ?? lines.last
        return " (\(status))" + (line.map { ": \($0.prefix(300))" } ?? "")
    }
}
