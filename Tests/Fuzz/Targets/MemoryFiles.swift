import Platform
import Synchronization

/// Files in memory: enough of a file system for a store, and thousands of times as fast as a disk. Nothing is ever lost
/// or refused; other tests try that.
final class MemoryFiles: Sendable {
    private final class Node {
        var bytes: [UInt8] = []
        let inode: UInt64

        init(inode: UInt64) { self.inode = inode }
    }

    private struct State {
        var files: [String: Node] = [:]
        var open: [Int32: Node?] = [:]
        var nextDescriptor: Int32 = 3
        var nextInode: UInt64 = 1
    }

    // Nodes are touched only under the lock.
    private struct Unshared<Value>: @unchecked Sendable { var value: Value }
    private let state = Mutex(Unshared(value: State()))

    private func with<Answer: Sendable>(
        _ body: (inout State) -> Result<Answer, SystemError>
    ) throws(SystemError) -> Answer {
        try state.withLock { body(&$0.value) }.get()
    }

    /// The files of the store, by name.
    func write(_ path: String, _ bytes: [UInt8]) {
        state.withLock { state in
            let node = Node(inode: state.value.nextInode)
            state.value.nextInode += 1
            node.bytes = bytes
            state.value.files[path] = node
        }
    }

    func read(_ path: String) -> [UInt8]? { state.withLock { $0.value.files[path]?.bytes } }

    var names: [String] { state.withLock { $0.value.files.keys.sorted() } }

    private static func open(
        _ path: String, _ access: FileSystem.Access, _ state: inout State
    ) -> Result<Int32, SystemError> {
        let node: Node?
        switch access {
        case .directory, .directoryThroughLink:
            node = nil
        case .read, .readThroughLink, .readWrite:
            guard let file = state.files[path] else { return failure("open", ENOENT) }
            node = file
        case .readWriteOrCreate, .create:
            if let file = state.files[path] {
                guard case .readWriteOrCreate = access else { return failure("open", EEXIST) }
                node = file
            } else {
                let file = Node(inode: state.nextInode)
                state.nextInode += 1
                state.files[path] = file
                node = file
            }
        }
        let descriptor = state.nextDescriptor
        state.nextDescriptor += 1
        state.open[descriptor] = .some(node)
        return .success(descriptor)
    }

    private static func failure<Answer>(_ call: String, _ code: Int32) -> Result<Answer, SystemError> {
        .failure(SystemError(call: call, code: code))
    }

    private static func status(_ node: Node?) -> FileStatus {
        FileStatus(
            kind: node == nil ? .directory : .regular, size: node?.bytes.count ?? 0, device: 1, inode: node?.inode ?? 0,
            owner: 0, permissions: 0o600, links: 1)
    }

    private static func write(_ node: Node, _ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let end = offset + bytes.count
        if node.bytes.count < end { node.bytes += [UInt8](repeating: 0, count: end - node.bytes.count) }
        node.bytes.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyMemory(from: bytes)
        }
    }

    var fileSystem: FileSystem {
        var files = FileSystem.system
        files.open = { [self] path, access throws(SystemError) in try with { Self.open(path, access, &$0) } }
        files.close = { [self] descriptor in state.withLock { _ = $0.value.open.removeValue(forKey: descriptor) } }
        files.read = { [self] descriptor, into, offset throws(SystemError) in
            let target = Unshared(value: into)
            return try with { state in
                guard let node = state.open[descriptor] ?? nil else { return Self.failure("pread", EBADF) }
                let count = max(min(target.value.count, node.bytes.count - offset), 0)
                guard count > 0 else { return .success(0) }
                node.bytes.withUnsafeBytes {
                    target.value.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
                }
                return .success(count)
            }
        }
        files.write = { [self] descriptor, bytes, offset throws(SystemError) in
            let source = Unshared(value: bytes)
            return try with { state in
                guard let node = state.open[descriptor] ?? nil else { return Self.failure("pwrite", EBADF) }
                Self.write(node, source.value, at: offset)
                return .success(source.value.count)
            }
        }
        files.startWriting = { _, _, _ in }
        files.syncData = { _ throws(SystemError) in }
        files.sync = { _ throws(SystemError) in }
        files.truncate = { [self] descriptor, size throws(SystemError) in
            try with { state in
                guard let node = state.open[descriptor] ?? nil else { return Self.failure("ftruncate", EBADF) }
                node.bytes.removeLast(max(node.bytes.count - size, 0))
                return .success(())
            }
        }
        files.status = { [self] descriptor throws(SystemError) in
            try with { state in
                guard let node = state.open[descriptor] else { return Self.failure("fstat", EBADF) }
                return .success(Self.status(node))
            }
        }
        nameCalls(&files)
        return files
    }

    /// Sets the calls that take names.
    private func nameCalls(_ files: inout FileSystem) {
        files.statusOfPath = { [self] path throws(SystemError) in
            try with { state in
                // The path of a trusted directory may have any end.
                guard let node = state.files[path] else {
                    return path.hasSuffix("/.") ? .success(Self.status(nil)) : Self.failure("lstat", ENOENT)
                }
                return .success(Self.status(node))
            }
        }
        files.rename = { [self] from, to throws(SystemError) in
            try with { state in
                guard let node = state.files.removeValue(forKey: from) else { return Self.failure("rename", ENOENT) }
                state.files[to] = node
                return .success(())
            }
        }
        files.link = { [self] from, to throws(SystemError) in
            try with { state in
                guard let node = state.files[from] else { return Self.failure("link", ENOENT) }
                guard state.files[to] == nil else { return Self.failure("link", EEXIST) }
                state.files[to] = node
                return .success(())
            }
        }
        files.unlink = { [self] path throws(SystemError) in
            try with { state in
                state.files.removeValue(forKey: path) == nil ? Self.failure("unlink", ENOENT) : .success(())
            }
        }
        files.makeDirectory = { _ throws(SystemError) in }
        files.list = { [self] path throws(SystemError) in
            try with { state in .success(state.files.keys.map { String($0.dropFirst(path.utf8.count + 1)) }) }
        }
        files.lock = { _, _ throws(SystemError) in }
        files.effectiveUser = { 0 }
    }
}
