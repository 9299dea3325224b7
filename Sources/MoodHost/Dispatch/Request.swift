import JSONRPC

/// All that a request is besides its method and its params. It is a view and ends with the call, so it cannot be copied.
struct Request: ~Copyable {
    /// The id as it was written; nil for a notification, which is not answered.
    let id: UnsafeRawBufferPointer?
    /// The most bytes that the answer may have; over that nothing is done, and the error says so.
    let room: Int
    /// The peer that asks, and the hooks that were asked about it. Both outlive the call: the session, or the plugin's lane,
    /// holds them. They are not counted here, because to ask for them costs more than to answer a ping.
    private let heldCaller: Unmanaged<Caller>
    private let heldRound: Unmanaged<HookRound>?
    /// What the caller may.
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

    /// The hooks that were asked about it, where it is carried out again after them.
    var round: HookRound? { heldRound?.takeUnretainedValue() }

    /// Whether it is carried out again, after its hooks.
    var isAgain: Bool {
        @inline(__always) get { ways.contains(.again) }
    }

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
    /// Its hooks were asked, and it is carried out again.
    static let again = Ways(rawValue: 16)
}
