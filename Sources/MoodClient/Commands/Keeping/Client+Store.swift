import JSONCodec

extension Command {
    static let store = Command(
        "store", "Check the store as a whole, tidy it up, or mend it.", Client.act,
        .word("ACTION", "verify, compact, salvage, accept or reset."),
        .word("DIR", .optional, "For salvage: a directory that is empty or not there yet."),
        .option("yes", short: "y", "For accept and reset: confirm it."),
        .actions(Client.storeActions),
        .note(
            "verify reads everything and tells what is wrong; then the exit status is 1. compact writes all moods"
                + " into one file again. salvage writes everything that is whole into a new store in DIR and leaves the damaged"
                + " one alone. accept checks a moods.json that you have edited, and seals it. reset puts all files"
                + " of the store into a dated folder beside them and begins a new one; nothing is deleted."),
        .note("'mood doctor' says which of them helps."),
        .example("mood store verify", "Is everything there, and whole?"),
        .example("mood store salvage ~/saved", "Save what can be saved."),
        .example("mood store accept --yes", "Keep what was changed in moods.json by hand."),
        .example("mood store reset --yes", "Begin with an empty store; the old files are set aside."))
}

extension Client {
    fileprivate static let storeActions = [
        CommandAction("verify", Client.verify), CommandAction("compact", Client.compact),
        CommandAction("salvage", "[DIR]", Client.salvage),
        CommandAction("accept", Client.accept), CommandAction("reset", Client.reset),
    ]

    /// Sends a request that may take long. A bar shows its progress on a terminal.
    func callLong(_ method: String, _ params: Params = [:]) throws(ClientError) -> [UInt8] {
        guard !wantsJSON, let bar = ProgressBar(console, choice: invocation.value("color")) else {
            return try call(method, params)
        }
        defer { bar.clear() }
        let all = params + ["progressToken": "mood"]
        return try call(method, bytes: Array(all.json.text.utf8)) { bar.hear($0, $1) }
    }

    // MARK: Checking

    private func verify() throws(ClientError) {
        let result = try callLong("store.verify")
        let report = try tree(result)
        guard let isWhole = report["ok"]?.boolean, let bytes = report["bytes"]?.integer else { throw unexpected() }
        if wantsJSON {
            try print(json: result)
        } else if isWhole {
            try print("\(Self.count(report.number(of: "moods"))), all whole; \(Self.size(bytes)) read\n")
        } else {
            try print(Self.lines(report["problems"]))
        }
        if !isWhole {
            throw .unsound(
                wantsJSON ? "The store is not whole." : "The store is not whole; 'mood doctor' says what helps.")
        }
    }

    /// A line for each problem.
    static func lines(_ problems: JSONValue?) -> String {
        (problems?.array ?? []).reduce(into: "") { text, problem in
            let place = "\(problem["file"]?.string ?? "?"), byte \(problem.number(of: "offset"))"
            text += Escaping.visible("\(place): \(problem.text(of: "reason"))") + "\n"
        }
    }

    static func count(_ moods: Int) -> String { "\(moods) \(moods == 1 ? "mood" : "moods")" }

    private func compact() throws(ClientError) {
        guard let report = try told(callLong("store.compact")) else { return }
        guard let before = report["bytesBefore"]?.integer, let after = report["bytesAfter"]?.integer else {
            throw unexpected()
        }
        try print(
            "\(Self.count(report.number(of: "moods"))) in one file: \(Self.size(after)), before \(Self.size(before))\n"
        )
    }

    // MARK: Mending

    private func salvage(_ words: [String]) throws(ClientError) {
        guard let folder = words.first else {
            throw usage("Where to? Name a directory that does not exist yet: mood store salvage DIR")
        }
        let target = try absolute(folder)
        guard let report = try told(callLong("store.salvage", ["to": target])) else { return }
        guard let moods = report["moods"]?.integer, let skipped = report["skippedCount"]?.integer else {
            throw unexpected()
        }
        var text = Escaping.visible("Saved \(Self.count(moods)) in \(folder)") + "\n"
        if skipped > 0 {
            let shown = report["skipped"]?.array?.count ?? 0
            text += "Passed over \(skipped) \(skipped == 1 ? "thing that is" : "things that are") not whole:\n"
            text += Self.lines(report["skipped"])
            if skipped > shown { text += "… and \(skipped - shown) more\n" }
        }
        try print(text)
        if report["snapshotSealed"]?.boolean == false {
            tell("The checksum of moods.json is wrong: check the moods, some may be old or changed.")
        }
    }

    /// An absolute path, because the host may run in another directory.
    func absolute(_ path: String) throws(ClientError) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard !path.isEmpty, let directory = console.workingDirectory() else {
            throw usage("Give the path from the root on: it begins with a slash.")
        }
        return (directory == "/" ? "" : directory) + "/" + path
    }

    private func accept() throws(ClientError) {
        guard invocation.has("yes") else {
            throw usage("This seals moods.json as it is now. To confirm: mood store accept --yes")
        }
        guard let report = try answer("store.accept", ["confirm": true]) else { return }
        guard let isAccepted = report["accepted"]?.boolean, let moods = report["moods"]?.integer else {
            throw unexpected()
        }
        guard isAccepted else { return try print("moods.json was not edited; nothing was changed\n") }
        if let forgotten = report["forgottenOperations"]?.integer {
            tell(
                "The outcomes of \(forgotten) operation\(forgotten == 1 ? "" : "s") were lost with their file and are forgotten."
            )
        }
        try print("Accepted: \(Self.count(moods)), revision \(report.number(of: "revision"))\n")
        if let completed = report["completed"]?.integer, completed > 0 {
            tell("\(Self.count(completed)) got what every mood has and \(completed == 1 ? "it" : "they") lacked.")
        }
        if let overtaken = report["overtaken"]?.integer, overtaken > 0 {
            tell("Of \(Self.count(overtaken)) in the file there was a later change in the journal, which stays.")
        }
        if let backup = report["backup"]?.string {
            tell("The file as you edited it is kept: \(Escaping.visible(backup))")
        }
    }

    private func reset() throws(ClientError) {
        guard invocation.has("yes") else {
            throw usage("This begins with an empty store. To confirm: mood store reset --yes")
        }
        guard let report = try answer("store.reset", ["confirm": true]) else { return }
        guard let aside = report["setAside"]?.string else {
            return try print("There was nothing to set aside\n")
        }
        try print("The store is empty now; the old files are in \(Escaping.visible(aside))\n")
    }
}
