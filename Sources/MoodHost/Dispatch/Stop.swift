import JSONRPC

/// Why a request goes no further now. Nothing of it remains.
///
/// Why unchecked: it never leaves the loop's thread.
enum Stop: Error, @unchecked Sendable {
    /// It is answered with an error.
    case refused(RPCError)
    /// Its answer comes later. The token is what `$/progress` carries for it: it is read while the arguments are there.
    case later(any LaterWork, progressToken: [UInt8]?)
    /// It has not begun, and is handled again.
    case waits(Wait)

    /// Its answer comes later, and the work knows its token.
    static func later(_ work: any LaterWork) -> Stop { .later(work, progressToken: work.progressToken) }
}

/// What a request waits for before it begins. The session puts it back, and handles it again when that is there.
///
/// Why unchecked: it never leaves the loop's thread.
enum Wait: Error, @unchecked Sendable {
    /// The lock of the store, which another process holds.
    case lock
    /// The helper thread, which opens the store or is at work on its files.
    case helper
    /// The store, which the helper thread has for an earlier request.
    case store
    /// What hooks say: they are asked before the request is carried out.
    case hooks(HookRound)
    /// Nothing: it is handled in a group of its own.
    case turn
}
