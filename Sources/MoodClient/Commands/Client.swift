import JSONCodec
import Platform

/// One run of a command: what was asked, where the output goes, and the host, which is started when it is first needed.
///
/// A class because the connection has one owner that several steps of a command share.
final class Client {
    let invocation: Invocation
    let console: Console
    let style: Style
    let launcher: HostLauncher
    let configuration: Configuration
    private var connection: HostConnection?
    /// The palette, after it was needed.
    var knownPalette: Palette?
    private var knownSettings: JSONValue?
    private var knownClocks: Console?
    /// Whether the host does not know the locale of the environment.
    var isEnvironmentLocaleUnknown = false

    init(
        _ invocation: Invocation, console: Console, launcher: HostLauncher,
        configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        self.invocation = invocation
        self.console = console
        self.launcher = launcher
        style = Style(
            choice: invocation.value("color"), usual: configuration.color, isTerminal: console.isOutputTerminal,
            environment: console.environment)
    }

    var wantsJSON: Bool { invocation.has("json") }

    /// The host that the command line names.
    func hostOptions() throws(ClientError) -> HostOptions {
        // The environment's store is the host's to find.
        let isNamed =
            console.environmentFault("MOODBOARD_STORE") != nil
            || console.environment("MOODBOARD_STORE").map { !$0.isEmpty } ?? false
        let store = invocation.value("store") ?? (isNamed ? nil : configuration.store)
        if store == nil, let fault = usualStoreFault() { throw usage(fault) }
        if store == "" { throw usage("--store needs the path of a directory.") }
        let program = invocation.value("host")
        if program == "" { throw usage("--host needs the path of a program.") }
        var options = HostOptions(program: program, store: store.map { .directory($0) } ?? .usual)
        // The days of a list are those of this zone, where a mood has none.
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

    /// Limits of the host, as they were given: NAME=VALUE.
    var limits: [String] { invocation.values("limit") }

    /// The fault of the variable that names the usual store; the host would refuse it too.
    private func usualStoreFault() -> String? {
        for name in ["MOODBOARD_STORE", "XDG_DATA_HOME", "HOME"] {
            if let fault = console.environmentFault(name) {
                return "\(name) is not UTF-8 text (\(fault.shown)). Set it to another directory, or give --store DIR."
            }
            // A relative one of XDG is none.
            let value = console.environment(name) ?? ""
            if name == "XDG_DATA_HOME" ? value.hasPrefix("/") : !value.isEmpty { return nil }
        }
        return nil
    }

    /// What was chosen, asked for once; empty where the host does not say.
    func settings() -> JSONValue {
        if let known = knownSettings { return known }
        let settings = (try? call("settings.get")).flatMap { try? JSONValue.parse($0) } ?? .object([])
        knownSettings = settings
        return settings
    }

    /// The console with the clocks by which moods are told: those of `--time-zone`, else of the setting, else the system's.
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

    /// Sends a request and answers with the bytes of its result.
    func call(
        _ method: String, bytes params: [UInt8]?, listener: HostConnection.Listener? = nil
    ) throws(ClientError) -> [UInt8] {
        try ask(method, bytes: params, listener: listener)()
    }

    /// Sends a request; what is answered waits for the bytes of its result.
    func ask(
        _ method: String, bytes params: [UInt8]?, listener: HostConnection.Listener? = nil
    ) throws(ClientError) -> () throws(ClientError) -> [UInt8] {
        let waiting = try connected().ask(method, params, listener)
        return { () throws(ClientError) in
            switch try waiting() {
            case .result(let bytes): return bytes
            case .failure(let error): throw .remote(error)
            }
        }
    }

    private func connected() throws(ClientError) -> HostConnection {
        if let connection { return connection }
        let connection = try launcher.connect(hostOptions())
        self.connection = connection
        return connection
    }

    /// Waits for notifications until `body` answers false.
    func listen(_ body: HostConnection.Hearing) throws(ClientError) { try connected().listen(body) }

    /// What becomes readable when the host tells something.
    func eventDescriptor() throws(ClientError) -> Int32? { try connected().descriptor() }

    /// Passes on the notifications that have come.
    /// - Parameter reading: whether the descriptor is readable.
    func hear(reading: Bool, _ listener: HostConnection.Listener) throws(ClientError) {
        try connected().hear(reading, listener)
    }

    func call(_ method: String, _ params: [JSONValue.Member] = []) throws(ClientError) -> [UInt8] {
        try call(method, bytes: params.isEmpty ? nil : Array(JSONValue.object(params).text.utf8))
    }

    /// A result as a tree.
    func tree(_ result: [UInt8]) throws(ClientError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(result)
        } catch {
            throw unexpected()
        }
    }

    /// A result that is a mood.
    func mood(_ result: [UInt8]) throws(ClientError) -> MoodView {
        guard let mood = MoodView(try tree(result)) else { throw unexpected() }
        return mood
    }

    func unexpected() -> ClientError {
        .unavailable(
            "The host's answer does not have the shape of the protocol.",
            advice: "Check that --host names a moodboard of this client's version.")
    }

    // MARK: Output

    func print(_ text: String) throws(ClientError) { try write(Array(text.utf8)) }

    /// For programs: the bytes as they came. For a terminal, control characters are escaped.
    func print(json: [UInt8]) throws(ClientError) {
        try write((console.isOutputTerminal ? Escaping.visible(json: json) : json) + [UInt8(ascii: "\n")])
    }

    func write(_ bytes: [UInt8]) throws(ClientError) {
        do throws(SystemError) {
            try console.write(bytes)
        } catch {
            throw error.code == EPIPE ? .outputClosed : .outputFailed(error)
        }
    }

    /// For people, beside the output; not for programs.
    func tell(_ text: String) {
        if !wantsJSON { console.writeError(text + "\n") }
    }

    func usage(_ message: String) -> ClientError { .usage(message, command: invocation.command.name) }

    // MARK: Input

    /// The longest text that is read from stdin, in bytes: the protocol's limit for a message.
    static let inputBytesMax = 4 * 1024 * 1024

    /// Text from stdin without the line feed at its end.
    func inputText() throws(ClientError) -> String {
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try console.readInput(Self.inputBytesMax)
        } catch {
            throw .badInput("The input could not be read: \(error).", advice: nil)
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

    /// A text given on the command line, or from stdin when it is a lone dash.
    func text(_ argument: String) throws(ClientError) -> String { argument == "-" ? try inputText() : argument }
}
