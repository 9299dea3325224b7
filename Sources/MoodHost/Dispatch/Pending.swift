import JSONCodec
import JSONRPC

/// A request whose answer comes later.
struct Pending {
    /// The id as written; nil for a notification, which gets no answer.
    let id: [UInt8]?
    let caller: Caller
    let destination: Destination
    /// The token as written, if the request wants progress.
    let progressToken: [UInt8]?
    let work: any LaterWork
    /// Whether it gets neither an answer nor progress. (MCP: `notifications/cancelled`)
    var isSilenced = false
    /// The rest of the work, if that is done and waits.
    fileprivate(set) var conclusion: LaterWork.Conclusion?
    /// The lane of the change that the rest makes.
    var lane = Lane(.free)
}

/// The place of an answer in the caller's output.
struct Destination {
    let framing: Framing
    /// The place in the answer of a batch; nil: a message of its own.
    var batch: (number: Int, place: Int)?
}

/// The requests whose answers come later, in the order of arrival.
///
/// Such a request belongs to its group until that is durable, and then begins. If the group is answered again, the
/// request is too.
struct PendingRequests {
    /// The most pending requests, in all and for the helper thread. At the limit no request is handled, so memory stays
    /// bounded.
    private static let countMax = 4096
    private static let helperMax = 64

    private(set) var begun: [Pending] = []
    private(set) var staged: [Pending] = []
    /// Whether no more are taken, because the process ends.
    var isClosed = false
    /// The ways to carry out requests now.
    var ways: Ways { isClosed ? [] : .free }

    var isEmpty: Bool { begun.isEmpty && staged.isEmpty }
    var isFull: Bool {
        begun.count >= Self.helperMax
            && (begun.count >= Self.countMax || begun.lazy.filter(\.work.isOfHelper).count >= Self.helperMax)
    }
    mutating func stage(_ pending: Pending) { staged.append(pending) }
    mutating func dropStaged(after count: Int = 0) { staged.removeLast(max(staged.count - count, 0)) }
    /// The earliest time at which a request is concluded with a partial result.
    var deadline: Int? { begun.lazy.compactMap(\.work.deadline).min() }

    /// Begins the requests of the group, which is durable.
    /// - Returns: whether some work is done already, which no thread reports.
    mutating func beginStaged(_ core: inout Core) -> Bool {
        var isDone = false
        while !staged.isEmpty {
            let pending = staged.removeFirst()
            begun.append(pending)
            if pending.work.begin(&core) { isDone = true }
        }
        return isDone
    }

    /// Keeps the conclusion of a request until its wait is over.
    mutating func hold(_ conclusion: @escaping LaterWork.Conclusion, for wait: Wait, at place: Int) {
        begun[place].conclusion = conclusion
        begun[place].lane.stop(for: wait)
    }

    /// Ends the time to wait for the lock.
    mutating func endLockTime() { for place in begun.indices { begun[place].lane.endLockTime() } }

    /// Removes a request that is answered.
    mutating func remove(at place: Int) -> Pending {
        begun[place].lane.endRound()
        return begun.remove(at: place)
    }

    /// Cancels the requests with this id: their work ends before its next step.
    mutating func cancel(_ id: UnsafeRawBufferPointer, of caller: Caller, isSilent: Bool) {
        Self.cancel(&begun, id, caller, isSilent)
        Self.cancel(&staged, id, caller, isSilent)
    }

    private static func cancel(
        _ list: inout [Pending], _ id: UnsafeRawBufferPointer, _ caller: Caller, _ isSilent: Bool
    ) {
        for place in list.indices
        where list[place].caller.session == caller.session
            && list[place].id?.withUnsafeBytes({ $0.isSameID(as: id) }) == true
        {
            list[place].work.cancel()
            if isSilent { list[place].isSilenced = true }
        }
    }
}
