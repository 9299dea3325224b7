import Foundation
import Testing

@testable import Platform

/// A folder, a plan that may do little, and the built program as the keeper.
final class KeptPlan {
    let directory: String
    var plan: KeptProcess.Plan

    init(_ arguments: [String]) throws {
        directory = NSTemporaryDirectory() + "moodboard-kept-" + UUID().uuidString
        let data = directory + "/data"
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createDirectory(atPath: directory + "/copy", withIntermediateDirectories: true)
        plan = KeptProcess.Plan(
            keeper: try #require(Self.keeper), program: arguments[0], arguments: arguments,
            environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(data)", "TMPDIR=\(data)", "LANG=C.UTF-8"],
            directory: directory + "/copy", dataDirectory: data, isDataReadOnly: false, runtimes: [], readable: [],
            writable: [], network: false, memoryBytes: 256 << 20, cpuSeconds: 60, fileBytes: 64 << 20, processes: 1024,
            openFiles: 256, requiresIsolation: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// A shell script.
    convenience init(shell script: String) throws { try self.init(["/bin/sh", "-c", script]) }

    /// The host built together with these tests, beside their bundle.
    static let keeper: String? = {
        let places = [Terminal.executablePath() ?? ""] + CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)
        for place in places where place.hasPrefix("/") {
            var directory = place as NSString
            for _ in 0..<5 where directory.length > 1 {
                directory = directory.deletingLastPathComponent as NSString
                let candidate = directory.appendingPathComponent("moodboard")
                var isDirectory = ObjCBool(false)
                let exists = FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory)
                if exists, !isDirectory.boolValue, Terminal.isExecutable(candidate) { return candidate }
            }
        }
        return nil
    }()
}

/// The results of a run.
struct KeptRun {
    var pid: Int32 = 0
    var isolation: [KeptProcess.Part: KeptProcess.Level] = [:]
    var refusal: String?
    var status: ChildProcess.Status?
    var output = ""
    var errors = ""

    /// Runs to the end: gives it `input`, reads both streams, and reaps the keeper.
    init(_ plan: KeptPlan, input: String = "", milliseconds: Int = 60_000) throws {
        var process = try KeptProcess.start(plan.plan)
        var bytes = Array(input.utf8)[...]
        var streams: [[UInt8]] = [[], []]
        let deadline = Clock.monotonicMilliseconds + milliseconds
        while Clock.monotonicMilliseconds < deadline {
            if !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
                if count > 0 { bytes = bytes.dropFirst(count) } else if cplatformError != EAGAIN { bytes = [] }
            }
            if bytes.isEmpty { process.closeInput() }
            if Self.drain(process.output, into: &streams[0]) { process.closeOutput() }
            if Self.drain(process.errors, into: &streams[1]) { process.closeErrors() }
            while let report = process.readReport() { note(report) }
            if refusal != nil || status != nil, process.output < 0, process.errors < 0, process.reap() { break }
            process.waitForNews(milliseconds: 20)
        }
        output = String(decoding: streams[0], as: UTF8.self)
        errors = String(decoding: streams[1], as: UTF8.self)
    }

    mutating func note(_ report: KeptProcess.Report) {
        switch report {
        case .started(let pid, let isolation):
            self.pid = pid
            self.isolation = Dictionary(uniqueKeysWithValues: isolation)
        case .refused(let reason): refusal = reason
        case .ended(let status): self.status = status
        }
    }

    /// Reads the available bytes; returns whether the stream has ended.
    static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        guard descriptor >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return count == 0 }
            bytes += buffer[..<count]
        }
    }
}

/// The value of `errno`.
var cplatformError: Int32 { errno }

extension KeptProcess {
    /// Waits for any of the plugin's three streams.
    borrowing func waitForNews(milliseconds: Int32) {
        var waits = [output, errors, reports].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&waits, 3, milliseconds)
    }

    /// Reads its output until `ready` is the last line, or to the end.
    borrowing func outputUntilReady() -> [UInt8] {
        var bytes: [UInt8] = []
        while !bytes.reversed().starts(with: "ready\n".utf8.reversed()) {
            waitForNews(milliseconds: 1000)
            if KeptRun.drain(output, into: &bytes) { break }
        }
        return bytes
    }

    /// Waits for the next report.
    mutating func nextReport(within milliseconds: Int = 60_000) -> Report? {
        let deadline = Clock.monotonicMilliseconds + milliseconds
        while Clock.monotonicMilliseconds < deadline {
            if let report = readReport() { return report }
            var wait = pollfd(fd: reports, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, 20)
        }
        return nil
    }

    /// Calls `reap` until all processes are gone; returns the milliseconds.
    mutating func reap(within milliseconds: Int = 60_000) -> Int? {
        let start = Clock.monotonicMilliseconds
        while !reap() {
            guard Clock.monotonicMilliseconds - start < milliseconds else { return nil }
            usleep(500)
        }
        return Clock.monotonicMilliseconds - start
    }
}
