import CPlatform

/// A wake-up from one thread to another; a ring before the wait is not lost.
public final class Bell: Sendable {
    private let ends: (readEnd: Int32, writeEnd: Int32)

    /// Nil if there are no descriptors left.
    public init?() {
        guard let ends = try? Pipe.make() else { return nil }
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        self.ends = ends
    }

    deinit {
        close(ends.readEnd)
        close(ends.writeEnd)
    }

    public func ring() {
        var byte: UInt8 = 1
        // A full pipe is readable anyway.
        _ = retryingInterrupted { write(ends.writeEnd, &byte, 1) }
    }

    /// Waits for a ring, for at most this time; -1: without limit.
    public func wait(milliseconds: Int = -1) {
        var wanted = pollfd(fd: ends.readEnd, events: Int16(POLLIN), revents: 0)
        _ = retryingInterrupted { Int(poll(&wanted, 1, Int32(clamping: milliseconds))) }
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while retryingInterrupted({ read(ends.readEnd, buffer.baseAddress, buffer.count) }) == buffer.count {}
        }
    }
}
