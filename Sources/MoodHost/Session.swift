import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// One client: bytes in, bytes out, and the group of requests whose commits wait for their common sync.
///
/// It does no I/O but through the store, so a test drives it with bytes. The loop appends what it read (`receive`), lets
/// requests be handled (`process`), and takes away what may be sent (`sendable`, `didSend`).
///
/// A group begins with the first request after a sync. Its answers are withheld until `commit`: when the sync fails, the
/// store goes back, the session's state goes back, the same bytes are read again and answered anew, this time with every
/// change refused. So an answer that leaves the process is always about durable state.
///
/// Invariants
/// 1. Answers stand in `output` in the order of their requests; `0..<sent` has left, up to `groupStart` may leave.
/// 2. While a group is open no byte of its requests is discarded from `frames`: that is done before reading only.
/// 3. After `process` has returned no group is open.
struct Session: ~Copyable {
    /// Answers to requests that changed nothing leave in pieces of about this size, while they are warm in the cache.
    private static let pieceBytes = 64 * 1024
    /// What the error of one member of a batch may take, and a little more.
    private static let errorBytes = 1024

    var core: Core
    private var frames: FrameReader
    private var validator: JSONValidator
    private var arguments = Arguments()
    private var lookahead = Lookahead()
    private let catalogue: MethodCatalogue
    private let methods: CallableMethods
    let limits: Limits

    var output = JSONWriter(capacity: 64 * 1024)
    var sent = 0
    var groupStart = 0
    private var groupMark: FrameReader.Mark
    private var groupFrames = 0
    /// Whether the latest group was one of several requests and had a sync.
    private(set) var hasSharedSync = false
    /// What `process` was told last: a group that is read again must be cut into the same frames.
    private var isInputAtEnd = false
    /// The number of the message that is handled, counted from where cancellations were last looked for.
    private var frameNumber = 0
    private var cancellations = Cancellations()
    var framing = Framing.line

    init(core: consuming Core, catalogue: MethodCatalogue = .standard) {
        limits = core.options.limits
        self.core = core
        self.catalogue = catalogue
        methods = CallableMethods(of: catalogue)
        frames = FrameReader(messageBytesMax: limits[.messageBytes])
        validator = JSONValidator(depthLimit: limits[.depth])
        groupMark = frames.mark
    }

    // MARK: The loop's side

    /// Lets `read` append up to `limit` bytes of input; answers with how many it did.
    mutating func receive(upTo limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        frames.discardTaken()
        let before = frames.buffer.count
        frames.buffer.append(upTo: limit) { (room: UnsafeMutableRawBufferPointer) in read(room) }
        cancellations.look(in: UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[before...]))
        return frames.buffer.count - before
    }

    /// What may be sent now.
    var sendable: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: output.buffer.bytes[sent..<output.count])
    }

    /// Takes away what was sent.
    mutating func didSend(_ count: Int) {
        sent += count
        if sent == output.count {
            output.rewind(to: 0)
            sent = 0
            if output.buffer.capacity > 4 * 1024 * 1024 { output.buffer.shrink(toCapacity: 256 * 1024) }
        } else if sent > 1024 * 1024 {
            output.buffer.removeFirst(sent)
            sent = 0
        }
        groupStart = output.count
    }

    /// Whether so much waits to be sent that nothing more may be handled.
    var isOutputFull: Bool { output.count - sent >= limits[.queuedOutputBytes] }

    /// Handles the messages that are complete, and makes what they changed durable.
    /// - Parameter isAtEnd: whether no more input will come.
    /// - Returns: whether all of them were handled; false when there is something to send first.
    mutating func process(isAtEnd: Bool, milliseconds: Int64) -> Bool {
        isInputAtEnd = isAtEnd
        core.setTime(milliseconds)
        core.store.beginGroup()
        beginGroup()
        if cancellations.isExpected { scanForCancellations(isAtEnd: isAtEnd) }
        frameNumber = 0
        lookahead.forget()
        if core.isWatching { lookAround() }
        while true {
            if core.isWatching, !tell() {
                commit()
                return false
            }
            lookahead.step(frames.waiting, &core.store)
            guard let frame = frames.next(isAtEnd: isAtEnd) else { break }
            groupFrames += 1
            frameNumber += 1
            handle(frame)
            if core.endsGroup {
                core.endsGroup = false
                commit()
            }
            let waiting = output.count - sent
            if waiting >= Self.pieceBytes, !core.store.needsFlush || isOutputFull {
                commit()
                return false
            }
        }
        commit()
        cancellations.removeAll()
        return !core.hasUntold
    }

    private mutating func beginGroup() {
        groupMark = frames.mark
        groupStart = output.count
        core.beginStateOfGroup()
        groupFrames = 0
    }

    /// Makes the group's changes durable; on failure answers all of it anew.
    private mutating func commit() {
        hasSharedSync = groupFrames > 1 && core.store.needsFlush
        do throws(StorageError) { try core.store.flush() } catch { answerAgain(error) }
        core.store.endGroup()
        core.store.compactWhenDue()
        beginGroup()
    }

    private mutating func answerAgain(_ error: StorageError) {
        core.log(.error, "a sync failed: \(RPCError(error, forWriting: true).message)")
        let count = groupFrames
        output.rewind(to: groupStart)
        core.revertStateOfGroup()
        core.isShuttingDown = false
        frames.rewind(to: groupMark)
        core.store.failure = error
        frameNumber -= count
        for _ in 0..<count {
            guard let frame = frames.next(isAtEnd: isInputAtEnd) else { break }
            frameNumber += 1
            handle(frame)
        }
        core.store.failure = nil
    }

    // MARK: Messages

    private mutating func handle(_ frame: FrameReader.Frame) {
        let mark = output.count
        switch frame {
        case .fault(let fault, let framing):
            self.framing = framing
            output.errorResponse(id: nil, RPCError(fault))
        case .message(let range, let framing):
            self.framing = framing
            read(UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range]))
        }
        if output.count > mark { output.endMessage(from: mark, framing: framing) }
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: mark, framing: framing) }
    }

    private mutating func read(_ message: UnsafeRawBufferPointer) {
        if answerPlain(message) { return }
        let outline: JSONOutline
        do throws(JSONError) {
            outline = try validator.validate(message)
        } catch {
            return output.errorResponse(id: nil, RPCError(parsing: error))
        }
        switch outline.kind {
        case .object: answer(outline, room: .max)
        case .array: answerBatch(outline)
        default:
            output.errorResponse(
                id: nil, RPCError(.invalidRequest, "A message is a JSON object, or an array of them."))
        }
    }

    /// Answers a request that is written as most are, in one pass over it.
    /// - Returns: false, and nothing done, when the request is written otherwise or something is wrong with it.
    @inline(__always)
    private mutating func answerPlain(_ message: UnsafeRawBufferPointer) -> Bool {
        guard cancellations.isEmpty, !core.isShuttingDown,
            let head = RequestHead(message, idBytesMax: limits[.idBytes]),
            let number = catalogue.find(bytes: head.method)
        else { return false }
        let entry = methods[number]
        if let start = head.params {
            guard
                let end = arguments.readPlain(message, from: start, depth: 1, for: entry.method, limits, &validator),
                end == message.count - 1, message[end] == UInt8(ascii: "}")
            else { return false }
        } else if arguments.read(nil, for: entry.method, limits) != nil {
            return false
        }
        let mark = output.count
        do throws(RPCError) { try perform(entry, head.id, mark, .max) } catch { fail(error, head.id, mark) }
        if head.id == nil { output.rewind(to: mark) }
        return true
    }

    /// JSON-RPC 2.0, section 6.
    private mutating func answerBatch(_ batch: JSONOutline) {
        let count = batch.parts.count
        if count == 0 {
            return output.errorResponse(id: nil, RPCError(.invalidRequest, "A batch needs at least one request."))
        }
        if count > limits[.batch] {
            return output.errorResponse(
                id: nil,
                RPCError(
                    .batchTooLarge, "A batch may have at most \(limits[.batch]) requests; this one has \(count).",
                    [.init("limit", "batch"), .init("value", .number(String(limits[.batch])))]))
        }
        let mark = output.count
        output.buffer.append(UInt8(ascii: "["))
        // The members are validated one by one again, which takes the outline's memory.
        let parts = Array(batch.parts)
        let errorBytes = min(Self.errorBytes, limits[.messageBytes] / (2 * count))
        for (number, part) in parts.enumerated() {
            let memberMark = output.count
            if memberMark > mark + 1 { output.buffer.append(UInt8(ascii: ",")) }
            let start = output.count
            // Room for the errors of those that come behind is kept free.
            let room = limits[.messageBytes] - (start - mark) - (count - number) * errorBytes
            do throws(JSONError) {
                let outline = try validator.validate(batch.text[part].bytes)
                if outline.kind == .object {
                    answer(outline, room: max(room, 0))
                } else {
                    output.errorResponse(
                        id: nil, RPCError(.invalidRequest, "Every member of a batch is a request, which is an object."))
                }
            } catch {
                output.errorResponse(id: nil, RPCError(parsing: error))
            }
            core.notices.keep()
            if output.count == start { output.rewind(to: memberMark) }
        }
        if output.count == mark + 1 {
            output.rewind(to: mark)
        } else {
            output.buffer.append(UInt8(ascii: "]"))
        }
    }

    /// Answers one request, or carries out one notification.
    /// - Parameter room: how many bytes the answer may have; over that nothing is done, and the error says so.
    private mutating func answer(_ outline: JSONOutline, room: Int) {
        let mark = output.count
        let (envelope, fault) = Envelope.read(outline, idBytesMax: limits[.idBytes])
        if let error = fault ?? Self.duplicateOutsideParams(outline, envelope) {
            return output.errorResponse(id: envelope.id, error)
        }
        guard let name = envelope.method else { return }
        if !cancellations.isEmpty, let id = envelope.id, let silence = cancellations.find(id, before: frameNumber) {
            if !silence { output.errorResponse(id: id, RPCError(.cancelled, "The request was cancelled.")) }
            return
        }
        do throws(RPCError) {
            try call(name, envelope, outline, mark, room)
        } catch {
            fail(error, envelope.id, mark)
        }
        if envelope.id == nil { output.rewind(to: mark) }
    }

    private mutating func call(
        _ name: JSONText, _ envelope: Envelope, _ outline: JSONOutline, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        guard let number = catalogue.find(name) else {
            if envelope.id == nil, Cancellations.isCancellation(name) { return }
            let text = name.string
            throw .methodNotFound(text, catalogue.suggestions(for: text))
        }
        if core.isShuttingDown { throw RPCError(.shuttingDown, "The host is shutting down.") }
        let entry = methods[number]
        if let offset = outline.duplicate, let params = envelope.params {
            throw Arguments.duplicate(at: offset - Self.offset(of: params, in: outline), in: params)
        }
        if let error = arguments.read(envelope.params, for: entry.method, limits) { throw error }
        try perform(entry, envelope.id, mark, room)
    }

    /// Answers with an error, and nothing has changed.
    private mutating func fail(_ error: RPCError, _ id: UnsafeRawBufferPointer?, _ mark: Int) {
        output.rewind(to: mark)
        core.store.abandonCommit()
        core.revertStateOfRequest()
        core.notices.drop()
        output.errorResponse(id: id, error)
    }

    /// Carries out a method whose arguments have been read, and writes its answer.
    @inline(__always)
    private mutating func perform(
        _ entry: CallableMethods.Entry, _ id: UnsafeRawBufferPointer?, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        if arguments.namesOperation(of: entry.method) {
            return try performOnce(entry, id, mark, room)
        }
        output.beginResponse(id: id)
        // Not in a batch, whose answer is one message, and only where nothing of before would be overtaken.
        let effect = entry.method.effect
        if effect == .long, room == .max, sent == mark { core.notices.beginStreaming(framing) }
        try entry.handler(&core, arguments, &output)
        output.endResponse()
        if output.count - mark > room { throw .answerTooLarge(bytesMax: limits[.messageBytes]) }
        if effect == .long { core.notices.endStreaming() }
        guard effect == .write else { return }
        try endCommit()
    }

    /// The same for a request that names its operation: done before, it is answered as it was then; else its outcome is
    /// kept in its commit.
    @inline(never)
    private mutating func performOnce(
        _ entry: CallableMethods.Entry, _ id: UnsafeRawBufferPointer?, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        try core.openForWriting()
        let key = arguments.operationKey(of: entry.method)
        output.beginResponse(id: id)
        let start = output.count
        if let answer = try core.answer(of: key) {
            answer.withUnsafeBytes { output.raw($0) }
        } else {
            try entry.handler(&core, arguments, &output)
            core.store.keepOutcome(key, answer: UnsafeRawBufferPointer(rebasing: output.buffer.bytes[start...]))
        }
        output.endResponse()
        if output.count - mark > room { throw .answerTooLarge(bytesMax: limits[.messageBytes]) }
        try endCommit()
    }

    /// Ends the commit that a method has opened.
    @inline(__always)
    private mutating func endCommit() throws(RPCError) {
        if arguments.boolean("dryRun") == true {
            core.store.abandonCommit()
            core.revertStateOfRequest()
        } else {
            let isToTell = core.isWatching && core.store.isCommitOpen
            do throws(MoodStoreError) { try core.store.endCommit() } catch { throw RPCError(error) }
            if isToTell { core.tellOfRequest() }
            core.keepStateOfRequest()
        }
    }

    /// A name that stands twice in the envelope itself.
    private static func duplicateOutsideParams(_ outline: JSONOutline, _ envelope: Envelope) -> RPCError? {
        guard let offset = outline.duplicate else { return nil }
        if let params = envelope.params {
            let start = Self.offset(of: params, in: outline)
            if offset >= start, offset < start + params.bytes.count { return nil }
        }
        return RPCError(
            .invalidRequest, "A member of the request is given twice (at byte \(offset)). Give each one once.",
            [.init("offset", .number(String(offset)))])
    }

    private static func offset(of part: ValidJSON, in outline: JSONOutline) -> Int {
        guard let start = part.bytes.baseAddress, let base = outline.text.bytes.baseAddress else { return 0 }
        return start - base
    }

    /// Finds the cancellations in what was read, before any of it is handled: they overtake the queue.
    private mutating func scanForCancellations(isAtEnd: Bool) {
        let mark = frames.mark
        var number = 0
        // Those of an earlier scan count from an earlier message.
        cancellations.forget()
        while let frame = frames.next(isAtEnd: isAtEnd) {
            number += 1
            guard case .message(let range, _) = frame else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard Cancellations.mayContain(bytes),
                let outline = try? validator.validate(bytes), outline.kind == .object
            else { continue }
            cancellations.note(Envelope.read(outline).0, at: number)
        }
        frames.rewind(to: mark)
    }
}
