import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// One client: bytes in, bytes out, and the group of requests whose commits wait for their common sync.
///
/// It does no I/O but through the store, so a test drives it with bytes. The loop appends what it read (`receive`), lets
/// requests be handled (`process`), and takes away what may be sent (`sendable`, `didSend`).
///
/// A group begins with the first request after a sync. Its answers are withheld until `commit`: when the sync fails, the
/// store goes back, the session's state goes back, the same bytes are read and answered again, this time with every
/// change refused. So an answer that leaves the process is always about durable state.
///
/// Invariants
/// 1. Answers stand in `output` in the order of their requests; `0..<sent` has left, up to `groupStart` may leave.
/// 2. While a group is open no byte of its requests is discarded from `frames`: that is done before reading only.
/// 3. After `process` has returned no group is open.
struct Session: ~Copyable {
    /// Answers to requests that changed nothing leave in pieces of about this size, while they are warm in the cache.
    private static let pieceBytes = 64 * 1024

    var dispatcher: Dispatcher
    var core: Core {
        @inline(__always) _read { yield dispatcher.core }
        @inline(__always) _modify { yield &dispatcher.core }
    }
    let client = Caller.client
    var frames: FrameReader
    var validator: JSONValidator
    private var lookahead = Lookahead()
    let limits: Limits
    /// Whether each request has a time of its own.
    private let hasTestClock: Bool
    /// How many bytes an answer may have.
    let messageBytes: Int

    var output = JSONWriter(capacity: 64 * 1024)
    var sent = 0
    /// The end of the message of which a part was sent, or 0.
    private var messageEnd = 0
    var groupStart = 0
    private var groupMark: FrameReader.Mark
    var groupFrames = 0
    /// Whether the latest group was one of several requests and had a sync.
    private(set) var hasSharedSync = false
    /// Whether no more input will come.
    private(set) var isInputAtEnd = false
    /// Whether `process` has something to do.
    var hasWork = false
    /// The number of the message that is handled, counted from where cancellations were last looked for.
    var frameNumber = 0
    var cancellations = Cancellations()
    var framing = Framing.line
    /// Batches that wait for answers which come later, and the number of the next.
    var batches: [HeldBatch] = []
    var nextBatch = 0
    /// Where the batch goes on of which a member waits.
    var place: BatchPlace?
    /// What of this there was when the group began.
    private var groupBatch: (next: Int, held: [HeldBatch], place: BatchPlace?) = (0, [], nil)
    /// Whether work is done that nobody has been told of by the helper thread.
    var isWorkDone = false
    /// Whether people were told of a message that is an answer.
    var hasPassedOverAnswer = false
    /// What the first message that is left waits for.
    var wait: Wait?
    /// How many messages, that one first, have been looked at meanwhile.
    var lookedAt = 0
    /// The hooks that were asked about it, or are.
    var round: HookRound?
    /// When they are waited for no more.
    var hookDeadline: Int?
    /// How requests of the client may be carried out.
    var ways: Ways = [.mayWait, .mayAskHooks]
    /// Whether there may be a wait for the lock that nobody needs after the present group.
    var hasWaited = false
    /// What plugins have asked for and other plugins have to agree to.
    var parkedPluginRequests: [ParkedPluginRequest] = []
    /// After the end of input: how long plugins are told of changes.
    var deliveryEnd: Int?

    init(core: consuming Core) {
        limits = core.options.limits
        hasTestClock = core.options.testTime != nil
        messageBytes = limits[.messageBytes]
        dispatcher = Dispatcher(core: core)
        frames = FrameReader(messageBytesMax: limits[.messageBytes], headerBytesMax: limits[.headerBytes])
        validator = JSONValidator(depthLimit: limits[.depth], partsMax: limits[.batch])
        groupMark = frames.mark
    }

    // MARK: The loop's side

    /// Lets `read` append up to `limit` bytes of input; answers with how many it did.
    mutating func receive(upTo limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        frames.discardTaken()
        let before = frames.buffer.count
        frames.buffer.append(upTo: limit) { (room: UnsafeMutableRawBufferPointer) in read(room) }
        cancellations.look(in: UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[before...]))
        hasWork = true
        return frames.buffer.count - before
    }

    /// No more input will come: what is left of it is a message.
    mutating func endInput() {
        isInputAtEnd = true
        hasWork = true
        limitHooks()
    }

    /// Lets `process` look around.
    mutating func expectWork() { hasWork = true }

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
            messageEnd = 0
            if output.buffer.capacity > 4 * 1024 * 1024 { output.buffer.shrink(toCapacity: 256 * 1024) }
        } else {
            while messageEnd < sent { messageEnd = output.messageEnd(from: messageEnd) }
            if sent > 1024 * 1024 {
                output.buffer.removeFirst(sent)
                messageEnd -= sent
                sent = 0
            }
        }
        groupStart = output.count
    }

    /// Drops every message of which nothing was sent; no group is open.
    mutating func dropUnbegunMessages() {
        output.rewind(to: messageEnd)
        groupStart = output.count
        hasWork = false
    }

    /// Whether requests are still to be answered whose answers come later.
    var hasPending: Bool { isParked || !dispatcher.pending.isEmpty }

    /// Whether so much waits, to be sent or to be done, that nothing more may be handled.
    var isFull: Bool { isOutputFull || dispatcher.pending.isFull }

    /// Whether so much waits to be sent that nothing more may be handled.
    var isOutputFull: Bool { output.count - sent >= limits[.queuedOutputBytes] }

    /// Whether so much has been read that waits for its turn that nothing more may be read.
    /// Mutating, as all that the loop asks each time: a question to a borrowed session would copy it, where it is not inlined.
    var isInputFull: Bool { mutating get { isParked && frames.waiting.count >= limits[.messageBytes] } }

    /// Handles the messages that are complete, and makes what they changed durable. Where there is something to send first,
    /// there is more to do afterwards (`hasWork`).
    mutating func process(milliseconds: Int64) {
        if isParked { return attendWhileParked(milliseconds: milliseconds) }
        hasWork = true
        core.setTime(milliseconds)
        core.store.beginGroup()
        beginGroup()
        if cancellations.isExpected || !cancellations.isEmpty { scanForCancellations(isAtEnd: isInputAtEnd) }
        frameNumber = 0
        lookahead.forget()
        if core.isWatching { lookAround() }
        while true {
            if core.isWatching, !tell() { return endGroup(milliseconds) }
            lookahead.step(frames.waiting, &dispatcher.core.store)
            guard let frame = frames.next(isAtEnd: isInputAtEnd) else { break }
            groupFrames += 1
            frameNumber += 1
            do throws(Wait) { try handle(frame) } catch {
                stop(for: error)
                return awaitStore(milliseconds: milliseconds)
            }
            if core.endsGroup {
                core.endsGroup = false
                endGroup(milliseconds)
                if isParked || dispatcher.pending.isFull { return }
            }
            let waiting = output.count - sent
            if waiting >= Self.pieceBytes && (!core.store.needsFlush || isOutputFull) || Interruption.isOverdue {
                return endGroup(milliseconds)
            }
        }
        endGroup(milliseconds)
        if isParked { return }
        cancellations.removeAll()
        if isInputAtEnd, !core.state.models.listeners.isEmpty { endListening() }
        hasWork = core.hasUntold
        if isWorkDone { attendWork(milliseconds: milliseconds) }
    }

    private mutating func endGroup(_ milliseconds: Int64) {
        commit()
        if core.isStoreAway { awaitStore(milliseconds: milliseconds) }
    }

    mutating func beginGroup() {
        if core.isWatching { core.tellPlugins() }
        groupMark = frames.mark
        groupStart = output.count
        core.beginStateOfGroup()
        groupFrames = 0
        groupBatch.next = nextBatch
        if !batches.isEmpty || !groupBatch.held.isEmpty { groupBatch = (nextBatch, batches, place) }
    }

    /// Makes the group's changes durable; on failure answers all of it again.
    /// - Returns: false where it has failed.
    @discardableResult
    mutating func commit() -> Bool {
        hasSharedSync = groupFrames > 1 && core.store.needsFlush
        var isDurable = true
        do throws(StorageError) { try core.store.flush() } catch {
            isDurable = false
            answerAgain(error)
        }
        core.store.endGroup()
        if hasWaited, !isParked, !isPluginAwaitingLock { endWait() }
        beginPending()
        core.store.compactWhenDue()
        beginGroup()
        return isDurable
    }

    /// Takes back what the group's requests have done, and answers them again: each that would change something is refused.
    private mutating func answerAgain(_ error: StorageError) {
        core.log(.error, "a sync failed: \(RPCError(error, forWriting: true).message)")
        let (count, end) = (groupFrames, place)
        output.rewind(to: groupStart)
        core.revertStateOfGroup()
        core.isShuttingDown = false
        core.endsGroup = false
        dispatcher.pending.dropStaged()
        (nextBatch, batches, place) = groupBatch
        frames.rewind(to: groupMark)
        frameNumber -= groupFrames
        groupFrames = 0
        core.store.failure = error
        defer { core.store.failure = nil }
        do throws(Wait) {
            for _ in 0..<count { try handleAgain(until: .max) }
            // Of a batch that waits, the members before the one that does.
            if let end, end.next > (place?.next ?? 0) { try handleAgain(until: end.next) }
        } catch {
            putBack()
            begin(error)
        }
    }

    private mutating func handleAgain(until end: Int) throws(Wait) {
        guard let frame = frames.next(isAtEnd: isInputAtEnd) else { return }
        groupFrames += 1
        frameNumber += 1
        try handle(frame, until: end)
    }

    /// The present message is the first one again that is left.
    mutating func putBack() {
        frames.rewind(to: groupMark)
        groupFrames -= 1
        frameNumber -= 1
        for _ in 0..<groupFrames { _ = frames.next(isAtEnd: isInputAtEnd) }
    }

    // MARK: Messages

    /// - Parameter end: the member at which a batch stops.
    /// - Throws: what the message waits for. Nothing of it remains, but what `place` says of a batch.
    mutating func handle(_ frame: FrameReader.Frame, until end: Int = .max) throws(Wait) {
        if let round {
            // It has the time that it had.
            core.setTime(round.time)
            round.rewind()
        } else if hasTestClock {
            core.setTime(Clock.step())
        }
        let mark = output.count
        switch frame {
        case .fault(let fault, let framing):
            self.framing = framing
            output.errorResponse(id: nil, RPCError(fault))
        case .message(let range, let framing):
            self.framing = framing
            do throws(Wait) {
                try read(UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range]), until: end)
            } catch {
                sendNotices(at: mark)
                throw error
            }
        }
        if round != nil { endRound() }
        if output.count > mark { output.endMessage(from: mark, framing: framing) }
        sendNotices(at: mark)
    }

    private mutating func sendNotices(at mark: Int) {
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: mark, framing: framing) }
    }
}
