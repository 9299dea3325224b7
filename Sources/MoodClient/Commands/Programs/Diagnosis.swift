import JSONCodec

/// The state of the host and its store in plain words, with the commands that mend it.
struct Diagnosis {
    struct Remedy: Equatable {
        /// The condition for this command.
        let when: String
        /// The command as a person types it.
        let command: String
    }

    struct Finding: Equatable {
        let what: String
        let meaning: String
        let remedies: [Remedy]
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
        path = store["path"]?.string ?? ""
        mood = option.map { "mood --store \(Self.quoted($0))" } ?? "mood"
        isBusy = store["error"]?["kind"]?.string == "storeBusy"
        let problems = check["problems"]?.array ?? []
        place = Self.place(store)
        let isNotMade = Client.isNotMade(store)
        if problems.isEmpty {
            state = isNotMade ? "none" : "whole; \(Client.size(check["bytes"]?.integer ?? 0)) read"
        } else {
            state = "\(problems.count) \(problems.count == 1 ? "problem" : "problems")"
        }
        add(problems)
        addStore(store, hasProblems: !problems.isEmpty)
        if isNotMade, let directory = unwritable(path) { addUnwritable(directory) }
    }

    private static func place(_ store: JSONValue) -> String {
        let path = store["path"]?.string ?? "in memory"
        if store["error"] != nil { return "\(path) cannot be opened" }
        if Client.isNotMade(store) { return "\(path), not there yet; the first mood makes it" }
        let moods = "\(path): \(Client.count(store["moods"]?.integer ?? 0))"
        return store["readOnly"]?.boolean == true ? moods + ", which can only be read" : moods
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
            let kind = problem["kind"]?.string ?? ""
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

    private func finding(_ kind: String, _ what: String) -> Finding {
        switch kind {
        case Self.navigation:
            return Finding(
                what: what, meaning: "Navigation cannot be saved or restored. Moods are not affected.",
                remedies: [putAway(kind)])
        case Self.settings:
            return Finding(
                what: what,
                meaning: "Your settings and your palette cannot be read. Moods are not affected.",
                remedies: [putAway(kind)])
        case Self.operations:
            return Finding(
                what: what,
                meaning: "Requests with an operation id (--op-id) are refused. Moods are not affected.",
                remedies: [
                    Remedy(
                        when: "If you have the file, put it back. Else have its operations forgotten:", command: accept)
                ])
        case "edited":
            return Finding(
                what: what,
                meaning: "Somebody changed moods.json. Until that is accepted, moods can be read but not changed.",
                remedies: [
                    Remedy(when: "If you want the change, have it checked and sealed:", command: accept),
                    Remedy(
                        when: "If not, undo it; or rebuild the store from the backup and the journals:",
                        command: rebuild),
                ])
        case "damaged":
            return Finding(
                what: what, meaning: "Stored data is damaged.",
                remedies: (what.hasPrefix("moods.json") ? [byHand] : []) + [
                    Remedy(
                        when: "If you have a good copy of the file, put it back. Else save what is whole:",
                        command: "\(mood) store salvage DIR"),
                    Remedy(
                        when: "Then use DIR (mood --store DIR list), or set the old files aside and begin again:",
                        command: "\(mood) store reset --yes"),
                ])
        case "unfinished":
            return Finding(
                what: what,
                meaning: "A program was stopped while it wrote. Nothing that it had confirmed is missing.",
                remedies: [
                    Remedy(
                        when: "The next change repairs this. You can also do it now:", command: "\(mood) store compact")
                ])
        case "missing":
            return Finding(
                what: what, meaning: "A file of the store is missing; the other files are not touched.",
                remedies: [
                    Remedy(
                        when: "If you have the file, put it back. Else save what the other files hold:",
                        command: "\(mood) store salvage DIR"),
                    Remedy(
                        when: "To begin with an empty store, and keep the other files in a folder:",
                        command: "\(mood) store reset --yes"),
                ])
        case "interrupted":
            return Finding(
                what: what, meaning: "Nothing is lost, but the store can be opened only when this is finished.",
                remedies: [Remedy(when: "Finish it:", command: "\(mood) store reset --yes")])
        case "version":
            return Finding(
                what: what,
                meaning: "This version of the program does not know the format of that file. The file was not touched.",
                remedies: [Remedy(when: "Install the version that wrote it. Yours is:", command: "moodboard --version")]
            )
        default:
            return Finding(
                what: what, meaning: "The files cannot be read.",
                remedies: [
                    Remedy(
                        when: "See who owns them; the owner can let you in:", command: "ls -la \(Self.quoted(path))"),
                    elsewhere,
                ])
        }
    }

    private func putAway(_ name: String) -> Remedy {
        let damaged = name.replacing(".json", with: "-damaged.json")
        return Remedy(
            when: "Mend the file, or put it away to begin with nothing saved:",
            command: "mv \(Self.quoted("\(path)/\(name)")) \(Self.quoted("\(path)/\(damaged)"))")
    }

    private var byHand: Remedy {
        Remedy(
            when: "If you edited moods.json, this names the wrong lines, or seals the file if there are none:",
            command: "\(mood) store accept --yes")
    }

    private var rebuild: String {
        let file = Self.quoted(path + "/moods.json")
        return "mv \(file) \(Self.quoted(path + "/moods-edited.json")) && \(mood) store salvage DIR"
    }

    // MARK: The store as a whole

    /// Adds findings that are not about files.
    private mutating func addStore(_ store: JSONValue, hasProblems: Bool) {
        if let error = store["error"] {
            let message = error["message"]?.string ?? ""
            switch error["kind"]?.string {
            case "storeBusy":
                findings.append(
                    Finding(
                        what: message,
                        meaning:
                            "Its files are not damaged: only one program at a time can change them.",
                        remedies: [
                            Remedy(
                                when: "Wait for it, or end it. This shows which one it is:",
                                command: "fuser -v \(Self.quoted(path + "/lock"))")
                        ]))
            case "storageFull":
                findings.append(
                    Finding(
                        what: message, meaning: "The disk is full, or you have used all your space on it.",
                        remedies: [
                            Remedy(
                                when: "Free some space. This shows how much there is:",
                                command: "df -h \(Self.quoted(path))")
                        ]))
            default:
                guard !hasProblems else { return }
                findings.append(
                    Finding(
                        what: message, meaning: "No mood can be read or kept there.",
                        remedies: [
                            Remedy(
                                when: "See who owns it; the owner can let you in:",
                                command: "ls -ld \(Self.quoted(path))"),
                            elsewhere,
                        ]))
            }
        } else if store["readOnly"]?.boolean == true, !hasProblems, !Client.isNotMade(store) {
            findings.append(
                Finding(
                    what: store["readOnlyReason"]?.string ?? "The store can only be read.",
                    meaning: "Moods can be read but not changed.",
                    remedies: [
                        Remedy(
                            when: "If the files are yours, give yourself the right to write them:",
                            command: "chmod -R u+rwX \(Self.quoted(path))")
                    ]))
        }
    }
}

extension Diagnosis {
    private var elsewhere: Remedy {
        Remedy(when: "Or keep moods in a directory of your own:", command: "mood --store DIR list")
    }

    private mutating func addUnwritable(_ directory: String) {
        findings.append(
            Finding(
                what: "No store can be made in \(path).", meaning: "You may not write in \(directory).",
                remedies: [
                    Remedy(
                        when: "See who owns it; the owner can let you in:",
                        command: "ls -ld \(Self.quoted(directory))"),
                    elsewhere,
                ]))
    }
}

extension String {
    /// The text without the line feed at its end.
    fileprivate var trimmingLineFeed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
