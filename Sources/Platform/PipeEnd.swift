import CPlatform

/// Reads and writes of our ends of pipes that never wait: those to the processes that a loop looks after.
public enum PipeEnd {
    /// Reads what is there.
    /// - Returns: how many bytes, 0 at the end of the stream, nil where nothing is there yet.
    public static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = retryingInterrupted { readBytes(descriptor, buffer.baseAddress, buffer.count) }
        if count >= 0 { return count }
        let code = cplatform_errno()
        // An error of the stream is its end: there is nothing else to do about it.
        return code == EAGAIN || code == EWOULDBLOCK ? nil : 0
    }

    /// Writes what is taken now.
    /// - Returns: how many bytes, 0 where nothing is taken yet, nil where nobody reads any more.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
        let count = retryingInterrupted { writeBytes(descriptor, bytes.baseAddress, bytes.count) }
        if count >= 0 { return count }
        let code = cplatform_errno()
        return code == EAGAIN || code == EWOULDBLOCK ? 0 : nil
    }
}
