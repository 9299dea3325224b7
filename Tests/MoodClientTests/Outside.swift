import JSONCodec
import Platform

@testable import MoodClient

/// The surroundings of a command in a test: a host that answers from a closure, and a console that records.
final class Outside {
    /// A sent request.
    struct Sent: Equatable {
        let method: String
        let params: String
    }

    var isInputTerminal = false
    var isOutputTerminal = false
    var columns = 80
    var lines = 24
    /// The files by path.
    var files: [String: [UInt8]] = [:]
    /// Paths that are pipes.
    var pipes: Set<String> = []
    /// The terminal window.
    var session = "1-1"
    /// Commands that the shell ran, with their input.
    var shellRuns: [(command: String, arguments: [String], input: [UInt8]?)] = []
    /// The effect of such a command on files.
    var shell: (_ outside: Outside, _ arguments: [String]) -> Void = { _, _ in }
    var executables: Set<String> = []
    /// The program that replaced this one, with its arguments. (In a test it then fails.)
    var became: [String] = []
    /// The value of TZ, if it names no zone.
    var unknownTimeZone: String?
    /// The IANA name of this system's zone.
    var timeZoneName: String?
    var environment: [String: String] = [:]
    var input: [UInt8] = []
    var typed: String?
    /// 2026-01-02T12:00:00Z; the wall clock is an hour ahead, in a zone called CET.
    var now = 1_767_355_200
    var writeError: SystemError?
    /// The directory without write permission for every path.
    var unwritableDirectory: String?
    var isErrorTerminal = false
    /// The params of `$/progress` that the host sends before each answer.
    var notices: [String] = []
    /// The params of the events after the answers, until each subscription ends.
    var events: [String] = []
    /// Answers a request; the params are JSON text, or empty.
    var host: (_ method: String, _ params: String) throws(ClientError) -> Answer

    private(set) var sent: [Sent] = []
    private(set) var started: [HostLaunch] = []
    private(set) var passedThrough = 0
    private(set) var closed = 0
    private(set) var outputBytes: [UInt8] = []
    private(set) var error = ""
    /// Milliseconds that the command has waited.
    private(set) var paused = 0

    var output: String { String(decoding: outputBytes, as: UTF8.self) }

    init(_ host: @escaping (_ method: String, _ params: String) throws(ClientError) -> Answer = { _, _ in .result([]) })
    {
        self.host = host
    }

    /// A host with one answer for each method.
    convenience init(_ answers: [String: String]) {
        self.init { method, _ in
            guard let answer = answers[method] else {
                return .failure(RemoteError(json: Array(#"{"code":-32601,"message":"no \#(method)"}"#.utf8)))
            }
            return .result(Array(answer.utf8))
        }
    }

    @discardableResult
    func run(_ arguments: String...) -> ExitCode { run(arguments) }

    func run(_ arguments: [String?]) -> ExitCode {
        MoodProgram.run(arguments, console: console, launcher: launcher)
    }

    var console: Console {
        Console(
            write: { (bytes) throws(SystemError) in
                if let failure = self.writeError { throw failure }
                self.outputBytes += bytes
            },
            writeError: { self.error += $0 },
            readInput: { (bytesMax) throws(SystemError) in Array(self.input.prefix(bytesMax + 1)) },
            spool: { (path) throws(SystemError) in
                path.map { self.pipes.contains($0) } ?? true ? SpooledInput(path: "/copy") : nil
            },
            readLine: { self.typed },
            isInputTerminal: isInputTerminal, isOutputTerminal: isOutputTerminal, isErrorTerminal: isErrorTerminal,
            columns: columns, lines: lines, environment: { self.environment[$0] }, workingDirectory: { "/here" },
            unwritableDirectory: { _ in self.unwritableDirectory },
            readFile: { (path, _) throws(SystemError) in self.files[path] },
            writeFile: { (path, bytes) throws(SystemError) in self.files[path] = bytes },
            filesInFolder: { folder in
                self.files.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
            },
            removeFile: { self.files[$0] = nil },
            runShell: { (command, arguments, input) throws(SystemError) in
                self.shellRuns.append((command, arguments, input))
                self.shell(self, arguments)
                return .exited(0)
            },
            isExecutable: { self.executables.contains($0) },
            become: { (path, arguments) throws(SystemError) in
                self.became = [path] + arguments
                throw SystemError(call: "execv", code: ENOEXEC)
            },
            session: { self.session }, now: { self.now }, nowMilliseconds: { self.now * 1_000 + 250 },
            pause: { self.paused += $0 },
            localTime: { Self.localTime($0, hoursEast: 1, zone: "CET") },
            localTimeInZone: { $1 == "Asia/Tokyo" ? Self.localTime($0, hoursEast: 9, zone: "JST") : nil },
            unknownTimeZone: { self.unknownTimeZone }, timeZoneName: { self.timeZoneName })
    }

    var launcher: HostLauncher {
        HostLauncher(
            connect: { (options) throws(ClientError) in
                self.started.append(options)
                return HostConnection(
                    ask: { (method, params, listener) throws(ClientError) in
                        let text = String(decoding: params ?? [], as: UTF8.self)
                        // Every command that shows a time reads the settings.
                        if method != "settings.get" { self.sent.append(Sent(method: method, params: text)) }
                        return { () throws(ClientError) in
                            for notice in self.notices { listener?("$/progress", Array(notice.utf8)) }
                            return try self.host(method, text)
                        }
                    },
                    listen: { (body) throws(ClientError) in
                        while !self.events.isEmpty {
                            let event = self.events.removeFirst()
                            if try !body("events.event", Array(event.utf8)) { return }
                        }
                        throw .unavailable("The host ended.", advice: nil)
                    },
                    descriptor: { nil },
                    hear: { (_, listener) throws(ClientError) in
                        for event in self.events { listener("events.event", Array(event.utf8)) }
                        self.events = []
                    },
                    close: { self.closed += 1 })
            },
            passThrough: { (options) throws(ClientError) in
                self.started.append(options)
                self.passedThrough += 1
            })
    }

    private static func localTime(_ seconds: Int, hoursEast: Int, zone: String) -> LocalTime? {
        let parts = Moment(secondsSince1970: seconds + hoursEast * 3_600).rfc3339.split { "-T:Z".contains($0) }
            .compactMap {
                Int($0)
            }
        guard parts.count == 6 else { return nil }
        return LocalTime(
            year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5],
            zone: zone)
    }
}

/// Answers in the host's form.
enum Canned {
    static let id = "0194f2a1-0000-7000-8000-000000000001"

    static func mood(
        _ id: String = id, label: String = "Happy", isFavorite: Bool = false, notes: String = "", tags: [String] = []
    ) -> String {
        let value: JSONValue = [
            "id": .string(id), "emoji": "😊", "label": .string(label), "timestamp": "2026-01-02T05:04:00.678Z",
            "isFavorite": .boolean(isFavorite), "notes": .string(notes), "tags": .array(tags.map { .string($0) }),
            "attachments": [], "createdAt": "2026-01-02T05:04:00.678Z", "updatedAt": "2026-01-02T05:04:00.678Z",
            "revision": 1,
        ]
        return value.text
    }

    static func page(_ moods: [String], total: Int? = nil, next: String? = nil) -> String {
        let total = total.map { ",\"total\":\($0)" } ?? ""
        let next = next.map { ",\"nextCursor\":\"\($0)\"" } ?? ""
        return "{\"items\":[\(moods.joined(separator: ","))]\(total)\(next)}"
    }

    static func error(
        _ code: Int, _ kind: String, _ message: String = "It is wrong.", retryable: Bool = false, more: String = ""
    ) -> String {
        "{\"code\":\(code),\"message\":\"\(message)\",\"data\":{\"kind\":\"\(kind)\",\"retryable\":\(retryable)\(more)}}"
    }

    static func failure(_ json: String) -> Answer { .failure(RemoteError(json: Array(json.utf8))) }
}
