import JSONCodec

extension Command {
    static let call = Command(
        "rpc", "Send any request, or speak the protocol yourself.", Client.callAny,
        .word("METHOD", .optional, "The method; without it stdin goes to the host and its answers to stdout."),
        .word("PARAMS", .optional, "The params as JSON; - reads them from stdin."),
        .option("record", .text("FILE"), "Without METHOD: keep what is sent and answered in a new file."),
        .option("replay", .text("FILE"), "Send what was kept again, and compare the answers byte for byte."),
        .option(
            "test-clock", .text("TIME"),
            "For record and replay: the time of the first request (default: 2026-01-02T03:04:05.678Z)."),
        .option("test-seed", .integer("N"), "For record and replay: what ids are made from (default: 1)."),
        .note("'mood rpc METHOD --help' tells what a method takes and answers."),
        .note(
            "With a METHOD the result is printed as it came, one line of JSON. An error goes to stderr in words, or with"
                + " --json as the error object."),
        .note(
            "Without one every line of stdin must be a JSON-RPC 2.0 message; all of them are served by one host in one"
                + " session, and the exit status is 0 when the host ended well, whatever it answered."),
        .note(
            "--record and --replay use a store in memory, unless --store names one. The file says how the host was started,"
                + " with a clock and ids of its own, so that the same answers come again. The exit status is 1 where they do not."
        ),
        .example("mood rpc host.info", "A request without params."),
        .example("mood rpc mood.get '{\"id\":\"0194f2a1-…\"}'", "Quote params for the shell."),
        .example(
            "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"host.ping\"}' | mood rpc",
            "Messages of your own."))
}

extension Client {
    func callAny() throws(ClientError) {
        let (recorded, replayed) = (invocation.value("record"), invocation.value("replay"))
        if recorded != nil || replayed != nil {
            guard invocation.words.isEmpty, recorded == nil || replayed == nil else {
                throw usage("--record and --replay take no METHOD, and not each other.")
            }
            if let recorded { return try record(to: recorded) }
            if let replayed { return try replay(replayed) }
        }
        guard let method = invocation.words.first else {
            if console.isInputTerminal {
                tell("Type JSON-RPC 2.0 messages, one a line; Ctrl-D ends. See 'mood help rpc'.")
            }
            return try launcher.passThrough(hostOptions())
        }
        var params: [UInt8]?
        if invocation.words.count > 1 { params = try checked(text(invocation.words[1])) }
        try print(json: call(method, bytes: params))
    }

    /// The params in one line: JSON allows a line feed between tokens, but here it would end the message.
    func checked(_ text: String) throws(ClientError) -> [UInt8] {
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            _ = try JSONValue.parse(bytes)
        } catch {
            throw .badInput(
                "PARAMS is not JSON at byte \(error.offset): \(error.reason).",
                advice: "Quote it for the shell: mood rpc mood.get '{\"id\":\"…\"}'")
        }
        return bytes.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
    }

    /// The methods for `mood help rpc`. They come from a host without a store, so that help touches nothing.
    /// - Parameter method: the one to describe; nil lists all.
    static func methodsHelp(_ method: String?, _ options: HostLaunch, launcher: HostLauncher) -> String {
        do throws(ClientError) {
            let connection = try launcher.connect(options)
            defer { connection.close() }
            guard case .result(let bytes) = try connection.call("rpc.discover", nil, nil),
                let document = try? JSONValue.parse(bytes), let methods = document["methods"]?.array
            else { return "\nThe host does not list its methods.\n" }
            if let method { return methodHelp(method, methods) }
            var text = "\nMETHODS (from \(Escaping.visible(options.program ?? HostLocation.programName))):\n"
            for method in methods {
                let params = method.list(of: "params").compactMap { param in
                    param["name"]?.string.map { param.isTrue("required") ? $0 : "\($0)?" }
                }
                let form = params.isEmpty ? "" : " {\(params.joined(separator: ", "))}"
                let summary = method.text(of: "summary")
                text += Help.row(
                    "  " + Escaping.visible(method.text(of: "name")), Escaping.visible(summary + form))
            }
            return text
        } catch {
            let lines = [["The host could not be asked for its methods."], error.lines].joined()
            return "\n" + lines.map { Escaping.visible($0) + "\n" }.joined()
        }
    }

    /// The params and the result of one method.
    private static func methodHelp(_ name: String, _ methods: [JSONValue]) -> String {
        func shown(_ value: JSONValue?) -> String { Escaping.visible(value?.string ?? "") }
        guard let method = methods.first(where: { $0["name"]?.string == name }) else {
            let nearest = Suggestion.nearest(to: name, among: methods.compactMap { $0["name"]?.string })
            return "\nThe host has no method '\(Escaping.visible(name))'.\(Suggestion.question(nearest))\n"
        }
        var text = "\n\(shown(method["name"])): \(shown(method["summary"]))\n"
        let params = method.list(of: "params")
        if !params.isEmpty { text += "\nPARAMS:\n" }
        for param in params {
            let schema = param["schema"] ?? .null
            let isRequired = param.isTrue("required")
            let absent = schema["default"].map { ", \($0.text) if absent" } ?? (isRequired ? "" : ", may be absent")
            text += Help.row(
                "  " + shown(param["name"]),
                "\(shown(param["summary"])) (\(Escaping.visible(SchemaText.words(schema) + absent)))")
        }
        let result = method["result"]?["schema"] ?? .null
        let members = result["properties"]?.object ?? []
        text += "\nRESULT:\(members.isEmpty ? " " + Escaping.visible(SchemaText.words(result)) : "")\n"
        for member in members {
            let words = SchemaText.words(member.value)
            text += Help.row(
                "  " + Escaping.visible(member.name),
                "\(shown(member.value["description"])) (\(Escaping.visible(words)))")
        }
        let errors = method.list(of: "errors").map { shown($0["message"]) }
        return text + "\n" + Help.row("ERRORS:", errors.joined(separator: ", "))
    }
}
