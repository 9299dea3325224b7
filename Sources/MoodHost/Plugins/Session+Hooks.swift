import JSONRPC
import Platform

/// Messages that wait for the hooks of plugins. They are parked, as those that wait for the lock are.
extension Session {
    /// So long after the end of input hooks are waited for.
    private static let endMilliseconds = 500

    /// Where a message begins.
    struct FrameMark {
        let frames: FrameReader.Mark
        let output: Int
        let staged: Int
    }

    var mark: FrameMark {
        FrameMark(frames: frames.mark, output: output.count, staged: dispatcher.pending.staged.count)
    }

    /// The last message of the group has to wait for hooks: nothing of it remains but the members of a batch before the one that
    /// waits. What came before is made durable and answered, and the lock is let go.
    mutating func park(for round: HookRound, before mark: FrameMark) {
        frames.rewind(to: mark.frames)
        output.rewind(to: mark.output)
        dispatcher.pending.dropStaged(after: mark.staged)
        groupFrames -= 1
        frameNumber -= 1
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: output.count, framing: framing) }
        let durable = durableProgress
        if commit() { durableProgress = batchProgress } else { batchProgress = durable }
        wait(for: round)
    }

    /// The first message that is left waits.
    mutating func wait(for round: HookRound) {
        isParked = true
        lookedAt = 0
        hookRound = round
        hookDeadline = isInputAtEnd ? Clock.monotonicMilliseconds + Self.endMilliseconds : nil
        advanceHooks()
    }

    /// A plugin may have answered.
    mutating func advanceHooks() {
        guard let round = hookRound, isParked else { return }
        round.advance { (id, after, set) throws(RPCError) in try dispatcher.core.amend(id, after, set) }
        if round.verdict != nil { unpark(isTimeOver: false) }
    }

    /// Before the message is handled again.
    mutating func resumeRound() {
        guard let round = hookRound else { return }
        core.setTime(round.time)
        core.resume(round)
    }

    /// After it.
    mutating func endRound() {
        guard let round = hookRound else { return }
        core.endRound()
        // It waits for the lock, and is handled once more.
        if core.store.lockWait.isAsked { return }
        hookRound = nil
        core.refusesHooks = dispatcher.pending.isClosed
        if core.wantedRound !== round { round.abandon() }
    }

    /// No hook is waited for any more: the process ends.
    mutating func refuseHooks() {
        core.refusesHooks = true
        hookDeadline = nil
        for parked in parkedPluginRequests { parked.round.abandon() }
        parkedPluginRequests.removeAll()
        if hookRound != nil { unpark(isTimeOver: false) }
    }

    /// The end of input has come.
    mutating func limitHooks() {
        if core.plugins.hasEvents { deliveryEnd = Clock.monotonicMilliseconds + Self.endMilliseconds }
        if hookRound != nil { hookDeadline = Clock.monotonicMilliseconds + Self.endMilliseconds }
    }

    /// The time of the message that waits may be over.
    mutating func endHooksInTime() {
        guard let deadline = hookDeadline, Clock.monotonicMilliseconds >= deadline else { return }
        hookDeadline = nil
        core.refusesHooks = true
        unpark(isTimeOver: false)
    }
}
