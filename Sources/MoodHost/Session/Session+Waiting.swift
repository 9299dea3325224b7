import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import Platform

/// The one queue of requests that wait: the heads of all lanes. Each event that may end a wait wakes it. The client's lane
/// is that of the session: while its first message waits, later ones stay, except those that may overtake it.
extension Session {
    /// The time to wait for hooks after the end of input.
    private static let endMilliseconds = 500

    var isParked: Bool { lane.wait != nil }

    /// Whether a request waits for the lock.
    var isLockAwaited: Bool {
        mutating get {
            lane.awaitsLock || pluginLanes.contains { $0.lane.awaitsLock }
                || dispatcher.pending.begun.contains { $0.lane.awaitsLock }
        }
    }

    // MARK: Ends of waits

    /// Gives each lane its turn whose wait is over.
    mutating func wake(milliseconds: Int64) {
        wakeCallers(milliseconds: milliseconds)
        if dispatcher.pending.begun.contains(where: { $0.lane.wait != nil && $0.lane.isOver(dispatcher.core) }) {
            attendWork(milliseconds: milliseconds)
        }
    }

    /// Gives the lanes of callers their turn. That of the client comes with `process`.
    mutating func wakeCallers(milliseconds: Int64) {
        if case .hooks(let round) = lane.wait { core.advance(round) }
        if isParked, lane.isOver(core) {
            hasWork = true
            // A message that cannot be handled now must not keep the lock from other processes.
            if isFull { core.store.lockWait.end() }
        }
        answerPlugins(milliseconds: milliseconds)
    }

    /// Refuses the requests that wait for the lock: their time is over.
    mutating func endLockTime(milliseconds: Int64) {
        lane.endLockTime()
        for place in pluginLanes.indices { pluginLanes[place].lane.endLockTime() }
        dispatcher.pending.endLockTime()
        wake(milliseconds: milliseconds)
    }

    /// Refuses requests that would wait, because the process ends.
    mutating func refuseWaits() {
        core.store.lockWait.mode = .nowhere
        lane.ways = dispatcher.pending.ways
        for place in pluginLanes.indices { pluginLanes[place].lane.endRound() }
        pluginLanes.removeAll()
        hasWork = true
    }

    /// Ends the wait for the lock, unless a request waits for it.
    mutating func endNeedlessWait() {
        if !isLockAwaited { core.store.lockWait.end() }
    }

    // MARK: The client's lane

    /// Makes the present message wait. The messages before it, and earlier members of its batch, stay done.
    mutating func stop(for wait: Wait) {
        putBack()
        // If the group is answered again, these hooks must not go to another message.
        let asked = lane.takeRound()
        // It has not begun, so it gets the same time again.
        defer {
            switch wait {
            case .turn, .helper: if hasTestClock { Clock.stepBack() }
            case .lock, .store, .sync, .hooks: break
            }
        }
        commit()
        if isParked {
            // An earlier message waits.
            asked?.abandon()
            if case .hooks(let next) = wait { next.abandon() }
        } else {
            lane.giveBack(asked)
            begin(wait)
        }
    }

    /// Begins the wait of the first remaining message.
    mutating func begin(_ wait: Wait) {
        if case .turn = wait { return }
        lane.stop(for: wait)
        lookAgain()
        lane.deadline = nil
        guard case .hooks(let round) = wait else { return }
        if isInputAtEnd { lane.deadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
        core.advance(round)
    }

    /// Has later messages checked again whether they may overtake the first.
    mutating func lookAgain() {
        lane.lookedAt = 1
        lane.isLineHeldUp = isFirstOfLine
    }

    /// Waits while an earlier request is at work beside the loop: later requests must see its changes.
    mutating func awaitEarlier() {
        guard core.isStoreAway, !dispatcher.pending.isClosed else { return }
        if !isParked {
            lane.stop(for: .store)
            lane.lookedAt = 0
            lane.isLineHeldUp = core.storeAbsence == .lentForPlugins
        }
        hasWork = true
    }

    /// Handles the messages from the one on that has waited: its wait or its time is over, or it may have been cancelled.
    mutating func goOn(milliseconds: Int64) {
        guard let wait = lane.takeWait() else { return }
        handleMessages(milliseconds: milliseconds)
        // The output must be sent first.
        if frameNumber == 0, hasWork, !isParked { return lane.stop(for: wait) }
        lane.ways = dispatcher.pending.ways
        endNeedlessWait()
    }

    /// Does the rest of the work while the first message waits.
    mutating func attendWhileParked(milliseconds: Int64) {
        if cancellations.isExpected {
            scanForCancellations(isAtEnd: isInputAtEnd)
            frameNumber = 0
        }
        core.setTime(milliseconds)
        core.store.beginGroup()
        beginGroup()
        if core.isWatching, core.storeAbsence != .replaced {
            lookAround()
            _ = tell()
        }
        answerOvertakers()
        commit()
        hasWork = core.hasUntold || lane.isOver(core)
    }

    /// Whether the first remaining message is a request that may overtake some.
    private var isFirstOfLine: Bool {
        mutating get {
            let mark = frames.mark
            defer { frames.rewind(to: mark) }
            guard case .message(let range, _) = frames.next(isAtEnd: isInputAtEnd) else { return false }
            return overtaking(UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])) == .others
        }
    }

    /// The requests that a message with an answer may overtake.
    private mutating func overtaking(_ message: UnsafeRawBufferPointer) -> MethodDeclaration.Overtaking {
        guard let envelope = Envelope.read(message, &validator), envelope.id != nil, let name = envelope.method
        else { return .nothing }
        return core.methods.find(name)?.method.overtakes ?? .nothing
    }

    private mutating func answerOvertakers() {
        let mark = frames.mark
        var number = 0
        var parked = lane
        // The first message that waits for the helper thread: it is looked at again.
        var waiting: Int?
        while let frame = frames.next(isAtEnd: isInputAtEnd) {
            number += 1
            guard number > parked.lookedAt, case .message(let range, _) = frame else { continue }
            let message = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard !cancellations.isAnswered(frameNumber + number) else { continue }
            lane = Lane(parked.ways)
            switch overtaking(message) {
            case .everything: lane.ways.remove(.mayWait)
            case .others where !parked.isLineHeldUp && waiting == nil: break
            case .nothing, .others: continue
            }
            frameNumber += number
            defer { frameNumber -= number }
            do throws(Wait) { try handle(frame) } catch {
                if case .helper = error {
                    waiting = number
                } else {
                    // The message waits for its turn instead.
                    parked.isLineHeldUp = true
                }
                continue
            }
            cancellations.noteAnswered(frameNumber)
            // A change of a plugin is made beside the loop, and later requests about plugins see it.
            if !dispatcher.pending.staged.isEmpty { parked.isLineHeldUp = true }
        }
        parked.lookedAt = max(parked.lookedAt, waiting.map { $0 - 1 } ?? number)
        lane = parked
        frames.rewind(to: mark)
    }

    // MARK: Hooks

    /// Ends the hooks of a request that is answered.
    mutating func endRound() {
        guard lane.round != nil else { return }
        lane.endRound()
        lane.ways = dispatcher.pending.ways
    }

    /// Limits the time for hooks after the end of input.
    mutating func limitHooks() {
        let end = Clock.monotonicMilliseconds + Self.endMilliseconds
        if core.plugins.hasEvents { deliveryEnd = end }
        if case .hooks = lane.wait { lane.deadline = end }
    }

    /// Stops waiting for hooks when their time is over.
    mutating func endHooksInTime() {
        guard let deadline = lane.deadline, Clock.monotonicMilliseconds >= deadline else { return }
        lane.deadline = nil
        lane.ways.remove(.mayAskHooks)
        hasWork = true
    }
}
