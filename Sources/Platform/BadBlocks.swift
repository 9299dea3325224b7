import Synchronization

/// Reads around what a disk does not give back: a block whose read fails with EIO reads as zeros, and is written down.
///
/// For reading a damaged file to its end: stopping at the first bad block would hide what lies after it. No text contains
/// zeros, so no line with such a block passes for whole.
public final class BadBlocks: Sendable {
    public struct Block: Sendable, Equatable {
        /// The path that the file was opened by.
        public let path: String
        /// Where it begins, in bytes.
        public let offset: Int
        /// Bytes.
        public let count: Int
    }

    /// What is given up at once, in bytes: the size in which disks and file systems hand out data.
    private static let blockBytes = 4096
    /// More are not written down; they still read as zeros.
    private static let blocksMax = 1000

    private struct State {
        var paths: [Int32: String] = [:]
        var blocks: [Block] = []
    }

    private let system: FileSystem
    private let state = Mutex(State())

    public init(in system: FileSystem) { self.system = system }

    /// What could not be read so far, in the order in which it was asked for.
    public var found: [Block] { state.withLock { $0.blocks } }

    /// The file system, but for reads that fail.
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
        // Only as far as the end of the block, to lose no more than that.
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

    /// A file that is read twice asks for the same block again.
    private func note(_ descriptor: Int32, _ offset: Int, _ count: Int) {
        state.withLock { state in
            let block = Block(path: state.paths[descriptor] ?? "", offset: offset, count: count)
            guard state.blocks.count < Self.blocksMax, !state.blocks.contains(block) else { return }
            state.blocks.append(block)
        }
    }
}
