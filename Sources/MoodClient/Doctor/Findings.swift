import JSONCodec

/// What a doctor has found: which clause is broken, by what, and in which trial.
struct Finding {
    /// The document and its section.
    let clause: String
    let what: String
    let trial: String
}

/// Findings in the order in which they were made; one that is made again is kept once.
struct Findings {
    private(set) var all: [Finding] = []
    /// How many things were tried.
    var trials = 0

    mutating func add(_ clause: String, _ what: String, in trial: String) {
        guard !all.contains(where: { $0.clause == clause && $0.what == what }) else { return }
        all.append(Finding(clause: clause, what: what, trial: trial))
    }

    /// `{trials, findings: [{clause, what, trial}]}`
    var json: JSONValue {
        [
            "trials": .number(String(trials)),
            "findings": .array(
                all.map { ["clause": .string($0.clause), "what": .string($0.what), "trial": .string($0.trial)] }),
        ]
    }
}

extension Client {
    /// Tells what was found.
    /// - Throws: where anything was.
    func report(_ findings: Findings, of name: String) throws(ClientError) {
        if wantsJSON {
            try print(json: Array(findings.json.text.utf8))
        } else {
            var text = ""
            for (number, finding) in findings.all.enumerated() {
                let head = style.apply(.heading, to: "\(number + 1). \(Escaping.visible(finding.clause))")
                text += "\(head)\n   \(Escaping.visible(finding.what))\n"
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
