import Platform

/// A file or directory under any number of names. Only the thread that holds the monitor touches one.
final class DiskNode {
    let inode: UInt64
    let isDirectory: Bool
    var permissions: UInt16
    /// The number of names as calls see them; 2 for a directory.
    var links = 0
    var content: FileContent
    /// The times of the last change, as calls see it and as the medium has it, by the clock of `Disk.State`.
    var modified: Int64 = 0
    var storedModified: Int64 = 0
    /// The names in a directory, as calls see them and as the medium has them.
    var entries: [String: DiskNode] = [:]
    var storedEntries: [String: DiskNode] = [:]
    /// The open description that holds the lock of this file.
    weak var lockHolder: OpenFile?

    init(inode: UInt64, isDirectory: Bool, blockBytes: Int) {
        self.inode = inode
        self.isDirectory = isDirectory
        permissions = isDirectory ? 0o700 : 0o600
        content = FileContent(blockBytes: blockBytes)
    }

    func status(owner: UInt32) -> FileStatus {
        FileStatus(
            kind: isDirectory ? .directory : .regular, size: isDirectory ? 4096 : content.size, device: 1,
            inode: inode, owner: owner, permissions: permissions, links: isDirectory ? 2 : links, modified: modified,
            changed: modified)
    }
}

/// An open file description (open(2)), the owner of a lock.
final class OpenFile {
    let node: DiskNode
    let isWritable: Bool

    init(_ node: DiskNode, isWritable: Bool) {
        self.node = node
        self.isWritable = isWritable
    }
}

/// A change of directories that reaches the medium whole or not at all, as in a journaling file system.
struct DirectoryOperation {
    struct Change {
        let directory: DiskNode
        let name: String
        /// The node that the name stands for from then on; nil if the change removes the name.
        let node: DiskNode?
    }

    var changes: [Change]

    func touches(_ directory: DiskNode) -> Bool { changes.contains { $0.directory === directory } }
}
