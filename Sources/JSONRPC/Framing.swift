import JSONCodec

/// The delimiters of a message on the pipe.
public enum Framing: Sendable {
    /// One JSON text a line, ended by LF: JSON Lines, and the stdio transport of MCP.
    case line
    /// `Content-Length: N`, an empty line, N bytes: the base protocol of LSP 3.17.
    case header
}

extension JSONWriter {
    /// Completes the message written since `mark`: a line feed after it, or a header before it.
    @inlinable @inline(__always)
    public mutating func endMessage(from mark: Int, framing: Framing) {
        switch framing {
        case .line: buffer.append(UInt8(ascii: "\n"))
        case .header: insertHeader(at: mark)
        }
    }

    @usableFromInline @inline(never)
    mutating func insertHeader(at mark: Int) {
        var header = ByteBuffer(capacity: 48)
        header.append("Content-Length: " as StaticString)
        header.append(integer: count - mark)
        header.append("\r\n\r\n" as StaticString)
        header.withBytes { buffer.insert($0, at: mark) }
    }

    /// The end of the message that begins at `start`; `endMessage` has completed it.
    public func messageEnd(from start: Int) -> Int {
        let bytes = buffer.bytes
        guard start < count, bytes[start] == UInt8(ascii: "C") else {
            return bytes.firstOffset(of: UInt8(ascii: "\n"), from: start).map { $0 + 1 } ?? count
        }
        // "Content-Length: ", digits, "\r\n\r\n".
        var at = start + 16
        var length = 0
        while at < count, bytes[at] &- 48 < 10 {
            length = length * 10 + Int(bytes[at] - 48)
            at += 1
        }
        return min(at + 4 + length, count)
    }
}
