import JSONCodec
import Platform

/// Finding a commit in a journal without reading the earlier ones: a journal has its commits in order.
extension JournalReader {
    /// Distance within which reading on is faster than seeking.
    private static let nearBytes = 256 << 10
    /// Sizes of a probe; the next one is tried if no whole line lies in the last.
    private static let probeBytes = [16 << 10, 128 << 10, 1 << 20]

    /// A place near and before the commits after `revision`, found by bisection. It is `start` if the journal is short,
    /// or is not a file that only grew.
    static func place(
        after revision: Int, from start: CommitPlace, _ descriptor: Int32, in fileSystem: FileSystem
    ) throws(SystemError) -> CommitPlace {
        var low = start
        var high = try fileSystem.status(descriptor).size
        while high - low.offset > nearBytes {
            let middle = low.offset + (high - low.offset) / 2
            guard let line = try firstCommit(from: middle, descriptor, fileSystem), line.seq <= revision + 1 else {
                high = middle
                continue
            }
            guard line.seq > low.revision else { return start }
            low = CommitPlace(
                revision: line.seq - 1, journalGeneration: start.journalGeneration, offset: line.offset)
        }
        return low
    }

    private static func firstCommit(
        from offset: Int, _ descriptor: Int32, _ fileSystem: FileSystem
    ) throws(SystemError) -> (seq: Int, offset: Int)? {
        for size in probeBytes {
            var bytes = ByteBuffer(capacity: size)
            try bytes.append(upTo: size) { (space) throws(SystemError) in
                try fileSystem.readAll(descriptor, into: space, at: offset)
            }
            if let line = firstCommit(bytes.bytes) { return (line.seq, offset + line.offset) }
            // The end of the file, or line feeds written in advance.
            if bytes.count < size || bytes.bytes.countWithoutLastLineFeeds == 0 { return nil }
        }
        return nil
    }

    /// The first commit whose whole line lies in these bytes.
    private static func firstCommit(_ bytes: UnsafeRawBufferPointer) -> (seq: Int, offset: Int)? {
        var start = bytes.firstOffset(of: UInt8(ascii: "\n")).map { $0 + 1 }
        while let first = start, let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: first) {
            if let content = Seal.content(of: UnsafeRawBufferPointer(rebasing: bytes[first..<end])),
                let commit = JournalLine(content: content)
            {
                return (commit.seq, first)
            }
            start = end + 1
        }
        return nil
    }
}
