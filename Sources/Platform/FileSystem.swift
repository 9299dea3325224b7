/// The system calls that the store makes on files, one closure for each.
///
/// A struct of closures, so that a test can make any single call fail, once or for ever, or put a simulated disk in
/// the system's place (SwiftUI's environment values and Room's fake data sources serve the same need):
///
///     var faulty = FileSystem.system
///     faulty.syncData = { _ throws(SystemError) in throw SystemError(call: "fdatasync", code: EIO) }
///
/// Rules that every implementation keeps, and `system` does:
/// 1. A descriptor is never below 3, is closed in child processes, and never follows a symbolic link at the path's end
///    unless the access says so.
/// 2. What is made has mode 0600 (files) or 0700 (directories).
/// 3. An interrupted call is made again, a bounded number of times.
/// 4. Once a signal wants the process to be gone and the patience is over, `read` fails with ECANCELED, so that what takes long
///    ends. (`Interruption`)
/// 5. A call that throws has done nothing, but for `write`, `syncData` and `sync`, after which nobody knows.
public struct FileSystem: Sendable {
    /// What a file is opened for.
    public enum Access: Sendable {
        /// An existing file, to read.
        case read
        /// The same, where the path may end in a symbolic link.
        case readThroughLink
        /// An existing file, to read and write.
        case readWrite
        /// A file to read and write that is made when it is not there.
        case readWriteOrCreate
        /// A file that must not be there yet.
        case create
        /// An existing directory, to sync and check.
        case directory
        /// The same, where the path may end in a symbolic link.
        case directoryThroughLink
    }

    public enum Lock: Sendable {
        /// Waits until the lock is free.
        case exclusive
        /// Fails with EWOULDBLOCK where it is not.
        case exclusiveNow
        /// Fails with EWOULDBLOCK where somebody has it alone; several may share it.
        case sharedNow
        /// Lets go of it.
        case none
    }

    /// open(2). The subject of the error is the path.
    public var open: @Sendable (_ path: String, _ access: Access) throws(SystemError) -> Int32
    /// close(2). Bytes that matter were synced before, so there is nothing to report.
    public var close: @Sendable (_ descriptor: Int32) -> Void
    /// pread(2): how many bytes were read, 0 at the end of the file.
    public var read:
        @Sendable (_ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ offset: Int) throws(SystemError) -> Int
    /// pwrite(2): how many bytes were written, at least 1.
    public var write:
        @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(SystemError) -> Int
    /// sync_file_range(2) with `SYNC_FILE_RANGE_WRITE`: the system begins to write these bytes to the disk, where it can.
    /// Nothing is promised by it, and no error is told: `syncData` waits for the bytes and tells. Elsewhere it does nothing.
    public var startWriting: @Sendable (_ descriptor: Int32, _ offset: Int, _ count: Int) -> Void
    /// fdatasync(2): the bytes, and what is needed to find them again.
    public var syncData: @Sendable (_ descriptor: Int32) throws(SystemError) -> Void
    /// fsync(2): bytes and metadata; on a directory its entries.
    public var sync: @Sendable (_ descriptor: Int32) throws(SystemError) -> Void
    /// ftruncate(2).
    public var truncate: @Sendable (_ descriptor: Int32, _ size: Int) throws(SystemError) -> Void
    /// fstat(2).
    public var status: @Sendable (_ descriptor: Int32) throws(SystemError) -> FileStatus
    /// lstat(2).
    public var statusOfPath: @Sendable (_ path: String) throws(SystemError) -> FileStatus
    /// rename(2).
    public var rename: @Sendable (_ from: String, _ to: String) throws(SystemError) -> Void
    /// link(2): a second name.
    public var link: @Sendable (_ from: String, _ to: String) throws(SystemError) -> Void
    /// unlink(2).
    public var unlink: @Sendable (_ path: String) throws(SystemError) -> Void
    /// mkdir(2).
    public var makeDirectory: @Sendable (_ path: String) throws(SystemError) -> Void
    /// The names in a directory, in no order, without `.` and `..`.
    public var list: @Sendable (_ path: String) throws(SystemError) -> [String]
    /// flock(2). The lock goes with the last close of this open of the file.
    public var lock: @Sendable (_ descriptor: Int32, _ lock: Lock) throws(SystemError) -> Void
    /// geteuid(2).
    public var effectiveUser: @Sendable () -> UInt32
}

/// What fstat(2) tells of a file, as far as anybody here asks.
public struct FileStatus: Sendable, Equatable {
    public enum Kind: Sendable { case regular, directory, symbolicLink, other }

    public var kind: Kind
    /// Bytes.
    public var size: Int
    public var device: UInt64
    public var inode: UInt64
    public var owner: UInt32
    /// The lower twelve bits of the mode.
    public var permissions: UInt16
    public var links: Int
    /// When the content was last changed, in nanoseconds since 1970; 0 where a file system does not keep it.
    public var modified: Int64
    /// When the content or anything else of it was; unlike `modified`, nobody can set it back.
    public var changed: Int64

    public init(
        kind: Kind, size: Int, device: UInt64, inode: UInt64, owner: UInt32, permissions: UInt16, links: Int,
        modified: Int64 = 0, changed: Int64 = 0
    ) {
        self.kind = kind
        self.size = size
        self.device = device
        self.inode = inode
        self.owner = owner
        self.permissions = permissions
        self.links = links
        self.modified = modified
        self.changed = changed
    }

    /// Whether both are the same file, by whatever name.
    public func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether it is the same file with the same content, as far as size and time tell.
    public func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
