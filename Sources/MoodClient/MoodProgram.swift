import Platform
import Versions

/// The program `mood`: a command line in, an exit code out.
public enum MoodProgram {
    /// Runs the process's own command line and ends the process.
    public static func main() -> Never {
        Terminal.ignoreBrokenPipes()
        let console = Console.ofThisProcess()
        if let text = ProcessFacts.environment(TestConditions.variable), !obey(text) {
            console.writeError(
                "mood: \(TestConditions.variable) must look like \(TestConditions.example), not \(Escaping.visible(text)).\n"
            )
            exit(ExitCode.usage.rawValue)
        }
        let launcher = HostProcess.launcher(location: .ofThisProcess())
        exit(run(Terminal.arguments().dropFirst().map { $0 }, console: console, launcher: launcher).rawValue)
    }

    /// Fixes the time and the random numbers of this process for a test.
    /// - Returns: false for a text of another form, which changes nothing.
    private static func obey(_ text: String) -> Bool {
        guard let given = TestConditions(text) else { return false }
        let time = given.clock.flatMap { Moment($0) }
        let seed = given.seed.flatMap { UInt64($0) }
        guard (time == nil) == (given.clock == nil), (seed == nil) == (given.seed == nil) else { return false }
        if let time { Clock.set(milliseconds: Int64(time.secondsSince1970) * 1_000) }
        if let seed { RandomWords.seed(seed) }
        return true
    }

    /// - Parameter arguments: without the program's name; nil is one that is not UTF-8.
    static func run(_ arguments: [String?], console: Console, launcher: HostLauncher) -> ExitCode {
        var wantsJSON = false
        var command: Command?
        do throws(ClientError) {
            let texts = arguments.compactMap { $0 }
            if let place = arguments.firstIndex(of: nil) {
                throw .usage("Argument \(place + 1) is not UTF-8 text.", command: nil)
            }
            try runOther(texts, console)
            if texts.isEmpty, console.isInputTerminal, console.isOutputTerminal, console.environment("TERM") != "dumb" {
                return run(["key"], console: console, launcher: launcher)
            }
            switch try ArgumentParser.parse(texts, commands: Command.all) {
            case .version: try write(Version.line(of: "mood"), console)
            case .help(let command, let invocation): try help(command, invocation, console, launcher)
            case .run(let invocation):
                wantsJSON = invocation.has("json")
                command = invocation.command
                if let zone = console.unknownTimeZone() {
                    console.writeError(
                        "mood: TZ names '\(Escaping.visible(zone))', which is no time zone here; times are taken as UTC.\n"
                    )
                }
                let client = Client(
                    invocation, console: console, launcher: launcher, configuration: try Configuration.read(console))
                defer { client.close() }
                do throws(ClientError) { try invocation.command.run(client)() } catch {
                    guard case .outputFailed(let reason) = error, client.hasChanged else { throw error }
                    throw .changeUntold(reason)
                }
            }
            return .success
        } catch {
            report(error, command, wantsJSON: wantsJSON, console)
            return ExitCode(error)
        }
    }

    /// Runs the program `mood-NAME` on PATH for `mood NAME`, if that is no built-in command. It replaces this process.
    private static func runOther(_ arguments: [String], _ console: Console) throws(ClientError) {
        guard let name = arguments.first, !name.hasPrefix("-"), !name.contains("/"), name != "help",
            !Command.all.contains(where: { $0.name == name || $0.aliases.contains(name) }),
            let path = HostLocation.program(
                "mood-" + name, searchPath: console.environment("PATH"), console.isExecutable)
        else { return }
        try orBadInput("'\(path)' cannot be run") { () throws(SystemError) in
            try console.become(path, Array(arguments.dropFirst()))
        }
    }

    private static func help(
        _ command: Command?, _ invocation: Invocation?, _ console: Console, _ launcher: HostLauncher
    ) throws(ClientError) {
        guard let command else {
            return try write(Help.program(Command.groups, width: console.helpColumns), console)
        }
        var text = Help.command(command, width: console.helpColumns)
        if command.name == Command.call.name {
            let options = HostLaunch(program: invocation?.value("host"), store: .inMemory)
            let method = invocation?.words.first
            if method != nil { text = "" }
            text += Client.methodsHelp(method, options, launcher: launcher)
        }
        try write(text, console)
    }

    private static func write(_ text: String, _ console: Console) throws(ClientError) {
        try orOutputFailed { () throws(SystemError) in try console.write(Array(text.utf8)) }
    }

    /// Writes an error to stderr: the host's own as JSON for programs, everything else as text.
    private static func report(
        _ error: ClientError, _ command: Command?, wantsJSON: Bool, _ console: Console
    ) {
        if wantsJSON, case .remote(let failure) = error {
            let json = console.isErrorTerminal ? Escaping.visible(json: failure.json) : failure.json
            console.writeError(String(decoding: json, as: UTF8.self) + "\n")
            return
        }
        for (index, line) in error.lines(for: command).enumerated() {
            console.writeError((index == 0 ? "mood: " : "      ") + Escaping.visible(line) + "\n")
        }
    }
}
