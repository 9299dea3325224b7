import JSONCodec
import Platform

/// The last line of a commit's file before its seal, read through a window, because it may name a million records.
struct FileWindow: ~Copyable {
    static let byteCount = 64 << 10

    private var bytes = ByteBuffer(capacity: FileWindow.byteCount)
    /// The place of the window, and of the next byte in it.
    private var start = 0
    private var position = 0
    private let end: Int

    init(end: Int) { self.end = end }

    var offset: Int { start + position }

    mutating func move(to offset: Int) {
        bytes.truncate(to: 0)
        (start, position) = (offset, 0)
    }

    /// The offset after the last line feed.
    mutating func lastLineStart(_ file: borrowing File) throws(SystemError) -> Int {
        var after = end
        while after > 0 {
            let from = max(after - Self.byteCount, 0)
            move(to: from)
            try read(after - from, file)
            let found = bytes.bytes.lastLineStart(before: bytes.count)
            if found > 0 { return from + found }
            after = from
        }
        return 0
    }

    /// The members of a line without records up to the ids that it deletes, at the beginning of the file; nil for
    /// another form.
    mutating func lineHead(_ file: borrowing File) throws(SystemError) -> UnsafeRawBufferPointer? {
        move(to: 0)
        var wanted = Self.byteCount
        while true {
            try read(min(wanted, end) - bytes.count, file)
            if let head = JournalLine.head(of: bytes.bytes), head.count < bytes.count || bytes.count == end {
                return head
            }
            guard bytes.count == min(wanted, end), wanted < end else { return nil }
            wanted *= 4
        }
    }

    mutating func take(_ literal: StaticString, _ file: borrowing File) throws(SystemError) -> Bool {
        try match(literal.utf8CodeUnitCount, file) { $0.take(literal) }
    }

    mutating func takeInteger(_ file: borrowing File) throws(SystemError) -> Int? {
        try match(20, file) { $0.takeInteger() }
    }

    /// Takes a text of that many bytes with its quotes.
    mutating func takeQuoted(_ count: Int, _ file: borrowing File) throws(SystemError) -> Bool {
        try match(count + 2, file) { matcher in
            matcher.take("\"") && matcher.takeText(count: count) != nil && matcher.take("\"")
        }
    }

    mutating func appendRest(to rest: inout ByteBuffer, _ file: borrowing File) throws(SystemError) {
        let from = offset
        try rest.append(upTo: end - from) { (room) throws(SystemError) in try file.read(room, at: from) }
    }

    /// Matches what comes next, which has at most `count` bytes.
    @inline(__always)
    private mutating func match<Answer>(
        _ count: Int, _ file: borrowing File, _ body: (inout ByteMatcher) -> Answer
    ) throws(SystemError) -> Answer {
        if bytes.count - position < count { try slide(file) }
        var matcher = ByteMatcher(UnsafeRawBufferPointer(rebasing: bytes.bytes[position...]))
        let answer = body(&matcher)
        position += matcher.position
        return answer
    }

    private mutating func slide(_ file: borrowing File) throws(SystemError) {
        bytes.removeFirst(position)
        start += position
        position = 0
        try read(min(Self.byteCount - bytes.count, end - start - bytes.count), file)
    }

    private mutating func read(_ count: Int, _ file: borrowing File) throws(SystemError) {
        let from = start + bytes.count
        try bytes.append(upTo: count) { (room) throws(SystemError) in try file.read(room, at: from) }
    }
}
