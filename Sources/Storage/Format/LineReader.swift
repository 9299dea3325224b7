import Platform

/// Reads a file line by line in bounded memory, by pread and not through a mapping: cutting a mapped file kills the
/// process, a short read does not.
///
/// Invariants: the bytes `head..<tail` of the buffer are the file's bytes from `offset` on; a line handed out is valid
/// until the next call. The descriptor outlives the reader: its owner holds it across the loop.
struct LineReader: ~Copyable {
    struct Line {
        /// Without the line feed; empty for an overlong line.
        let bytes: UnsafeRawBufferPointer
        let offset: Int
        /// The offset after its line feed.
        let end: Int
        /// False for the last line of a file that does not end in a line feed.
        let isTerminated: Bool
        /// Longer than any line that this program writes. Then it may continue after `end`, and the file with it.
        let isOverlong: Bool
    }

    private static let chunkBytes = 64 << 10
    /// Bytes without a line feed after which reading stops: a file that grew without end has no lines there.
    private static let passedBytesMax = 256 << 20

    private let descriptor: Int32
    private let fileSystem: FileSystem
    private var buffer: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0
    /// The offset of the next line.
    private(set) var offset: Int
    private var isAtEnd = false

    init(_ descriptor: Int32, from offset: Int, in fileSystem: FileSystem) {
        self.descriptor = descriptor
        self.fileSystem = fileSystem
        self.offset = offset
        buffer = .allocate(byteCount: Self.chunkBytes, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The next line, nil at the end of the file.
    mutating func next() throws(SystemError) -> Line? {
        var searched = 0
        var overlongBytes = 0
        while true {
            if let base = buffer.baseAddress, tail - head > searched,
                let found = memchr(base + head + searched, 0x0A, tail - head - searched)
            {
                let length = UnsafeRawPointer(found) - UnsafeRawPointer(base + head)
                return take(length, isTerminated: true, overlongBytes)
            }
            searched = tail - head
            if isAtEnd {
                guard searched > 0 || overlongBytes > 0 else { return nil }
                return take(searched, isTerminated: false, overlongBytes)
            }
            if searched > StoreFiles.lineBytesMax {
                overlongBytes += searched
                head = tail
                searched = 0
                isAtEnd = overlongBytes > Self.passedBytesMax
                if isAtEnd { continue }
            }
            try fill(after: overlongBytes)
        }
    }

    /// Skips line feeds, up to another byte or the end of the file; returns their number.
    mutating func skipBlank() throws(SystemError) -> Int {
        var skipped = 0
        while true {
            if head == tail {
                if isAtEnd { return skipped }
                try fill(after: 0)
                continue
            }
            let count = Self.blankBytes(UnsafeRawBufferPointer(rebasing: buffer[head..<tail]))
            head += count
            offset += count
            skipped += count
            if head < tail { return skipped }
        }
    }

    /// Whether nothing is left to read; valid after `skipBlank`.
    var hasEnded: Bool { isAtEnd && head == tail }

    private mutating func take(_ length: Int, isTerminated: Bool, _ overlongBytes: Int) -> Line {
        let start = offset
        let taken = length + (isTerminated ? 1 : 0)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[head..<head + length])
        head += taken
        offset += overlongBytes + taken
        return Line(
            bytes: overlongBytes > 0 ? UnsafeRawBufferPointer(rebasing: bytes[..<0]) : bytes, offset: start,
            end: offset, isTerminated: isTerminated, isOverlong: overlongBytes > 0)
    }

    /// Reads more after the buffered bytes; `passed` bytes before them were already dropped.
    private mutating func fill(after passed: Int) throws(SystemError) {
        if head > 0 {
            if tail > head, let base = buffer.baseAddress { memmove(base, base + head, tail - head) }
            tail -= head
            head = 0
        }
        if tail == buffer.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
            buffer.deallocate()
            buffer = larger
        }
        let free = UnsafeMutableRawBufferPointer(rebasing: buffer[tail...])
        let count = try fileSystem.readAll(descriptor, into: free, at: offset + passed + tail)
        tail += count
        isAtEnd = count < free.count
    }

    private static func blankBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var at = 0
        while bytes.count - at >= 8,
            bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) == 0x0A0A_0A0A_0A0A_0A0A
        {
            at += 8
        }
        while at < bytes.count, bytes[at] == 0x0A { at += 1 }
        return at
    }
}

/// Searching for line feeds from the end.
///
/// Plain loops: if the compiler does not specialise `lastIndex(where:)`, it allocates memory for each byte, and a
/// journal may end in a megabyte of line feeds.
extension UnsafeRawBufferPointer {
    /// Number of bytes before the line feeds at the end.
    var countWithoutLastLineFeeds: Int {
        var count = count
        while count > 0, self[count - 1] == 0x0A { count -= 1 }
        return count
    }

    /// The offset after the last line feed in the first `end` bytes; 0 if there is none.
    func lastLineStart(before end: Int) -> Int {
        var start = end
        while start > 0, self[start - 1] != 0x0A { start -= 1 }
        return start
    }
}
