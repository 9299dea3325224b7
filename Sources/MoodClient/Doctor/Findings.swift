import JSONCodec

/// A finding of a doctor: the broken clause, what breaks it, and the trial.
struct Finding {
    /// The document and its section.
    let clause: String
    let what: String
    let trial: String
    /// The number of further findings of this kind, which are not kept.
    var more = 0

    /// The text without the message that shows it.
    fileprivate var kind: Substring { what.prefix { $0 != ":" } }
}

/// Findings in the order in which they were made: each once, and at most three of a kind.
struct Findings {
    private(set) var all: [Finding] = []
    /// The number of trials.
    var trials = 0

    mutating func add(_ clause: String, _ what: String, in trial: String) {
        let finding = Finding(clause: clause, what: what, trial: trial)
        let alike = all.indices.filter { all[$0].clause == clause && all[$0].kind == finding.kind }
        if alike.contains(where: { all[$0].what == what }) { return }
        if alike.count < 3 { all.append(finding) } else { all[alike[2]].more += 1 }
    }

    /// `{trials, findings: [{clause, what, trial, more?}]}`
    var json: JSONValue {
        [
            "trials": .number(String(trials)),
            "findings": .array(
                all.map { finding in
                    let more = finding.more > 0 ? [JSONValue.Member("more", .number(String(finding.more)))] : []
                    return .object(
                        [
                            .init("clause", .string(finding.clause)), .init("what", .string(finding.what)),
                            .init("trial", .string(finding.trial)),
                        ] + more)
                }),
        ]
    }
}

extension Client {
    /// Prints the findings.
    /// - Throws: if there is any.
    func report(_ findings: Findings, of name: String) throws(ClientError) {
        if wantsJSON {
            try print(json: Array(findings.json.text.utf8))
        } else {
            var text = ""
            for (number, finding) in findings.all.enumerated() {
                let head = style.apply(.heading, to: "\(number + 1). \(Escaping.visible(finding.clause))")
                let more = finding.more > 0 ? " (and \(finding.more) more like it)" : ""
                text += "\(head)\n   \(Escaping.visible(finding.what))\(more)\n"
                text += "   " + style.apply(.quiet, to: "when: \(Escaping.visible(finding.trial))") + "\n"
            }
            let tried = "\(Escaping.visible(name)): \(findings.trials) trials"
            try print(text + (findings.all.isEmpty ? "\(tried), nothing is wrong\n" : ""))
        }
        guard findings.all.isEmpty else {
            throw .unsound(
                findings.all.count == 1
                    ? "One thing is wrong, in \(findings.trials) trials."
                    : "\(findings.all.count) things are wrong, in \(findings.trials) trials.")
        }
    }
}
