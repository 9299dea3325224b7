import Foundation
import JSONCodec
import Platform

/// One transcript with one host in a fresh directory. `Tests/Conformance/README.md` describes the format.
final class Replay {
    typealias Failure = Pattern.Mismatch

    let host: String
    let scratch: String
    var captures: [String: JSONValue] = [:]
    var environment: [String: String]
    var arguments: [String]
    var run: HostRun?
    /// The last run that ended, whose output may still be read.
    var ended: HostRun?
    var fileSizeKiB: Int?
    var isHeaderFramed = false
    var remembered: [String: [String: FileState]] = [:]
    var locks: [String: Int32] = [:]
    private var pings = 0
    private var runs = 0
    private(set) var exchanges = 0

    var stderrPath: String { scratch + ".stderr" }

    init(host: String, scratch: String) {
        self.host = host
        self.scratch = scratch
        environment = [
            "PATH": ProcessFacts.environment("PATH") ?? "", "TZ": "UTC", "HOME": scratch + "/home",
        ]
        // Settings of sanitizers are for the hosts too.
        for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = ProcessFacts.environment(name)
        }
        arguments = ["--store", scratch + "/store"]
    }

    deinit {
        run?.kill()
        for descriptor in locks.values { close(descriptor) }
    }

    /// Replays all steps.
    /// - Throws: the first failed step, with its line.
    func replay(_ text: String) throws {
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            do {
                try step(line)
            } catch {
                throw Failure("line \(index + 1): \(line.prefix(300))\n\(error)\nstderr: \(stderrTail)")
            }
        }
        do {
            try finish()
        } catch {
            throw Failure("at the end: \(error)\nstderr: \(stderrTail)")
        }
        if exchanges == 0 { throw Failure("a transcript expects at least one message, or <--none") }
    }

    private var stderrTail: String {
        let bytes = FileManager.default.contents(atPath: stderrPath) ?? Data()
        return String(decoding: bytes.suffix(600), as: UTF8.self)
    }

    // MARK: Text

    /// Replaces `${dir}`, `${tmp}`, `${name}` and `${repeat:N:TEXT:}`; leaves everything else as it is.
    func expand(_ text: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "${") {
            result += rest[..<start.lowerBound]
            let behind = rest[start.upperBound...]
            if let (replacement, end) = try macro(behind) {
                result += replacement
                rest = rest[end...]
            } else {
                result += "${"
                rest = behind
            }
        }
        return result + rest
    }

    private func macro(_ text: Substring) throws -> (String, String.Index)? {
        if text.hasPrefix("repeat:") {
            let number = text.dropFirst(7).prefix { $0.isASCII && $0.isNumber }
            guard let count = Int(number), let colon = text[number.endIndex...].first, colon == ":" else { return nil }
            let body = text[text.index(after: number.endIndex)...]
            guard body.count > 2, let end = body[body.index(after: body.startIndex)...].range(of: ":}") else {
                return nil
            }
            return (String(repeating: String(body[..<end.lowerBound]), count: count), end.upperBound)
        }
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let first = name.first, first.isLowercase, text[name.endIndex...].first == "}" else { return nil }
        let end = text.index(after: name.endIndex)
        switch name {
        case "dir": return (scratch + "/store", end)
        case "tmp": return (scratch, end)
        default:
            guard let value = captures[String(name)] else { throw Failure("nothing was captured as \(name)") }
            let written = value.text
            return (value.string == nil ? written : String(written.dropFirst().dropLast()), end)
        }
    }

    // MARK: The process

    func running() throws -> HostRun {
        if let run { return run }
        runs += 1
        let started = try HostRun(
            [host] + arguments, environment: environment, stderrPath: stderrPath,
            outputPath: "\(scratch).output-\(runs)", fileSizeKiB: fileSizeKiB)
        run = started
        return started
    }

    func expectEnd(code: Int32, milliseconds: Int) throws {
        let ending = try running()
        ended = ending
        run = nil
        try ending.expectEnd(code: code, milliseconds: milliseconds)
    }

    /// Ends a running host by the end of its input. Unread output is an error.
    func finish() throws {
        if let run {
            run.closeInput()
            try expectEnd(code: 0, milliseconds: 2_000)
        }
        try expectNothingUnread()
    }

    func expectNothingUnread() throws {
        guard let rest = ended?.takeUnread(), !rest.isEmpty else { return }
        throw Failure("output that nobody expected: \(String(decoding: rest.prefix(300), as: UTF8.self))")
    }

    // MARK: Messages

    /// Whether to send byte by byte, except in the middle of long texts.
    var sendsByteByByte = false

    func send(_ bytes: [UInt8]) throws {
        guard sendsByteByByte else { return try sendAtOnce(bytes) }
        for byte in bytes.prefix(Self.singleBytes) { try sendAtOnce([byte]) }
        let rest = bytes.dropFirst(Self.singleBytes)
        try sendAtOnce(Array(rest.dropLast(Self.singleBytes)))
        for byte in rest.suffix(Self.singleBytes) { try sendAtOnce([byte]) }
    }

    private static let singleBytes = 9000

    private func sendAtOnce(_ bytes: [UInt8]) throws {
        if run == nil { try expectNothingUnread() }
        try running().send(bytes)
    }

    func sendHeaderFramed(_ text: String) throws {
        isHeaderFramed = true
        try send(Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8))
    }

    private func receive() throws -> (isHeaderFramed: Bool, text: String, answer: JSONValue) {
        guard let source = run ?? ended else { throw Failure("no host was started") }
        let (isHeaderFramed, bytes) = try source.nextMessage()
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure("the answer is not UTF-8") }
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let hasDuplicate: Bool
        do {
            hasDuplicate = try bytes.withUnsafeBytes { try validator.validate($0).duplicate != nil }
        } catch {
            throw Failure("the answer is not JSON (\(error)): \(text.prefix(300))")
        }
        if hasDuplicate { throw Failure("a member stands twice in \(text.prefix(300))") }
        if !isHeaderFramed, text.utf8.last == 13 { throw Failure("a line of the host ends with CR") }
        let answer = try JSONValue(parsing: text)
        try AnswerRules.check(answer)
        return (isHeaderFramed, text, answer)
    }

    func expect(_ expected: String, isHeaderFramed: Bool) throws {
        exchanges += 1
        let pattern = try JSONValue(parsing: expected)
        let got = try receive()
        guard got.isHeaderFramed == isHeaderFramed else {
            throw Failure("the answer has the other framing: \(got.text.prefix(300))")
        }
        do {
            try Pattern(pattern).match(got.answer, &captures)
        } catch {
            throw Failure("\(error)\ngot \(got.text.prefix(1000))")
        }
        guard pattern.object != nil || pattern.array.map({ $0.first?.string != "$includes" }) == true else { return }
        let ids = JSONValue.rawIDs(in: got.text)
        for (index, raw) in JSONValue.rawIDs(in: expected).enumerated() {
            guard let raw, !raw.hasPrefix("\"$"), index < ids.count else { continue }
            if ids[index] != raw { throw Failure("the id \(raw) came back as \(ids[index] ?? "nothing")") }
        }
    }

    func expectNothing() throws {
        exchanges += 1
        pings += 1
        let id = "nothing-before-\(pings)"
        let ping = #"{"jsonrpc":"2.0","id":"\#(id)","method":"host.ping"}"#
        if isHeaderFramed { try sendHeaderFramed(ping) } else { try send(Array((ping + "\n").utf8)) }
        let got = try receive()
        guard got.text == #"{"jsonrpc":"2.0","id":"\#(id)","result":{}}"#, got.isHeaderFramed == isHeaderFramed else {
            throw Failure("nothing should have arrived, got \(got.text.prefix(500))")
        }
    }
}
