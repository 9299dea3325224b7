/// The system calls that the store makes on files, one closure for each.
///
/// A struct of closures, so that a test can make any single call fail, once or always, or simulate a disk (SwiftUI's
/// environment values and Room's fake data sources serve the same need):
///
///     var faulty = FileSystem.system
///     faulty.syncData = { _ throws(SystemError) in throw SystemError(call: "fdatasync", code: EIO) }
///
/// Rules for every implementation, including `system`:
/// 1. A descriptor is never below 3, is closed in child processes, and never follows a symbolic link at the path's end
///    unless the access says so.
/// 2. New files have mode 0600, new directories 0700.
/// 3. An interrupted call is repeated, a bounded number of times.
/// 4. Once a signal asks the process to end and the patience is over, `read` fails with ECANCELED, so that long work
///    ends. (`Interruption`)
/// 5. A call that throws has done nothing, except for `write`, `syncData` and `sync`, after which the outcome is
///    unknown.
public struct FileSystem: Sendable {
    /// The purpose of opening a file.
    public enum Access: Sendable {
        /// An existing file, to read.
        case read
        /// An existing file to read; the path may end in a symbolic link.
        case readThroughLink
        /// An existing file, to read and write.
        case readWrite
        /// A file to read and write; a missing one is made.
        case readWriteOrCreate
        /// A file that must not be there yet.
        case create
        /// An existing directory, to sync and check.
        case directory
        /// An existing directory; the path may end in a symbolic link.
        case directoryThroughLink
    }

    public enum Lock: Sendable {
        /// Waits until the lock is free.
        case exclusive
        /// Fails with EWOULDBLOCK if it is not.
        case exclusiveNow
        /// Fails with EWOULDBLOCK if another open holds it exclusively; several may share it.
        case sharedNow
        /// Releases the lock.
        case none
    }

    /// open(2). The subject of the error is the path.
    public var open: @Sendable (_ path: String, _ access: Access) throws(SystemError) -> Int32
    /// close(2). Bytes that matter were synced before, so there is nothing to report.
    public var close: @Sendable (_ descriptor: Int32) -> Void
    /// pread(2): the number of bytes read, 0 at the end of the file.
    public var read:
        @Sendable (_ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ offset: Int) throws(SystemError) -> Int
    /// pwrite(2): the number of bytes written, at least 1.
    public var write:
        @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(SystemError) -> Int
    /// sync_file_range(2) with `SYNC_FILE_RANGE_WRITE`: the system begins to write these bytes to the disk, if it can.
    /// It promises nothing and reports no error: `syncData` waits for the bytes and reports. Elsewhere it does nothing.
    public var startWriting: @Sendable (_ descriptor: Int32, _ offset: Int, _ count: Int) -> Void
    /// fdatasync(2): the bytes, and the metadata to find them again.
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
    /// flock(2). The lock ends with the last close of this open of the file.
    public var lock: @Sendable (_ descriptor: Int32, _ lock: Lock) throws(SystemError) -> Void
    /// geteuid(2).
    public var effectiveUser: @Sendable () -> UInt32
}

/// The facts of fstat(2) that are used here.
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
    /// Time of the last change of the content, in nanoseconds since 1970; 0 if the file system does not keep it.
    public var modified: Int64
    /// Time of the last change of content or metadata; unlike `modified`, no program can set it back.
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

    /// Whether both are one file, by any name.
    public func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether it is the same file with the same content, judged by size and time.
    public func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
