import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import Platform

/// A request that waits: for the lock, for the helper thread, for the store, for hooks.
///
/// It has not begun, none of its effects remain, and it is the first remaining message. The loop goes on. Later
/// messages stay in the queue, except those that may overtake it. When its wait ends, or its time is over, the session
/// handles all of them as if it had just read them.
extension Session {
    /// The time to wait for hooks after the end of input.
    private static let endMilliseconds = 500

    var isParked: Bool { wait != nil }

    /// Makes the present message wait. The messages before it, and earlier members of its batch, stay done.
    mutating func stop(for wait: Wait) {
        putBack()
        // If the group is answered again, these hooks must not go to another message.
        let asked = round.take()
        if case .turn = wait {
            // The group before it is over, and it is the first one of the next.
            commit()
            if hasTestClock { Clock.stepBack() }
            hasWork = true
            if isParked { asked?.abandon() } else { round = asked }
            return
        }
        if case .hooks(let next) = wait {
            if let asked, asked !== next { asked.abandon() }
            // The session releases the lock while hooks are asked.
            commit()
            if isParked { next.abandon() } else { begin(wait) }
        } else {
            // The host does not hold the lock here, so there is nothing to sync. The wait for the lock goes on.
            self.wait = wait
            commit()
            round = asked
            begin(wait)
        }
        // It has not begun, so it gets the same time again.
        if case .helper = wait, hasTestClock { Clock.stepBack() }
        unparkUnlessAwaited()
    }

    /// Begins the wait of the first remaining message.
    mutating func begin(_ wait: Wait) {
        if case .turn = wait { return }
        self.wait = wait
        lookedAt = 1
        isLineHeldUp = isFirstOfLine
        hookDeadline = nil
        guard case .hooks(let asked) = wait else { return }
        round = asked
        if isInputAtEnd { hookDeadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
        advanceHooks()
    }

    /// Waits while an earlier request is at work beside the loop: later requests must see its changes.
    mutating func awaitEarlier(milliseconds: Int64) {
        guard core.isStoreAway, !dispatcher.pending.isClosed else { return }
        if wait == nil {
            wait = .store
            lookedAt = 0
            isLineHeldUp = core.storeAbsence == .lentForPlugins
        }
        hasWork = true
        if dispatcher.pending.isDone { attendWork(milliseconds: milliseconds) }
    }

    /// Retries if the wait has no more source, because another waiter took the lock and released it.
    private mutating func unparkUnlessAwaited() {
        guard let wait, !core.isStoreAway else { return }
        switch wait {
        case .lock: if core.store.lockWait.descriptor >= 0 { return }
        case .helper: if core.store.helper.isRunning { return }
        case .hooks(let round): if round.verdict == nil { return }
        case .sync: if core.sync.requests.isChanging { return }
        case .store, .turn: break
        }
        unpark(isTimeOver: false)
    }

    /// Retries the request: its wait or its time is over, or it may have been cancelled.
    mutating func unpark(isTimeOver: Bool) {
        guard isParked, !core.isStoreAway || dispatcher.pending.isClosed else { return }
        if isTimeOver { core.store.lockWait.mode = .nowhere }
        wait = nil
        hasWaited = true
        hasWork = true
        // A message that cannot be handled now must not keep the lock from other processes.
        if isOutputFull, !isTimeOver { endWait() }
    }

    /// Retries the waiters for the lock: it is free, or their time is over.
    mutating func endLockWait(isTimeOver: Bool) {
        let isAwaited = if case .lock = wait { true } else { false }
        if isAwaited { unpark(isTimeOver: isTimeOver) }
        guard isPluginAwaitingLock else {
            if !isAwaited { endWait() }
            return
        }
        if isTimeOver { core.store.lockWait.mode = .nowhere }
        hasWaited = true
        resumePluginRequests(hasLock: true)
        if dispatcher.pending.awaitsLock { attendWork(milliseconds: Clock.milliseconds, hasLock: true) }
        expectWork()
    }

    /// Ends the wait for the lock; the next request may begin its own.
    mutating func endWait() {
        hasWaited = false
        core.store.lockWait.end()
        if !dispatcher.pending.isClosed { core.store.lockWait.mode = .beside }
    }

    /// Refuses requests that would wait, because the process ends.
    mutating func refuseWaits() {
        core.store.lockWait.mode = .nowhere
        ways.remove(.mayAskHooks)
        for parked in parkedPluginRequests { parked.round?.abandon() }
        parkedPluginRequests.removeAll()
        unpark(isTimeOver: true)
    }

    /// Does the rest of the work while the first message waits.
    mutating func attendWhileParked(milliseconds: Int64) {
        if cancellations.isExpected, core.isStoreAway {
            scanForCancellations(isAtEnd: isInputAtEnd)
            frameNumber = 0
        } else if cancellations.isExpected {
            unpark(isTimeOver: false)
            process(milliseconds: milliseconds)
            guard isParked else { return }
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
        hasWork = core.hasUntold
        unparkUnlessAwaited()
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
        let (ways, round, place) = (ways, round, place)
        (self.round, self.place) = (nil, nil)
        // The first message that waits for the helper thread: it is looked at again.
        var waiting: Int?
        while let frame = frames.next(isAtEnd: isInputAtEnd) {
            number += 1
            guard number > lookedAt, case .message(let range, _) = frame else { continue }
            let message = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard !cancellations.isAnswered(frameNumber + number) else { continue }
            switch overtaking(message) {
            case .everything: self.ways = ways.subtracting(.mayWait)
            case .others where !isLineHeldUp && waiting == nil: self.ways = ways
            case .nothing, .others: continue
            }
            frameNumber += number
            defer { frameNumber -= number }
            do throws(Wait) { try handle(frame) } catch {
                if case .helper = error {
                    waiting = number
                } else {
                    // The message waits for its turn instead.
                    isLineHeldUp = true
                }
                continue
            }
            cancellations.noteAnswered(frameNumber)
            // A change of a plugin is made beside the loop, and later requests about plugins see it.
            if !dispatcher.pending.staged.isEmpty { isLineHeldUp = true }
        }
        (self.ways, self.round, self.place) = (ways, round, place)
        lookedAt = max(lookedAt, waiting.map { $0 - 1 } ?? number)
        frames.rewind(to: mark)
    }

    // MARK: Hooks

    /// Handles answers of plugins to hooks.
    mutating func advanceHooks() {
        guard case .hooks(let round) = wait else { return }
        core.advance(round)
        if round.verdict != nil { unpark(isTimeOver: false) }
    }

    /// Ends the hooks of a request that is answered.
    mutating func endRound() {
        guard let round else { return }
        round.abandon()
        self.round = nil
        if !dispatcher.pending.isClosed { ways.insert(.mayAskHooks) }
    }

    /// Limits the time for hooks after the end of input.
    mutating func limitHooks() {
        if core.plugins.hasEvents { deliveryEnd = Clock.monotonicMilliseconds + Self.endMilliseconds }
        if case .hooks = wait { hookDeadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
    }

    /// Stops waiting for hooks when their time is over.
    mutating func endHooksInTime() {
        guard let deadline = hookDeadline, Clock.monotonicMilliseconds >= deadline else { return }
        hookDeadline = nil
        ways.remove(.mayAskHooks)
        unpark(isTimeOver: false)
    }
}
