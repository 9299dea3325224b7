import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// The requests whose commits share a sync.
struct RequestGroup {
    /// The place of its first request in the input, and of its first answer in the output.
    var mark: FrameReader.Mark
    var start = 0
    /// The number of its requests.
    var count = 0
    /// The state of batches when it began.
    var batches: (next: Int, held: [HeldBatch], place: BatchPlace?) = (0, [], nil)
}

/// One client: bytes in, bytes out, and the group of requests whose commits wait for their common sync.
///
/// It does I/O through the store alone, so a test drives it with bytes. The loop appends input (`receive`), lets it
/// handle requests (`process`), and removes output after sending (`sendable`, `didSend`).
///
/// A group begins with the first request after a sync. The session withholds its answers until `commit`. If the sync
/// fails, the store and the session's state go back, and the session reads and answers the bytes again, this time
/// refusing every change. An answer that leaves the process is therefore always about durable state.
///
/// Invariants
/// 1. Answers stand in `output` in the order of their requests; `0..<sent` has left.
/// 2. While a group is open, `frames` keeps all bytes of its requests; it discards bytes before reading only.
/// 3. After `process` has returned no group is open, and everything in `output` may leave.
struct Session: ~Copyable {
    /// The approximate size at which answers without changes are sent, while they are warm in the cache.
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
    /// Whether each request has its own time.
    let hasTestClock: Bool
    /// The most bytes of an answer.
    let messageBytes: Int

    var output = JSONWriter(capacity: 64 * 1024)
    var sent = 0
    /// The end of the partly sent message, or 0.
    private var messageEnd = 0
    private var group: RequestGroup
    /// Whether the latest group had several requests and a sync.
    private(set) var hasSharedSync = false
    /// Whether the input has ended.
    private(set) var isInputAtEnd = false
    /// Whether `process` has something to do.
    var hasWork = false
    /// The number of the present message, counted from the last scan for cancellations.
    var frameNumber = 0
    var cancellations = Cancellations()
    var framing = Framing.line
    /// Batches with answers still to come, and the number of the next.
    var batches: [HeldBatch] = []
    var nextBatch = 0
    /// Whether stderr has the warning about answers from the client.
    var hasPassedOverAnswer = false
    /// The lane of the client.
    var lane = Lane(.free)
    /// The lanes of the plugins that ask.
    var pluginLanes: [PluginLane] = []
    /// The end of the time to notify plugins after the end of input.
    var deliveryEnd: Int?

    init(core: consuming Core) {
        limits = core.options.limits
        hasTestClock = core.options.testTime != nil
        messageBytes = limits[.messageBytes]
        dispatcher = Dispatcher(core: core)
        frames = FrameReader(messageBytesMax: limits[.messageBytes], headerBytesMax: limits[.headerBytes])
        validator = JSONValidator(depthLimit: limits[.depth], partsMax: limits[.batch])
        group = RequestGroup(mark: frames.mark)
    }

    // MARK: The loop's side

    /// Lets `read` append up to `limit` bytes of input, and returns the number of appended bytes.
    mutating func receive(upTo limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        frames.discardTaken()
        let before = frames.buffer.count
        frames.buffer.append(upTo: limit) { (room: UnsafeMutableRawBufferPointer) in read(room) }
        cancellations.look(in: UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[before...]))
        hasWork = true
        return frames.buffer.count - before
    }

    /// Ends the input: its rest is a message.
    mutating func endInput() {
        isInputAtEnd = true
        hasWork = true
        limitHooks()
    }

    /// The bytes that may be sent now.
    var sendable: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: output.buffer.bytes[sent..<output.count])
    }

    /// Removes bytes that were sent.
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
    }

    /// Drops every message of which nothing was sent; no group is open.
    mutating func dropUnbegunMessages() {
        output.rewind(to: messageEnd)
        hasWork = false
    }

    /// Whether requests wait, or get their answers later.
    var hasPending: Bool { isParked || !dispatcher.pending.isEmpty }

    /// Whether the output or the pending work is full, so that no request may be handled.
    var isFull: Bool { isOutputFull || dispatcher.pending.isFull }

    /// Whether the output is full, so that no request may be handled.
    var isOutputFull: Bool { output.count - sent >= limits[.queuedOutputBytes] }

    /// Whether the waiting input is full, so that nothing more may be read. Mutating, like all that the loop asks each
    /// time: otherwise a borrowed session would be copied if the call is not inlined.
    var isInputFull: Bool { mutating get { isParked && frames.waiting.count >= limits[.messageBytes] } }

    /// Handles the complete messages, and makes their changes durable. If output must be sent first, `hasWork` stays
    /// true.
    mutating func process(milliseconds: Int64) {
        if !isParked { return handleMessages(milliseconds: milliseconds) }
        if lane.isOver(core) || cancellations.isExpected && !core.isStoreAway { goOn(milliseconds: milliseconds) }
        if isParked { attendWhileParked(milliseconds: milliseconds) }
    }

    mutating func handleMessages(milliseconds: Int64) {
        hasWork = true
        core.setTime(milliseconds)
        core.store.beginGroup()
        beginGroup()
        if cancellations.isExpected || !cancellations.isEmpty { scanForCancellations(isAtEnd: isInputAtEnd) }
        frameNumber = 0
        lookahead.forget()
        if core.isWatching { lookAround() }
        while true {
            if core.isWatching, !tell() { return endGroup() }
            lookahead.step(frames.waiting, &dispatcher.core.store)
            guard let frame = frames.next(isAtEnd: isInputAtEnd) else { break }
            group.count += 1
            frameNumber += 1
            do throws(Wait) { try handle(frame) } catch {
                stop(for: error)
                return awaitEarlier()
            }
            if dispatcher.isGroupOver {
                endGroup()
                if isParked || dispatcher.pending.isFull { return }
            }
            let waiting = output.count - sent
            if waiting >= Self.pieceBytes && (!core.store.needsFlush || isOutputFull) || Interruption.isOverdue {
                return endGroup()
            }
        }
        endGroup()
        if isParked { return }
        cancellations.removeAll()
        if isInputAtEnd, !core.state.models.listeners.isEmpty { endListening() }
        hasWork = core.hasUntold
    }

    private mutating func endGroup() {
        commit()
        if core.isStoreAway { awaitEarlier() }
    }

    mutating func beginGroup() {
        if core.isWatching { core.tellPlugins() }
        (group.mark, group.start, group.count) = (frames.mark, output.count, 0)
        core.beginStateOfGroup()
        group.batches.next = nextBatch
        if !batches.isEmpty || !group.batches.held.isEmpty { group.batches = (nextBatch, batches, lane.place) }
    }

    /// Makes the group's changes durable; on failure answers the group again.
    /// - Returns: false on failure.
    @discardableResult
    mutating func commit() -> Bool {
        hasSharedSync = group.count > 1 && core.store.needsFlush
        var isDurable = true
        do throws(StorageError) { try core.store.flush() } catch {
            isDurable = false
            answerAgain(error)
        }
        core.store.endGroup()
        if core.pluginFlags.contains(.present) { core.plugins.revision = core.store.durableRevision }
        beginPending()
        core.store.compactWhenDue()
        beginGroup()
        return isDurable
    }

    /// Reverts the group's requests and answers them again, refusing each change.
    private mutating func answerAgain(_ error: StorageError) {
        core.log(.error, "a sync failed: \(RPCError(error, forWriting: true).message)")
        let (count, end) = (group.count, lane.place)
        output.rewind(to: group.start)
        core.revertStateOfGroup()
        core.isShuttingDown = false
        dispatcher.pending.dropStaged()
        (nextBatch, batches, lane.place) = group.batches
        frames.rewind(to: group.mark)
        frameNumber -= group.count
        group.count = 0
        core.store.refuseChanges(error)
        do throws(Wait) {
            for _ in 0..<count { try handleAgain(until: .max) }
            // For a waiting batch, the members before the waiting one.
            if let end, end.next > (lane.place?.next ?? 0) { try handleAgain(until: end.next) }
        } catch {
            putBack()
            begin(error)
        }
    }

    private mutating func handleAgain(until end: Int) throws(Wait) {
        guard let frame = frames.next(isAtEnd: isInputAtEnd) else { return }
        group.count += 1
        frameNumber += 1
        try handle(frame, until: end)
    }

    /// Makes the present message the first remaining one again.
    mutating func putBack() {
        frames.rewind(to: group.mark)
        group.count -= 1
        frameNumber -= 1
        for _ in 0..<group.count { _ = frames.next(isAtEnd: isInputAtEnd) }
    }

    // MARK: Messages

    /// - Parameter end: the member at which a batch stops.
    /// - Throws: the wait of the message. None of its effects remain; `place` records the progress of a batch.
    mutating func handle(_ frame: FrameReader.Frame, until end: Int = .max) throws(Wait) {
        if let round = lane.round {
            // The request keeps its first time.
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
        if lane.round != nil { endRound() }
        if output.count > mark { output.endMessage(from: mark, framing: framing) }
        sendNotices(at: mark)
    }

    private mutating func sendNotices(at mark: Int) {
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: mark, framing: framing) }
    }
}
