import Platform
import Seeds

/// The names on the disk, and their unsynced changes.
///
/// Invariant: `storedEntries` with all of `unsynced` applied in order are `entries`, in every directory.
struct DiskTree {
    let root: DiskNode
    private let blockBytes: Int
    private var lastInode: UInt64 = 2
    private(set) var unsynced: [DirectoryOperation] = []

    init(blockBytes: Int) {
        self.blockBytes = blockBytes
        root = DiskNode(inode: 2, isDirectory: true, blockBytes: blockBytes)
    }

    mutating func makeNode(isDirectory: Bool) -> DiskNode {
        lastInode += 1
        return DiskNode(inode: lastInode, isDirectory: isDirectory, blockBytes: blockBytes)
    }

    // MARK: Paths

    func find(_ path: String) throws(PathError) -> DiskNode {
        let (directory, name) = try parent(of: path)
        guard let name else { return directory }
        guard let node = directory.entries[name] else { throw PathError(code: ENOENT) }
        return node
    }

    /// The directory that holds the last name of a path; the name is nil for the root itself.
    func parent(of path: String) throws(PathError) -> (DiskNode, String?) {
        var directory = root
        var name: String?
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            if let passed = name {
                guard let next = directory.entries[passed] else { throw PathError(code: ENOENT) }
                guard next.isDirectory else { throw PathError(code: ENOTDIR) }
                directory = next
            }
            guard part.count <= 255 else { throw PathError(code: ENAMETOOLONG) }
            name = String(part)
        }
        guard !path.isEmpty else { throw PathError(code: ENOENT) }
        return (directory, name)
    }

    // MARK: Changes

    /// Makes a change that calls see at once; syncs and chance decide whether the medium ever sees it.
    mutating func perform(_ changes: [DirectoryOperation.Change], _ random: inout SeededRandom) {
        for change in changes {
            change.directory.entries[change.name]?.links -= 1
            change.directory.entries[change.name] = change.node
            change.node?.links += 1
        }
        unsynced.append(DirectoryOperation(changes: changes))
        // The system writes its own journal now and then.
        if random.isOne(in: 8) { store(random.below(unsynced.count)) }
    }

    /// Brings all changes of a directory to the medium.
    mutating func sync(_ directory: DiskNode) {
        while let index = unsynced.firstIndex(where: { $0.touches(directory) }) { store(index) }
        unsynced.removeAll { $0.changes.isEmpty }
    }

    /// Brings some changes of a directory to the medium, as a sync does that fails or stops midway.
    mutating func syncSome(_ directory: DiskNode, _ random: inout SeededRandom) {
        for index in unsynced.indices.reversed() where unsynced[index].touches(directory) && random.isOne(in: 2) {
            store(index)
        }
    }

    private mutating func store(_ index: Int) {
        let operation = unsynced.remove(at: index)
        for change in operation.changes {
            change.directory.storedEntries[change.name] = change.node
            // The stored change replaces earlier changes of this name.
            for earlier in 0..<index {
                unsynced[earlier].changes.removeAll { $0.directory === change.directory && $0.name == change.name }
            }
        }
    }

    // MARK: Power cut

    /// Keeps or drops each unsynced change independently, then cuts the power for each file.
    mutating func cutPower(_ fate: Disk.Fate, leavesRubbish: Bool, _ random: inout SeededRandom) {
        var kept: [DirectoryOperation] = []
        let keptOneIn = 1 + random.below(4)
        for operation in unsynced {
            let isKept =
                switch fate {
                case .everythingLost: false
                case .everythingKept: true
                case .anything: random.isOne(in: keptOneIn)
                }
            if isKept { kept.append(operation) }
        }
        for change in kept.flatMap(\.changes) { change.directory.storedEntries[change.name] = change.node }
        unsynced = []
        var seen: Set<ObjectIdentifier> = []
        restore(root, fate, leavesRubbish, &seen, &random)
    }

    private func restore(
        _ directory: DiskNode, _ fate: Disk.Fate, _ leavesRubbish: Bool, _ seen: inout Set<ObjectIdentifier>,
        _ random: inout SeededRandom
    ) {
        directory.entries = directory.storedEntries
        // Sorted, because the order of a dictionary differs from run to run.
        for (_, node) in directory.entries.sorted(by: { $0.key < $1.key }) {
            let isFirst = seen.insert(ObjectIdentifier(node)).inserted
            node.links = isFirst ? 1 : node.links + 1
            guard isFirst else { continue }
            node.lockHolder = nil
            if node.isDirectory {
                restore(node, fate, leavesRubbish, &seen, &random)
            } else {
                node.content.cutPower(fate, leavesRubbish: leavesRubbish, &random)
                if fate == .everythingLost || random.isOne(in: 2) { node.modified = node.storedModified }
            }
        }
    }
}

/// The kernel's error for a path, without the call that asked.
struct PathError: Error {
    let code: Int32
}
