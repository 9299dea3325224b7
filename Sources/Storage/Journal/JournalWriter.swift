import JSONCodec
import Platform

/// The journal that is read and appended to: the file and the end of its lines. The lines for the next sync are passed in.
///
/// Invariants, while the store's lock is held:
/// 1. From `end` to `size` the file holds line feeds, except for the first `aheadCount` bytes of the waiting lines:
///    those are already written. No reader takes them for committed, because the publication ends before them.
/// 2. The waiting lines are numbered without a gap from the last commit in the file. All except those bytes are in the
///    caller's `CommitLines`.
/// 3. Once `isUnusable`, the file is neither written nor synced again: the kernel may have dropped pages and report
///    success the next time.
/// 4. `seal` is that of the line before `end`; nil if unknown.
struct JournalWriter: ~Copyable {
    /// Line feeds to write after the end when less than half of them are left there, so that a sync need not write
    /// metadata.
    static let growthBytes = 256 << 10
    private static let lineFeeds = [UInt8](repeating: UInt8(ascii: "\n"), count: growthBytes)

    /// Nil until a search finds it.
    private(set) var file: File?
    /// The identity of `file`.
    private(set) var identity: FileStatus?
    /// The journal's generation, at least the snapshot's.
    var generation: Int
    /// Whether `file` was opened for writing.
    private(set) var isWritable = false
    /// Whether its lock is held, see `hold`.
    private var isHeld = false
    /// Whether a write or sync failed so that no other may follow; only another generation helps.
    var isUnusable = false
    /// The offset of the next line.
    private(set) var end = 0
    private(set) var size = 0
    /// The digits of the last line's seal, in the byte order of memory.
    private(set) var seal: UInt64?
    /// The commit of that line, if one was read or written since the file was opened.
    private(set) var sealed: Int?
    /// Start of the lines of the last sync.
    private(set) var syncStart = 0
    private(set) var aheadCount = 0
    /// The seal of the last line written ahead.
    private var aheadSeal: UInt64?
    /// The reason why writing ahead failed; the group's sync reports it.
    private var aheadFailure: SystemError?

    /// A journal without an open file.
    init(generation: Int) { self.generation = generation }

    /// Continues in a file whose lines end at `end`.
    /// - Parameter isHeld: whether its lock was taken.
    mutating func open(
        _ file: consuming File, _ generation: Int, end: Int, isWritable: Bool, isHeld: Bool = false
    ) {
        self.generation = generation
        self.end = end
        (self.isWritable, self.isHeld) = (isWritable, isHeld)
        // A status or seal that cannot be read now is not compared later.
        let status = try? file.status()
        (identity, size) = (status, max(status?.size ?? 0, end))
        seal = (try? Self.end(of: file, at: end))?.seal
        self.file = consume file
    }

    /// Closes the file.
    mutating func close() {
        file = nil
        isHeld = false
    }

    /// Takes `file`, which is the open file opened for writing. Its lock has to be taken again.
    mutating func makeWritable(_ file: consuming File) {
        self.file = consume file
        (isWritable, isHeld) = (true, false)
    }

    /// Locks the journal for a writer. If `lock` is replaced, two processes can each lock a different file; the journal
    /// lock still keeps them apart.
    /// - Returns: false if another process holds it until the deadline.
    mutating func hold(until deadline: Int, in fileSystem: FileSystem) throws(SystemError) -> Bool {
        guard !isHeld, let descriptor else { return true }
        isHeld = try fileSystem.lock(descriptor, .exclusiveNow, until: deadline)
        return isHeld
    }

    mutating func letGo(in fileSystem: FileSystem) {
        guard isHeld, let descriptor else { return }
        isHeld = false
        // If even this fails, closing releases it.
        do throws(SystemError) { try fileSystem.lock(descriptor, .none) } catch {}
    }

    /// Takes over a line of another process, which begins where the last one ended.
    mutating func follow(_ commit: JournalReader.Commit) {
        end = commit.end
        size = max(size, end)
        (seal, sealed) = (commit.seal, commit.content.seq)
    }

    var name: String { StoreInventory.journalName(generation) }

    var descriptor: Int32? {
        switch file {
        case .some(let file): file.descriptor
        case .none: nil
        }
    }

    // MARK: Writing

    /// Writes the waiting lines.
    /// - Throws: `full`: the file is unchanged. `outcomeUnknown`: it is unusable.
    mutating func write(_ lines: borrowing CommitLines) throws(StorageError) {
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
                try cutBack()
            } catch {
                isUnusable = true
                throw .outcomeUnknown(
                    reason: "Writing the journal failed: \(failed), and so did cutting it back: \(error).")
            }
            aheadCount = 0
            aheadFailure = nil
            throw .full(reason: "There is no space for the journal: \(failed). Free some and try again.")
        }
        size = max(size, end + aheadCount + lines.count)
    }

    /// Removes the bytes after the end durably: after a power cut a whole line there would count as a commit.
    private mutating func cutBack() throws(SystemError) {
        try file?.truncate(to: end)
        try file?.sync()
        size = end
    }

    /// Cuts off the lines of the last sync again.
    /// - Returns: their bytes.
    mutating func takeBackSync() -> Int {
        let count = end - syncStart
        end = syncStart
        (seal, sealed) = (nil, nil)
        do throws(SystemError) { try cutBack() } catch { isUnusable = true }
        return count
    }

    // MARK: Comparing with the last known state

    /// The bytes around the end of the lines.
    private struct End {
        /// Nil if the bytes before are no seal.
        var seal: UInt64?
        /// Whether the file ends there, or a line feed follows.
        var isClear: Bool
    }

    private static func end(of file: borrowing File, at end: Int) throws(SystemError) -> End {
        // Eight digits, `"}`, a line feed, and one byte more.
        var bytes: (UInt64, UInt32) = (0, 0)
        let start = end - 11
        guard start >= 0 else { return End(seal: nil, isClear: false) }
        return try withUnsafeMutableBytes(of: &bytes) { (bytes) throws(SystemError) in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[..<12])
            let count = try file.read(room, at: start)
            let isLine = count >= 11 && room[8] == 0x22 && room[9] == 0x7D && room[10] == 0x0A
            return End(
                seal: isLine ? room.loadUnaligned(as: UInt64.self) : nil,
                isClear: count == 11 || (count == 12 && room[11] == 0x0A))
        }
    }

    /// The status of the file that has the journal's name now; nil if none has it, or the call fails.
    func named(in fileSystem: FileSystem) -> FileStatus? {
        switch file {
        case .some(let file): try? fileSystem.statusOfPath(file.path)
        case .none: nil
        }
    }

    /// How a file with the journal's name compares with the one written here.
    enum Standing { case same, shorter, another }

    func standing(of named: FileStatus, _ lines: borrowing CommitLines) -> Standing {
        guard let identity, named.isSameFile(as: identity), named.size >= end + aheadCount + lines.count else {
            return .another
        }
        return named.size < size ? .shorter : .same
    }

    /// Records that another process has cut off the line feeds at the end.
    mutating func noteShorter(_ size: Int) { self.size = size }

    /// Whether the last line is the one that was read or written last, and nothing follows it.
    func isEndAsItWas() throws(SystemError) -> Bool {
        switch file {
        case .none: return false
        case .some(let file):
            let found = try Self.end(of: file, at: end)
            return found.isClear && (seal == nil || found.seal == seal)
        }
    }

    mutating func sync() throws(StorageError) {
        do {
            try file?.syncData()
        } catch {
            isUnusable = true
            throw .outcomeUnknown(reason: "Syncing the journal failed: \(error).")
        }
    }

    /// Records the waiting lines as committed.
    /// - Returns: their bytes.
    mutating func settle(_ lines: borrowing CommitLines, isSynced: Bool) -> Int {
        let count = aheadCount + lines.count
        syncStart = end
        end += count
        noteSeal(lines)
        if isSynced, count < Self.growthBytes / 2 { grow() }
        aheadCount = 0
        return count
    }

    private mutating func noteSeal(_ lines: borrowing CommitLines) {
        let written = lines.buffer.bytes
        // If nothing is left, the whole group was written ahead.
        seal = written.count > Seal.byteCount ? Self.seal(of: written) : aheadSeal
        sealed = lines.seq
    }

    /// The seal of the last of these lines.
    private static func seal(of lines: UnsafeRawBufferPointer) -> UInt64 {
        Seal.digits(ofSealed: UnsafeRawBufferPointer(rebasing: lines.dropLast()))
    }

    /// Grows the file in advance, in the background: the disk begins with it before the next request. Not after a large
    /// group, whose own bytes take longer. If it fails, every write grows the file a little, which is only slower; the
    /// write that needs the space reports the reason.
    private mutating func grow() {
        guard size - end < Self.growthBytes / 2 else { return }
        let start = size
        let isWritten = Self.lineFeeds.withUnsafeBytes { (try? file?.write($0, at: start)) != nil }
        guard isWritten else { return }
        size += Self.growthBytes
        file?.startWriting(start..<size)
    }

    // MARK: Writing ahead

    /// Writes the ended lines early, if they are so many that the disk should begin at once: it works during the next
    /// requests, and the sync of a large group takes less time. No answer leaves before the sync; a process killed
    /// meanwhile leaves unproven lines, as in the middle of any write.
    @inline(never)
    mutating func writeAhead(_ lines: inout CommitLines, isSynced: Bool) {
        guard isWritable, !isUnusable, aheadFailure == nil else { return }
        let start = end + aheadCount
        do throws(SystemError) {
            try file?.write(lines.buffer.bytes, at: start)
        } catch {
            return aheadFailure = error
        }
        aheadCount += lines.count
        aheadSeal = Self.seal(of: lines.buffer.bytes)
        lines.removeWritten()
        size = max(size, end + aheadCount)
        if isSynced { file?.startWriting(start..<end + aheadCount) }
    }

    /// Drops the waiting lines, and cuts off those already written.
    mutating func dropLines(_ lines: inout CommitLines, after revision: Int) {
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
            try cutBack()
        } catch {
            isUnusable = true
        }
    }
}

/// A new journal, written whole and synced under a temporary name, so that it becomes visible whole (rule 1 of
/// `Recovery`). Its lock is held from the beginning.
struct JournalMaker: ~Copyable {
    private var draft: DraftFile
    /// The file's size, and the offset of the next line.
    private(set) var size: Int

    init(
        _ header: JournalHeader, at time: String, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) {
        let draft = try place.draft(settings)
        // Locked before any process can see it: its maker may write to it under this lock.
        try place.fileSystem.lock(draft.file.descriptor, .exclusiveNow)
        var buffer = ByteBuffer(capacity: 512)
        header.append(to: &buffer, at: time)
        try draft.file.write(buffer.bytes, at: 0)
        size = buffer.count
        self.draft = consume draft
    }

    /// Copies whole lines of another journal, and adds a missing last line feed.
    mutating func copyLines(from journal: borrowing File, _ range: Range<Int>) throws(SystemError) {
        guard !range.isEmpty else { return }
        let lastByte = try draft.file.copyBytes(from: journal, range, to: size)
        size += range.count
        guard lastByte != UInt8(ascii: "\n") else { return }
        let lineFeed: StaticString = "\n"
        try draft.file.write(UnsafeRawBufferPointer(start: lineFeed.utf8Start, count: 1), at: size)
        size += 1
    }

    func sync() throws(SystemError) { try draft.file.sync() }

    mutating func place(as path: String) throws(SystemError) { try draft.place(as: path) }

    consuming func takeFile() -> File { draft.takeFile() }
}

extension File {
    /// Copies a range of another file, in chunks; returns its last byte.
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
