import JSONCodec
import Platform

/// A hostile and a sloppy host for one plugin. A real host may do each of these things, or do it by mistake.
///
/// Each trial starts a new plugin, isolated as in a host. The plugin's requests get error 1040, which it has to
/// survive.
final class PluginDoctor {
    /// The sections of the documentation for a plugin's author.
    enum Clause {
        static let asks = "Docs/Plugins.md, What the host asks"
        static let life = "Docs/Plugins.md, Its life"
        static let log = "Docs/Plugins.md, When something is wrong"
        static let manifest = "Docs/Plugins.md, The manifest"
        static let stdout = "Docs/Plugins.md, A plugin in five minutes: stdout is for JSON-RPC alone"
    }

    static let helloMilliseconds = 15_000
    static let answerMilliseconds = 5000
    static let endMilliseconds = 700
    static let termMilliseconds = 500
    static let greeting: JSONValue = 0
    static let probe = "no.such.method"

    let helloMilliseconds: Int
    let runtimes: [String]
    let plan: KeptProcess.Plan
    let hello: JSONValue
    let info: JSONValue
    var findings = Findings()
    private(set) var trial = ""
    /// The rules checked in the present trial.
    var inspection = Inspection()

    init(_ bench: PluginBench, _ info: JSONValue, runtimes: [String], helloMilliseconds: Int) throws(ClientError) {
        (self.helloMilliseconds, self.runtimes) = (helloMilliseconds, runtimes)
        plan = try bench.plan(info, runtimes: runtimes)
        hello = bench.hello(info)
        self.info = info
    }

    func note(_ clause: String, _ what: String) { findings.add(clause, what, in: trial) }

    func begin(_ name: String) {
        trial = name
        findings.trials += 1
    }

    /// Starts the plugin, runs a conversation, checks the plugin's messages, and ends it.
    /// - Parameter isGreeted: whether `plugin.hello` comes first.
    /// - Returns: whether the plugin started and answered the greeting.
    @discardableResult
    func attempt(_ name: String, isGreeted: Bool = true, _ body: (Conversation) -> Void) throws(ClientError) -> Bool {
        begin(name)
        let subject: PluginUnderTest
        do throws(SystemError) { subject = try PluginUnderTest(plan) } catch {
            throw .unavailable("The plugin cannot be started: \(error).", advice: nil)
        }
        defer { subject.kill() }
        let talk = Conversation(subject)
        talk.reply = { message in
            let refusal: JSONValue = [
                "code": 1040, "message": "Refused, to see what the plugin does then.",
                "data": ["kind": "permissionDenied", "retryable": false, "permission": "none"],
            ]
            let answer: JSONValue = ["jsonrpc": "2.0", "id": message.id ?? .null, "error": refusal]
            return Array(answer.text.utf8)
        }
        inspection = Inspection()
        if isGreeted {
            talk.send(ask("plugin.hello", hello, id: Self.greeting))
            guard greet(talk) else {
                inspect(talk)
                return false
            }
        }
        body(talk)
        inspect(talk)
        if let refusal = subject.refusal {
            throw .unavailable("The plugin cannot be started: \(Escaping.visible(refusal)).", advice: nil)
        }
        return true
    }

    /// Waits for the answer to `plugin.hello`.
    private func greet(_ talk: Conversation) -> Bool {
        let isAnswered = talk.wait(helloMilliseconds) {
            talk.isOutputAtEnd || !talk.answers(to: Self.greeting).isEmpty
        }
        guard let answer = talk.answers(to: Self.greeting).first else {
            let ending = isAnswered ? lastWords(talk) : nil
            note(
                Clause.life,
                ending.map { "It ended before it answered plugin.hello\($0)" }
                    ?? "plugin.hello has no answer within \(helloMilliseconds) ms. Flush every line.")
            return false
        }
        guard answer.value?["result"]?["protocol"]?.integer == 1 else {
            note(
                Clause.asks,
                "plugin.hello is to be answered with {\"protocol\":1}, not with \(Inspection.excerpt(answer))")
            return false
        }
        return true
    }

    /// The exit status and the last error on stderr: ` (exit status 1): NameError: …`. Nil while the plugin runs.
    private func lastWords(_ talk: Conversation) -> String? {
        guard talk.isOutputAtEnd, let status = talk.waitForEnd(1000) else { return nil }
        let lines = String(decoding: talk.complaints.suffix(2000), as: UTF8.self).split(separator: "\n")
        // Some languages print the error before the list of places, others after it.
        let line = lines.last { $0.contains("Error") || $0.contains("error") } ?? lines.last
        return " (\(status))" + (line.map { ": \($0.prefix(300))" } ?? "")
    }

    /// Expects an answer to each of these ids.
    func expectAnswers(_ talk: Conversation, to ids: [JSONValue], within milliseconds: Int = answerMilliseconds) {
        talk.waitForAnswers(to: ids, milliseconds)
        let missing = ids.filter { talk.answers(to: $0).isEmpty }
        if let first = missing.first {
            let ended = lastWords(talk).map { "; it has ended\($0)" } ?? ""
            note(
                Inspection.Clause.response,
                "\(missing.count) of \(ids.count) requests have no answer, the first has the id \(first.text)\(ended)")
        }
        for id in ids where talk.answers(to: id).count > 1 {
            note(
                Inspection.Clause.response,
                "The request with the id \(id.text) has \(talk.answers(to: id).count) answers.")
            break
        }
    }

    /// Expects the right error for methods that do not exist.
    func expectRefusals(_ talk: Conversation, of ids: [JSONValue], within milliseconds: Int = answerMilliseconds) {
        expectAnswers(talk, to: ids, within: milliseconds)
        for id in ids {
            guard let answer = talk.answers(to: id).first, answer.errorCode != -32601 else { continue }
            note(Inspection.Clause.unknown, "A method that is not there is answered with \(Inspection.excerpt(answer))")
            return
        }
    }

    /// Checks the rules for every message of a plugin.
    private func inspect(_ talk: Conversation) {
        inspection.look(at: talk.received, rubbish: Clause.stdout)
        for fault in inspection.faults { note(fault.clause, fault.what) }
        if talk.received.contains(where: { $0.framing == .header }) {
            note(Clause.stdout, "It answers a line with a header; each message is one line.")
        }
    }

    /// Makes a request and counts it.
    func ask(_ method: String, _ params: JSONValue = .object([]), id: JSONValue) -> String {
        inspection.ask(method, params, id: id)
    }
}
