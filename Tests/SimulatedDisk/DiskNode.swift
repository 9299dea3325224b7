import Platform

/// A file or directory, whatever names it has. Only the monitor's holder touches one.
final class DiskNode {
    let inode: UInt64
    let isDirectory: Bool
    var permissions: UInt16
    /// How many names there are as calls see them; for a directory 2.
    var links = 0
    var content: FileContent
    /// When the content was changed last, as calls see it and as the medium has it: the clock of `Disk.State`.
    var modified: Int64 = 0
    var storedModified: Int64 = 0
    /// Of a directory: as calls see it, and as the medium has it.
    var entries: [String: DiskNode] = [:]
    var storedEntries: [String: DiskNode] = [:]
    /// The open of this file that holds the lock.
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

/// An open file description, open(2): what a lock belongs to.
final class OpenFile {
    let node: DiskNode
    let isWritable: Bool

    init(_ node: DiskNode, isWritable: Bool) {
        self.node = node
        self.isWritable = isWritable
    }
}

/// A change of directories that is on the medium as a whole or not at all, as a journaling file system has it.
struct DirectoryOperation {
    struct Change {
        let directory: DiskNode
        let name: String
        /// What the name stands for from then on; nil: nothing.
        let node: DiskNode?
    }

    var changes: [Change]

    func touches(_ directory: DiskNode) -> Bool { changes.contains { $0.directory === directory } }
}
