import Platform
import Testing

/// A temporary directory for commands, with the built programs first in PATH. Nothing in it depends on the machine:
/// output shows it as the root of the file system, the time and the ids are fixed, and of our environment commands have
/// only the settings of sanitizers and faketime.
final class Sandbox {
    private let directory: String
    private let path: String
    /// The home in which commands run, as they print it.
    private static let home = "/home/ada"
    /// The minute of the first step; each later one is a minute later.
    private static let firstMinute = 18 * 60 + 17

    init() throws {
        let products = try #require(Repository.products, "the programs moodboard and mood lie beside the tests")
        var template = Array("/tmp/moodboard-docs.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: EIO) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = products + ":/usr/bin:/bin"
        for folder in ["/tmp", "/home", Self.home] { mkdir(directory + folder, 0o700) }
    }

    deinit { _ = try? Self.run("/bin/rm", ["-rf", directory]) }

    /// Runs a command; returns its output on stdout and stderr, and its exit status.
    func run(_ command: String) throws -> (output: String, status: ChildProcess.Status?) {
        let handedOn = [
            "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD", "FAKETIME", "FAKETIME_DONT_FAKE_MONOTONIC",
        ].compactMap { name in ProcessFacts.environment(name).map { "\(name)=\($0)" } }
        let setting =
            [
                "HOME=\(directory)\(Self.home)", "PATH=\(path)", "TZ=UTC", "LANG=C.UTF-8", "TMPDIR=\(directory)/tmp",
                Self.conditions(0),
            ] + handedOn
        // `env` replaces the environment; the shell sets the directory and the streams.
        let script = "cd \"$0\" && exec 2>&1 && exec </dev/null && eval \"$1\""
        let (output, status) = try Self.run(
            "/usr/bin/env", ["-i"] + setting + ["/bin/sh", "-c", script, directory + Self.home, command])
        return (output.replacing(directory, with: ""), status)
    }

    /// The assignment that fixes the time and the ids of a step.
    private static func conditions(_ step: Int) -> String {
        let minute = firstMinute + step
        func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = "2026-11-25T\(padded(minute / 60)):\(padded(minute % 60)):00Z"
        return "\(TestConditions.variable)=clock:\(time),seed:\(step)"
    }

    /// Runs the steps of all blocks of a document in one shell, so that variables and `$?` stay.
    /// - Returns: the printed lines of each step.
    func run(_ steps: [ConsoleBlock.Step]) throws -> [[String]] {
        // The mark comes before each step and keeps `$?`.
        let mark = "--- the next step ---"
        var script: [String] = []
        var onTerminal: [String] = []
        for (index, step) in steps.enumerated() {
            let line =
                "_status=$?; export \(Self.conditions(index)); printf '%s\\n' '\(mark)'; (exit $_status)\n\(step.command)"
            if step.isOnTerminal { onTerminal.append(line) } else { script.append(line) }
            let isLast = index + 1 == steps.count || !steps[index + 1].isOnTerminal
            guard isLast, !onTerminal.isEmpty else { continue }
            script.append(Self.onTerminal(onTerminal.joined(separator: "\n")))
            onTerminal = []
        }
        let output = try run(script.joined(separator: "\n")).output
        var printed: [[String]] = []
        for line in ConsoleBlock.lines(output) {
            if line == mark { printed.append([]) } else if !printed.isEmpty { printed[printed.count - 1].append(line) }
        }
        // There is no line after the last line feed.
        if printed.last?.last == "" { printed[printed.count - 1].removeLast() }
        return printed
    }

    /// Commands in one pseudo-terminal (script(1) of util-linux), without colors and without a pager.
    private static func onTerminal(_ command: String) -> String {
        let quoted = "'" + command.replacing("'", with: "'\\''") + "'"
        let setting = "COLUMNS=100 NO_COLOR=1 MOOD_PAGER= TERM=xterm"
        return "\(setting) script -qec \(quoted) /dev/null </dev/null | tr -d '\\r'"
    }

    private static func run(
        _ program: String, _ arguments: [String]
    ) throws -> (output: String, status: ChildProcess.Status?) {
        var child = try ChildProcess.start(path: program, arguments: arguments, output: .pipe)
        child.closeInput()
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try child.read(into: $0) }
            if count == 0 { break }
            output += chunk[..<count]
        }
        let status = child.wait()
        return (String(decoding: output, as: UTF8.self), status)
    }
}
