import JSONCodec
import JSONRPC
import MoodStore
import Platform

/// A request that waits: for the lock, for the helper thread, for the store, for hooks.
///
/// It has not begun: nothing of it remains, and it is the first message that is left. The loop goes on. Later messages stay where
/// they are, but for those that may overtake it. When what it waits for is there, or its time is over, all of them are handled as
/// if they had just been read.
extension Session {
    /// So long after the end of input hooks are waited for.
    private static let endMilliseconds = 500

    var isParked: Bool { wait != nil }

    /// The present message waits. The messages before it, and the members of a batch before the one that waits, stay done.
    mutating func stop(for wait: Wait) {
        putBack()
        // No other message of the group has its hooks, were the group answered again.
        let asked = round.take()
        if case .hooks(let next) = wait {
            if let asked, asked !== next { asked.abandon() }
            // While hooks are asked the lock is let go.
            commit()
            if isParked { next.abandon() } else { begin(wait) }
        } else {
            // Nothing waits for a sync: the lock is not held. The wait for it goes on.
            self.wait = wait
            commit()
            round = asked
            begin(wait)
        }
        unparkUnlessAwaited()
    }

    /// The first message that is left waits.
    mutating func begin(_ wait: Wait) {
        if case .turn = wait { return }
        self.wait = wait
        lookedAt = 1
        hookDeadline = nil
        guard case .hooks(let asked) = wait else { return }
        round = asked
        if isInputAtEnd { hookDeadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
        advanceHooks()
    }

    /// The helper thread has the store, for an earlier request: later ones wait, and see what it did.
    mutating func awaitStore(milliseconds: Int64) {
        guard core.isStoreAway, !dispatcher.pending.isClosed else { return }
        if wait == nil {
            wait = .store
            lookedAt = 0
        }
        hasWork = true
        if isWorkDone { attendWork(milliseconds: milliseconds) }
    }

    /// Tries again where nothing comes that it waits for: somebody else has had the lock, and left it.
    private mutating func unparkUnlessAwaited() {
        guard let wait, !core.isStoreAway else { return }
        switch wait {
        case .lock: if core.store.lockWait.descriptor >= 0 { return }
        case .helper: if core.store.helper.isRunning { return }
        case .hooks(let round): if round.verdict == nil { return }
        case .store, .turn: break
        }
        unpark(isTimeOver: false)
    }

    /// Tries again: what it waits for is there, or its time is over, or the request may have been cancelled.
    mutating func unpark(isTimeOver: Bool) {
        guard isParked, !core.isStoreAway || dispatcher.pending.isClosed else { return }
        if isTimeOver { core.store.lockWait.mode = .nowhere }
        wait = nil
        hasWaited = true
        hasWork = true
        // What cannot be handled now must not keep the lock from others.
        if isOutputFull, !isTimeOver { endWait() }
    }

    /// The lock is there, or the time for it is over: what waits for it is tried again.
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
        expectWork()
    }

    /// The lock is not waited for any more; the next request may begin a wait of its own.
    mutating func endWait() {
        hasWaited = false
        core.store.lockWait.end()
        if !dispatcher.pending.isClosed { core.store.lockWait.mode = .beside }
    }

    /// The process ends: a request that cannot have at once what it waits for is refused.
    mutating func refuseWaits() {
        core.store.lockWait.mode = .nowhere
        ways.remove(.mayAskHooks)
        for parked in parkedPluginRequests { parked.round?.abandon() }
        parkedPluginRequests.removeAll()
        unpark(isTimeOver: true)
    }

    /// What is left to do while the first message waits.
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
        if core.isWatching {
            lookAround()
            _ = tell()
        }
        answerOvertakers()
        commit()
        hasWork = core.hasUntold
        unparkUnlessAwaited()
    }

    private mutating func answerOvertakers() {
        let mark = frames.mark
        var number = 0
        let (ways, round, place) = (ways, round, place)
        (self.round, self.place) = (nil, nil)
        self.ways.remove(.mayWait)
        while let frame = frames.next(isAtEnd: isInputAtEnd) {
            number += 1
            guard number > lookedAt, case .message(let range, _) = frame else { continue }
            let message = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard !cancellations.isAnswered(frameNumber + number), let envelope = Envelope.read(message, &validator),
                envelope.id != nil, let name = envelope.method, core.methods.find(name)?.method.overtakes == true
            else { continue }
            do throws(Wait) { try handle(frame) } catch {
                // It waits for its turn instead.
                continue
            }
            cancellations.noteAnswered(frameNumber + number)
        }
        (self.ways, self.round, self.place) = (ways, round, place)
        lookedAt = max(lookedAt, number)
        frames.rewind(to: mark)
    }

    // MARK: Hooks

    /// A plugin may have answered.
    mutating func advanceHooks() {
        guard case .hooks(let round) = wait else { return }
        round.advance { (id, after, set) throws(RPCError) in try dispatcher.core.amend(id, after, set) }
        if round.verdict != nil { unpark(isTimeOver: false) }
    }

    /// The request whose hooks were asked is answered.
    mutating func endRound() {
        guard let round else { return }
        round.abandon()
        self.round = nil
        if !dispatcher.pending.isClosed { ways.insert(.mayAskHooks) }
    }

    /// The end of input has come.
    mutating func limitHooks() {
        if core.plugins.hasEvents { deliveryEnd = Clock.monotonicMilliseconds + Self.endMilliseconds }
        if case .hooks = wait { hookDeadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
    }

    /// The time of the message that waits may be over.
    mutating func endHooksInTime() {
        guard let deadline = hookDeadline, Clock.monotonicMilliseconds >= deadline else { return }
        hookDeadline = nil
        ways.remove(.mayAskHooks)
        unpark(isTimeOver: false)
    }
}
