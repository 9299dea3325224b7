import Testing

@testable import MoodClient

@Suite struct HelpTests {
    @Test(arguments: Command.all.map(\.name))
    func everyCommandHasUsageExamplesAndItsOptions(_ name: String) throws {
        let command = try #require(Command.all.first { $0.name == name })
        for arguments in [[name, "--help"], [name, "-h"], ["help", name]] {
            let outside = Outside()
            #expect(outside.run(arguments) == .success)
            #expect(outside.error.isEmpty)
            #expect(outside.output.contains("USAGE: mood \(name)"))
            #expect(outside.output.contains("EXAMPLES:\n  "))
            for option in command.options { #expect(outside.output.contains("--\(option.name)"), "\(option.name)") }
            for parameter in command.parameters { #expect(outside.output.contains("  \(parameter.name)")) }
        }
    }

    /// What the help shows must be right: every example that is one plain command is parsed by the same table.
    @Test func everyExampleIsACommandLineThatParses() throws {
        for command in Command.all {
            #expect(!command.examples.isEmpty)
            for example in command.examples where example.line.hasPrefix("mood ") {
                let plain = example.line.prefix { $0 != "|" && $0 != "<" }
                let words = Self.shellWords(String(plain)).dropFirst()
                #expect(throws: Never.self, "\(example.line)") {
                    guard case .run = try ArgumentParser.parse(Array(words), commands: Command.all) else {
                        Issue.record("not a command: \(example.line)")
                        return
                    }
                }
            }
        }
    }

    @Test func noLineOfHelpIsWiderThanATerminal() {
        for command in Command.all {
            for line in Help.command(command).split(separator: "\n") where !line.hasPrefix("  printf") {
                #expect(DisplayWidth.of(String(line)) <= 84, "\(line)")
            }
        }
        for line in Help.program(Command.all).split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80) }
    }

    @Test func theProgramsHelpNamesEveryCommand() {
        let outside = Outside()
        #expect(outside.run([]) == .success)
        for command in Command.all { #expect(outside.output.contains("\n  \(command.name) ")) }
        #expect(outside.output.contains("EXAMPLES:"))
        #expect(outside.started.isEmpty)
    }

    @Test func namesOfOptionsAreUnique() {
        for command in Command.all {
            let options = command.options + CommandOption.everywhere
            #expect(Set(options.map(\.name)).count == options.count, "\(command.name)")
            let letters = options.compactMap(\.short)
            #expect(Set(letters).count == letters.count, "\(command.name)")
        }
    }

    @Test func helpOfRPCListsTheHostsMethodsWithoutAStore() {
        let outside = Outside([
            "rpc.discover":
                #"{"methods":[{"name":"mood.get","summary":"One mood.","params":[{"name":"id","required":true},{"name":"x"}]}]}"#
        ])
        #expect(outside.run("rpc", "--help", "--host", "/h") == .success)
        #expect(outside.started == [HostOptions(program: "/h", store: .inMemory)])
        #expect(outside.output.contains("mood.get                One mood. {id, x?}"))
        #expect(outside.closed == 1)
    }

    @Test func helpOfRPCWorksWithoutAHost() {
        let outside = Outside { (_, _) throws(ClientError) in throw .unavailable("There is none.", advice: nil) }
        #expect(outside.run("help", "rpc") == .success)
        #expect(outside.output.contains("There is none."))
    }

    @Test func versionIsOneLine() {
        let outside = Outside()
        #expect(outside.run("--version") == .success)
        #expect(outside.output == "mood \(MoodProgram.version)\n")
    }

    /// Words of a line as a shell would make them, as far as the examples need it.
    private static func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
