import JSONCodec
import JSONRPC
import Platform

/// A host that this client started: one request at a time over its stdio, a line each.
///
/// A class, because the closures of `HostConnection` share the process and the bytes read ahead.
final class HostProcess {
    /// The longest answer that is read, in bytes: well above the host's own limit for what it writes.
    static let answerBytesMax = 64 * 1024 * 1024
    /// The time in which a host may end by itself: the protocol allows it two seconds.
    static let endMillisecondsMax = 3_000

    /// The time in which a host without plugins ends.
    private static let leaveMilliseconds = 50

    private var child: ChildProcess
    private var reader = FrameReader(messageBytesMax: answerBytesMax)
    private var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
    private var lastID = 0
    private var isAtEnd = false
    /// Notifications that came before answers, for `hear` and `listen`. Only subscribers get some.
    private var unheard: [(method: String, params: [UInt8])] = []

    init(_ options: HostLaunch, location: HostLocation) throws(ClientError) {
        child = try Self.start(options, location, .pipe)
    }

    static func launcher(location: HostLocation) -> HostLauncher {
        HostLauncher(
            connect: { (options) throws(ClientError) in
                try HostProcess(options, location: location).connection
            },
            passThrough: { (options) throws(ClientError) in try passThrough(options, location) })
    }

    var connection: HostConnection {
        HostConnection(
            ask: { (method, params, listener) throws(ClientError) in
                try self.send(method, params)
                return { () throws(ClientError) in try self.answer(listener) }
            },
            listen: { (body) throws(ClientError) in try self.listen(body) },
            descriptor: { self.child.outputDescriptor },
            hear: { (reading, listener) throws(ClientError) in try self.hear(reading, listener) },
            close: { self.close() })
    }

    /// Leaves the host. Its exit status does not matter: it has answered every request. A host that still notifies
    /// plugins of a change ends by itself.
    func close() { child.leave(after: Self.leaveMilliseconds) }

    private func send(_ method: String, _ params: [UInt8]?) throws(ClientError) {
        lastID += 1
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", literal: "2.0")
        writer.member("id", lastID)
        writer.member("method", method)
        if let params {
            writer.key("params")
            params.withUnsafeBytes { writer.raw($0) }
        }
        writer.endObject()
        writer.endMessage(from: 0, framing: .line)
        do throws(SystemError) {
            try writer.buffer.withBytes { (bytes) throws(SystemError) in try child.write(bytes) }
        } catch {
            // A host that stopped reading may have said why: read its answer.
            if error.code != EPIPE { throw .unavailable("The host cannot be written to: \(error).", advice: nil) }
        }
    }

    /// Waits for the answer to what was sent last.
    private func answer(_ listener: HostConnection.Listener?) throws(ClientError) -> Answer {
        while true {
            let message = try message()
            guard case .answer(let isOurs, let answer) = message else {
                if case .notification(let method, let params) = message {
                    if let listener { listener(method, params) } else { unheard.append((method, params)) }
                }
                continue
            }
            if isOurs { return answer }
        }
    }

    func listen(_ body: HostConnection.Hearing) throws(ClientError) {
        while true {
            if !unheard.isEmpty {
                let (method, params) = unheard.removeFirst()
                if try !body(method, params) { return }
            } else if case .notification(let method, let params) = try message(), try !body(method, params) {
                return
            }
        }
    }

    func hear(_ reading: Bool, _ listener: HostConnection.Listener) throws(ClientError) {
        for (method, params) in unheard { listener(method, params) }
        unheard = []
        if reading { try read() }
        while let frame = reader.next(isAtEnd: isAtEnd) {
            if case .notification(let method, let params) = try read(frame) { listener(method, params) }
        }
        reader.discardTaken()
        if isAtEnd { throw died() }
    }

    private enum Message {
        case answer(isOurs: Bool, Answer)
        case notification(method: String, params: [UInt8])
    }

    /// The next message of the host.
    private func message() throws(ClientError) -> Message {
        while true {
            if let frame = reader.next(isAtEnd: isAtEnd) { return try read(frame) }
            reader.discardTaken()
            if isAtEnd { throw died() }
            try read()
        }
    }

    /// Reads once, and waits until there is something.
    private func read() throws(ClientError) {
        let before = reader.buffer.count
        try orUnavailable("The host cannot be read from") { () throws(SystemError) in
            try reader.buffer.append(upTo: 1 << 16) { (space) throws(SystemError) in try child.read(into: space) }
        }
        isAtEnd = reader.buffer.count == before
    }

    private func read(_ frame: FrameReader.Frame) throws(ClientError) -> Message {
        guard case .message(let range, _) = frame else { throw notSpeaking() }
        let bytes = UnsafeRawBufferPointer(rebasing: reader.buffer.bytes[range])
        guard let envelope = Envelope.read(bytes, &validator) else { throw notSpeaking() }
        guard let id = envelope.id else {
            guard let method = envelope.method else { throw notSpeaking() }
            return .notification(method: method.string, params: envelope.params.map { Array($0.bytes) } ?? [])
        }
        let isOurs = id.elementsEqual(String(lastID).utf8)
        if let error = envelope.error, isOurs || id.elementsEqual("null".utf8) {
            return .answer(isOurs: true, .failure(RemoteError(json: Array(error.bytes))))
        }
        guard let result = envelope.result else { throw notSpeaking() }
        return .answer(isOurs: isOurs, .result(Array(result.bytes)))
    }

    private func died() -> ClientError {
        let status = child.finish(within: Self.endMillisecondsMax)
        return .unavailable(
            "The host ended before it answered\(status.map { " (\($0))" } ?? "").",
            advice: "See above for what it said. Changes that it did not answer may be lost.")
    }

    private func notSpeaking() -> ClientError {
        child.closeOutput()
        _ = child.finish(within: 100)
        return .unavailable(
            "The host does not speak the protocol: what it writes is not JSON-RPC 2.0.",
            advice: "Check --host: it must name the program 'moodboard'.")
    }

    private static func passThrough(_ options: HostLaunch, _ location: HostLocation) throws(ClientError) {
        var child = try start(options, location, .inherited)
        do throws(SystemError) {
            try child.copyInput(from: StandardStream.input)
        } catch {
            _ = child.finish(within: endMillisecondsMax)
            throw .badInput("The input could not be passed to the host: \(error).", advice: nil)
        }
        child.closeInput()
        // Without a time limit: it may have many answers for a slow reader.
        let status = child.wait()
        if let status, status != .exited(0) {
            throw .unavailable("The host failed: \(status).", advice: nil)
        }
    }

    private static func start(
        _ options: HostLaunch, _ location: HostLocation, _ output: ChildProcess.Output
    ) throws(ClientError) -> ChildProcess {
        let path = try location.find(options.program)
        let advice = "It may be made for another system, or lack a file. Install it again, or name another one:"
        return try orUnavailable("The host '\(path)' cannot be started", advice: advice + " mood --host PATH …") {
            () throws(SystemError) in
            try ChildProcess.start(path: path, arguments: options.arguments, output: output)
        }
    }
}
