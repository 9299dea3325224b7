import JSONRPC

/// A request without its method and params. It is a view that ends with the call, so it cannot be copied.
struct Request: ~Copyable {
    /// The id as written; nil for a notification, which gets no answer.
    let id: UnsafeRawBufferPointer?
    /// The most bytes that the answer may have. A longer one reverts the request and becomes an error.
    let room: Int
    /// The caller, and the hooks that were asked. The session or the plugin's lane holds both longer than the call.
    /// They are not counted here, because counting costs more than answering a ping.
    private let heldCaller: Unmanaged<Caller>
    private let heldRound: Unmanaged<HookRound>?
    /// The permissions of the caller.
    let permissions: Permissions
    let ways: Ways
    let destination: Destination

    @inline(__always)
    init(
        id: UnsafeRawBufferPointer?, room: Int, caller: Caller, destination: Destination, round: HookRound?, ways: Ways
    ) {
        (self.id, self.room, self.destination) = (id, room, destination)
        heldCaller = .passUnretained(caller)
        permissions = caller.permissions
        if let round {
            heldRound = .passUnretained(round)
            self.ways = ways.union(.again)
        } else {
            heldRound = nil
            self.ways = ways
        }
    }

    var caller: Caller { heldCaller.takeUnretainedValue() }

    /// The hooks that were asked, if the request runs again after them.
    var round: HookRound? { heldRound?.takeUnretainedValue() }

    /// Whether the request runs again after its hooks.
    var isAgain: Bool {
        @inline(__always) get { ways.contains(.again) }
    }

    /// A request with further ways.
    func with(_ more: Ways) -> Request {
        Request(id: id, room: room, caller: caller, destination: destination, round: round, ways: ways.union(more))
    }
}

/// Ways to carry out a request.
struct Ways: OptionSet, Sendable {
    let rawValue: UInt8
    /// It must be done when it returns: a tool reports its changes, a resource consists of several answers.
    static let atOnce = Ways(rawValue: 1)
    /// Texts and screens leave out the notes of moods.
    static let withoutNotes = Ways(rawValue: 2)
    /// It may stop, and go on later.
    static let free: Ways = [.mayWait, .mayAskHooks]
    /// It may wait for the lock and for the helper thread, and is handled again then.
    static let mayWait = Ways(rawValue: 4)
    /// It may ask hooks. Without this, a change that needs a hook's consent is refused.
    static let mayAskHooks = Ways(rawValue: 8)
    /// Its hooks were asked, and it runs again.
    static let again = Ways(rawValue: 16)
}
