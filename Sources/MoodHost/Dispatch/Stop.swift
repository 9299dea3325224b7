import JSONRPC
import MoodProtocol

/// The reason why a request stops for now. None of its effects remain.
///
/// Why unchecked: it never leaves the loop's thread.
enum Stop: Error, @unchecked Sendable {
    /// Answered with an error.
    case refused(RPCError)
    /// Answered later. The token is for `$/progress`, read while the arguments exist.
    case later(any LaterWork, progressToken: [UInt8]?)
    /// Not begun, and handled again.
    case waits(Wait)

    /// Answered later, with the token of the work.
    static func later(_ work: any LaterWork) -> Stop { .later(work, progressToken: work.progressToken) }

    /// The one place where an error of a handler becomes the end of its request.
    init(_ error: any Error, _ effect: MethodDeclaration.Effect) {
        self = (error as? Stop) ?? .refused(RPCError(error, effect))
    }
}

/// The condition that a request waits for before it begins. The session puts the request back, and handles it again
/// when the condition is met.
///
/// Why unchecked: it never leaves the loop's thread.
enum Wait: Error, @unchecked Sendable {
    /// The lock of the store, which another process holds.
    case lock
    /// The helper thread, which opens the store or works on its files.
    case helper
    /// The store, which another thread has for an earlier request.
    case store
    /// The effect of an earlier setup or leave of the sync, which works beside the loop.
    case sync
    /// The answers of hooks, which are asked before the request is carried out.
    case hooks(HookRound)
    /// Nothing: the request is handled in a group of its own.
    case turn

    /// Whether the condition is met.
    func isOver(_ core: borrowing Core) -> Bool {
        switch self {
        case .lock: core.store.lockWait.isOver
        case .helper: !core.store.helper.isRunning
        case .hooks(let round): round.verdict != nil
        case .store: !core.isStoreAway
        case .sync: !core.sync.requests.isChanging
        case .turn: true
        }
    }
}
