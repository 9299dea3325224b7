/// What a host answered to one request.
enum Answer: Sendable {
    /// The `result` exactly as it came, in JSON that was checked.
    case result([UInt8])
    case failure(RemoteError)
}

/// A host that answers: the seam between the commands and the process, so that tests can answer from a list.
struct HostConnection {
    /// Gets notifications: the method, and the params as they came.
    typealias Listener = (_ method: String, _ params: [UInt8]) -> Void
    /// The same, and answers whether it wants more.
    typealias Hearing = (_ method: String, _ params: [UInt8]) throws(ClientError) -> Bool

    /// Waits for the answer to a request that was sent.
    typealias Waiting = () throws(ClientError) -> Answer

    /// Sends one request; its answer is waited for before the next one is sent. The params are JSON in one line; nil is none.
    /// Notifications before the answer go to the listener, if there is one.
    let ask: (_ method: String, _ params: [UInt8]?, _ listener: Listener?) throws(ClientError) -> Waiting
    /// Waits for notifications until the body answers false or the host ends.
    let listen: (Hearing) throws(ClientError) -> Void
    /// What becomes readable when the host writes.
    let descriptor: () -> Int32?
    /// Passes on the notifications that have come, also those that came with the latest answers. It reads once, if it is told
    /// that there is something to read, and never waits for more.
    let hear: (_ reading: Bool, _ listener: Listener) throws(ClientError) -> Void
    /// Ends the conversation and waits for the host's end.
    let close: () -> Void

    /// Sends one request and waits for its answer.
    func call(_ method: String, _ params: [UInt8]?, _ listener: Listener? = nil) throws(ClientError) -> Answer {
        try ask(method, params, listener)()
    }
}

/// Which host to start, and on what.
struct HostOptions: Sendable, Equatable {
    enum Store: Sendable, Equatable {
        /// The store that the host finds in its environment.
        case usual
        case directory(String)
        /// A store in memory: for questions about the host itself.
        case inMemory
    }

    /// Its path, or its name on PATH; nil is `moodboard` beside this program, else on PATH.
    let program: String?
    let store: Store
    /// What else its command line says.
    var more: [String] = []

    var arguments: [String] {
        switch store {
        case .usual: more
        case .directory(let path): ["--store", path] + more
        case .inMemory: ["--in-memory"] + more
        }
    }
}

/// The two ways to use a host; a value of closures for the same reason as `HostConnection`.
struct HostLauncher {
    let connect: (HostOptions) throws(ClientError) -> HostConnection
    /// Hands our stdin to the host and its answers to our stdout until both have ended.
    let passThrough: (HostOptions) throws(ClientError) -> Void
}
