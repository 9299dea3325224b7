import JSONCodec
import Platform

/// A hostile and a sloppy host for one plugin. A real host may do each of these things, or do it by mistake.
///
/// Each trial starts a new plugin, isolated as in a host. The plugin's requests get error 1040, which it has to
/// survive.
final class PluginDoctor: Doctor {
    /// The sections of the documentation for a plugin's author.
    enum Clause {
        static let asks = "Docs/Plugins.md, What the host asks"
        static let life = "Docs/Plugins.md, Its life"
        static let log = "Docs/Plugins.md, When something is wrong"
        static let manifest = "Docs/Plugins.md, The manifest"
        static let stdout = "Docs/Plugins.md, A plugin in five minutes: stdout is for JSON-RPC alone"
    }

    static let helloMilliseconds = 15_000
    static let endMilliseconds = 700
    static let termMilliseconds = 500
    static let greeting: JSONValue = 0

    let helloMilliseconds: Int
    let runtimes: [String]
    let plan: KeptProcess.Plan
    let hello: JSONValue
    let info: JSONValue

    init(_ bench: PluginBench, _ info: JSONValue, runtimes: [String], helloMilliseconds: Int) throws(ClientError) {
        (self.helloMilliseconds, self.runtimes) = (helloMilliseconds, runtimes)
        plan = try bench.plan(info, runtimes: runtimes)
        hello = bench.hello(info)
        self.info = info
    }

    /// Starts the plugin, runs a conversation, checks the plugin's messages, and ends it.
    /// - Parameter isGreeted: whether `plugin.hello` comes first.
    /// - Returns: whether the plugin started and answered the greeting.
    @discardableResult
    func attempt(_ name: String, isGreeted: Bool = true, _ body: (Conversation) -> Void) throws(ClientError) -> Bool {
        begin(name)
        let subject = try orUnavailable("The plugin cannot be started") { () throws(SystemError) in
            try PluginUnderTest(plan)
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
        inspect(talk, rubbish: Clause.stdout)
        if talk.received.contains(where: { $0.framing == .header }) {
            note(Clause.stdout, "It answers a line with a header; each message is one line.")
        }
    }

}
