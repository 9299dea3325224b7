import JSONCodec
import JSONRPC
import MoodStore

/// A request that needs the lock of the store while another process holds it, or the store's files while the helper thread is at
/// work on them; and all that come after a change that the helper thread makes.
///
/// It is parked: nothing of it remains, and it is the first message that is left. A thread waits for the lock, and the loop goes
/// on. Later messages stay where they are, but for those that may overtake it. When the lock is there or its time is over, all of
/// them are handled as if they had just been read.
extension Session {
    /// The last message of the group waits for the lock.
    mutating func park() {
        // What it has done is taken back with the group. The requests before it have changed nothing: the lock was not held.
        core.store.endGroup()
        answerAgain(first: groupFrames - 1)
        if core.endsGroup {
            // One of those needs the lock now: the store has come into being meanwhile. All of the group waits.
            core.endsGroup = false
            _ = core.store.lockWait.takeAsked()
            answerAgain(first: 0)
        }
        isParked = true
        lookedAt = 1
        commit()
        // A later member of its batch has had the lock.
        unparkUnlessAwaited()
    }

    /// The helper thread has the store, for the last request: later ones wait, and see what it did.
    mutating func parkUntilStoreIsBack(milliseconds: Int64) {
        isParked = true
        lookedAt = 0
        hasWork = true
        if isWorkDone { attendWork(milliseconds: milliseconds) }
    }

    /// Tries again where nothing comes that it waits for: somebody else has had the lock, and left it.
    private mutating func unparkUnlessAwaited() {
        if core.isStoreAway { return }
        if let hookRound, hookRound.verdict == nil { return }
        if core.store.lockWait.descriptor < 0, !core.awaitsWork { unpark(isTimeOver: false) }
    }

    /// Tries again: the lock is there, or its time is over, or the request may have been cancelled.
    mutating func unpark(isTimeOver: Bool) {
        guard isParked, !core.isStoreAway || dispatcher.pending.isClosed else { return }
        if isTimeOver { core.store.lockWait.mode = .nowhere }
        isParked = false
        core.awaitsWork = false
        hasWaited = true
        hasWork = true
        // What cannot be handled now must not keep the lock from others.
        if isOutputFull, !isTimeOver { endWait() }
    }

    /// The lock is not waited for any more; the next request may begin a wait of its own.
    mutating func endWait() {
        hasWaited = false
        core.store.lockWait.end()
        if !dispatcher.pending.isClosed { core.store.lockWait.mode = .beside }
    }

    /// The process ends: who cannot have the lock at once is told so.
    mutating func refuseWaits() {
        core.store.lockWait.mode = .nowhere
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
        while let frame = frames.next(isAtEnd: isInputAtEnd) {
            number += 1
            guard number > lookedAt, case .message(let range, _) = frame else { continue }
            let message = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard !cancellations.isAnswered(frameNumber + number), let envelope = Envelope.read(message, &validator),
                envelope.id != nil, let name = envelope.method, core.methods.find(name)?.method.overtakes == true
            else { continue }
            handle(frame)
            cancellations.noteAnswered(frameNumber + number)
        }
        lookedAt = max(lookedAt, number)
        frames.rewind(to: mark)
    }
}
