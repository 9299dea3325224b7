import Platform

/// The effects of calls on the disk, with the errors that the kernel gives.
extension Disk.State {
    mutating func open(_ path: String, _ access: FileSystem.Access) throws(PathError) -> DiskNode {
        let (directory, name) = try tree.parent(of: path)
        let found = name.map { directory.entries[$0] } ?? directory
        switch access {
        case .directory, .directoryThroughLink:
            guard let found else { throw PathError(code: ENOENT) }
            guard found.isDirectory else { throw PathError(code: ENOTDIR) }
            return found
        case .read, .readThroughLink:
            guard let found else { throw PathError(code: ENOENT) }
            return found
        case .readWrite, .readWriteOrCreate, .create:
            if let found {
                guard access != .create else { throw PathError(code: EEXIST) }
                guard !found.isDirectory else { throw PathError(code: EISDIR) }
                return found
            }
            guard access != .readWrite, let name else { throw PathError(code: ENOENT) }
            guard directory.isDirectory else { throw PathError(code: ENOTDIR) }
            let node = tree.makeNode(isDirectory: false)
            stamp(node)
            tree.perform([.init(directory: directory, name: name, node: node)], &random)
            return node
        }
    }

    /// The bytes of a write that the disk has room for; overwriting needs none.
    mutating func room(for count: Int, at offset: Int, in file: OpenFile) throws(PathError) -> Int {
        guard let free = freeBytes else { return count }
        let size = file.node.content.size
        let growth = max(offset + count - size, 0)
        if growth <= free {
            freeBytes = free - growth
            return count
        }
        let fitting = size + free - offset
        guard fitting > 0 else { throw PathError(code: ENOSPC) }
        freeBytes = 0
        return fitting
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ file: OpenFile) {
        file.node.content.write(bytes, at: offset, &random)
        stamp(file.node)
    }

    mutating func stamp(_ node: DiskNode) {
        if random.isOne(in: 4) { clock += 4_000_000 }
        node.modified = clock
    }

    mutating func rename(_ from: String, _ to: String) throws(PathError) {
        let (source, sourceName) = try tree.parent(of: from)
        let (target, targetName) = try tree.parent(of: to)
        guard let sourceName, let targetName else { throw PathError(code: EBUSY) }
        guard let node = source.entries[sourceName] else { throw PathError(code: ENOENT) }
        guard target.isDirectory else { throw PathError(code: ENOTDIR) }
        if let replaced = target.entries[targetName] {
            if replaced === node { return }
            guard replaced.isDirectory == node.isDirectory else {
                throw PathError(code: replaced.isDirectory ? EISDIR : ENOTDIR)
            }
            guard replaced.entries.isEmpty else { throw PathError(code: ENOTEMPTY) }
        }
        tree.perform(
            [
                .init(directory: source, name: sourceName, node: nil),
                .init(directory: target, name: targetName, node: node),
            ], &random)
    }

    mutating func link(_ from: String, _ to: String) throws(PathError) {
        let node = try tree.find(from)
        let (target, name) = try tree.parent(of: to)
        guard !node.isDirectory else { throw PathError(code: EPERM) }
        guard target.isDirectory else { throw PathError(code: ENOTDIR) }
        guard let name, target.entries[name] == nil else { throw PathError(code: EEXIST) }
        tree.perform([.init(directory: target, name: name, node: node)], &random)
    }

    mutating func unlink(_ path: String) throws(PathError) {
        let (directory, name) = try tree.parent(of: path)
        guard let name else { throw PathError(code: EISDIR) }
        guard let node = directory.entries[name] else { throw PathError(code: ENOENT) }
        guard !node.isDirectory else { throw PathError(code: EISDIR) }
        tree.perform([.init(directory: directory, name: name, node: nil)], &random)
        if node.links == 0, let free = freeBytes { freeBytes = free + node.content.size }
    }

    mutating func makeDirectory(_ path: String) throws(PathError) {
        let (parent, name) = try tree.parent(of: path)
        guard parent.isDirectory else { throw PathError(code: ENOTDIR) }
        guard let name, parent.entries[name] == nil else { throw PathError(code: EEXIST) }
        let node = tree.makeNode(isDirectory: true)
        tree.perform([.init(directory: parent, name: name, node: node)], &random)
    }

    /// Lists a directory in a random order that one seed repeats.
    mutating func list(_ path: String) throws(PathError) -> [String] {
        let directory = try tree.find(path)
        guard directory.isDirectory else { throw PathError(code: ENOTDIR) }
        var names = directory.entries.keys.sorted()
        names.shuffle(using: &random)
        return names
    }
}
