/// A host's answer to one request.
enum Answer: Sendable {
    /// The exact bytes of `result`, in valid JSON.
    case result([UInt8])
    case failure(RemoteError)
}

/// A running host. It separates commands from the process, so that tests can answer from a list.
struct HostConnection {
    /// Receives notifications: the method, and the exact bytes of the params.
    typealias Listener = (_ method: String, _ params: [UInt8]) -> Void
    /// Receives notifications, and returns whether it wants more.
    typealias Hearing = (_ method: String, _ params: [UInt8]) throws(ClientError) -> Bool

    /// Waits for the answer to a request that was sent.
    typealias Waiting = () throws(ClientError) -> Answer

    /// Sends one request. The caller waits for its answer before it sends the next one. The params are JSON in one
    /// line; nil is none. Notifications before the answer go to the listener, if there is one.
    let ask: (_ method: String, _ params: [UInt8]?, _ listener: Listener?) throws(ClientError) -> Waiting
    /// Waits for notifications until the body answers false or the host ends.
    let listen: (Hearing) throws(ClientError) -> Void
    /// The descriptor that becomes readable when the host writes.
    let descriptor: () -> Int32?
    /// Passes on the notifications that have come, also those before the latest answers. It reads once if there is
    /// something to read, and never waits.
    let hear: (_ reading: Bool, _ listener: Listener) throws(ClientError) -> Void
    /// Ends the conversation and waits for the host to end.
    let close: () -> Void

    /// Sends one request and waits for its answer.
    func call(_ method: String, _ params: [UInt8]?, _ listener: Listener? = nil) throws(ClientError) -> Answer {
        try ask(method, params, listener)()
    }
}

/// The host to start, and its store.
struct HostLaunch: Sendable, Equatable {
    enum Store: Sendable, Equatable {
        /// The store that the host finds in its environment.
        case usual
        case directory(String)
        /// A store in memory: for questions about the host itself.
        case inMemory
    }

    /// The program's path, or its name on PATH; nil is `moodboard` beside this program, else on PATH.
    let program: String?
    let store: Store
    /// Further arguments.
    var more: [String] = []

    var arguments: [String] {
        switch store {
        case .usual: more
        case .directory(let path): ["--store", path] + more
        case .inMemory: ["--in-memory"] + more
        }
    }
}

/// The two ways to use a host, as closures for tests.
struct HostLauncher {
    let connect: (HostLaunch) throws(ClientError) -> HostConnection
    /// Connects our stdin and stdout to the host's until both have ended.
    let passThrough: (HostLaunch) throws(ClientError) -> Void
}
