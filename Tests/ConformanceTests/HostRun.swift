import Foundation
import Platform
import Synchronization

/// One run of a host: its pipes, a thread that always reads so that the host never waits, and its end.
///
/// A shell between us and the host sets what `ChildProcess` cannot (the environment, the files of stderr and stdout,
/// the limit on the size of files), and then becomes the host.
final class HostRun {
    typealias Failure = Pattern.Mismatch

    private static let script = """
        exec 2>>"$0"; exec >"$1"; if [ "$2" != no ]; then ulimit -f "$2"; fi; shift 2; exec "$@"
        """

    private var child: ChildProcess
    private let output: Output
    private var pending: [UInt8] = []
    private var hasEnded = false
    /// All of its output.
    private(set) var all: [UInt8] = []

    /// - Parameter fileSizeKiB: nil for no limit.
    init(
        _ command: [String], environment: [String: String], stderrPath: String, outputPath: String, fileSizeKiB: Int?
    ) throws {
        unlink(outputPath)
        guard mkfifo(outputPath, 0o600) == 0 else { throw Failure("no pipe could be made at \(outputPath)") }
        // Opens both ends for a moment, so that the reading end is open before the host opens the other one.
        let descriptor = open(outputPath, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("the pipe at \(outputPath) cannot be opened") }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        // POSIX counts units of 512 bytes.
        let limit = fileSizeKiB.map { String($0 * 2) } ?? "no"
        child = try .start(
            path: "/usr/bin/env",
            arguments: ["-i"] + variables + ["/bin/sh", "-c", Self.script, stderrPath, outputPath, limit] + command,
            output: .inherited)
        output = Output(descriptor)
        let reader = output
        Thread.detachNewThread { reader.readAll() }
    }

    func send(_ bytes: [UInt8]) throws {
        do {
            try bytes.withUnsafeBytes { try child.write($0) }
        } catch {
            throw Failure("the host does not read: \(error)")
        }
    }

    /// Takes more output; false at its end.
    private func takeMore(until deadline: Int) throws -> Bool {
        while !hasEnded {
            let (bytes, isAtEnd) = output.take()
            if !bytes.isEmpty {
                pending += bytes
                all += bytes
                return true
            }
            hasEnded = isAtEnd
            if isAtEnd { break }
            guard Clock.monotonicMilliseconds < deadline else { throw Failure("no answer arrived in time") }
            usleep(300)
        }
        return false
    }

    /// The next message. Waits a minute at most: a machine may be busy.
    func nextMessage() throws -> (isHeaderFramed: Bool, bytes: [UInt8]) {
        let deadline = Clock.monotonicMilliseconds + 60_000
        var searched = 0
        while true {
            if pending.prefix(8).map({ $0 | 0x20 }).elementsEqual(Array("content-".utf8)) {
                if let message = try takeHeaderFramed() { return (true, message) }
            } else if let end = pending[searched...].firstIndex(of: 10) {
                let message = Array(pending[..<end])
                pending.removeFirst(end + 1)
                return (false, message)
            } else {
                searched = pending.count
            }
            if try !takeMore(until: deadline) {
                let rest = String(decoding: pending.prefix(200), as: UTF8.self)
                throw Failure(
                    rest.isEmpty ? "the host ended, and no answer is left" : "output ends in a message: \(rest)")
            }
        }
    }

    private func takeHeaderFramed() throws -> [UInt8]? {
        let text = String(decoding: pending.prefix(1024), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound]
        let length = head.components(separatedBy: "\r\n").compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].trimmingCharacters(in: .whitespaces))
        }.first
        guard let length else { throw Failure("a header block of the host has no Content-Length") }
        let start = head.utf8.count + 4
        guard pending.count >= start + length else { return nil }
        let message = Array(pending[start..<start + length])
        pending.removeFirst(start + length)
        return message
    }

    /// Waits for the end, which must come in time and with this code. Output stays readable.
    func expectEnd(code: Int32, milliseconds: Int) throws {
        let deadline = Clock.monotonicMilliseconds + milliseconds
        var word: Int32 = 0
        while waitpid(child.id, &word, WNOHANG) != child.id {
            guard Clock.monotonicMilliseconds < deadline else {
                kill()
                throw Failure("the host did not end within \(milliseconds) ms")
            }
            usleep(300)
        }
        isReaped = true
        closeInput()
        let drained = Clock.monotonicMilliseconds + 2_000
        do {
            while try takeMore(until: drained) {}
        } catch {
            throw Failure("stdout of the ended host stays open")
        }
        let status: ChildProcess.Status =
            word & 0x7f == 0 ? .exited(word >> 8 & 0xff) : .signalled(word & 0x7f)
        if status != .exited(code) { throw Failure("\(status) instead of exit status \(code)") }
    }

    /// Takes the unread output.
    func takeUnread() -> [UInt8] {
        defer { pending = [] }
        return pending
    }

    func closeInput() { child.closeInput() }

    func signal(_ number: Int32) { _ = Foundation.kill(child.id, number) }

    private var isReaped = false

    func kill() {
        guard !isReaped else { return }
        signal(SIGKILL)
        var word: Int32 = 0
        while waitpid(child.id, &word, 0) < 0, errno == EINTR {}
        isReaped = true
        closeInput()
    }

    deinit { kill() }

    /// The reading thread's output, and whether it has ended.
    private final class Output: Sendable {
        private let descriptor: Int32
        private let state = Mutex((bytes: [UInt8](), isAtEnd: false))

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        func take() -> (bytes: [UInt8], isAtEnd: Bool) {
            state.withLock { state in
                defer { state.bytes = [] }
                return (state.bytes, state.isAtEnd && state.bytes.isEmpty)
            }
        }

        func readAll() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                // A pipe without a writer yet gives no event; one whose writers are gone does.
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, -1) > 0 else { continue }
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    state.withLock { $0.bytes += buffer[..<count] }
                } else if count == 0 || errno != EINTR && errno != EAGAIN {
                    break
                }
            }
            close(descriptor)
            state.withLock { $0.isAtEnd = true }
        }
    }
}
