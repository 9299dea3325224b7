import JSONCodec
import Platform

/// Writes a snapshot in the form that `SnapshotReader` describes, in bounded memory. The first failure stops it; it is
/// told at the end, because whoever hands over the records cannot do anything about it.
struct SnapshotWriter: ~Copyable {
    private static let chunkBytes = 1 << 20

    private let file: File
    private var buffer = ByteBuffer(capacity: SnapshotWriter.chunkBytes + (64 << 10))
    private var offset = 0
    private var checksum: UInt32 = 0
    private var failure: SystemError?
    private(set) var count = 0

    init(_ file: consuming File, _ header: SnapshotHeader) {
        self.file = file
        header.append(to: &buffer)
    }

    /// - Returns: where the record begins in the file.
    @discardableResult
    mutating func append(_ record: UnsafeRawBufferPointer) -> Int {
        count += 1
        guard failure == nil else { return offset }
        if count > 1 { buffer.append(",\n") }
        let start = offset + buffer.count
        buffer.append(record: record)
        if buffer.count >= Self.chunkBytes { flush() }
        return start
    }

    /// Writes the rest and syncs: the size of the file.
    mutating func finish() throws(SystemError) -> Int {
        if count > 0 { buffer.append(UInt8(ascii: "\n")) }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        write()
        if let failure { throw failure }
        try file.sync()
        return offset
    }

    private mutating func flush() {
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        write()
    }

    private mutating func write() {
        guard failure == nil else { return }
        do {
            try file.write(buffer.bytes, at: offset)
            offset += buffer.count
            buffer.truncate(to: 0)
        } catch {
            failure = error
        }
    }
}
