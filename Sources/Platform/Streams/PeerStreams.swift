import CPlatform

/// The two directions of a connection to a peer: reading blocks only without data, writing never does.
///
/// Blocking is a flag of the open file description, which a shell or a parent shares with us. So a pipe or a terminal
/// is opened again for writing, by its name if the system has one, to have a flag of our own. A socket uses
/// `MSG_DONTWAIT`. Blocking writes to a regular file are right: they do not wait for a peer.
public struct PeerStreams: ~Copyable {
    private enum Writing {
        case nonblocking, socket, file
        /// A write would block, and the output cannot be opened again (macOS, and Linux without `/proc`): it is written
        /// to only after poll(2) reports that it takes bytes, and then at most the size that a pipe takes atomically
        /// (POSIX, `PIPE_BUF`).
        case guarded
    }

    /// Size of widened pipes, if the system allows it: fewer switches between the processes, and more requests for each
    /// sync.
    private static let pipeBytes: Int32 = 256 * 1024
    /// More than the caches hold, so only for hosts that gain by it.
    private static let widePipeBytes: Int32 = 512 * 1024
    /// The system's limit for all users.
    private static let pipeBytesMax: Int32 = 1024 * 1024

    public let input: Int32
    public let output: Int32
    private let writing: Writing

    /// - Parameter reopens: whether the output may be opened again; false in a test.
    init(input: Int32, output: Int32, reopens: Bool = true) {
        self.input = input
        _ = cplatform_set_pipe_size(input, Self.pipeBytes)
        _ = cplatform_set_pipe_size(output, Self.pipeBytes)
        var status = stat()
        let kind = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
        let isTerminal = isatty(output) == 1
        if kind == S_IFSOCK {
            self.output = output
            writing = .socket
        } else if kind != S_IFIFO, !isTerminal {
            self.output = output
            writing = .file
        } else if reopens, let own = Self.reopen(output, isTerminal: isTerminal) {
            close(output)
            self.output = own
            writing = .nonblocking
        } else {
            self.output = output
            writing = .guarded
        }
    }

    deinit { close(output) }

    private static func reopen(_ output: Int32, isTerminal: Bool) -> Int32? {
        let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        var own = open("/proc/self/fd/\(output)", flags)
        if own < 0, isTerminal, let name = ttyname(output) { own = open(name, flags) }
        guard own >= 0 else { return nil }
        // The standard descriptors are open, so this cannot be one of them.
        return own
    }

    /// Widens pipes, for many small requests that share one slow step.
    public func widen() {
        _ = cplatform_set_pipe_size(input, Self.pipeBytesMax)
        _ = cplatform_set_pipe_size(output, Self.widePipeBytes)
    }

    /// Makes room for the rest of a message in a pipe whose reader is busy, if the system allows it.
    public func makeRoom() { _ = cplatform_set_pipe_size(output, Self.pipeBytesMax) }

    /// Reads the available bytes, at most the buffer's size; 0 at the end of the stream.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // An error of the stream counts as its end.
        max(retryingInterrupted { readBytes(input, buffer.baseAddress, buffer.count) }, 0)
    }

    /// Writes as many bytes as the peer can take now.
    /// - Returns: their number; 0 if the peer must read first.
    /// - Throws: if the peer has closed the stream.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let written = retryingInterrupted {
            switch writing {
            case .socket: send(output, bytes.baseAddress, bytes.count, socketFlags)
            case .nonblocking, .file: writeBytes(output, bytes.baseAddress, bytes.count)
            case .guarded: writeGuarded(bytes)
            }
        }
        if written >= 0 { return written }
        let code = cplatform_errno()
        if code == EAGAIN || code == EWOULDBLOCK { return 0 }
        throw SystemError(call: "write", subject: "stdout", code: code)
    }

    private func writeGuarded(_ bytes: UnsafeRawBufferPointer) -> Int {
        var wanted = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        guard poll(&wanted, 1, 0) > 0 else { return 0 }
        return writeBytes(output, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
    }
}

#if os(Linux)
    private let socketFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
#else
    private let socketFlags = MSG_DONTWAIT
#endif

// Inside the type, its methods hide the calls of these names.
func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
