import JSONCodec

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "Check the store, and say how to mend what is wrong.",
        notes: [
            "Starts the host, opens the store and reads everything in it. Nothing is changed. The exit status is 0 when"
                + " all is well, 75 while another program holds the store, and else 1. With --json: the results of"
                + " host.info and store.verify, a line each."
        ],
        examples: [
            .init("mood doctor", "Is everything well?"),
            .init("mood doctor --store ~/saved", "And in that store?"),
        ],
        run: { (client) throws(ClientError) in try client.doctor() })
}

extension Client {
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

    /// The exit status is the same as for other commands when the store is busy.
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
