import JSONCodec
import JSONRPC
import Platform

/// The greeting of a plugin, and the messages of MCP servers.
extension HostedPlugin {
    /// The time after which a silent MCP server is also asked in the older way.
    private static let probeMilliseconds = 2000
    /// The most tools that are named in the log because they are left out.
    private static let leftOutMax = 16

    /// Greets a process that has started.
    func greet(at now: Int) {
        switch run.dialect {
        case .moodboard(var hello):
            let number = takeNumber()
            greetingNumber = number
            hello.append(contentsOf: ",\"revision\":\(surroundings.revision())}".utf8)
            hello.withUnsafeBytes { wire.request(number, "plugin.hello", $0) }
            send()
        case .mcp:
            guard let first = server?.begin() else { return }
            if server?.isOlder == false { probeTime = now + min(run.times.hello / 2, Self.probeMilliseconds) }
            ask(first)
        }
    }

    /// Sends the next request of the greeting of a server.
    private func ask(_ next: ServerGreeting.Request) {
        if let notification = next.notification { wire.notify(notification) }
        let number = takeNumber()
        greetingNumber = number
        request(number, next.method, next.params)
        send()
    }

    func request(_ number: Int, _ method: String, _ params: JSONValue) {
        Array(params.text.utf8).withUnsafeBytes { wire.request(number, method, $0) }
    }

    /// Tries the older way with a server that does not answer `server/discover`.
    func probeOlder() {
        probeTime = nil
        guard let next = server?.fallBack() else { return }
        discoverNumber = greetingNumber
        ask(next)
    }

    func greeted(
        _ number: Int, _ result: UnsafeRawBufferPointer?, _ error: UnsafeRawBufferPointer?, at now: Int
    ) {
        let value = result.map { JSONValue(ValidJSON(trusting: $0)) }
        let refusal = error.map { String(decoding: $0.prefix(300), as: UTF8.self) }
        let next: ServerGreeting.Next
        if number == discoverNumber {
            discoverNumber = nil
            guard let late = server?.discovered(value) else { return }
            // The answer to the older way no longer matters.
            if let greetingNumber { forget(greetingNumber) }
            next = late
        } else if let answered = server?.answered(value) {
            next = answered
        } else {
            guard let value else { return crash(.hello, "it refused plugin.hello: \(refusal ?? "")", at: now) }
            next = value["protocol"]?.integer == 1 ? .greeted : .failed("it does not speak protocol 1")
        }
        greetingNumber = nil
        probeTime = nil
        switch next {
        case .ask(let request): ask(request)
        case .failed(let reason): crash(.hello, refusal.map { "\(reason): \($0)" } ?? reason, at: now)
        case .greeted:
            discoverNumber = nil
            if let server {
                for reason in server.leftOut.prefix(Self.leftOutMax) { note(reason) }
                surroundings.toolsListed(self)
            }
            life.greeted(at: now)
            answered(at: now)
            observe()
        }
    }

    /// The tools of an MCP server as it described them.
    public var tools: [JSONValue] { server?.tools ?? [] }

    // MARK: Messages of an MCP server

    /// Handles a message of a server. The host declares no capabilities, so `ping` is the only valid request.
    func handleServer(
        _ message: UnsafeRawBufferPointer, _ method: JSONText, _ isNotification: Bool, _ params: ValidJSON?
    ) {
        if !isNotification { return answerServer(message, method) }
        let params = params.map { JSONValue($0) }
        if method.equals("notifications/message") {
            let text = params?["data"].map { $0.string ?? $0.text } ?? ""
            notes.add(.log, params?["level"]?.string.map { String($0.prefix(32)) }, text, at: surroundings.timestamp())
        } else if method.equals("notifications/progress") {
            guard let number = params?["progressToken"]?.integer,
                let call = underWay.first(where: { $0.number == number })
            else { return }
            call.progress = Array(Self.progress(params ?? .null).text.utf8)
            hasNews = true
        } else if method.equals("notifications/tools/list_changed"), greetingNumber == nil, life.state == .running,
            let next = server?.listAgain()
        {
            ask(next)
        }
    }

    /// Converts progress to the members of `$/progress`.
    private static func progress(_ params: JSONValue) -> JSONValue {
        let names = [("progress", "done"), ("total", "total"), ("message", "message")]
        return .object(names.compactMap { given, name in params[given].map { .init(name, $0) } })
    }

    private func answerServer(_ message: UnsafeRawBufferPointer, _ method: JSONText) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        guard let id = Envelope.read(message, &validator)?.id else { return }
        var out = JSONWriter(capacity: 128)
        if method.equals("ping") {
            out.buffer.append("{\"jsonrpc\":\"2.0\",\"id\":" as StaticString)
            out.buffer.append(id)
            out.buffer.append(",\"result\":{}}" as StaticString)
        } else {
            out.errorResponse(id: id, RPCError(.methodNotFound, "The host can do nothing for its MCP servers."))
        }
        reply(out.buffer.bytes)
    }
}
