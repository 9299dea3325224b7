/// Header blocks.
///
///     block  = 1*line, empty line
///     line   = name ":" value, any number of CR, LF
///
/// A client in text mode on Windows writes CRCRLF. A line that begins with `{` or `[` is no header line but a message:
/// the block before it was cut short, and a host that waited for its end would answer nothing any more.
extension FrameReader {
    mutating func takeHeader(isAtEnd: Bool) -> Frame? {
        while true {
            let bytes = buffer.bytes
            let start = taken + headerLine
            if headerLine > 0, start < bytes.count, HeaderBlock.beginsMessage(bytes[start]) {
                advance(to: start)
                return .fault(.brokenHeader, .header)
            }
            let found = bytes.firstOffset(of: 0x0a, from: max(scanned, start))
            guard (found.map { $0 + 1 } ?? bytes.count) - taken <= headerBytesMax else {
                // Header lines that are complete by here count, however the bytes were split.
                let length = HeaderBlock(UnsafeRawBufferPointer(rebasing: bytes[taken..<start])).length
                state = .skippingHeader(length: length, .nothing)
                advance(to: start)
                return .fault(.headerTooLarge(limit: headerBytesMax), .header)
            }
            guard let end = found else {
                scanned = bytes.count
                guard isAtEnd else { return nil }
                advance(to: bytes.count)
                return .fault(.cutShort, .header)
            }
            if HeaderBlock.isEmpty(bytes, start, end) { return take(start, end + 1) }
            headerLine = end + 1 - taken
            scanned = end + 1
        }
    }

    /// Takes a complete block.
    /// - Parameters:
    ///   - lines: the end of its header lines.
    ///   - end: the start of its body.
    private mutating func take(_ lines: Int, _ end: Int) -> Frame? {
        let block = HeaderBlock(UnsafeRawBufferPointer(rebasing: buffer.bytes[taken..<lines]))
        advance(to: end)
        guard let length = block.length else { return .fault(block.isBroken ? .brokenHeader : .noLength, .header) }
        if length > messageBytesMax || block.isBroken {
            state = .skippingBody(rest: length)
            return .fault(block.isBroken ? .brokenHeader : .tooLarge(limit: messageBytesMax), .header)
        }
        state = .body(count: length)
        return nil
    }

    /// Skips the rest of a block, up to its empty line or to a line that begins a message.
    /// - Returns: false if more bytes are needed.
    mutating func skipHeader(_ length: Int?, _ line: SkippedLine) -> Bool {
        let bytes = buffer.bytes
        var (at, line) = (taken, line)
        while at < bytes.count {
            let byte = bytes[at]
            switch (line, byte) {
            case (.nothing, _) where HeaderBlock.beginsMessage(byte):
                advance(to: at)
                state = .between
                return true
            case (.nothing, 0x0a), (.returns, 0x0a):
                advance(to: at + 1)
                state = length.map { .skippingBody(rest: $0) } ?? .between
                return true
            case (.text, _):
                let end = bytes.firstOffset(of: 0x0a, from: at)
                at = end ?? bytes.count - 1
                if end != nil { line = .nothing }
            case (_, 0x0d): line = .returns
            default: line = .text
            }
            at += 1
        }
        advance(to: at)
        state = .skippingHeader(length: length, line)
        return false
    }
}
