import Platform
import Testing

/// The output in a document is the command's output.
@Suite struct ConsoleTests {
    private static let documents = Repository.documents.filter { document in
        ((try? Repository.text(document)) ?? "").contains("```" + ConsoleBlock.language)
    }

    /// All blocks of a document are one session, from top to bottom. `MOODBOARD_GOLDEN=write` in the environment writes
    /// the document again.
    @Test(arguments: documents) func printsWhatTheDocumentShows(document: String) throws {
        let text = try Repository.text(document)
        let steps = ConsoleBlock.all(in: text).flatMap(\.steps)
        let printed = try Sandbox().run(steps)
        try #require(printed.count == steps.count, "\(document): every command ends")
        if ProcessFacts.environment("MOODBOARD_GOLDEN") == "write" {
            let now = ConsoleBlock.document(text, showing: printed)
            if now != text { try Repository.write(now, to: document) }
            return
        }
        for difference in ConsoleBlock.differences(from: printed, in: text) {
            Issue.record("\(document):\(difference)")
        }
    }

    @Test func theReadmeIsAmongThem() { #expect(Self.documents.contains("README.md")) }
}

@Suite struct ConsoleBlockTests {
    @Test(arguments: [
        ["Added 😊 Café ", "2"], ["Added 😊 Café"], ["Added 😊 Café", "2", ""], ["", "Added 😊 Café", "2"],
        ["Added 😊 Cafe\u{301}", "2"], ["Added 😊 café", "2"], ["Added 😊 Café", "3"], [],
    ]) func noticesEveryOtherByte(printed: [String]) {
        let document = "```console\n$ one\nAdded 😊 Café\n2\n$ two\n```\n"
        #expect(ConsoleBlock.differences(from: [["Added 😊 Café", "2"], []], in: document).isEmpty)
        #expect(ConsoleBlock.differences(from: [printed, []], in: document).count == 1)
        #expect(ConsoleBlock.differences(from: [["Added 😊 Café", "2"], ["3"]], in: document).count == 1)
        #expect(ConsoleBlock.differences(from: [[]], in: "```console\nno command\n```\n").count == 2)
    }

    @Test func whatWasPrintedTakesThePlaceOfWhatIsShown() {
        let document = "text\n```console\n$ one \\\n> two\nold\nolder\n$ three\n$ four\nold\n```\nmore\n"
        let printed = [["a"], ["b", "c"], []]
        let written = "text\n```console\n$ one \\\n> two\na\n$ three\nb\nc\n$ four\n```\nmore\n"
        #expect(ConsoleBlock.document(document, showing: printed) == written)
        #expect(ConsoleBlock.all(in: written).flatMap(\.steps).map(\.output) == printed)
    }

    /// The next step can name the rows of a list.
    @Test func stepsOnATerminalShareIt() throws {
        let steps = ["tty", "name=value; false", "tty; echo $name", "echo \"$name\""].enumerated().map {
            ConsoleBlock.Step(command: $1, line: 1, isOnTerminal: $0 < 3)
        }
        let printed = try Sandbox().run(steps)
        #expect(printed[0].first?.hasPrefix("/dev/") == true && printed[2] == printed[0] + ["value"])
        #expect(printed[1] == [] && printed[3] == [""])
    }

    /// Each step has its own minute and ids, independent of place and time.
    @Test func aStepHasItsTimeAndItsIDs() throws {
        let add = ConsoleBlock.Step(command: "mood add 😊 Happy", line: 1)
        let steps = [add, add, ConsoleBlock.Step(command: "mood list --template '{date} {time} {id}'; pwd", line: 3)]
        let first = try Sandbox().run(steps)
        #expect(try Sandbox().run(steps) == first)
        #expect(first[2].last == "/home/ada")
        #expect(first[2].first?.hasPrefix("2026-11-25 18:18 ") == true, "\(first)")
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

    /// People see the last eight digits of an id. Those of two processes with one seed differ.
    @Test func idsWithOneSeedEndDifferently() throws {
        let command = ConsoleBlock.Step(
            command:
                "export MOODBOARD_TEST=seed:7; for n in 1 2 3 4; do mood add 😊 $n; done; mood list --template '{id}'",
            line: 1)
        let ids = try Sandbox().run([command])[0].suffix(4)
        #expect(Set(ids.map { $0.suffix(8) }).count == 4, "\(ids)")
    }

    @Test func conditionsOfAnotherFormAreRefusedByBothPrograms() throws {
        for program in ["mood list", "moodboard"] {
            let command = "MOODBOARD_TEST=clock:noon \(program); echo $?"
            let printed = try Sandbox().run([ConsoleBlock.Step(command: command, line: 1)])[0]
            #expect(printed.last == "64" && printed[0].contains("clock"), "\(printed)")
        }
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
