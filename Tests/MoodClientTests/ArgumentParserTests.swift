import Testing

@testable import MoodClient

/// A small table of commands, so that the cases do not change with the program's.
private let table = [
    Command(
        "add", "Add.", Client.info,
        .word("EMOJI", "One."), .word("LABEL", "Two."),
        .option("note", short: "n", .text("TEXT"), "A note."),
        .option("tag", short: "t", .text("TAG"), isRepeatable: true, "A tag."),
        .option("favorite", short: "f", "A switch."), .option("all", short: "a", "Another."),
        .option("limit", .integer("N"), "A number."), .option("valence", .number("N"), "A number."),
        .option("sort", .choice("KEY", ["timestamp", "label"]), "A choice.")),
    Command("rm", "Remove.", Client.info, .word("ID", .oneOrMore, "Ids.")),
    Command("list", "List.", Client.info),
]

private func parse(_ arguments: [String]) throws(ClientError) -> ParsedCommandLine {
    try ArgumentParser.parse(arguments, commands: table)
}

private func invocation(_ arguments: [String]) throws -> Invocation {
    guard case .run(let invocation) = try parse(arguments) else { throw ClientError.declined("not a run") }
    return invocation
}

private func complaint(_ arguments: [String]) -> String {
    do throws(ClientError) {
        _ = try parse(arguments)
        return "accepted"
    } catch {
        return error.lines.first ?? ""
    }
}

@Suite struct ArgumentParserTests {
    struct Case: Sendable {
        let arguments: [String]
        let words: [String]
        let given: [String: [String]]
    }

    @Test(arguments: [
        Case(arguments: ["add", "a", "b"], words: ["a", "b"], given: [:]),
        Case(arguments: ["add", "a", "--note", "x", "b"], words: ["a", "b"], given: ["note": ["x"]]),
        Case(arguments: ["--note", "x", "add", "a", "b"], words: ["a", "b"], given: ["note": ["x"]]),
        Case(
            arguments: ["--note", "rm", "-f", "add", "a", "b"], words: ["a", "b"],
            given: ["note": ["rm"], "favorite": []]),
        Case(
            arguments: ["--tag=x", "-n", "y", "add", "a", "b"], words: ["a", "b"], given: ["tag": ["x"], "note": ["y"]]),
        Case(arguments: ["add", "a", "b", "--note=x=y"], words: ["a", "b"], given: ["note": ["x=y"]]),
        Case(arguments: ["add", "a", "b", "--note="], words: ["a", "b"], given: ["note": [""]]),
        Case(arguments: ["add", "a", "b", "--note=--fav"], words: ["a", "b"], given: ["note": ["--fav"]]),
        Case(arguments: ["add", "a", "b", "-n", "x"], words: ["a", "b"], given: ["note": ["x"]]),
        Case(arguments: ["add", "a", "b", "-nx"], words: ["a", "b"], given: ["note": ["x"]]),
        Case(arguments: ["add", "a", "b", "-n=x"], words: ["a", "b"], given: ["note": ["x"]]),
        Case(arguments: ["add", "a", "b", "-n", "-"], words: ["a", "b"], given: ["note": ["-"]]),
        Case(arguments: ["add", "a", "b", "-n", "- one"], words: ["a", "b"], given: ["note": ["- one"]]),
        Case(arguments: ["add", "a", "b", "-fa"], words: ["a", "b"], given: ["favorite": [], "all": []]),
        Case(arguments: ["add", "a", "b", "-fnx"], words: ["a", "b"], given: ["favorite": [], "note": ["x"]]),
        Case(arguments: ["add", "a", "b", "-t", "x", "--tag=y"], words: ["a", "b"], given: ["tag": ["x", "y"]]),
        Case(arguments: ["add", "a", "b", "--valence", "-0.5"], words: ["a", "b"], given: ["valence": ["-0.5"]]),
        Case(arguments: ["add", "--", "-a", "--note"], words: ["-a", "--note"], given: [:]),
        Case(arguments: ["--", "add", "--json", "b"], words: ["--json", "b"], given: [:]),
        Case(arguments: ["add", "a", "-"], words: ["a", "-"], given: [:]),
        Case(arguments: ["add", "", "b"], words: ["", "b"], given: [:]),
        Case(arguments: ["--json", "--store", "d", "list"], words: [], given: ["json": [], "store": ["d"]]),
        Case(arguments: ["list", "--store=a", "--store=b"], words: [], given: ["store": ["a", "b"]]),
        Case(arguments: ["rm", "a", "b", "c"], words: ["a", "b", "c"], given: [:]),
    ])
    func understands(_ test: Case) throws {
        let invocation = try invocation(test.arguments)
        #expect(invocation.words == test.words)
        #expect(invocation.given == test.given)
    }

    @Test(arguments: [
        (["ad"], "There is no command 'ad'. Did you mean 'add'?"),
        (["lsit"], "There is no command 'lsit'. Did you mean 'list'?"),
        (["xyzzy"], "There is no command 'xyzzy'."),
        (["add", "a", "b", "--nte", "x"], "There is no option '--nte' for 'mood add'. Did you mean '--note'?"),
        (["--stor", "x", "list"], "There is no option '--stor'. Did you mean '--store'?"),
        (["add", "a", "b", "--note"], "--note needs a value"),
        (["add", "a", "b", "--note", "--favorite"], "--note needs a value"),
        (["add", "a", "b", "-n", "-f"], "-n needs a value"),
        (["add", "a", "b", "--favorite=yes"], "--favorite takes no value."),
        (["add", "a", "b", "--note", "x", "-n", "y"], "-n was given twice"),
        (["add", "a", "b", "--limit", "many"], "--limit wants a whole number, not 'many'."),
        (["add", "a", "b", "--limit", "99999999999999999999"], "--limit wants a whole number"),
        (["add", "a", "b", "--valence", "nan"], "--valence wants a number"),
        (["add", "a", "b", "--valence", "much"], "--valence wants a number"),
        (["add", "a", "b", "--sort", "lable"], "--sort is timestamp or label, not 'lable'. Did you mean 'label'?"),
        (["add", "a", "b", "c"], "'c' is one too many."),
        (["add"], "EMOJI and LABEL are missing. Usage: mood add EMOJI LABEL [options]"),
        (["add", "a"], "LABEL is missing."),
        (["rm"], "ID is missing. Usage: mood rm ID…"),
        (["add", "a", "-5"], "There is no option '-5' for 'mood add'."),
        (["add", "a", "b", "-xnote"], "There is no option '-x' for 'mood add'."),
        (["add", "a", "b", "-favorite"], "There is no option '-v' for 'mood add'."),
        (["help", "ad"], "There is no command 'ad'. Did you mean 'add'?"),
        (["list", "--color", "blue"], "--color is auto, never or always, not 'blue'."),
    ])
    func refusesWithAdvice(_ arguments: [String], _ beginning: String) {
        let complaint = complaint(arguments)
        #expect(complaint.hasPrefix(beginning), "\(complaint)")
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["add", "--help"], ["add", "-h"], ["help", "add"],
        ["add", "a", "--help", "--odd"],
        ["--json", "add", "-h"],
    ])
    func helpIsNeverRefused(_ arguments: [String]) throws {
        guard case .help(let command, _) = try parse(arguments) else {
            Issue.record("no help for \(arguments)")
            return
        }
        #expect(command?.name == (arguments.contains("add") ? "add" : nil))
    }

    @Test func nothingAtAllShowsTheHelp() throws {
        guard case .help(nil, _) = try parse([]) else {
            Issue.record("no help")
            return
        }
    }

    @Test func versionIsAnswered() throws {
        guard case .version = try parse(["--version"]) else {
            Issue.record("no version")
            return
        }
    }
}

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("lst", "list"), ("lits", "list"), ("favv", "fav"), ("unfave", "unfav"), ("shaer", "share"), ("sh", "show"),
        ("REMOVE", nil), ("x", nil), ("", nil), ("ed", "edit"), ("clera", "clear"),
    ])
    func namesTheNearest(_ word: String, _ expected: String?) {
        #expect(Suggestion.nearest(to: word, among: Command.all.map(\.name)) == expected)
    }

    @Test func namesTheOptionThatHasTheWordAsAPart() {
        #expect(Suggestion.nearest(to: "zone", among: ["json", "store", "time-zone"]) == "time-zone")
    }

    @Test func longWordsAreNotCompared() {
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 100_000), among: ["list"]) == nil)
    }

    @Test(arguments: [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("note", "nte", 1)])
    func countsEdits(_ a: String, _ b: String, _ edits: Int) {
        #expect(Suggestion.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == edits)
    }
}
