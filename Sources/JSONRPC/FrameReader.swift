import JSONCodec

/// Splits a stream of bytes, in pieces of any size, into messages: lines and header blocks, recognised for each
/// message.
///
///     line    = JSON text, LF (CRLF too); blank lines are skipped; at the end of the stream the LF may be missing
///     header  = "Content-" … LF, more header lines, an empty line, then Content-Length bytes; any number of CR
///               before each LF
///
/// It does no I/O: the caller appends bytes to `buffer`, then takes frames until there is none. The bytes of a frame
/// stay until `discardTaken`, so that a group of requests can be read a second time (`rewind`) after their common sync
/// failed.
///
/// Invariants
/// 1. Memory is bounded: of a message over the limit only the fault is kept, its bytes are dropped as they come.
/// 2. Every byte is read a bounded number of times, in pieces of any size (see `scanned`).
/// 3. A fault never loses the message after it.
public struct FrameReader: ~Copyable {
    /// One step of the stream.
    public enum Frame {
        /// A message: its bytes in `buffer`, without delimiters.
        case message(Range<Int>, Framing)
        /// Something that is no message; the host answers it with `id: null`.
        case fault(Fault, Framing)
    }

    public enum Fault: Sendable, Equatable {
        /// Over the limit, in bytes; the rest of the message is skipped.
        case tooLarge(limit: Int)
        /// A header block over the limit, in bytes; its body is skipped if its length is known by then.
        case headerTooLarge(limit: Int)
        /// A header block with a line that is no header line.
        case brokenHeader
        /// A header block without a usable length of its body.
        case noLength
        /// The stream ended inside a header block or its body.
        case cutShort
    }

    /// A place in the stream to which `rewind` can return while no bytes have been discarded.
    public struct Mark {
        fileprivate let taken: Int
        fileprivate let scanned: Int
        fileprivate let blanks: Int
        fileprivate let headerLine: Int
        fileprivate let state: State
    }

    enum State {
        case between
        case body(count: Int)
        case skippingBlanks
        case skippingLine
        /// - Parameters:
        ///   - length: the length of the body, if known.
        case skippingHeader(length: Int?, SkippedLine)
        case skippingBody(rest: Int)
    }

    /// The part seen so far of a line in a skipped header block.
    enum SkippedLine { case nothing, returns, text }

    /// Default limit of a header block; no honest one comes near.
    public static let headerBytesMax = 8 * 1024

    /// The bytes read; bytes before the frames already taken may still be in it.
    public var buffer: ByteBuffer
    let messageBytesMax: Int
    let headerBytesMax: Int
    var taken = 0
    var scanned = 0
    /// From `taken` up to here there are only blanks.
    private var blanks = 0
    /// The beginning of the present line of a header block, counted from `taken`.
    var headerLine = 0
    var state = State.between

    public init(messageBytesMax: Int, headerBytesMax: Int = headerBytesMax) {
        self.messageBytesMax = messageBytesMax
        self.headerBytesMax = headerBytesMax
        buffer = ByteBuffer(capacity: 4096)
    }

    public var mark: Mark {
        Mark(taken: taken, scanned: scanned, blanks: blanks, headerLine: headerLine, state: state)
    }

    /// Goes back to a mark taken since the last `discardTaken`.
    public mutating func rewind(to mark: Mark) {
        taken = mark.taken
        scanned = mark.scanned
        blanks = mark.blanks
        headerLine = mark.headerLine
        state = mark.state
    }

    /// Frees the bytes of all frames taken so far. It moves the rest, so call it before reading, not after every frame.
    public mutating func discardTaken() {
        guard taken > 0 else { return }
        buffer.removeFirst(taken)
        scanned = max(scanned - taken, 0)
        blanks = max(blanks - taken, 0)
        taken = 0
        if buffer.isEmpty, buffer.capacity > 4 * 1024 * 1024 { buffer.shrink(toCapacity: 256 * 1024) }
    }

    /// The bytes after the frames that were taken.
    public var waiting: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.bytes[taken...]) }

    /// The next frame, or nil if more bytes are needed.
    /// - Parameter isAtEnd: whether no more bytes will come, so that the rest must be a message.
    public mutating func next(isAtEnd: Bool) -> Frame? {
        while true {
            switch state {
            case .between:
                if taken < buffer.count, buffer.bytes[taken] == UInt8(ascii: "{") {
                    // The usual beginning of a message: neither blank nor header.
                    return takeLine(isAtEnd: isAtEnd)
                }
                guard skipBlank() else { return nil }
                switch startsHeader(isAtEnd: isAtEnd) {
                case nil: return nil
                case true?:
                    if let frame = takeHeader(isAtEnd: isAtEnd) { return frame }
                    if case .between = state { return nil }
                case false?:
                    if let frame = takeLine(isAtEnd: isAtEnd) { return frame }
                    if case .between = state { return nil }
                }
            case .body(let count):
                if buffer.count - taken >= count {
                    state = .between
                    let frame = Frame.message(taken..<taken + count, .header)
                    advance(to: taken + count)
                    return frame
                }
                guard isAtEnd else { return nil }
                state = .between
                advance(to: buffer.count)
                return .fault(.cutShort, .header)
            case .skippingBlanks:
                while taken < buffer.count, Self.isBlank(buffer.bytes[taken]) { taken += 1 }
                advance(to: taken)
                guard taken < buffer.count else { return nil }
                // After more blanks than a message may have bytes, anything but the end of the line is a fault.
                if buffer.bytes[taken] == 0x0a {
                    state = .between
                } else {
                    state = .skippingLine
                    return .fault(.tooLarge(limit: messageBytesMax), .line)
                }
            case .skippingLine:
                if let end = buffer.bytes.firstOffset(of: 0x0a, from: taken) {
                    state = .between
                    advance(to: end + 1)
                } else {
                    advance(to: buffer.count)
                    return nil
                }
            case .skippingHeader(let length, let line):
                guard skipHeader(length, line) else { return nil }
            case .skippingBody(let rest):
                let step = min(rest, buffer.count - taken)
                advance(to: taken + step)
                if step == rest {
                    state = .between
                } else {
                    state = .skippingBody(rest: rest - step)
                    return nil
                }
            }
        }
    }

    mutating func advance(to offset: Int) {
        taken = offset
        scanned = offset
        headerLine = 0
    }

    /// Skips blank lines; false if nothing else is there.
    private mutating func skipBlank() -> Bool {
        let bytes = buffer.bytes
        var at = max(taken, blanks)
        while at < bytes.count, bytes[at] == 0x0a || Self.isBlank(bytes[at]) {
            at += 1
            if bytes[at - 1] == 0x0a { taken = at }
        }
        blanks = at
        if scanned < taken { scanned = taken }
        if at < bytes.count { return true }
        // Only blanks so far: keep a bounded number, because they may be the beginning of a line.
        if at - taken > messageBytesMax {
            state = .skippingBlanks
            advance(to: at)
        }
        return false
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0d || byte == 0x09 }

    /// Whether a header block begins here; nil if more bytes are needed to tell.
    private func startsHeader(isAtEnd: Bool) -> Bool? {
        let word: StaticString = "content-"
        let bytes = buffer.bytes
        for index in 0..<word.utf8CodeUnitCount {
            guard taken + index < bytes.count else { return isAtEnd ? false : nil }
            if !HeaderBlock.isSame(bytes[taken + index], word.utf8Start[index]) { return false }
        }
        return true
    }

    @inline(__always)
    private mutating func takeLine(isAtEnd: Bool) -> Frame? {
        var end: Int
        var next: Int
        if let found = buffer.bytes.firstOffset(of: 0x0a, from: max(scanned, taken)) {
            end = found
            next = found + 1
        } else if isAtEnd {
            end = buffer.count
            next = end
        } else {
            scanned = buffer.count
            // The one byte above the limit may be the CR of the line's end.
            guard buffer.count - taken > messageBytesMax + 1 else { return nil }
            state = .skippingLine
            advance(to: buffer.count)
            return .fault(.tooLarge(limit: messageBytesMax), .line)
        }
        let start = taken
        if end > start, buffer.bytes[end - 1] == 0x0d { end -= 1 }
        advance(to: next)
        if end - start > messageBytesMax { return .fault(.tooLarge(limit: messageBytesMax), .line) }
        return .message(start..<end, .line)
    }
}
