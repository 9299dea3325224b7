import JSONCodec
import JSONRPC
import PluginHost

/// A request whose answer comes later.
struct Pending {
    /// As it was written; nil for a notification, which is not answered.
    let id: [UInt8]?
    let caller: Caller
    let destination: Destination
    /// As the request gave it, where it wants to be told how far it is.
    let progressToken: [UInt8]?
    let work: any LaterWork
    /// Nothing more is sent for it. (MCP: `notifications/cancelled`)
    var isSilenced = false
    /// The rest of the work, and the hooks that are asked about it first.
    var asked: (round: HookRound, conclusion: LaterWork.Conclusion)?
}

/// Where an answer goes; who asks puts it there.
struct Destination {
    let framing: Framing
    /// Its place in the one answer of a batch; nil: it is a message of its own.
    var batch: (number: Int, place: Int)?
}

/// The requests that are answered later, in the order in which they came.
///
/// Such a request belongs to the group in which it came until that is durable. Then it begins. Where the group is answered
/// again, it is too.
struct PendingRequests {
    /// With so many, or so many for the helper thread, nothing more is handled: memory stays bounded.
    private static let countMax = 4096
    private static let helperMax = 64

    private(set) var begun: [Pending] = []
    private(set) var staged: [Pending] = []
    /// Whether no more are taken, because the process ends.
    var isClosed = false

    var isEmpty: Bool { begun.isEmpty && staged.isEmpty }
    var isFull: Bool {
        begun.count >= Self.helperMax
            && (begun.count >= Self.countMax || begun.lazy.filter(\.work.isOfHelper).count >= Self.helperMax)
    }
    mutating func stage(_ pending: Pending) { staged.append(pending) }
    mutating func dropStaged(after count: Int = 0) { staged.removeLast(max(staged.count - count, 0)) }
    /// When the first of them is concluded with what is there.
    var deadline: Int? { begun.lazy.compactMap(\.work.deadline).min() }

    /// Begins those of the group, which is durable.
    /// - Returns: whether one is done already.
    mutating func beginStaged(_ core: inout Core) -> Bool {
        var isDone = false
        while !staged.isEmpty {
            let pending = staged.removeFirst()
            begun.append(pending)
            if pending.work.begin(&core) { isDone = true }
        }
        return isDone
    }

    /// Before it is concluded, these hooks are asked.
    mutating func ask(_ round: HookRound, _ conclusion: @escaping LaterWork.Conclusion, at place: Int) {
        begun[place].asked = (round, conclusion)
    }

    /// Whether a hook of this plugin is asked about one of them.
    func isAsked(_ plugin: HostedPlugin) -> Bool { begun.contains { $0.asked?.round.asked === plugin } }

    mutating func remove(at place: Int) -> Pending { begun.remove(at: place) }

    /// Cancels the requests of this id: their work ends before its next step.
    mutating func cancel(_ id: UnsafeRawBufferPointer, of caller: Caller, isSilent: Bool) {
        Self.cancel(&begun, id, caller, isSilent)
        Self.cancel(&staged, id, caller, isSilent)
    }

    private static func cancel(
        _ list: inout [Pending], _ id: UnsafeRawBufferPointer, _ caller: Caller, _ isSilent: Bool
    ) {
        for place in list.indices
        where list[place].caller.session == caller.session && list[place].id?.elementsEqual(id) == true {
            list[place].work.cancel()
            if isSilent { list[place].isSilenced = true }
        }
    }
}
