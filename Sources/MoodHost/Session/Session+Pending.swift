import JSONCodec
import JSONRPC

/// Answers that come later.
extension Session {
    /// Begins the staged work of the group, which is durable.
    mutating func beginPending() {
        guard dispatcher.pending.staged.count > 0 else { return }
        // The first progress reported is that of the beginning.
        tellProgress(of: dispatcher.pending.staged)
        if dispatcher.pending.beginStaged(&dispatcher.core) { attendWork(milliseconds: core.now.milliseconds) }
    }

    /// Handles the results of other threads; no group is open.
    mutating func attendWork(milliseconds: Int64) {
        var wasStoreAway = core.isStoreAway
        let wasLockAwaited = isLockAwaited
        core.store.helper.drain()
        core.reader.drain()
        core.sync.thread.drain()
        core.setTime(milliseconds)
        core.attendTransport()
        if core.sync.round != nil || core.sync.look != nil {
            core.attendSync()
            sendNotices()
        }
        tellProgress(of: dispatcher.pending.begun)
        var answer = JSONWriter(capacity: 256)
        var place = 0
        while place < dispatcher.pending.begun.count {
            answer.rewind(to: 0)
            let batch = dispatcher.pending.begun[place].destination.batch
            let held = batch.flatMap { batch in batches.first { $0.number == batch.number } }
            let room = held?.room(of: limits[.messageBytes]) ?? limits[.messageBytes]
            guard let (pending, hasSucceeded) = dispatcher.conclude(place, room: room, to: &answer)
            else {
                place += 1
                continue
            }
            if hasSucceeded, let end = pending.work.end { tell(end, pending) }
            sendNotices()
            deliver(answer, pending.destination, pending.caller)
            // A conclusion that has waited for the store is tried again.
            if wasStoreAway, !core.isStoreAway {
                (wasStoreAway, place) = (false, 0)
                if isParked { lookAgain() }
            }
        }
        hasWork = true
        if wasLockAwaited { endNeedlessWait() }
        wakeCallers(milliseconds: milliseconds)
    }

    /// Syncs the store, if it is due.
    mutating func syncWhenDue(milliseconds: Int64) {
        core.setTime(milliseconds)
        core.syncWhenDue()
        sendNotices()
        hasWork = true
    }

    /// Begins no more work and cancels the rest, because the process ends.
    mutating func refuseWork() {
        dispatcher.pending.isClosed = true
        core.sync.end()
        core.sync.round?.cancel()
        core.sync.requests.release()
        core.sync.bridge.close()
        refuseWaits()
        var answer = JSONWriter(capacity: 256)
        while !dispatcher.pending.begun.isEmpty {
            let pending = dispatcher.pending.remove(at: 0)
            pending.work.cancel()
            answer.rewind(to: 0)
            if pending.id != nil, !pending.isSilenced {
                answer.errorResponse(
                    copiedID: pending.id, pending.work.mayHaveChanged ? .unknownAtTheEnd : .shuttingDown)
            }
            deliver(answer, pending.destination, pending.caller)
        }
        endListening()
    }

    private mutating func tellProgress(of requests: [Pending]) {
        for pending in requests {
            // A client that does not read misses all progress but the latest.
            guard !isOutputFull, let progress = pending.work.takeProgress() else { continue }
            tell(progress, pending)
        }
    }

    private mutating func tell(_ progress: JSONValue, _ pending: Pending) {
        guard let token = pending.progressToken, !pending.isSilenced else { return }
        let mark = output.count
        token.withUnsafeBytes {
            if pending.work.isOfModel {
                output.modelProgress(token: $0, progress)
            } else {
                output.progress(token: $0, progress)
            }
        }
        output.endMessage(from: mark, framing: pending.destination.framing)
    }

    private mutating func deliver(_ answer: borrowing JSONWriter, _ destination: Destination, _ caller: Caller) {
        if caller.session != Caller.client.session {
            if answer.count > 0 { core.plugins.hosted(session: caller.session)?.reply(answer.buffer.bytes) }
            return
        }
        guard let (number, place) = destination.batch else {
            if answer.count > 0 { send(answer.buffer.bytes, destination.framing) }
            return
        }
        guard let index = batches.firstIndex(where: { $0.number == number }) else { return }
        batches[index].answers[place] = Array(answer.buffer.bytes)
        batches[index].missing -= 1
        guard batches[index].missing == 0 else { return }
        let batch = batches.remove(at: index)
        let whole = batch.whole
        if !whole.isEmpty { whole.withUnsafeBytes { send($0, batch.framing) } }
    }

    private mutating func send(_ message: UnsafeRawBufferPointer, _ framing: Framing) {
        let mark = output.count
        output.buffer.append(message)
        output.endMessage(from: mark, framing: framing)
    }
}

extension RPCError {
    fileprivate static var unknownAtTheEnd: RPCError {
        RPCError(
            .outcomeUnknown,
            "The host was told to end while this was made durable, so it may have been done. See with store.log, or ask"
                + " again with the same opId.")
    }
}

extension JSONWriter {
    /// Writes `notifications/progress {progressToken, progress, total?, message?}`.
    fileprivate mutating func modelProgress(token: UnsafeRawBufferPointer, _ progress: JSONValue) {
        beginNotification(method: "notifications/progress")
        beginObject()
        key("progressToken")
        raw(token)
        for member in progress.object ?? [] {
            key(text: member.name)
            member.value.write(to: &self)
        }
        endObject()
        endResponse()
    }

    /// Writes `$/progress {token, value: {done, total, message}}`. LSP 3.17, "Progress Support".
    fileprivate mutating func progress(token: UnsafeRawBufferPointer, _ progress: JSONValue) {
        beginNotification(method: "$/progress")
        beginObject()
        key("token")
        raw(token)
        key("value")
        progress.write(to: &self)
        endObject()
        endResponse()
    }
}
