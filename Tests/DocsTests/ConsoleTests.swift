import Testing

/// What a document says that a command prints is what it prints.
@Suite struct ConsoleTests {
    private static let documents = Repository.documents.filter { document in
        ((try? Repository.text(document)) ?? "").contains("```" + ConsoleBlock.language)
    }

    /// All blocks of a document are one session, from top to bottom.
    @Test(arguments: documents) func printsWhatTheDocumentShows(document: String) throws {
        let steps = try ConsoleBlock.all(in: Repository.text(document)).flatMap(\.steps)
        let printed = try Sandbox().run(steps)
        #expect(printed.count == steps.count, "\(document): every command ends")
        for (step, lines) in zip(steps, printed) {
            #expect(!step.command.isEmpty, "\(document):\(step.line): a block begins with a command")
            let isShown = ConsoleBlock.matches(lines[...], step.output[...])
            #expect(
                isShown, "\(document):\(step.line): \(step.command)\nprints\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test func theReadmeIsAmongThem() { #expect(Self.documents.contains("README.md")) }
}

@Suite struct ConsoleBlockTests {
    @Test(arguments: [
        ("abc", "abc", true), ("abc", "ab", false), ("abc", "a…", true), ("abc", "…c", true), ("abc", "a…c", true),
        ("ac", "a…c", true), ("abc", "…b…", true), ("abc", "…d…", false), ("aba", "a…b", false), ("a", "a…a", false),
        ("", "…", true), ("one two three", "o…two…e", true),
    ])
    func anEllipsisInALineStandsForAnyText(line: String, shown: String, isMatch: Bool) {
        #expect(ConsoleBlock.matches(line: line, shown) == isMatch)
    }

    @Test(arguments: [
        (["a", "b"], ["a", "b"], true), (["a", "b"], ["a"], false), (["a"], ["a", "b"], false),
        (["a", "b", "c"], ["a", "…"], true), (["a", "b", "c"], ["…", "c"], true), (["a"], ["a", "…"], true),
        (["a", "b", "c", "d"], ["a", "…", "d"], true), (["a", "b", "c"], ["…", "d"], false), ([], ["…"], true),
    ])
    func anEllipsisByItselfStandsForAnyLines(printed: [String], shown: [String], isMatch: Bool) {
        #expect(ConsoleBlock.matches(printed[...], shown[...]) == isMatch)
    }

    @Test func commandsAndOutputAreToldApart() {
        let blocks = ConsoleBlock.all(
            in:
                "text\n```console terminal\n$ zero\n```\n```console\n$ one \\\n> two\nout\n> quoted\n$ three\n```\n```sh\n$ not run\n```\n"
        )
        #expect(blocks.count == 2)
        #expect(blocks[0].steps.map(\.isOnTerminal) == [true] && blocks[0].steps[0].command == "zero")
        #expect(blocks[1].steps.map(\.command) == ["one \\\ntwo", "three"])
        #expect(blocks[1].steps.map(\.output) == [["out", "> quoted"], []])
        #expect(blocks[1].steps.map(\.line) == [6, 10] && !blocks[1].steps[0].isOnTerminal)
    }

    @Test func stepsShareTheShell() throws {
        let steps = ["name=value", "false", "echo $? $name", "printf 'a\\nb\\n' >&2", "cat"].map {
            ConsoleBlock.Step(command: $0, line: 1)
        }
        #expect(try Sandbox().run(steps) == [[], [], ["1 value"], ["a", "b"], []])
    }

    @Test func aStepOnATerminalHasOne() throws {
        let command = "test -t 1 && echo 'it is'; echo \"$COLUMNS\""
        let onTerminal = ConsoleBlock.Step(command: command, line: 1, isOnTerminal: true)
        #expect(
            try Sandbox().run([onTerminal, ConsoleBlock.Step(command: command, line: 2)]) == [["it is", "100"], [""]])
    }
}
