import JSONCodec

/// How a message is delimited on the pipe.
public enum Framing: Sendable {
    /// One JSON text a line, ended by LF: JSON Lines, and the stdio transport of MCP.
    case line
    /// `Content-Length: N`, an empty line, N bytes: the base protocol of LSP 3.17.
    case header
}

extension JSONWriter {
    /// Completes the message that was written from `mark` on: a line feed after it, or a header before it.
    public mutating func endMessage(from mark: Int, framing: Framing) {
        switch framing {
        case .line:
            buffer.append(UInt8(ascii: "\n"))
        case .header:
            var header = ByteBuffer(capacity: 48)
            header.append("Content-Length: " as StaticString)
            header.append(integer: count - mark)
            header.append("\r\n\r\n" as StaticString)
            header.withBytes { buffer.insert($0, at: mark) }
        }
    }
}
