import JSONCodec
import Platform

extension Command {
    static let backup = Command(
        "backup", "Keep a copy of all moods in one file.", Client.backup,
        .word("FILE|DIR", "The file; in a directory it is named after the store and the time."),
        .option("keep", .integer("N"), "In a directory: delete the oldest copies of this store but N."),
        .option("force", "Replace a file that is there."),
        .option("damaged", "Of a store that is not whole: take what is there. No older copy is deleted then."),
        .note(
            "It is the state of one moment, also while others change moods. It is read back and checked. 'mood restore FILE'"
                + " reads it, and notices whether something is missing."),
        .note(
            "--keep deletes only copies that it has written of this very store, and nothing while the store is not whole."
        ),
        .example("mood backup ~/moods.jsonl", "A copy in this file."),
        .example("mood backup ~/backups --keep 30", "One more copy there, of which thirty stay."))
}

extension Client {
    private static let backupSuffix = ".jsonl"
    /// The prefix of copies of earlier versions, which do not name their store.
    private static let olderPrefix = "moodboard-"

    /// The beginning of the names of a store's copies: `moods-0194f2a1-`.
    private static func backupPrefix(_ storeID: String) -> String { "moods-\(storeID.prefix(8))-" }

    func backup() throws(ClientError) {
        let target = try absolute(invocation.words[0])
        let isDirectory = (try? FileSystem.system.statusOfPath(target))?.kind == .directory
        if let keep = invocation.integer("keep") {
            guard isDirectory else { throw usage("--keep is for a directory.") }
            guard keep > 0 else { throw usage("--keep needs a number above zero.") }
        }
        let store = try tree(call("store.info"))
        guard !Self.isNotMade(store) else {
            throw .badInput(
                "There is no store in \(Escaping.visible(store.text(of: "path"))), so there is nothing to keep.",
                advice: "To name the one that is meant: mood --store DIR backup …")
        }
        let copy = try writeBackup(isDirectory ? nil : target, in: target)
        if wantsJSON {
            let answer: JSONValue = ["path": .string(copy.path), "lines": .number(String(copy.lines))]
            try print(json: Array(answer.text.utf8))
        } else {
            try print("\(Escaping.visible(copy.path)): \(Self.count(copy.moods)), \(Self.size(copy.size))\n")
        }
        guard let keep = invocation.integer("keep") else { return }
        if invocation.has("damaged") {
            tell("No older copy was deleted, because --damaged takes what is there.")
        } else if copy.moods == 0 {
            tell("This copy has no moods, so all older ones are kept.")
        } else {
            try deleteOldBackups(in: target, but: keep, copy.path)
        }
    }

    /// A finished copy.
    private struct Written {
        var path: String
        var moods: Int
        /// The number of lines without the first and the last, which are about the copy itself.
        var lines: Int
        var size: Int
    }

    /// - Parameter path: nil chooses a name in a directory, from the copy's first line.
    private func writeBackup(_ path: String?, in directory: String) throws(ClientError) -> Written {
        var file: OutputFile?
        var copy = Written(path: path ?? "", moods: 0, lines: -2, size: 0)
        var hasSettings = false
        try pages(of: "jsonl", ["backup": true, "damaged": invocation.flag("damaged")]) { (text) throws(ClientError) in
            if file == nil {
                let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
                guard let first = lines.first, let head = try? JSONValue.parse(Array(first)),
                    let storeID = head["storeId"]?.string
                else { throw unexpected() }
                hasSettings = lines.dropFirst().first?.starts(with: "{\"settings\":".utf8) == true
                if path == nil { copy.path = "\(directory)/\(freeName(storeID, in: directory))" }
                let prefix = Self.backupPrefix(storeID)
                OutputFile.removeLeftovers(beside: copy.path) { name in
                    path?.hasSuffix("/" + name) ?? (name.hasPrefix(prefix) && name.hasSuffix(Self.backupSuffix))
                }
                file = try OutputFile(copy.path, replaces: invocation.has("force"))
            }
            copy.lines += Self.lines(in: text)
            try file?.write(text)
        }
        copy.moods = copy.lines - (hasSettings ? 1 : 0)
        if !hasSettings, invocation.has("damaged") { tellOfSettings() }
        guard let size = try file?.finish() else { throw unexpected() }
        copy.size = size
        let problem: String?
        do throws(SystemError) {
            problem = try BackupFile.problem(copy.path, moods: copy.moods)
        } catch {
            problem = "it cannot be read: \(error)"
        }
        if let problem {
            throw .unsound(
                "\(Escaping.visible(copy.path)) was written and read back, and is not whole: \(problem). No older copy was"
                    + " deleted.")
        }
        return copy
    }

    /// Tells that the copy has no settings, where those of the store cannot be read.
    private func tellOfSettings() {
        _ = settings()
        guard let fault = settingsFault else { return }
        tell("The copy has the moods and no settings. " + fault.lines(for: invocation.command).joined(separator: " "))
    }

    /// A name from the time, which no file in the directory has.
    private func freeName(_ storeID: String, in directory: String) -> String {
        let time = Moment(secondsSince1970: console.now()).rfc3339.filter { $0 != ":" && $0 != "-" }
        let name = Self.backupPrefix(storeID) + time
        for number in 2...99 {
            let free = number == 2 ? name : "\(name)-\(number - 1)"
            if (try? FileSystem.system.isThere("\(directory)/\(free)\(Self.backupSuffix)")) == false {
                return free + Self.backupSuffix
            }
        }
        return name + Self.backupSuffix
    }

    // MARK: Older copies

    /// Deletes the copies of this store with the lowest revisions, and keeps so many. The new copy always stays. So do
    /// copies of a later revision, which are of another past, and copies that name no store.
    private func deleteOldBackups(in directory: String, but keep: Int, _ path: String) throws(ClientError) {
        let own = String(path.dropFirst(directory.count + 1))
        let (outdated, stays) = try atCopies { () throws(SystemError) in
            guard let made = try BackupFile(directory, own) else {
                throw SystemError(call: "read", subject: own, code: ENOENT)
            }
            return try otherBackups(in: directory, than: made, keeping: keep - 1)
        }
        for (name, reason) in stays { tell("Kept \(Escaping.visible(name)): \(reason)") }
        guard !outdated.isEmpty else { return }
        try requireWholeStore()
        for copy in outdated {
            try atCopies { () throws(SystemError) in try FileSystem.system.unlink("\(directory)/\(copy.name)") }
            tell("Deleted the old copy \(Escaping.visible(copy.name))")
        }
    }

    private func atCopies<Answer>(_ body: () throws(SystemError) -> Answer) throws(ClientError) -> Answer {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .unsound("The copy was made, and an older one cannot be deleted: \(error).")
        }
    }

    /// The copies of this store that may go, those of the lowest revisions first, and other files that look like
    /// copies, each with the reason why it stays.
    private func otherBackups(
        in directory: String, than made: BackupFile, keeping count: Int
    ) throws(SystemError) -> (outdated: [BackupFile], stays: [(name: String, reason: String)]) {
        var older: [BackupFile] = []
        var stays: [(name: String, reason: String)] = []
        let prefix = Self.backupPrefix(made.storeID)
        for name in try FileSystem.system.list(directory).sorted() where name.hasSuffix(Self.backupSuffix) {
            guard name != made.name, name.hasPrefix(prefix) || name.hasPrefix(Self.olderPrefix) else { continue }
            let known: BackupFile?
            do throws(SystemError) { known = try BackupFile(directory, name) } catch {
                stays.append((name, "it cannot be read: \(error)"))
                continue
            }
            guard let known else {
                stays.append((name, "it does not say of which store it is"))
                continue
            }
            guard known.storeID == made.storeID, name.hasPrefix(prefix) else { continue }
            if known.revision > made.revision {
                stays.append((name, "it is of revision \(known.revision), and the store is at \(made.revision)"))
            } else if try !BackupFile.hasEnd("\(directory)/\(name)") {
                stays.append((name, "it is cut off, and counts for none"))
            } else {
                older.append(known)
            }
        }
        older.sort { ($0.revision, $0.time, $0.name) < ($1.revision, $1.time, $1.name) }
        return (Array(older.dropLast(count)), stays)
    }

    /// Refuses to delete anything while the store is damaged: an older copy may be all that is left of a mood.
    private func requireWholeStore() throws(ClientError) {
        let report = try tree(callLong("store.verify"))
        guard let isWhole = report["ok"]?.boolean else { throw unexpected() }
        guard !isWhole else { return }
        tell(String(Self.lines(report["problems"]).dropLast()))
        throw .unsound("The store is not whole, so no older copy was deleted; 'mood doctor' says what helps.")
    }
}
