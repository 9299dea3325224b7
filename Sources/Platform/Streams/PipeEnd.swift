import CPlatform

/// Reads and writes on our non-blocking ends of pipes, for an event loop.
public enum PipeEnd {
    /// Reads the available bytes.
    /// - Returns: their number, 0 at the end of the stream, nil if there are none yet.
    public static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = retryingInterrupted { readBytes(descriptor, buffer.baseAddress, buffer.count) }
        if count >= 0 { return count }
        let code = cplatform_errno()
        // An error of the stream counts as its end.
        return code == EAGAIN || code == EWOULDBLOCK ? nil : 0
    }

    /// Whether nothing can be read now.
    public static func isEmpty(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return retryingInterrupted { Int(poll(&wanted, 1, 0)) } <= 0
    }

    /// Writes as many bytes as the pipe takes now.
    /// - Returns: their number, 0 if it takes none yet, nil if the reader has closed it.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
        let count = retryingInterrupted { writeBytes(descriptor, bytes.baseAddress, bytes.count) }
        if count >= 0 { return count }
        let code = cplatform_errno()
        return code == EAGAIN || code == EWOULDBLOCK ? 0 : nil
    }
}
