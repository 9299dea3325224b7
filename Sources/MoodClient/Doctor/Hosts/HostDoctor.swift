import JSONCodec
import JSONRPC
import Platform

/// A hostile client for any JSON-RPC host that speaks over its stdin and stdout, by lines, headers or both.
///
/// Each trial starts a new host. It calls a method that no host has: it needs to know nothing of the host, and changes
/// nothing in it.
final class HostDoctor: Doctor {
    /// The rules that a host's author can look up.
    enum Clause {
        static let batch = "JSON-RPC 2.0, 6 Batch"
        static let parse = "JSON-RPC 2.0, 5.1: -32700 for what is no JSON"
        static let invalid = "JSON-RPC 2.0, 5.1: -32600 for what is no request"
        static let cancel = "LSP 3.17, Cancellation Support"
        static let header = "LSP 3.17, Base Protocol, Header Part"
        static let stdout = "Docs/Protocol.md, Transport: stdout carries messages and nothing else"
        static let line = "Docs/Protocol.md, Transport: one message a line, wherever it is split"
        static let limits = "Docs/Protocol.md, Limits: the connection goes on"
        static let end = "Docs/Protocol.md, Transport: the end of the input"
    }

    static let endMilliseconds = 2000

    private let path: String
    private let arguments: [String]
    /// Whether the trial killed the host while it wrote, so that its output proves nothing.
    var isCutOff = false
    /// The framings that the host speaks.
    private(set) var framings: [Framing] = []

    init(path: String, arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// Starts the host, runs a conversation, checks the host's messages, and ends the host.
    func attempt(_ name: String, _ body: (Conversation) -> Void) throws(ClientError) {
        begin(name)
        try run { talk, _ in body(talk) }
    }

    /// - Parameter isDeafened: whether the host starts with blocked signals.
    func run(isDeafened: Bool = false, _ body: (Conversation, HostUnderTest) -> Void) throws(ClientError) {
        let host = try orUnavailable("The host '\(path)' cannot be started") { () throws(SystemError) in
            try HostUnderTest(path: path, arguments: arguments, errors: .discarded, isDeafened: isDeafened)
        }
        defer {
            host.kill()
            _ = Conversation(host).waitForEnd(Self.endMilliseconds)
        }
        let talk = Conversation(host)
        inspection = Inspection()
        body(talk, host)
        if isCutOff { return isCutOff = false }
        inspect(talk, rubbish: Clause.stdout)
    }

    // MARK: Speaking

    func send(_ text: String, _ framing: Framing, _ talk: Conversation) { talk.send(Self.frame(text, framing)) }

    static func frame(_ text: String, _ framing: Framing) -> [UInt8] {
        switch framing {
        case .line: Array(text.utf8) + [0x0a]
        case .header: Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
        }
    }

    /// Finds the framings that the host answers. Without one, nothing else can be tried.
    func findFramings() throws(ClientError) {
        try attempt("silence, until it is spoken to") { talk in
            talk.wait(200) { talk.isOutputAtEnd || !talk.received.isEmpty }
            if !talk.received.isEmpty { note(Clause.stdout, "It speaks before it is spoken to.") }
        }
        begin("the first request")
        for framing in [Framing.line, .header] {
            // Discard findings in a framing that the host does not speak.
            let before = findings
            var isAnswered = false
            try run { talk, _ in
                send(ask(id: 1), framing, talk)
                talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || !talk.answers(to: 1).isEmpty }
                guard let answer = talk.answers(to: 1).first else { return }
                isAnswered = answer.framing == framing || talk.received.count == 1
                if answer.framing == framing {
                    framings.append(framing)
                } else if isAnswered {
                    note(Clause.header, "A request is answered in another framing than its own.")
                }
            }
            if !isAnswered { findings = before }
        }
        if framings.isEmpty {
            note(Clause.line, "A request has no answer, neither as a line nor with a Content-Length header.")
        }
    }

    // MARK: Expecting

    /// Expects the host to answer another request.
    func expectLife(_ talk: Conversation, after what: String, _ clause: String, _ framing: Framing) {
        let id = JSONValue.string("after")
        send(ask(id: id), framing, talk)
        talk.wait(2 * Self.answerMilliseconds) { talk.isOutputAtEnd || !talk.answers(to: id).isEmpty }
        guard talk.answers(to: id).isEmpty else { return }
        let ended = lastWords(talk).map { ": it has ended\($0)" } ?? ""
        note(clause, "After \(what) the next request has no answer\(ended).")
    }

    func expectEnd(_ talk: Conversation, after what: String) {
        expectEnd(talk, Clause.end, within: Self.endMilliseconds, after: what)
    }

    /// Expects an error of this code with this id.
    func expect(_ talk: Conversation, code: Int, id: JSONValue, to what: String, _ clause: String) {
        talk.wait(Self.answerMilliseconds) { talk.isOutputAtEnd || talk.received.contains { $0.answers(id) } }
        guard let answer = talk.received.last(where: { $0.answers(id) }) else {
            return note(clause, "\(what) has no answer with the id \(id.text).")
        }
        if answer.errorCode != code { note(clause, "\(what) is answered with \(Inspection.excerpt(answer))") }
    }
}
