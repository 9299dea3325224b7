import JSONCodec

/// The state of the host and its store in plain words, with the commands that mend it.
struct Diagnosis {
    struct Finding {
        /// The condition for a command, and the command as a person types it.
        typealias Step = (when: String, command: String)

        let what: String
        let meaning: String
        let remedies: [Step]

        init(_ what: String, _ meaning: String, _ remedies: [Step]) {
            (self.what, self.meaning, self.remedies) = (what, meaning, remedies)
        }

        init(_ what: String, _ meaning: String, _ remedies: Step...) { self.init(what, meaning, remedies) }
    }

    /// The store's place and its content.
    let place: String
    /// The state of its files, in short.
    let state: String
    /// Findings by importance; empty if all is well.
    private(set) var findings: [Finding] = []
    /// Whether another program holds the store, which is not an error.
    let isBusy: Bool

    private let path: String
    /// `mood` and the store's option, as a person types them.
    private let mood: String

    /// - Parameters:
    ///   - store: `store` of `host.info`.
    ///   - check: the result of `store.verify`.
    ///   - option: the value of `--store`.
    ///   - unwritable: the directory without write permission in which a path would have to be made, or nil.
    init(store: JSONValue, check: JSONValue, option: String?, unwritable: (_ path: String) -> String?) {
        path = store.text(of: "path")
        mood = option.map { "mood --store \(Self.quoted($0))" } ?? "mood"
        isBusy = store["error"]?["kind"]?.string == "storeBusy"
        let problems = check.list(of: "problems")
        place = Self.place(store)
        let isNotMade = Client.isNotMade(store)
        if problems.isEmpty {
            state = isNotMade ? "none" : "whole; \(Client.size(check.number(of: "bytes"))) read"
        } else {
            state = "\(problems.count) \(problems.count == 1 ? "problem" : "problems")"
        }
        add(problems)
        if let finding = finding(ofStore: store, hasProblems: !problems.isEmpty) { findings.append(finding) }
        if isNotMade, let directory = unwritable(path) { findings.append(finding(ofUnwritable: directory)) }
    }

    private static func place(_ store: JSONValue) -> String {
        let path = store["path"]?.string ?? "in memory"
        if store["error"] != nil { return "\(path) cannot be opened" }
        if Client.isNotMade(store) { return "\(path), not there yet; the first mood makes it" }
        let moods = "\(path): \(Client.count(store.number(of: "moods")))"
        return store.isTrue("readOnly") ? moods + ", which can only be read" : moods
    }

    /// Quotes a word for a shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || "/._-~+=:,@%".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    // MARK: The files

    /// Adds one finding for all problems of a kind: one command mends them all.
    private mutating func add(_ problems: [JSONValue]) {
        func kind(_ problem: JSONValue) -> String {
            // One remedy mends every problem of that file.
            if let file = problem["file"]?.string, file == Self.navigation || file == Self.settings { return file }
            let kind = problem.text(of: "kind")
            let isOperations = problem["file"]?.string?.hasPrefix(Self.operations) == true
            return isOperations && kind == "missing" ? Self.operations : kind
        }
        var kinds: [String] = []
        for problem in problems where !kinds.contains(kind(problem)) { kinds.append(kind(problem)) }
        for name in kinds {
            let ofKind = problems.filter { kind($0) == name }
            guard let first = ofKind.first else { continue }
            var what = Client.lines(.array([first])).trimmingLineFeed
            if ofKind.count > 1 { what += " (and \(ofKind.count - 1) more: \(mood) store verify)" }
            findings.append(finding(name, what))
        }
    }

    /// The file of the routers saved by name.
    private static let navigation = "navigation.json"
    /// The file of the settings and the palette.
    private static let settings = "settings.json"
    /// The beginning of the name of the file with the outcomes of operations.
    private static let operations = "operations-"

    private var accept: String { "\(mood) store accept --yes" }
    private var reset: String { "\(mood) store reset --yes" }
    private var salvage: String { "\(mood) store salvage DIR" }
    private var moods: String { "\(path)/moods.json" }

    private func finding(_ kind: String, _ what: String) -> Finding {
        switch kind {
        case Self.navigation:
            Finding(what, "Navigation cannot be saved or restored. Moods are not affected.", putAway(kind))
        case Self.settings:
            Finding(what, "Your settings and your palette cannot be read. Moods are not affected.", putAway(kind))
        case Self.operations:
            Finding(
                what, "Requests with an operation id (--op-id) are refused. Moods are not affected.",
                ("If you have the file, put it back. Else have its operations forgotten:", accept))
        case "edited":
            Finding(
                what, "Somebody changed moods.json. Until that is accepted, moods can be read but not changed.",
                ("If you want the change, have it checked and sealed:", accept),
                (
                    "If not, undo it; or rebuild the store from the backup and the journals:",
                    "mv \(Self.quoted(moods)) \(Self.quoted(path + "/moods-edited.json")) && \(salvage)"
                ))
        case "damaged" where what.hasPrefix("moods.json"):
            damaged(
                what,
                ("If you edited moods.json, this names the wrong lines, or seals the file if there are none:", accept))
        case "damaged": damaged(what)
        case "unfinished":
            Finding(
                what, "A program was stopped while it wrote. Nothing that it had confirmed is missing.",
                ("The next change repairs this. You can also do it now:", "\(mood) store compact"))
        case "missing":
            Finding(
                what, "A file of the store is missing; the other files are not touched.",
                ("If you have the file, put it back. Else save what the other files hold:", salvage),
                ("To begin with an empty store, and keep the other files in a folder:", reset))
        case "interrupted":
            Finding(
                what, "Nothing is lost, but the store can be opened only when this is finished.", ("Finish it:", reset))
        case "version":
            Finding(
                what, "This version of the program does not know the format of that file. The file was not touched.",
                ("Install the version that wrote it. Yours is:", "moodboard --version"))
        default:
            Finding(
                what, "The files cannot be read.",
                ("See who owns them; the owner can let you in:", "ls -la \(Self.quoted(path))"), Self.elsewhere)
        }
    }

    private func damaged(_ what: String, _ first: Finding.Step...) -> Finding {
        Finding(
            what, "Stored data is damaged.",
            first + [
                ("If you have a good copy of the file, put it back. Else save what is whole:", salvage),
                ("Then use DIR (mood --store DIR list), or set the old files aside and begin again:", reset),
            ])
    }

    private func putAway(_ name: String) -> Finding.Step {
        let damaged = name.replacing(".json", with: "-damaged.json")
        return (
            "Mend the file, or put it away to begin with nothing saved:",
            "mv \(Self.quoted("\(path)/\(name)")) \(Self.quoted("\(path)/\(damaged)"))"
        )
    }

    // MARK: The store as a whole

    /// Finds what is wrong besides its files.
    private func finding(ofStore store: JSONValue, hasProblems: Bool) -> Finding? {
        let place = Self.quoted(path)
        guard let error = store["error"] else {
            guard store.isTrue("readOnly"), !hasProblems, !Client.isNotMade(store) else { return nil }
            return Finding(
                store["readOnlyReason"]?.string ?? "The store can only be read.", "Moods can be read but not changed.",
                ("If the files are yours, give yourself the right to write them:", "chmod -R u+rwX \(place)"))
        }
        let message = error.text(of: "message")
        switch error["kind"]?.string {
        case "storeBusy":
            return Finding(
                message, "Its files are not damaged: only one program at a time can change them.",
                ("Wait for it, or end it. This shows which one it is:", "fuser -v \(Self.quoted(path + "/lock"))"))
        case "storageFull":
            return Finding(
                message, "The disk is full, or you have used all your space on it.",
                ("Free some space. This shows how much there is:", "df -h \(place)"))
        default:
            return hasProblems
                ? nil
                : Finding(
                    message, "No mood can be read or kept there.",
                    ("See who owns it; the owner can let you in:", "ls -ld \(place)"), Self.elsewhere)
        }
    }

    private func finding(ofUnwritable directory: String) -> Finding {
        Finding(
            "No store can be made in \(path).", "You may not write in \(directory).",
            ("See who owns it; the owner can let you in:", "ls -ld \(Self.quoted(directory))"), Self.elsewhere)
    }

    private static let elsewhere: Finding.Step = (
        "Or keep moods in a directory of your own:", "mood --store DIR list"
    )
}

extension String {
    /// The text without the line feed at its end.
    fileprivate var trimmingLineFeed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
