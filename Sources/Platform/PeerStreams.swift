import CPlatform

/// The two directions of a connection to a peer: reading may block (after `wait` it does not), writing never does.
///
/// A pipe is opened anew for writing, through `/proc`, so that `O_NONBLOCK` is ours alone: the flag belongs to the open
/// file description, which a shell or a parent shares with us. Where that is not possible, sockets are asked with
/// `MSG_DONTWAIT`, and for everything else (files, terminals) a blocking write is right.
public struct PeerStreams: ~Copyable {
    private enum Writing { case nonblocking, socket, blocking }

    /// The size that pipes are widened to where the system allows it: fewer switches between the processes, and more
    /// requests for each sync.
    private static let pipeBytes: Int32 = 256 * 1024
    /// What the system gives everybody; more than the caches hold, so only for those who gain by it.
    private static let widePipeBytes: Int32 = 1024 * 1024

    public let input: Int32
    public let output: Int32
    private let writing: Writing

    init(input: Int32, output: Int32) {
        self.input = input
        _ = cplatform_set_pipe_size(input, Self.pipeBytes)
        _ = cplatform_set_pipe_size(output, Self.pipeBytes)
        var status = stat()
        let kind = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFSOCK {
            self.output = output
            writing = .socket
        } else if kind == S_IFIFO {
            let own = open("/proc/self/fd/\(output)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if own >= 3 {
                close(output)
                self.output = own
                writing = .nonblocking
            } else {
                self.output = output
                writing = .blocking
            }
        } else {
            self.output = output
            writing = .blocking
        }
    }

    deinit { close(output) }

    /// Widens pipes as far as the system allows, for many small requests that share one slow step.
    public func widen() {
        _ = cplatform_set_pipe_size(input, Self.widePipeBytes)
        _ = cplatform_set_pipe_size(output, Self.widePipeBytes)
    }

    /// What a wait found.
    public struct Readiness: Sendable {
        public var canRead = false
        /// The peer has closed its writing end; what it wrote before may still be there to read.
        public var isInputClosed = false
        public var canWrite = false
        /// The peer no longer reads.
        public var isOutputClosed = false
        /// Somebody asked the process to end.
        public var isInterrupted = false
        /// The watched file has something to tell.
        public var hasNews = false
    }

    /// Waits until something can be done.
    /// - Parameters:
    ///   - noticesEnd: whether the end of the input ends the wait also when nothing is to be read.
    ///   - watch: another descriptor that ends the wait when it becomes readable; -1: none.
    ///   - milliseconds: nil: as long as it takes.
    public func wait(
        toRead: Bool, noticesEnd: Bool, toWrite: Bool, _ interruption: Int32, watch: Int32 = -1, milliseconds: Int?
    ) -> Readiness {
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 4) { polls in
            polls[0] = pollfd(fd: toRead || noticesEnd ? input : -1, events: toRead ? Int16(POLLIN) : 0, revents: 0)
            // Errors are reported whatever is asked for, so a closed pipe is noticed while there is nothing to write.
            polls[1] = pollfd(fd: output, events: toWrite ? Int16(POLLOUT) : 0, revents: 0)
            polls[2] = pollfd(fd: interruption, events: Int16(POLLIN), revents: 0)
            polls[3] = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            let timeout = milliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
            var readiness = Readiness()
            guard poll(polls.baseAddress, 4, timeout) > 0 else { return readiness }
            readiness.canRead = toRead && polls[0].revents != 0
            readiness.isInputClosed = polls[0].revents & Int16(POLLHUP | POLLERR) != 0
            readiness.canWrite = polls[1].revents & Int16(POLLOUT) != 0
            readiness.isOutputClosed = polls[1].revents & Int16(POLLERR | POLLNVAL) != 0
            readiness.isInterrupted = polls[2].revents != 0
            readiness.hasNews = polls[3].revents != 0
            return readiness
        }
    }

    /// Reads what is there, at most the buffer's size; 0 at the end of the stream.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // An error of the stream is its end: there is nothing else to do about it.
        max(retryingInterrupted { readBytes(input, buffer.baseAddress, buffer.count) }, 0)
    }

    /// Writes what the peer can take now.
    /// - Returns: how many bytes, 0 when the peer must read first.
    /// - Throws: when the peer is gone.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let written = Self.write(bytes, to: output, writing)
        if written >= 0 { return written }
        let code = cplatform_errno()
        if code == EAGAIN || code == EWOULDBLOCK { return 0 }
        throw SystemError(call: "write", subject: "stdout", code: code)
    }

    /// Writes what the peer can take now: how many bytes, 0 also when it is gone. For whoever has something to tell in the
    /// middle of its work; only to be called as long as this value lives.
    public var interimWriter: @Sendable (UnsafeRawBufferPointer) -> Int {
        { [output, writing] bytes in max(Self.write(bytes, to: output, writing), 0) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to output: Int32, _ writing: Writing) -> Int {
        retryingInterrupted {
            switch writing {
            case .socket: send(output, bytes.baseAddress, bytes.count, socketFlags)
            case .nonblocking, .blocking: writeBytes(output, bytes.baseAddress, bytes.count)
            }
        }
    }
}

#if os(Linux)
    private let socketFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
#else
    private let socketFlags = MSG_DONTWAIT
#endif

// Inside the type the names of the calls are those of its methods.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
