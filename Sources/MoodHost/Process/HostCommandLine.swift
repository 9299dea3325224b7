import MoodCore
import MoodProtocol
import Platform

/// The host's command line. Every environment variable has an option, because some clients pass on no environment.
public enum HostCommandLine {
    /// A request of the command line.
    public enum Request: Sendable {
        case serve(HostOptions)
        /// Syncs the store, and does nothing else.
        case syncOnce(HostOptions)
        case printHelp
        case printVersion
        case printOpenRPC
        /// An invalid command line; the text gives the reason.
        case misuse(String)
    }

    public static let help = """
        moodboard - a mood journal as a process: JSON-RPC 2.0 on stdin and stdout

        EXAMPLES
          printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"mood.list"}' | moodboard --in-memory --samples
          moodboard --store ~/moods
          moodboard --openrpc > openrpc.json

        STORE
          --store DIR              where moods are kept; made when there is none
                                   (default: $MOODBOARD_STORE, else $XDG_DATA_HOME/moodboard,
                                   else $HOME/.local/share/moodboard)
          --in-memory              keep nothing on disk
          --samples                add five sample moods when the store is empty
          --durability sync|none   sync: an answer means that the change survives a power cut (default);
                                   none: that it survives the end of the process
          --read-only              refuse all changes
          --trust-directory        use a directory that is a link, somebody else's or open to others
          --lock-timeout SECONDS   how long to wait for another process (default: 2)

        PLUGINS
          --plugins DIR            a folder with plugins besides the store's own, may be repeated
          --no-plugins             run no plugin, and ask no hook
          --require-isolation      run no plugin that cannot be isolated whole

        AI CLIENTS (Model Context Protocol, on the same pipe; moodboard mcp is the same program)
          --mcp-tools default|all  the usual tools, or one for each method that is meant for models
          --mcp-no-notes           show them no notes

        SYNC
          --no-sync                sync nothing by itself; sync.now works
          --sync-once              sync the store and end

        OTHER
          --limit NAME=VALUE       set a limit; names as in host.info, may be repeated
          --locale LOCALE          the language of times, such as fi_FI (default: en_US)
          --time-zone ZONE         an IANA zone for moods without one (default: the system's)
          --log-level LEVEL        error, warning, info or debug (default: info); logs go to stderr
          --test-clock TIME        for tests: now is TIME, and a millisecond later with each request
          --test-seed N            for tests: ids are made from the number N
                                   (both also as $MOODBOARD_TEST, in the form clock:TIME,seed:N)
          --openrpc                print the description of all methods and exit
          --version                print the version and exit
          --help                   print this and exit

        """

    private static let flags = [
        "--in-memory", "--samples", "--read-only", "--trust-directory", "--no-plugins",
        "--require-isolation", "--mcp-no-notes", "--no-sync", "--sync-once", "--openrpc", "--version", "--help", "-h",
    ]
    private static let settings = [
        "--store", "--durability", "--lock-timeout", "--limit", "--locale", "--time-zone", "--log-level",
        "--plugins", "--mcp-tools", "--test-clock", "--test-seed",
    ]

    /// Reads the arguments after the program's name.
    public static func read(
        _ arguments: some Sequence<String>,
        environment: (String) throws(NotText) -> String? = ProcessFacts.path
    ) -> Request {
        var options = HostOptions(place: .memory)
        var directory: String?
        var isInMemory = false
        var isSyncOnce = false
        do throws(NotText) {
            if let text = try environment(TestConditions.variable), let problem = obey(text, &options) {
                return .misuse(problem)
            }
        } catch {
            return refusal(of: error)
        }
        var rest = arguments.makeIterator()
        var isFirst = true
        while let argument = rest.next() {
            defer { isFirst = false }
            // `mcp` names the purpose only: every host serves AI clients.
            if isFirst, argument == "mcp" { continue }
            let (name, attached) = split(argument)
            switch name {
            case "--help", "-h": return .printHelp
            case "--version": return .printVersion
            case "--openrpc": return .printOpenRPC
            case "--in-memory": isInMemory = true
            case "--samples": options.insertsSamples = true
            case "--read-only": options.isReadOnly = true
            case "--trust-directory": options.trustsDirectory = true
            case "--no-plugins": options.plugins.isOff = true
            case "--mcp-no-notes": options.hidesNotes = true
            case "--no-sync": options.isSyncOff = true
            case "--sync-once": isSyncOnce = true
            case "--require-isolation": options.plugins.requiresIsolation = true
            default:
                guard settings.contains(name) else { return .misuse(unknown(argument)) }
                guard let value = attached ?? rest.next() else { return .misuse("\(name) needs a value") }
                if name == "--store" {
                    guard !value.isEmpty else { return .misuse("--store needs the path of a directory") }
                    directory = value
                } else if let problem = set(name, value, &options) {
                    return .misuse(problem)
                }
                continue
            }
            if attached != nil { return .misuse("\(name) takes no value") }
        }
        if isInMemory, isSyncOnce { return .misuse("--sync-once and --in-memory exclude each other") }
        if isInMemory {
            if directory != nil { return .misuse("--store and --in-memory exclude each other; give one of them") }
            return .serve(options)
        }
        let usual: String?
        do throws(NotText) {
            usual = try directory == nil ? defaultDirectory(environment) : nil
        } catch {
            return refusal(of: error)
        }
        guard let place = directory ?? usual else {
            return .misuse("no place for the store: give --store DIR, or set HOME")
        }
        guard !isRoot(place) else {
            return .misuse("the store cannot be in \(place) itself; name a directory of its own for it")
        }
        options.place = .directory(place)
        return isSyncOnce ? .syncOnce(options) : .serve(options)
    }

    /// Refuses bytes that are not UTF-8: with replacement characters they would name another path.
    static func refusal(of fault: NotText) -> Request {
        .misuse("\(fault.source) is not UTF-8 text: \(fault.shown)")
    }

    /// Whether a path, as written, leads to the root of the file system.
    private static func isRoot(_ path: String) -> Bool {
        path.hasPrefix("/")
            && path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy {
                $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
            }
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    private static func unknown(_ argument: String) -> String {
        let nearest = NearestNames.find(split(argument).name, among: flags + settings).first
        return "unknown argument \(argument)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// Applies test conditions from the environment; later options of the command line win.
    /// - Returns: the problem, if any.
    private static func obey(_ text: String, _ options: inout HostOptions) -> String? {
        guard let given = TestConditions(text) else {
            return "\(TestConditions.variable) must look like \(TestConditions.example), not \(text)"
        }
        return given.clock.flatMap { set("--test-clock", $0, &options) }
            ?? given.seed.flatMap { set("--test-seed", $0, &options) }
    }

    /// Sets an option that has a value.
    /// - Returns: the problem of the value, or nil.
    private static func set(_ name: String, _ value: String, _ options: inout HostOptions) -> String? {
        switch name {
        case "--durability":
            switch value {
            case "sync": options.durability = .sync
            case "none": options.durability = .none
            default: return "--durability must be sync or none, not \(value)"
            }
        case "--lock-timeout":
            guard let seconds = Double(value), seconds >= 0, seconds <= 3600 else {
                return "--lock-timeout must be a number of seconds from 0 to 3600, not \(value)"
            }
            options.lockTimeoutMilliseconds = Int(seconds * 1000)
        case "--limit":
            let parts = value.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[1]) else {
                return "--limit must look like messageBytes=1048576, not \(value)"
            }
            guard let limit = Limits.Name(rawValue: String(parts[0])) else {
                let names = Limits.Name.allCases.map(\.rawValue)
                let nearest = NearestNames.find(String(parts[0]), among: names).first
                return "unknown limit \(parts[0])"
                    + (nearest.map { "; did you mean \($0)?" } ?? "; known are \(names.joined(separator: ", "))")
            }
            return options.limits.set(limit, to: number).map { "--limit \($0)" }
        case "--locale":
            guard problem(value, TextRule.localeProblem) == nil else { return "--locale: unknown locale \(value)" }
            options.locale = value
        case "--time-zone":
            guard problem(value, TextRule.timeZoneProblem) == nil else {
                return "--time-zone: unknown zone \(value); give an IANA name such as Europe/Helsinki"
            }
            options.timeZone = value
        case "--test-clock":
            var text = value
            options.testTime = text.withUTF8 { Timestamp(rfc3339: UnsafeRawBufferPointer($0)) }
            if options.testTime == nil {
                return "--test-clock must look like 2026-01-02T03:04:05.678Z, not \(value)"
            }
        case "--test-seed":
            options.testSeed = UInt64(value)
            if options.testSeed == nil { return "--test-seed must be a whole number from 0 on, not \(value)" }
        case "--plugins":
            guard !value.isEmpty else { return "--plugins needs the path of a folder" }
            options.plugins.places.append(value)
        case "--mcp-tools":
            switch value {
            case "default": options.offersAllTools = false
            case "all": options.offersAllTools = true
            default: return "--mcp-tools must be default or all, not \(value)"
            }
        case "--log-level":
            guard let level = LogLevel(rawValue: value) else {
                let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                return "--log-level must be one of \(levels), not \(value)"
            }
            options.logLevel = level
        default: return "unknown argument \(name)"
        }
        return nil
    }

    private static func problem(_ value: String, _ rule: (UnsafeRawBufferPointer) -> String?) -> String? {
        var value = value
        return value.withUTF8 { rule(UnsafeRawBufferPointer($0)) }
    }

    private static func defaultDirectory(
        _ environment: (String) throws(NotText) -> String?
    ) throws(NotText) -> String? {
        if let store = try environment("MOODBOARD_STORE") { return store }
        // Its specification: ignore a relative path, which is invalid.
        if let data = try environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/moodboard" }
        return try environment("HOME").map { $0 + "/.local/share/moodboard" }
    }
}
