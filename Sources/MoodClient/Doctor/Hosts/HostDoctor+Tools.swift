import JSONCodec
import JSONRPC

/// Trials of a host that also speaks MCP, in each of its revisions. It calls only tools that say that they read.
extension HostDoctor {
    private static let revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    private static let clause = "Model Context Protocol"
    /// The abilities of the client: a person can open addresses, and fill in no form.
    private static let capabilities: JSONValue = ["elicitation": ["url": [:]]]

    /// A client in one revision: the newest says in each request what the older ones say once.
    private final class Guest {
        let talk: Conversation
        let revision: String
        let framing: Framing
        private var number = 0
        var isNewer: Bool { revision == HostDoctor.revisions.last }

        init(_ talk: Conversation, _ revision: String, _ framing: Framing) {
            (self.talk, self.revision, self.framing) = (talk, revision, framing)
        }

        /// Asks; returns the whole answer, nil if there is none.
        func ask(_ doctor: HostDoctor, _ method: String, _ params: [JSONValue.Member] = []) -> JSONValue? {
            let (id, text) = request(doctor, method, params)
            doctor.send(text, framing, talk)
            talk.wait(HostDoctor.answerMilliseconds) { talk.isOutputAtEnd || !talk.answers(to: id).isEmpty }
            return talk.answers(to: id).first?.value
        }

        /// The next request.
        func request(
            _ doctor: HostDoctor, _ method: String, _ params: [JSONValue.Member]
        ) -> (id: JSONValue, text: String) {
            number += 1
            let id = JSONValue.number(String(number))
            let meta: JSONValue = [
                "io.modelcontextprotocol/protocolVersion": .string(revision),
                "io.modelcontextprotocol/clientInfo": ["name": "mood", "version": "1"],
                "io.modelcontextprotocol/clientCapabilities": HostDoctor.capabilities,
            ]
            let all = JSONValue.object(params + (isNewer ? [.init("_meta", meta)] : []))
            return (id, doctor.inspection.ask(method, all, id: id))
        }

        /// Greets; returns whether the host takes the revision.
        func greet(_ doctor: HostDoctor) -> Bool {
            guard !isNewer else { return ask(doctor, "server/discover")?["result"] != nil }
            let answer = ask(
                doctor, "initialize",
                [
                    .init("protocolVersion", .string(revision)), .init("capabilities", HostDoctor.capabilities),
                    .init("clientInfo", ["name": "mood", "version": "1"]),
                ])
            guard answer?["result"]?["protocolVersion"]?.string == revision else { return false }
            doctor.send(Inspection.notification("notifications/initialized"), framing, talk)
            return true
        }

        /// All items of a list.
        func list(_ doctor: HostDoctor, _ method: String, _ name: String) -> [JSONValue] {
            var (items, cursor): ([JSONValue], JSONValue?)
            (items, cursor) = ([], nil)
            for _ in 0..<100 {
                let page = ask(doctor, method, cursor.map { [.init("cursor", $0)] } ?? [])?["result"]
                items += page?[name]?.array ?? []
                cursor = page?["nextCursor"]
                if cursor == nil { break }
            }
            return items
        }
    }

    /// Whether it answers the greeting of a revision.
    func speaksMCP(_ framing: Framing) throws(ClientError) -> Bool {
        let before = findings
        var speaks = false
        for revision in Self.revisions where !speaks {
            try run { talk, _ in speaks = Guest(talk, revision, framing).greet(self) }
        }
        findings = before
        return speaks
    }

    /// - Parameter bench: checks values by schemas.
    func tools(_ framing: Framing, _ bench: PluginBench) throws(ClientError) {
        var failure: ClientError?
        for revision in Self.revisions {
            begin("MCP \(revision)")
            try run { talk, _ in
                let guest = Guest(talk, revision, framing)
                guard guest.greet(self) else { return }
                do throws(ClientError) {
                    let tools = guest.list(self, "tools/list", "tools")
                    for tool in tools { try call(tool, guest, bench) }
                    crowd(tools.filter(Self.onlyReads), guest)
                } catch { failure = error }
                complete(guest)
                subscribe(guest)
                for message in talk.received where message.value?["method"]?.string == "elicitation/create" {
                    note(
                        Self.clause,
                        "It asks a person by a form, which the client has not declared: \(Inspection.excerpt(message))")
                }
            }
            if let failure { throw failure }
        }
    }

    private func call(_ tool: JSONValue, _ guest: Guest, _ bench: PluginBench) throws(ClientError) {
        let name = tool["name"]?.string ?? "?"
        let (input, output) = (tool["inputSchema"] ?? .null, tool["outputSchema"])
        for (part, schema) in [("inputSchema", input), ("outputSchema", output ?? ["type": "object"])] {
            if schema["type"]?.string != "object" {
                note(Self.clause, "\(name): the root of its \(part) has to have the type object.")
            }
            if schema.text.contains(##""$ref":"#""##) {
                note(Self.clause, "\(name): its \(part) refers to its own root, which libraries refuse.")
            }
        }
        guard Self.onlyReads(tool) else { return }
        func ask(_ arguments: JSONValue) -> JSONValue? {
            guest.ask(self, "tools/call", [.init("name", .string(name)), .init("arguments", arguments)])
        }
        let answer = ask(SchemaSample(input).value)
        if let asked = answer?["result"], asked["resultType"]?.string == "input_required" {
            confirm(name, SchemaSample(input).value, asked, guest)
        }
        if input["properties"]?["cursor"] != nil { turnPages(name, SchemaSample(input).value, answer, ask) }
        if let output, let result = answer?["result"], result["isError"]?.boolean != true,
            result["resultType"]?.string ?? "complete" == "complete"
        {
            if let structured = result["structuredContent"] {
                let method: JSONValue = ["name": "tool", "result": output]
                if try bench.declareSchemas(of: [method]) == nil,
                    let fault = try bench.fault(in: structured, .result, of: "tool")
                {
                    note(Self.clause, "\(name): its result is not as its outputSchema says: \(fault)")
                }
            } else if guest.revision >= "2025-06-18" {
                note(Self.clause, "\(name): its result has no structuredContent, which its outputSchema promises.")
            }
        }
        // A model mends its call by what the error says.
        guard let property = input["properties"]?.object?.first?.name else { return }
        let refusal = ask(.object([.init(property, .array([.array([])]))]))
        let isRefused = refusal?["error"] != nil || refusal?["result"]?["isError"]?.boolean == true
        let content = refusal?["result"]?["content"]?.array ?? []
        let said = refusal?["error"]?.text ?? content.compactMap { $0["text"]?.string }.joined()
        if isRefused, !said.contains(property) {
            note(Self.clause, "\(name): the error for a wrong \(property) does not name it.")
        }
    }

    /// Answers a question of a tool with a yes to another one.
    private func confirm(_ name: String, _ arguments: JSONValue, _ asked: JSONValue, _ guest: Guest) {
        if asked.text.contains("requestedSchema") {
            note(Self.clause, "\(name) asks a person by a form, which the client has not declared.")
        }
        guard let state = asked["requestState"] else {
            return note(
                Self.clause, "\(name) asks a person without a requestState: a yes is not bound to what was asked.")
        }
        let yes = (asked["inputRequests"]?.object ?? []).map { JSONValue.Member($0.name, ["action": "accept"]) }
        let result = guest.ask(
            self, "tools/call",
            [
                .init("name", .string(name)), .init("arguments", arguments), .init("inputResponses", .object(yes)),
                .init("requestState", .string((state.string ?? "") + "x")),
            ])?["result"]
        guard let result, result["isError"]?.boolean != true, result["resultType"]?.string != "input_required"
        else { return }
        note(
            Self.clause,
            "\(name) takes a yes with a requestState that it did not give: it is not bound to what was asked.")
    }

    private static func onlyReads(_ tool: JSONValue) -> Bool { tool["annotations"]?["readOnlyHint"]?.boolean == true }

    /// The most pages of a list that are turned.
    private static let pagesMax = 5

    /// Expects each page of a list to lead to another one.
    private func turnPages(
        _ name: String, _ arguments: JSONValue, _ first: JSONValue?, _ ask: (JSONValue) -> JSONValue?
    ) {
        var seen: [String] = []
        var page = first
        while let next = page?["result"]?["structuredContent"]?["nextCursor"]?.string, seen.count < Self.pagesMax {
            if seen.contains(next) { return note(Self.clause, "\(name): its pages lead back to one that was there.") }
            seen.append(next)
            page = ask(.object((arguments.object ?? []) + [.init("cursor", .string(next))]))
            guard page?["error"] != nil || page?["result"]?["isError"]?.boolean == true else { continue }
            return note(Self.clause, "\(name): it refuses the nextCursor that it gave: \(page?.text.prefix(160) ?? "")")
        }
    }

    /// Calls tools at the same time: a host does not wait for what it holds itself.
    private func crowd(_ tools: [JSONValue], _ guest: Guest) {
        let requests = (tools + tools).map { tool in
            guest.request(
                self, "tools/call",
                [
                    .init("name", tool["name"] ?? .null),
                    .init("arguments", SchemaSample(tool["inputSchema"] ?? .null).value),
                ])
        }
        guest.talk.send(requests.flatMap { Self.frame($0.text, guest.framing) })
        expectAnswers(guest.talk, to: requests.map(\.id), "\(Self.clause): calls at the same time")
    }

    private func complete(_ guest: Guest) {
        for prompt in guest.list(self, "prompts/list", "prompts") {
            for argument in prompt.list(of: "arguments") {
                guard let name = prompt["name"], let asked = argument["name"] else { continue }
                let answer = guest.ask(
                    self, "completion/complete",
                    [
                        .init("ref", ["type": "ref/prompt", "name": name]),
                        .init("argument", ["name": asked, "value": ""]),
                    ])
                guard let found = answer?["result"]?["completion"] else { continue }
                let count = found["values"]?.array?.count ?? 0
                let isMore = found["hasMore"]?.boolean ?? false
                if let total = found["total"]?.integer, total < count || isMore != (total > count) {
                    note(
                        Self.clause,
                        "A completion of \(count) values says that there are \(total), and hasMore: \(isMore).")
                }
            }
        }
    }

    private func subscribe(_ guest: Guest) {
        guard guest.isNewer else { return }
        let answer = guest.ask(self, "subscriptions/listen", [.init("notifications", ["resourceSubscriptions": 5])])
        guard let answer, answer["error"]?["code"]?.integer != -32602, answer["error"]?["code"]?.integer != -32601
        else { return }
        note(
            Self.clause, "resourceSubscriptions: 5 has to be answered with -32602, not with \(answer.text.prefix(160))")
    }
}
