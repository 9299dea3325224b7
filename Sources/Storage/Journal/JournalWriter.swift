import JSONCodec
import Platform

/// The journal that is read on and appended to: the file, where its lines end, and those that wait for the next sync.
///
/// Invariants, while the store's lock is held:
/// 1. From `end` to `size` the file holds line feeds, but for the first `aheadCount` bytes of the lines that wait: those are
///    written already, where nobody takes them for committed, because what is published ends before.
/// 2. The lines that wait are numbered without a gap from the last commit in the file. All of them but those bytes are in
///    `lines`.
/// 3. Once `isUnusable`, the file is neither written nor synced again: the kernel may have given up pages and report success
///    the next time.
struct JournalWriter: ~Copyable {
    /// How many line feeds are written after the end, so that a sync need not write metadata, whenever only half as many are
    /// left there.
    static let growthBytes = 256 << 10
    private static let lineFeeds = [UInt8](repeating: UInt8(ascii: "\n"), count: growthBytes)

    /// Nil where it has to be found again.
    var file: File?
    /// At least the snapshot's.
    var generation: Int
    /// Whether `file` was opened to be written.
    var isWritable = false
    /// Whether a write or sync failed so that no other may follow; another generation helps.
    var isUnusable = false
    /// Where the next line goes.
    var end = 0
    var size = 0
    /// Where the lines of the last sync begin.
    private(set) var syncStart = 0
    var lines: CommitLines
    private(set) var aheadCount = 0
    /// Why writing ahead failed; the group's sync tells.
    private var aheadFailure: SystemError?

    init(_ file: consuming File?, generation: Int, after revision: Int) {
        self.file = file
        self.generation = generation
        lines = CommitLines(after: revision)
    }

    var name: String { StoreInventory.journalName(generation) }

    var descriptor: Int32? {
        switch file {
        case .some(let file): file.descriptor
        case .none: nil
        }
    }

    /// The bytes of the lines that wait.
    var waitingBytes: Int { aheadCount + lines.count }
    /// Where among those the line begins that was begun or ended last.
    var lineOffset: Int { aheadCount + lines.lineStart }

    // MARK: Writing

    /// Writes the lines that wait.
    /// - Throws: `full`: the file is as it was. `outcomeUnknown`: it is unusable.
    mutating func write() throws(StorageError) {
        do throws(SystemError) {
            if let aheadFailure { throw aheadFailure }
            try file?.write(lines.buffer.bytes, at: end + aheadCount)
        } catch {
            let failed = error
            guard failed.isNoSpace else {
                isUnusable = true
                throw .outcomeUnknown(reason: "Writing the journal failed: \(failed).")
            }
            do {
                try file?.truncate(to: end)
            } catch {
                isUnusable = true
                throw .outcomeUnknown(
                    reason: "Writing the journal failed: \(failed), and so did cutting it back: \(error).")
            }
            size = end
            aheadCount = 0
            aheadFailure = nil
            throw .full(reason: "There is no space for the journal: \(failed). Free some and try again.")
        }
        size = max(size, end + waitingBytes)
    }

    mutating func sync() throws(StorageError) {
        do {
            try file?.syncData()
        } catch {
            isUnusable = true
            throw .outcomeUnknown(reason: "Syncing the journal failed: \(error).")
        }
    }

    /// The lines that waited are committed.
    /// - Returns: their bytes.
    mutating func settle(isSynced: Bool) -> Int {
        let count = waitingBytes
        syncStart = end
        end += count
        if isSynced, count < Self.growthBytes / 2 { grow() }
        aheadCount = 0
        return count
    }

    /// Grows the file in advance, which nobody waits for: the disk begins with it while the next request is still to come.
    /// After a large group it is not worth it, whose own bytes take longer. Where it fails, every write grows the file a
    /// little, which is slower and nothing else; why it failed is told by the write that needs the space.
    private mutating func grow() {
        guard size - end < Self.growthBytes / 2 else { return }
        let start = size
        let isWritten = Self.lineFeeds.withUnsafeBytes { (try? file?.write($0, at: start)) != nil }
        guard isWritten else { return }
        size += Self.growthBytes
        file?.startWriting(start..<size)
    }

    // MARK: Writing ahead

    /// Writes the lines that are ended, where they are so many that the disk better begins with them at once: it works on them
    /// while the next requests are handled, and the sync of a large group has less to wait for. Nobody is told of them
    /// before that; a process that is killed meanwhile leaves unproven lines, as it does in the middle of any write.
    @inline(never)
    mutating func writeAhead(isSynced: Bool) {
        guard isWritable, !isUnusable, aheadFailure == nil else { return }
        let start = end + aheadCount
        do throws(SystemError) {
            try file?.write(lines.buffer.bytes, at: start)
        } catch {
            return aheadFailure = error
        }
        aheadCount += lines.count
        lines.removeWritten()
        size = max(size, end + aheadCount)
        if isSynced { file?.startWriting(start..<end + aheadCount) }
    }

    /// The lines that wait are given up: what is written of them is cut off again.
    mutating func dropLines(after revision: Int) {
        if aheadCount > 0 || aheadFailure != nil { takeBackAhead() }
        lines.removeAll(after: revision)
    }

    private mutating func takeBackAhead() {
        defer {
            aheadCount = 0
            aheadFailure = nil
        }
        if isUnusable { return }
        do throws(SystemError) {
            if let aheadFailure, !aheadFailure.isNoSpace { throw aheadFailure }
            try file?.truncate(to: end)
            size = end
        } catch {
            isUnusable = true
        }
    }
}

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
