import JSONCodec
import Platform

extension Command {
    private static let importOptions: [CommandOption] = [
        .init("replace", "Moods that are there become what the file says."),
        .init("yes", short: "y", "Do not ask; off a terminal this is needed."), .dryRun,
    ]

    static let `import` = Command(
        "import", "Take moods from a file of this or another program.", Client.importFile,
        .word(
            "FILE",
            "jsonl, csv, the CSV of Daylio, the text or JSON of jrnl, the JSON of Day One or Pixels, ics, or a plugin's;"
                + " - is stdin."),
        .option("format", .text("FORMAT"), "What it is, where its beginning does not tell."),
        .option(
            "map", .text("A=B"), isRepeatable: true,
            "What a column is (mood=label, when=timestamp, Level=valence:1..10), or what a mood is worth (meh=-0.4,"
                + " Super=rad)."),
        .option("time-zone", .text("ZONE"), "The zone of times that have none, such as Europe/Berlin."),
        .option("date-format", .text("FORMAT"), "How dates are written that could be two days, such as %d/%m/%Y."),
        .option("strict", "Nothing is taken where something cannot be read."),
        .options(importOptions),
        .note(
            "It is told what would be done, and at a terminal you are asked. All of it is one change: 'mood undo' takes it"
                + " back. The same file again changes nothing."),
        .note(
            "Ends with 65 where a line was not taken or nothing was read, after all others were added. 'mood import FILE --yes"
                + " --strict && rm FILE' loses nothing; --map NAME= says that a column is not wanted."),
        .example("mood import daylio.csv --time-zone Europe/Berlin", "Everything from Daylio."),
        .example("mood import diary.csv --map mood=label,when=timestamp", "Any table."),
        .example("mood import old.jsonl --yes", "Without being asked."),
        .example("curl -s https://example.org/moods.csv | mood import - --yes", "From a pipe."))

    static let restore = Command(
        "restore", "Take the moods of a backup.", Client.importFile,
        .word("FILE", "A file of 'mood backup'."),
        .options(importOptions),
        .option("damaged", "Of a copy that is damaged or cut off: take what is there."),
        .note(
            "An empty store becomes what it was. Else moods are compared by their ids, and the one that was changed later"
                + " stays; with --replace the one of the file does. 'mood undo' takes it back."),
        .note("A copy from which something is missing is refused. One that an earlier version wrote is read as it is."),
        .example("mood restore ~/moods.jsonl", "You are told what it would do, and asked."),
        .example("mood --store ~/new restore ~/moods.jsonl --yes", "Into a store of its own."))
}

extension Client {
    /// The most reasons to print, and the most line numbers for one of them.
    private static let (problemsShown, linesNamed) = (20, 3)

    func importFile() throws(ClientError) {
        // A file of 'mood backup' is checked as a whole.
        let isCopy = invocation.command.name == Command.restore.name
        let file = invocation.words[0]
        let copy = try orBadInput("\(file) could not be read") { () throws(SystemError) in
            try console.spool(file == "-" ? nil : file)
        }
        defer { copy?.remove() }
        let path = copy == nil ? try absolute(file) : copy?.path
        let params: Params = [
            "copy": isCopy ? true : nil, "format": invocation.value("format"), "path": path,
            "map": try mapped().unlessEmpty, "timeZone": invocation.value("time-zone"),
            "dateFormat": invocation.value("date-format"), "strict": invocation.flag("strict"),
            "damaged": invocation.flag("damaged"), "replace": invocation.flag("replace"),
        ]
        if invocation.has("yes") || invocation.has("dry-run") {
            let result = try callLong("store.import", params + commonMembers())
            return try finish(result, isDone: !invocation.has("dry-run"), isRestore: isCopy)
        }
        // A file that cannot be taken is refused before anything is asked.
        let plan = try tree(callLong("store.import", params + ["dryRun": true]))
        guard console.isInputTerminal, file != "-" else {
            throw usage("Off a terminal this wants --yes, or --dry-run to see what it would do.")
        }
        tellOfCheck(plan)
        tell(Self.problems(plan) + "This would add \(Self.outcome(plan, isDone: false)).")
        guard (plan.number(of: "created")) + (plan.number(of: "updated")) > 0 else {
            return try check(plan, isRestore: isCopy)
        }
        try ask("Go on?")
        try finish(callLong("store.import", params), isDone: true, isRestore: isCopy, problems: false)
    }

    private func finish(
        _ result: [UInt8], isDone: Bool, isRestore: Bool, problems: Bool = true
    ) throws(ClientError) {
        let report = try tree(result)
        if wantsJSON {
            try print(json: result)
        } else {
            let told = Self.problems(report)
            if problems { tellOfCheck(report) }
            if problems, !told.isEmpty { tell(told.trimmedEnd) }
            try print("\(isDone ? "Added" : "It would add") \(Self.outcome(report, isDone: isDone))\(dryRunMark)\n")
            let changed = (report.number(of: "created")) + (report.number(of: "updated"))
            if isDone, changed > 0 { tell("To take it back: mood undo") }
        }
        try check(report, isRestore: isRestore)
    }

    /// Checks that the host took all of the file: a script may then remove it.
    private func check(_ report: JSONValue, isRestore: Bool) throws(ClientError) {
        // The person asked for the intact part of a damaged copy.
        if invocation.has("damaged") { return }
        let leftOut = report.number(of: "leftOut")
        if leftOut > 0 {
            throw .badInput(
                "\(leftOut == 1 ? "One row was" : "\(leftOut) rows were") not taken. Keep the file.",
                advice: "Mend what is named above and import the file again: what was taken stays as it is.")
        }
        let taken = ["created", "updated", "unchanged"].reduce(0) { $0 + (report[$1]?.integer ?? 0) }
        if taken == 0, !isRestore {
            throw .badInput(
                "No mood was found in '\(invocation.words[0])'. Keep the file.",
                advice: "'mood import --help' lists the formats that are read.")
        }
    }

    private func tellOfCheck(_ report: JSONValue) {
        guard report["isChecked"]?.boolean == false, !invocation.has("damaged") else { return }
        tell("This copy has no first and last line, so it was not checked for completeness.")
    }

    /// `12 moods, changed 3, left 4 as they are`.
    private static func outcome(_ report: JSONValue, isDone: Bool) -> String {
        var text = count(report.number(of: "created"))
        if let updated = report["updated"]?.integer, updated > 0 {
            text += ", \(isDone ? "changed" : "change") \(updated)"
        }
        if let unchanged = report["unchanged"]?.integer, unchanged > 0 {
            text += ", \(isDone ? "left" : "leave") \(unchanged) as they are"
        }
        return text
    }

    private static func problems(_ report: JSONValue) -> String {
        let all = report.list(of: "problems")
        let isKept = { (problem: JSONValue) in problem.isTrue("isKept") }
        let lost = report["leftOut"]?.integer ?? all.count { !isKept($0) }
        let kept = (report["problemCount"]?.integer ?? all.count) - lost
        return list(
            lost, all.filter { !isKept($0) },
            lost == 1 ? "One line cannot be read and is left out:" : "\(lost) lines cannot be read and are left out:")
            + list(
                kept, all.filter(isKept),
                kept == 1
                    ? "One thing is not as the file has it; its line loses nothing else:"
                    : "\(kept) things are not as the file has them; their lines lose nothing else:")
    }

    /// Problems grouped by reason, a line each, under a heading.
    /// - Parameter count: the number of all problems; the host names only `problems`.
    private static func list(_ count: Int, _ problems: [JSONValue], _ heading: String) -> String {
        guard count > 0 else { return "" }
        var lines: [String: [Int]] = [:]
        var reasons: [String] = []
        for problem in problems {
            let column = problem["column"]?.integer.map { ", column \($0)" } ?? ""
            let reason = CommandLineMessages.ofFile(problem.text(of: "reason"))
            let line = problem.number(of: "line")
            let told = line > 0 ? column + ": " + reason : reason
            if lines[told] == nil { reasons.append(told) }
            lines[told, default: []].append(line)
        }
        var text = heading + "\n"
        for reason in reasons.prefix(problemsShown) {
            text += Escaping.visible(places(lines[reason] ?? []) + reason) + "\n"
        }
        let shown = reasons.prefix(problemsShown).reduce(0) { $0 + (lines[$1]?.count ?? 0) }
        if count > shown { text += "… and \(count - shown) more\n" }
        return text
    }

    /// `line 2`, `lines 2, 3 and 4`, `lines 2, 3, 4 and 37 more`; empty for a problem without a line.
    private static func places(_ lines: [Int]) -> String {
        guard let last = lines.last, last > 0 else { return "" }
        if lines.count == 1 { return "line \(last)" }
        let isLong = lines.count > linesNamed + 1
        let first = lines.prefix(isLong ? linesNamed : lines.count - 1).map(String.init).joined(separator: ", ")
        return "lines \(first) and " + (isLong ? "\(lines.count - linesNamed) more" : "\(last)")
    }

    /// Reads `--map a=b,c=-0.4`.
    private func mapped() throws(ClientError) -> Params {
        var members: Params = [:]
        for part in invocation.values("map").flatMap({ $0.split(separator: ",") }) {
            guard let sign = part.lastIndex(of: "="), sign != part.startIndex else {
                throw usage("--map wants A=B, such as mood=label or meh=-0.4; '\(part)' is none.")
            }
            let target = String(part[part.index(after: sign)...])
            let number = Double(target) != nil ? try? JSONValue.parse(Array(target.utf8)) : nil
            members[String(part[..<sign])] = number ?? .string(target)
        }
        return members
    }
}

extension String {
    fileprivate var trimmedEnd: String { last == "\n" ? String(dropLast()) : self }
}
