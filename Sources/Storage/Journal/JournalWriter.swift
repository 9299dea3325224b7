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
/// 4. The line before `end` has `seal`, where that is known.
struct JournalWriter: ~Copyable {
    /// How many line feeds are written after the end, so that a sync need not write metadata, whenever only half as many are
    /// left there.
    static let growthBytes = 256 << 10
    private static let lineFeeds = [UInt8](repeating: UInt8(ascii: "\n"), count: growthBytes)

    /// Nil where it has to be found again.
    private(set) var file: File?
    /// Which file that is.
    private(set) var identity: FileStatus?
    /// At least the snapshot's.
    var generation: Int
    /// Whether `file` was opened to be written.
    private(set) var isWritable = false
    /// Whether its lock is held: see `hold`.
    private var isHeld = false
    /// Whether a write or sync failed so that no other may follow; another generation helps.
    var isUnusable = false
    /// Where the next line goes.
    private(set) var end = 0
    private(set) var size = 0
    /// The digits of the last line's seal, as they lie in memory.
    private(set) var seal: UInt64?
    /// The commit of that line, where one was read or written since the file was opened.
    private(set) var sealed: Int?
    /// Where the lines of the last sync begin.
    private(set) var syncStart = 0
    var lines: CommitLines
    private(set) var aheadCount = 0
    /// The seal of the last line among them.
    private var aheadSeal: UInt64?
    /// Why writing ahead failed; the group's sync tells.
    private var aheadFailure: SystemError?

    /// No file is open yet.
    init(generation: Int, after revision: Int) {
        self.generation = generation
        lines = CommitLines(after: revision)
    }

    /// Goes on in a file whose lines end at `end`.
    /// - Parameter isHeld: whether its lock was taken.
    mutating func open(
        _ file: consuming File, _ generation: Int, end: Int, isWritable: Bool, isHeld: Bool = false
    ) {
        self.generation = generation
        self.end = end
        (self.isWritable, self.isHeld) = (isWritable, isHeld)
        // What cannot be asked or read now is not known, and is not compared later.
        let status = try? file.status()
        (identity, size) = (status, max(status?.size ?? 0, end))
        seal = (try? Self.end(of: file, at: end))?.seal
        self.file = consume file
    }

    /// Nothing more is read or written here.
    mutating func close() {
        file = nil
        isHeld = false
    }

    /// The same file, open to be written too. Its lock has to be taken again.
    mutating func makeWritable(_ file: consuming File) {
        self.file = consume file
        (isWritable, isHeld) = (true, false)
    }

    /// Who writes holds a lock on the journal besides: something else may put another file in the place of `lock`, and whoever
    /// holds that one is to wait for whoever holds the one of before.
    /// - Returns: false where somebody else holds it until the deadline.
    mutating func hold(until deadline: Int, in fileSystem: FileSystem) throws(SystemError) -> Bool {
        guard !isHeld, let descriptor else { return true }
        isHeld = try fileSystem.lock(descriptor, .exclusiveNow, until: deadline)
        return isHeld
    }

    mutating func letGo(in fileSystem: FileSystem) {
        guard isHeld, let descriptor else { return }
        isHeld = false
        // Where even this fails, closing does it.
        do throws(SystemError) { try fileSystem.lock(descriptor, .none) } catch {}
    }

    /// Somebody else has committed a line, which begins where the last one ended.
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
        size = max(size, end + waitingBytes)
    }

    /// Takes away what was written after the end, for good: after a power cut a whole line there would count as a commit.
    private mutating func cutBack() throws(SystemError) {
        try file?.truncate(to: end)
        try file?.sync()
        size = end
    }

    /// The lines of the last sync are given up: they are cut off again.
    /// - Returns: their bytes.
    mutating func takeBackSync() -> Int {
        let count = end - syncStart
        end = syncStart
        (seal, sealed) = (nil, nil)
        do throws(SystemError) { try cutBack() } catch { isUnusable = true }
        return count
    }

    // MARK: Whether it is as it was

    /// What stands around an end of lines.
    private struct End {
        /// Nil where what stands before is no seal.
        var seal: UInt64?
        /// Whether the file ends there, or goes on with a line feed.
        var isClear: Bool
    }

    private static func end(of file: borrowing File, at end: Int) throws(SystemError) -> End {
        // Eight digits, `"}`, a line feed, and what comes after.
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

    /// The status of the file that has the journal's name now; nil where none has, or it cannot be looked at.
    func named(in fileSystem: FileSystem) -> FileStatus? {
        switch file {
        case .some(let file): try? fileSystem.statusOfPath(file.path)
        case .none: nil
        }
    }

    /// How a file that has the journal's name compares with what was written here.
    enum Standing { case same, shorter, another }

    func standing(of named: FileStatus) -> Standing {
        guard let identity, named.isSameFile(as: identity), named.size >= end + waitingBytes else { return .another }
        return named.size < size ? .shorter : .same
    }

    /// Another process has given back what the file was grown by.
    mutating func noteShorter(_ size: Int) { self.size = size }

    /// Whether the last line is the one that was read or written last, and nothing stands after it.
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

    /// The lines that waited are committed.
    /// - Returns: their bytes.
    mutating func settle(isSynced: Bool) -> Int {
        let count = waitingBytes
        syncStart = end
        end += count
        noteSeal()
        if isSynced, count < Self.growthBytes / 2 { grow() }
        aheadCount = 0
        return count
    }

    private mutating func noteSeal() {
        let written = lines.buffer.bytes
        // Where nothing is left, all of the group was written ahead.
        seal = written.count > Seal.byteCount ? Self.seal(of: written) : aheadSeal
        sealed = lines.seq
    }

    /// That of the last of some lines.
    private static func seal(of lines: UnsafeRawBufferPointer) -> UInt64 {
        Seal.digits(ofSealed: UnsafeRawBufferPointer(rebasing: lines.dropLast()))
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
        aheadSeal = Self.seal(of: lines.buffer.bytes)
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
            try cutBack()
        } catch {
            isUnusable = true
        }
    }
}

/// Begins a journal: whole and synced under a temporary name, so that it becomes visible whole (rule 1 of `Recovery`). Its lock
/// is held from the beginning.
struct JournalMaker: ~Copyable {
    private let file: File
    /// The file's size, and where the next line goes.
    private(set) var size: Int

    init(
        _ header: JournalHeader, named name: String, at time: String, in place: borrowing StoreDirectory
    ) throws(SystemError) {
        let file = try place.open(name, .create)
        // Before anybody can see it: whoever begins it may write to it under the same hold.
        try place.fileSystem.lock(file.descriptor, .exclusiveNow)
        var buffer = ByteBuffer(capacity: 512)
        header.append(to: &buffer, at: time)
        try file.write(buffer.bytes, at: 0)
        size = buffer.count
        self.file = consume file
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
