import Testing
import Versions

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

    /// Every example in the help that is one plain command must parse.
    @Test func everyExampleIsACommandLineThatParses() throws {
        for command in Command.all {
            #expect(!command.examples.isEmpty)
            for example in command.examples where example.line.hasPrefix("mood ") {
                let plain = example.line.prefix { $0 != "|" && $0 != "<" && $0 != ">" }
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
        for line in Help.program(Command.groups).split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80) }
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
        #expect(outside.started == [HostLaunch(program: "/h", store: .inMemory)])
        #expect(outside.output.contains("mood.get                One mood. {id, x?}"))
        #expect(outside.closed == 1)
    }

    @Test(arguments: [["rpc", "mood.share", "--help"], ["help", "rpc", "mood.share"]])
    func helpOfAMethodTellsItsParamsResultAndErrors(_ arguments: [String]) {
        let outside = Outside([
            "rpc.discover": #"""
            {"methods":[{"name":"mood.share","summary":"Say it.","params":[
            {"name":"id","required":true,"summary":"Which.","schema":{"type":"string","format":"uuid"}},
            {"name":"format","summary":"The form.","schema":{"enum":["text","html"],"default":"text"}},
            {"name":"place","summary":"Where.","schema":{"allOf":[{"$ref":"#/components/schemas/Place"}]}}],
            "result":{"schema":{"type":"object","properties":{"n":{"type":"integer","minimum":0,"description":"How many."}}}},
            "errors":[{"message":"notFound"},{"message":"storeBusy"}]}]}
            """#.replacing("\n", with: "")
        ])
        #expect(outside.run(arguments) == .success)
        for line in [
            "mood.share: Say it.", "  id                      Which. (UUID)",
            "  format                  The form. (\"text\" or \"html\", \"text\" if absent)",
            "  place                   Where. (Place, may be absent)",
            "  n                       How many. (integer from 0)",
            "ERRORS:                   notFound, storeBusy",
        ] {
            #expect(outside.output.contains("\n" + line + "\n"), "\(line) in \(outside.output)")
        }
        #expect(!outside.output.contains("USAGE"))
    }

    @Test func helpOfAMethodThatIsNotThereNamesTheNearest() {
        let outside = Outside(["rpc.discover": #"{"methods":[{"name":"mood.share","summary":"Say it.","params":[]}]}"#])
        #expect(outside.run("rpc", "mood.shore", "--help") == .success)
        #expect(outside.output.contains("Did you mean 'mood.share'?"))
    }

    @Test func anOptionForAParamIsAsTheParamIsDeclared() {
        let format = CommandOption(DeclaredParams.MoodShare.format, "FORMAT", isOpen: true)
        #expect(format.usage == "    --format FORMAT")
        #expect(
            format.summary
                == "The form of the text: text, markdown, html, json, ics, or one that a plugin brings (default: text)."
        )
        let limit = CommandOption(DeclaredParams.MoodList.limit, short: "l", "N")
        #expect(limit.usage == "-l, --limit N" && limit.summary == "The most moods of the page (default: 50).")
        #expect(DeclaredParams.NavScreen.timeZone.option == "time-zone")
    }

    @Test func helpOfRPCWorksWithoutAHost() {
        let outside = Outside { (_, _) throws(ClientError) in throw .unavailable("There is none.", advice: nil) }
        #expect(outside.run("help", "rpc") == .success)
        #expect(outside.output.contains("There is none."))
    }

    @Test func versionIsOneLine() {
        let outside = Outside()
        #expect(outside.run("--version") == .success)
        #expect(outside.output == "mood \(Version.program) (protocol \(Version.wire), schema \(Version.schema))\n")
    }

    /// Splits a line like a shell, as far as the examples need it.
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
