import JSONCodec
import Platform

/// Begins a journal: whole and synced under a temporary name, so that it becomes visible whole (rule 1 of `Recovery`).
struct JournalMaker: ~Copyable {
    private let file: File
    /// The file's size, and where the next line goes.
    private(set) var size: Int

    init(
        _ header: JournalHeader, named name: String, at time: String, in place: borrowing StoreDirectory
    ) throws(SystemError) {
        let file = try place.open(name, .create)
        var buffer = ByteBuffer(capacity: 512)
        header.append(to: &buffer, at: time)
        try file.write(buffer.bytes, at: 0)
        size = buffer.count
        self.file = file
    }

    /// Copies whole lines of another journal; the last one gets the line feed that it may lack.
    mutating func copyLines(from journal: borrowing File, _ range: Range<Int>) throws(SystemError) {
        guard !range.isEmpty else { return }
        let lastByte = try file.copyBytes(from: journal, range, to: size)
        size += range.count
        guard lastByte != UInt8(ascii: "\n") else { return }
        let lineFeed: StaticString = "\n"
        try file.write(UnsafeRawBufferPointer(start: lineFeed.utf8Start, count: 1), at: size)
        size += 1
    }

    func sync() throws(SystemError) { try file.sync() }

    /// The journal, once it has been renamed.
    consuming func visible(as path: String) -> File {
        var file = file
        file.path = path
        return file
    }
}

extension File {
    /// Copies a range of another file, in chunks: the last byte of it.
    @discardableResult
    func copyBytes(from source: borrowing File, _ range: Range<Int>, to start: Int) throws(SystemError) -> UInt8? {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { chunk.deallocate() }
        var offset = range.lowerBound
        var lastByte: UInt8?
        while offset < range.upperBound {
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<min(chunk.count, range.upperBound - offset)])
            guard try source.read(part, at: offset) == part.count else {
                throw SystemError(call: "pread", subject: source.path, code: EIO)
            }
            try write(UnsafeRawBufferPointer(part), at: start + offset - range.lowerBound)
            lastByte = part.last
            offset += part.count
        }
        return lastByte
    }
}
