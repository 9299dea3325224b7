import JSONCodec

extension Command {
    static let doctor = Command(
        "doctor", "Check the store, and say how to mend what is wrong.", Client.act,
        .word("WHAT", .optional, "plugin, transport or host; without it the store."),
        .word("ARGUMENT", .any, "The plugin's folder, for transport a URL after it; the host's command after --."),
        .option(
            "runtime", .text("DIR"), isRepeatable: true,
            "For plugin and transport: a folder to run from, such as a venv."),
        .option("python", .text("PATH"), "The same: a virtual environment, or its python."),
        .option("limit", .text("NAME=VALUE"), isRepeatable: true, "A limit of the host, such as pluginHelloMs=30000."),
        .option("config", .text("JSON"), "For transport: the --config of 'mood sync setup', an object."),
        .actions(Client.examinations),
        .note(
            "Starts the host, opens the store and reads everything in it. Nothing is changed. The exit status is 0 when"
                + " all is well, 75 while another program holds the store, and else 1. With --json: the results of"
                + " host.info and store.verify, a line each."),
        .note(
            "plugin DIR starts the plugin in DIR many times, isolated, as a hostile and a sloppy host would, and tells what it"
                + " does wrong. Your store is not touched."),
        .note(
            "transport DIR URL plays the hosts of several replicas for a plugin that is a transport, on the engine at URL: what it"
                + " keeps, repeats, refuses and lists. Journals of no one stay there; use an engine that may be spoiled."
        ),
        .note(
            "host -- COMMAND… starts any JSON-RPC host that speaks over its stdin and stdout many times, as a hostile client"
                + " would. Give it a store that may be spoiled. Both name the clause that is broken, and end with 1 where"
                + " anything is wrong. With --json: {trials, findings: [{clause, what, trial}]}."),
        .example("mood doctor", "Is everything well?"),
        .example("mood doctor --store ~/saved", "And in that store?"),
        .example("mood doctor plugin ./org.example.hello", "Does this plugin bear a host that is not kind?"),
        .example("mood doctor transport ./org.example.post post://localhost", "Does it carry what it is given?"),
        .example("mood doctor host -- moodboard --in-memory", "And this host a client that is not?"))
}

extension Client {
    fileprivate static let examinations = [
        CommandAction("", Client.doctor), CommandAction("plugin", "DIR", Client.doctorPlugin),
        CommandAction("transport", "DIR URL", Client.doctorTransport),
        CommandAction("host", "-- COMMAND…", Client.doctorHost),
    ]

    func doctor() throws(ClientError) {
        let info = try call("host.info")
        let check = try callLong("store.verify")
        let diagnosis = Diagnosis(
            store: try tree(info)["store"] ?? .null, check: try tree(check), option: invocation.value("store"),
            unwritable: console.unwritableDirectory)
        if wantsJSON {
            try print(json: info)
            try print(json: check)
        } else {
            try print(text(try tree(info), diagnosis))
        }
        if diagnosis.isBusy {
            throw .remote(RemoteError(json: Array(Self.busy.utf8)))
        }
        if !diagnosis.findings.isEmpty {
            throw .unsound(diagnosis.findings.count == 1 ? "Something is wrong." : "Some things are wrong.")
        }
    }

    /// The host's error for a busy store, so that the exit status equals that of other commands.
    private static let busy =
        #"{"code":1010,"message":"Another program holds the store.","data":{"kind":"storeBusy","retryable":true}}"#

    private func text(_ info: JSONValue, _ diagnosis: Diagnosis) -> String {
        let name = [info["name"]?.string, info["version"]?.string].compactMap { $0 }.joined(separator: " ")
        var text = row("host", "\(name), it answers") + row("store", diagnosis.place) + row("files", diagnosis.state)
        for (number, finding) in diagnosis.findings.enumerated() {
            text += "\n" + style.apply(.heading, to: "\(number + 1). \(Escaping.visible(finding.what))") + "\n"
            text += paragraph(finding.meaning)
            for remedy in finding.remedies {
                text += paragraph(remedy.when)
                text += "     \(style.apply(.mark, to: Escaping.visible(remedy.command)))\n"
            }
        }
        return text + (diagnosis.findings.isEmpty ? "All is well\n" : "")
    }

    private func row(_ name: String, _ value: String) -> String {
        style.apply(.quiet, to: DisplayWidth.padded(name, to: 5)) + "  " + Escaping.visible(value) + "\n"
    }

    private func paragraph(_ text: String) -> String { "   " + Escaping.visible(text) + "\n" }
}
