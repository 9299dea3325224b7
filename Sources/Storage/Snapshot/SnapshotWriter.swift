import JSONCodec
import Platform

/// Writes a snapshot in the form that `SnapshotReader` describes, in bounded memory. The first failure stops it; it is
/// told at the end, because whoever hands over the records cannot do anything about it.
///
/// What is written begins and ends at multiples of `pieceBytes`, but for the file's end: the page cache keeps what came
/// in one piece in one piece, as far as it is aligned, and finds, locks and maps such pieces as a whole. A random read of
/// a large file costs a third less then.
struct SnapshotWriter: ~Copyable {
    /// As much as the page cache puts together at most: what one entry of a page directory maps.
    static let pieceBytes = 2 << 20

    private let file: File
    private var buffer = ByteBuffer(capacity: SnapshotWriter.pieceBytes + (64 << 10))
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
        if buffer.count >= Self.pieceBytes { writePieces() }
        return start
    }

    /// Writes the rest and syncs: the size of the file.
    mutating func finish() throws(SystemError) -> Int {
        if count > 0 { buffer.append(UInt8(ascii: "\n")) }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        put(buffer.count)
        if let failure { throw failure }
        try file.sync()
        return offset
    }

    private mutating func writePieces() {
        let count = buffer.count / Self.pieceBytes * Self.pieceBytes
        checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), seed: checksum)
        put(count)
    }

    /// Writes the first bytes of the buffer, which has no more than the rest of a record behind them.
    private mutating func put(_ count: Int) {
        guard failure == nil else { return }
        do {
            try file.write(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), at: offset)
            offset += count
            buffer.removeFirst(count)
        } catch {
            failure = error
        }
    }
}
