import JSONRPC

/// All that a request is besides its method and its params. It is a view and ends with the call, so it cannot be copied.
struct Request: ~Copyable {
    /// The id as it was written; nil for a notification, which is not answered.
    let id: UnsafeRawBufferPointer?
    /// The most bytes that the answer may have; over that nothing is done, and the error says so.
    let room: Int
    /// The peer that asks. It outlives the call: the session, or the plugin's lane, holds it.
    unowned(unsafe) let caller: Caller
    let destination: Destination
    /// The hooks that were asked about it, where it is carried out again after them. The session holds it, as the caller.
    unowned(unsafe) let round: HookRound?
    let ways: Ways

    /// The same request, carried out in other ways too.
    func with(_ more: Ways) -> Request {
        Request(id: id, room: room, caller: caller, destination: destination, round: round, ways: ways.union(more))
    }
}

/// How a request may be carried out.
struct Ways: OptionSet, Sendable {
    let rawValue: UInt8
    /// All that it changes has to be there when it returns: members of a batch take effect in their order, and a tool says what
    /// has changed.
    static let atOnce = Ways(rawValue: 1)
    /// The notes of moods are left out of texts and screens.
    static let withoutNotes = Ways(rawValue: 2)
    /// It may wait for the lock and for the helper thread: it is handled again then.
    static let mayWait = Ways(rawValue: 4)
    /// Hooks may be asked; else what they would have to agree to is refused.
    static let mayAskHooks = Ways(rawValue: 8)
}
