import JSONCodec
import Platform

/// One run of a command: the request, the output, and the host, which starts when it is first needed.
///
/// A class because the connection has one owner that several steps of a command share.
final class Client {
    let invocation: Invocation
    let console: Console
    let style: Style
    let launcher: HostLauncher
    let configuration: Configuration
    private var connection: HostConnection?
    /// The palette after its first use.
    var knownPalette: PersonalPalette?
    private var knownSettings: JSONValue?
    /// The error of the host that has settings and cannot read them.
    private(set) var settingsFault: ClientError?
    /// Whether the host has done something that is kept.
    private(set) var hasChanged = false
    private var knownClocks: Console?
    /// Whether the host does not know the locale of the environment.
    var isEnvironmentLocaleUnknown = false

    init(
        _ invocation: Invocation, console: Console, launcher: HostLauncher,
        configuration: Configuration = Configuration()
    ) {
        (self.configuration, self.invocation, self.console, self.launcher) = (
            configuration, invocation, console, launcher
        )
        style = Style(
            choice: invocation.value("color"), usual: configuration.color, isTerminal: console.isOutputTerminal,
            environment: console.environment)
    }

    var wantsJSON: Bool { invocation.has("json") }

    /// The host that the command line names.
    func hostOptions() throws(ClientError) -> HostLaunch {
        // The host itself finds the store in the environment.
        let isNamed =
            console.environmentFault("MOODBOARD_STORE") != nil
            || console.environment("MOODBOARD_STORE").map { !$0.isEmpty } ?? false
        let store = invocation.value("store") ?? (isNamed ? nil : configuration.store)
        if store == nil, let fault = usualStoreFault() { throw usage(fault) }
        if store == "" { throw usage("--store needs the path of a directory.") }
        let program = invocation.value("host")
        if program == "" { throw usage("--host needs the path of a program.") }
        var options = HostLaunch(program: program, store: store.map { .directory($0) } ?? .usual)
        // Lists show the days of this zone for moods without one.
        if invocation.command.name == "list", let zone = invocation.value("time-zone") {
            guard console.localTimeInZone(0, zone) != nil else {
                throw usage("--time-zone: there is no zone '\(zone)'. It is a name such as Europe/Helsinki.")
            }
            options.more += ["--time-zone", zone]
        }
        if configuration.sync == false { options.more.append("--no-sync") }
        if ["plugin", "doctor"].contains(invocation.command.name) {
            options.more += limits.flatMap { ["--limit", $0] }
        }
        return options
    }

    /// Limits for the host, in the form NAME=VALUE.
    var limits: [String] { invocation.values("limit") }

    /// The fault of the variable that names the usual store; the host would refuse it too.
    private func usualStoreFault() -> String? {
        for name in ["MOODBOARD_STORE", "XDG_DATA_HOME", "HOME"] {
            if let fault = console.environmentFault(name) {
                return "\(name) is not UTF-8 text (\(fault.shown)). Set it to another directory, or give --store DIR."
            }
            // A relative XDG_DATA_HOME is ignored.
            let value = console.environment(name) ?? ""
            if name == "XDG_DATA_HOME" ? value.hasPrefix("/") : !value.isEmpty { return nil }
        }
        return nil
    }

    /// The settings, requested once; empty if the host does not answer.
    func settings() -> JSONValue {
        if let known = knownSettings { return known }
        var settings = JSONValue.object([])
        do throws(ClientError) {
            settings = try tree(call("settings.get"))
        } catch {
            // Other hosts have none.
            if case .remote(let failure) = error, failure.code != -32601 { settingsFault = error }
        }
        knownSettings = settings
        return settings
    }

    /// The console with the clocks for moods: those of `--time-zone`, else of the setting, else the system's.
    var clocks: Console {
        if let known = knownClocks { return known }
        var clocks = console
        let isOfMood = ["add", "edit"].contains(invocation.command.name)
        let option = isOfMood ? nil : invocation.value("time-zone")
        if let zone = option ?? settings()["timeZone"]?.string {
            let console = console
            clocks.localTime = { console.localTimeInZone($0, zone) ?? console.localTime($0) }
        }
        knownClocks = clocks
        return clocks
    }

    func close() {
        connection?.close()
        connection = nil
    }

    // MARK: Requests

    /// Sends a request and returns the bytes of its result.
    func call(
        _ method: String, bytes params: [UInt8]?, listener: HostConnection.Listener? = nil
    ) throws(ClientError) -> [UInt8] {
        try ask(method, bytes: params, listener: listener)()
    }

    /// Sends a request. The returned closure waits for the bytes of its result.
    func ask(
        _ method: String, bytes params: [UInt8]?, listener: HostConnection.Listener? = nil
    ) throws(ClientError) -> () throws(ClientError) -> [UInt8] {
        let start = Clock.monotonicMilliseconds
        let waiting = try connected().ask(method, params, listener)
        return { () throws(ClientError) in
            var answer = try waiting()
            var left = Self.patienceMilliseconds - Int(Clock.monotonicMilliseconds - start)
            var isTold = false
            // Another program may import a million moods. A request that finds it at work has changed nothing.
            while case .failure(let error) = answer, error.code == Self.busy, self.waitsForOthers, left > 0 {
                if !isTold {
                    self.tell("mood: \(Escaping.visible(error.message)) Waiting for \((left + 999) / 1000) s at most …")
                }
                isTold = true
                self.console.pause(Self.pauseMilliseconds)
                let start = Clock.monotonicMilliseconds
                answer = try self.connected().ask(method, params, listener)()
                left -= Self.pauseMilliseconds + Int(Clock.monotonicMilliseconds - start)
            }
            switch answer {
            case .result(let bytes):
                if Self.changes(method, params) { self.hasChanged = true }
                return bytes
            case .failure(let error): throw .remote(error)
            }
        }
    }

    /// Methods whose effect is kept, by the last part of their names.
    private static let changing: Set<String> = [
        "create", "update", "updateMany", "delete", "deleteMany", "clear", "setFavorite", "toggleFavorite", "setNotes",
        "undelete", "undo", "redo", "import", "set", "settle", "submit", "perform",
    ]

    private static func changes(_ method: String, _ params: [UInt8]?) -> Bool {
        guard let name = method.split(separator: ".").last, changing.contains(String(name)) else { return false }
        return (params.flatMap { try? JSONValue.parse($0) })?["dryRun"]?.boolean != true
    }

    private static let busy = 1010
    private static let patienceMilliseconds = 15_000
    private static let pauseMilliseconds = 100

    /// False for raw requests, for completions, and where a person types meanwhile.
    private var waitsForOthers: Bool {
        ![Command.call.name, "browse", "completion"].contains(invocation.command.name)
    }

    private func connected() throws(ClientError) -> HostConnection {
        if let connection { return connection }
        let connection = try launcher.connect(hostOptions())
        self.connection = connection
        return connection
    }

    /// Waits for notifications until `body` answers false.
    func listen(_ body: HostConnection.Hearing) throws(ClientError) { try connected().listen(body) }

    /// The descriptor that becomes readable when the host sends something.
    func eventDescriptor() throws(ClientError) -> Int32? { try connected().descriptor() }

    /// Passes on the notifications that have come.
    /// - Parameter reading: whether the descriptor is readable.
    func hear(reading: Bool, _ listener: HostConnection.Listener) throws(ClientError) {
        try connected().hear(reading, listener)
    }

    func call(_ method: String, _ params: Params = [:]) throws(ClientError) -> [UInt8] {
        try call(method, bytes: params.isEmpty ? nil : Array(params.json.text.utf8))
    }

    /// Calls a method for a person. With `--json` it prints the result instead.
    /// - Returns: the result as a tree; nil if it was printed.
    func answer(_ method: String, _ params: Params = [:]) throws(ClientError) -> JSONValue? {
        try told(call(method, params))
    }

    /// A result as a tree; with `--json` it is printed, and nil.
    func told(_ result: [UInt8]) throws(ClientError) -> JSONValue? {
        guard wantsJSON else { return try tree(result) }
        try print(json: result)
        return nil
    }

    /// A result as a tree.
    func tree(_ result: [UInt8]) throws(ClientError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(result)
        } catch {
            throw unexpected()
        }
    }

    func mood(id: String) throws(ClientError) -> MoodView { try mood(call("mood.get", ["id": id])) }

    /// A result that is a mood.
    func mood(_ result: [UInt8]) throws(ClientError) -> MoodView { try mood(tree(result)) }

    func mood(_ result: JSONValue) throws(ClientError) -> MoodView {
        guard let mood = MoodView(result) else { throw unexpected() }
        return mood
    }

    /// A result as a tree; nil without one, where an error does not matter.
    func tried(_ method: String) -> JSONValue? { (try? call(method)).flatMap { try? JSONValue.parse($0) } }

    func unexpected() -> ClientError {
        .unavailable(
            "The host's answer does not have the shape of the protocol.",
            advice: "Check that --host names a moodboard of this client's version.")
    }

    // MARK: Output

    func print(_ text: String) throws(ClientError) { try write(Array(text.utf8)) }

    /// Prints JSON: for programs exactly as it came, for a terminal with control characters escaped.
    func print(json: [UInt8]) throws(ClientError) {
        try write((console.isOutputTerminal ? Escaping.visible(json: json) : json) + [UInt8(ascii: "\n")])
    }

    func write(_ bytes: [UInt8]) throws(ClientError) {
        try orOutputFailed { () throws(SystemError) in try console.write(bytes) }
    }

    /// Writes a remark for people to stderr; none with `--json`.
    func tell(_ text: String) {
        if !wantsJSON { console.writeError(text + "\n") }
    }

    func usage(_ message: String) -> ClientError { .usage(message, command: invocation.command.name) }

    // MARK: Input

    /// The longest text that is read from stdin, in bytes: the protocol's limit for a message.
    static let inputBytesMax = 4 * 1024 * 1024

    /// Reads a text from stdin, without the line feed at its end.
    func inputText() throws(ClientError) -> String {
        var bytes = try orBadInput("The input could not be read") { () throws(SystemError) in
            try console.readInput(Self.inputBytesMax)
        }
        guard bytes.count <= Self.inputBytesMax else {
            throw .badInput("The input is longer than \(Self.inputBytesMax) bytes.", advice: "Send less at once.")
        }
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .badInput("The input is not UTF-8 text.", advice: "Convert it first, for example with iconv.")
        }
        return text
    }

    /// The text of an argument, or stdin for a lone dash.
    func text(_ argument: String) throws(ClientError) -> String { argument == "-" ? try inputText() : argument }
}
