import Synchronization

/// Reads past bad blocks of a disk: a block whose read fails with EIO reads as zeros, and is recorded.
///
/// For reading a damaged file to its end, beyond its first bad block. No text contains zeros, so no line with such a
/// block counts as whole.
public final class BadBlocks: Sendable {
    public struct Block: Sendable, Equatable {
        /// The path that the file was opened by.
        public let path: String
        /// The offset in the file, in bytes.
        public let offset: Int
        /// The length in bytes.
        public let count: Int
    }

    /// Size of the unit to skip, in bytes: that of disks and file systems.
    private static let blockBytes = 4096
    /// Limit of recorded blocks; further ones still read as zeros.
    private static let blocksMax = 1000

    private struct State {
        var paths: [Int32: String] = [:]
        var blocks: [Block] = []
    }

    private let system: FileSystem
    private let state = Mutex(State())

    public init(in system: FileSystem) { self.system = system }

    /// The unreadable blocks so far, in order.
    public var found: [Block] { state.withLock { $0.blocks } }

    /// The file system, with failing reads replaced.
    public var fileSystem: FileSystem {
        var around = system
        around.open = { [self] path, access throws(SystemError) in
            let descriptor = try system.open(path, access)
            state.withLock { $0.paths[descriptor] = path }
            return descriptor
        }
        around.read = { [self] descriptor, into, offset throws(SystemError) in
            try read(descriptor, into, offset)
        }
        return around
    }

    private func read(
        _ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ offset: Int
    ) throws(SystemError) -> Int {
        do {
            return try system.read(descriptor, into, offset)
        } catch {
            guard error.code == EIO else { throw error }
        }
        // Only to the end of the block, to lose no more than that.
        let end = (offset / Self.blockBytes + 1) * Self.blockBytes
        let block = UnsafeMutableRawBufferPointer(rebasing: into[..<min(into.count, end - offset)])
        do {
            return try system.read(descriptor, block, offset)
        } catch {
            guard error.code == EIO else { throw error }
        }
        let count = min(block.count, max(try system.status(descriptor).size - offset, 0))
        guard count > 0 else { return 0 }
        UnsafeMutableRawBufferPointer(rebasing: block[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
        note(descriptor, offset, count)
        return count
    }

    /// Records a block once: a second pass over the file finds it again.
    private func note(_ descriptor: Int32, _ offset: Int, _ count: Int) {
        state.withLock { state in
            let block = Block(path: state.paths[descriptor] ?? "", offset: offset, count: count)
            guard state.blocks.count < Self.blocksMax, !state.blocks.contains(block) else { return }
            state.blocks.append(block)
        }
    }
}
