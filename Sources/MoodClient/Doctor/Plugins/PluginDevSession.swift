import JSONCodec
import JSONRPC
import Platform
import Versions

/// A plugin in development: it runs in place, its messages are shown, and a change of a file restarts it.
///
/// A line shown begins with `-->` (to the plugin), `<--` (from it), `err` (its stderr) or `---` (what happened).
final class PluginDevSession {
    enum Source {
        static let interruption = EventSources.Name(16)
        static let input = EventSources.Name(17)
        /// The first name for folders, each of which has its own.
        static let folders = 18
    }

    static let foldersMax = 64
    /// The time to wait after a change: programs are often saved in several steps.
    private static let settlingMilliseconds = 150
    /// The time between checks, if the system does not notify of changes.
    private static let lookMilliseconds = 1000
    private static let endMilliseconds = 700
    static let excerptBytes = 4096

    let bench: PluginBench
    let runtimes: [String]
    let interruption: Int32
    let print: (String) throws(ClientError) -> Void
    let permissions: [String: String]
    var info: JSONValue
    var talk: Conversation?
    var isInterrupted = false
    var isInputAtEnd = false
    var hasChanged = false
    var failure: ClientError?
    var typed: [UInt8] = []
    var complaint: [UInt8] = []
    var watches: [Watch] = []
    var nextID = 1
    /// The names of its own methods, whose params and results are checked.
    var declared: Set<String> = []
    /// The methods of requests that are not answered yet, by their ids.
    var asked: [Int: String] = [:]

    final class Watch {
        let watch: FileWatch
        init?(_ folder: String) {
            guard let watch = FileWatch(directory: folder, name: "") else { return nil }
            self.watch = watch
        }
    }

    init(
        _ bench: PluginBench, runtimes: [String], interruption: Int32,
        print: @escaping (String) throws(ClientError) -> Void
    ) throws(ClientError) {
        (self.bench, self.runtimes, self.interruption, self.print) = (bench, runtimes, interruption, print)
        info = try bench.look()
        permissions = try bench.permissions()
    }

    /// Runs until the user ends it.
    func run() throws(ClientError) {
        watchFolders()
        try start()
        while failure == nil, !isInterrupted {
            guard let talk else {
                try idle()
                continue
            }
            let isAlive = !talk.isOutputAtEnd
            talk.wait(Self.lookMilliseconds) {
                isInterrupted || hasChanged || failure != nil || isAlive && talk.isOutputAtEnd
                    || isInputAtEnd && isQuiet(talk)
            }
            if isAlive, talk.isOutputAtEnd {
                let ending = talk.waitForEnd(1000)
                show("---", "it ended: \(ending.map { "\($0)" } ?? "it closed its stdout")")
            }
            if isInputAtEnd, isQuiet(talk) { break }
            if hasChanged || watches.isEmpty { try lookAgain() }
        }
        stop()
        if let failure { throw failure }
    }

    /// Whether every request has an answer.
    private func isQuiet(_ talk: Conversation) -> Bool {
        talk.isOutputAtEnd || talk.isSent && (0..<nextID).allSatisfy { !talk.answers(to: .number(String($0))).isEmpty }
    }

    // MARK: Life

    private func start() throws(ClientError) {
        guard info["state"]?.string != "invalid" else {
            return show("---", "the manifest is invalid: \(info.text(of: "reason"))")
        }
        let (subject, problem) = subject()
        guard let subject else { return show("---", problem) }
        let talk = Conversation(subject)
        self.talk = talk
        (nextID, asked) = (1, [:])
        talk.heard = { [self] message in hear(message) }
        talk.complained = { [self] bytes in complain(bytes) }
        talk.reply = { [self] message in reply(message) }
        talk.happened = { [self] name in happened(name) }
        listen(talk)
        show("---", "started")
        try declare()
        if bench.isServer {
            let client: JSONValue = ["name": "mood", "version": .string(Version.program)]
            let params: JSONValue = [
                "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": client,
            ]
            send(Inspection.request("initialize", params, id: 0), talk)
        } else {
            send(Inspection.request("plugin.hello", bench.hello(info), id: 0), talk)
        }
    }

    /// A new process; nil with the reason if it cannot be started.
    private func subject() -> (PluginUnderTest?, problem: String) {
        let plan: KeptProcess.Plan
        do throws(ClientError) { plan = try bench.plan(info, runtimes: runtimes) } catch {
            return (nil, error.lines.joined(separator: " "))
        }
        do throws(SystemError) { return (try PluginUnderTest(plan), "") } catch {
            return (nil, "it cannot be started: \(error)")
        }
    }

    private func stop() {
        guard let talk else { return }
        if !bench.isServer { send(Inspection.notification("plugin.goodbye"), talk) }
        talk.wait(Self.endMilliseconds) { talk.isSent || talk.isOutputAtEnd }
        talk.closeInput()
        if talk.waitForEnd(Self.endMilliseconds) == nil {
            show("---", "it still runs \(Self.endMilliseconds) ms after the end of its input, and is killed")
            talk.subject.kill()
            _ = talk.waitForEnd(Self.endMilliseconds)
        }
        if !complaint.isEmpty { complain([0x0a]) }
        self.talk = nil
    }

    /// Looks at the files after a change: only a new digest counts.
    private func lookAgain() throws(ClientError) {
        talk?.wait(Self.settlingMilliseconds) { isInterrupted }
        hasChanged = false
        let now = try bench.look()
        let isSame =
            now["digest"]?.string == info["digest"]?.string && now["state"]?.string == info["state"]?.string
            && now["reason"]?.string == info["reason"]?.string
        guard !isSame else { return }
        show("---", "a file has changed")
        info = now
        stop()
        watchFolders()
        try start()
    }

    /// Waits for a change while a mistake in the manifest keeps the plugin from running.
    private func idle() throws(ClientError) {
        if isInputAtEnd { return isInterrupted = true }
        let nothing = Conversation(NullProcess())
        nothing.happened = { [self] name in happened(name) }
        listen(nothing)
        nothing.wait(Self.lookMilliseconds) { isInterrupted || hasChanged || isInputAtEnd }
        if !isInterrupted { try lookAgain() }
    }
}

/// Stands in for a plugin that does not run.
private final class NullProcess: ProcessUnderTest {
    let (input, output, errors): (Int32, Int32, Int32) = (-1, -1, -1)
    func closeInput() {}
    func closeOutput() {}
    func closeErrors() {}
    func terminate() {}
    func kill() {}
    func ending() -> ChildProcess.Status? { .exited(0) }
}
