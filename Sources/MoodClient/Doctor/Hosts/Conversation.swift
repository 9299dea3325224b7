import JSONCodec
import JSONRPC
import Platform

/// A conversation with a program under test. It writes and reads at once, so that neither side waits for the other.
final class Conversation {
    /// A message of the program.
    struct Message {
        /// The message without its line feed or header.
        let bytes: [UInt8]
        /// The parsed message; nil if it is not JSON.
        let value: JSONValue?
        let framing: Framing

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var id: JSONValue? { value?["id"] }
        /// Whether it answers the request of this id.
        func answers(_ id: JSONValue) -> Bool {
            value?["method"] == nil && (self.id.map { $0.isEqual(to: id) } ?? false)
        }
        var errorCode: Int? { value?["error"]?["code"]?.integer }
    }

    private static let input = EventSources.Name(0)
    private static let output = EventSources.Name(1)
    private static let errors = EventSources.Name(2)
    private static let end = EventSources.Name(3)
    /// The longest message, in bytes.
    private static let messageBytesMax = 64 << 20

    let subject: any ProcessUnderTest
    private(set) var received: [Message] = []
    /// The program's stderr.
    private(set) var complaints: [UInt8] = []
    /// Whether to read the program's output.
    var isReading = true
    /// Returns the whole answer to a request of the program; nil leaves it without an answer.
    var reply: (Message) -> [UInt8]? = { _ in nil }
    /// Receives every message of the program.
    var heard: (Message) -> Void = { _ in }
    /// Receives raw output, in pieces that are not messages. Output is then not split into messages.
    var heardBytes: (([UInt8]) -> Void)?
    var complained: ([UInt8]) -> Void = { _ in }
    /// Called when another descriptor can be read.
    var happened: (EventSources.Name) -> Void = { _ in }
    private(set) var isOutputAtEnd = false
    /// Whether the program has closed its stdin.
    private(set) var isInputLost = false
    private var outbox: [UInt8] = []
    private var sent = 0
    private var frames = FrameReader(messageBytesMax: messageBytesMax)
    private var sources = EventSources()

    init(_ subject: any ProcessUnderTest) { self.subject = subject }

    /// Watches another descriptor too.
    func listen(to descriptor: Int32, as name: EventSources.Name) {
        sources.listen(to: descriptor, as: name, for: .reading)
    }

    func forget(_ name: EventSources.Name) { sources.forget(name) }

    /// Whether everything is written, or the program has closed its stdin.
    var isSent: Bool { sent == outbox.count || isInputLost }

    func send(_ bytes: [UInt8]) { outbox += bytes }

    func send(_ line: String) { send(Array(line.utf8) + [0x0a]) }

    func closeInput() {
        subject.closeInput()
        outbox.removeAll()
        sent = 0
        sources.forget(Self.input)
    }

    /// Runs both directions until the time is over or a condition holds.
    /// - Returns: whether the condition holds.
    @discardableResult
    func wait(_ milliseconds: Int, until isSo: () -> Bool = { false }) -> Bool {
        sources.setDeadline(Self.end, at: Clock.monotonicMilliseconds + milliseconds)
        while !isSo() {
            look()
            switch sources.next() {
            case .due: return isSo()
            case .writable(Self.input), .closed(Self.input): write()
            case .readable(Self.output), .closed(Self.output): read()
            case .readable(Self.errors), .closed(Self.errors): readErrors()
            case .readable(let name), .writable(let name), .closed(let name): happened(name)
            }
        }
        return true
    }

    /// Waits for the process to end, and reads the rest of its output.
    func waitForEnd(_ milliseconds: Int) -> ChildProcess.Status? {
        let deadline = Clock.monotonicMilliseconds + milliseconds
        while subject.ending() == nil, Clock.monotonicMilliseconds < deadline { wait(4) }
        guard let status = subject.ending() else { return nil }
        // The pipes may still hold its last words, and a descendant may hold the pipes.
        wait(200) { (isOutputAtEnd || !isReading) && subject.errors < 0 }
        return status
    }

    /// Waits until each of these ids has an answer, or until no answer has come for the time.
    func waitForAnswers(to ids: [JSONValue], _ milliseconds: Int) {
        func answered() -> Int { ids.count { !answers(to: $0).isEmpty } }
        var count = answered()
        while count < ids.count, !isOutputAtEnd,
            wait(milliseconds, until: { isOutputAtEnd || answered() > count })
        {
            count = answered()
        }
        // Wait for an answer too many.
        wait(20)
    }

    func answers(to id: JSONValue) -> [Message] { received.filter { $0.answers(id) } }

    private func look() {
        listen(Self.input, subject.input >= 0 && !isSent ? subject.input : -1, .writing)
        listen(Self.output, isReading && !isOutputAtEnd ? subject.output : -1, .reading)
        listen(Self.errors, subject.errors, .reading)
    }

    private func listen(_ name: EventSources.Name, _ descriptor: Int32, _ interest: EventSources.Interest) {
        if descriptor >= 0 {
            sources.listen(to: descriptor, as: name, for: interest)
        } else {
            sources.forget(name)
        }
    }

    private func write() {
        let count = outbox.withUnsafeBytes {
            PipeEnd.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), to: subject.input)
        }
        guard let count else {
            isInputLost = true
            return
        }
        sent += count
        if sent == outbox.count {
            outbox.removeAll(keepingCapacity: true)
            sent = 0
        }
    }

    private func read() {
        frames.discardTaken()
        let descriptor = subject.output
        let isAtEnd = Flag()
        let before = frames.buffer.count
        frames.buffer.append(upTo: 1 << 18) { (room: UnsafeMutableRawBufferPointer) in
            let count = PipeEnd.read(descriptor, into: room)
            isAtEnd.isUp = count == 0
            return count ?? 0
        }
        isOutputAtEnd = isAtEnd.isUp
        if let heardBytes {
            heardBytes(Array(frames.buffer.bytes[before...]))
            return frames.buffer.removeFirst(frames.buffer.count)
        }
        while let frame = frames.next(isAtEnd: isOutputAtEnd) {
            switch frame {
            case .fault(_, let framing): take(Message(bytes: [], value: nil, framing: framing))
            case .message(let range, let framing):
                let bytes = Array(frames.buffer.bytes[range])
                take(Message(bytes: bytes, value: try? JSONValue.parse(bytes), framing: framing))
            }
        }
    }

    private final class Flag { var isUp = false }

    private func take(_ message: Message) {
        received.append(message)
        heard(message)
        if let members = message.value?.array {
            let answers = members.compactMap {
                answer(Message(bytes: Array($0.text.utf8), value: $0, framing: message.framing))
            }
            if !answers.isEmpty {
                send([UInt8(ascii: "[")] + Array(answers.joined(separator: [UInt8(ascii: ",")])) + Array("]\n".utf8))
            }
        } else if let answer = answer(message) {
            send(answer + [0x0a])
        }
    }

    private func answer(_ message: Message) -> [UInt8]? {
        message.value?["method"] != nil && message.id != nil ? reply(message) : nil
    }

    private func readErrors() {
        let descriptor = subject.errors
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            guard let count = PipeEnd.read(descriptor, into: buffer) else { return }
            if count == 0 { subject.closeErrors() }
            complaints += buffer[..<count]
            if complaints.count > 1 << 16 { complaints.removeFirst(complaints.count - 1 << 15) }
            if count > 0 { complained(Array(buffer[..<count])) }
        }
    }
}
