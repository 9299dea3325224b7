import JSONCodec
import Platform

/// An index while it is built: in a file under a temporary name, or in memory.
///
/// Bytes are written to any place, each once. The first failure stops it and is thrown by `read` and `finish`, because
/// those who pass the records cannot handle it. What is not finished leaves no file.
///
/// Why a class: its builder lends it to the parts of the index.
package final class IndexDraft {
    private var draft: DraftFile?
    private let directory: String
    /// Without a file, all bytes.
    private var memory = ByteBuffer(capacity: 16)
    private var failure: SystemError?

    /// In memory.
    package init() {
        draft = nil
        directory = ""
    }

    init(in place: borrowing StoreDirectory, _ settings: StoreSettings) throws(SystemError) {
        draft = try place.draft(settings)
        directory = place.path
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard failure == nil else { return }
        switch draft {
        case .some(let draft):
            do throws(SystemError) { try draft.file.write(bytes, at: offset) } catch { failure = error }
        case .none:
            memory.appendZeros(offset - memory.count)
            let known = min(memory.count - offset, bytes.count)
            memory.overwrite(UnsafeRawBufferPointer(rebasing: bytes[..<known]), at: offset)
            memory.append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
        }
    }

    /// Reads bytes that were written.
    func read(_ into: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) {
        if let failure { throw failure }
        switch draft {
        case .some(let draft):
            guard try draft.file.read(into, at: offset) == into.count else {
                throw SystemError(call: "pread", subject: draft.path, code: EIO)
            }
        case .none:
            into.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory.bytes[offset..<offset + into.count]))
        }
    }

    /// Ends the index with its header, and gives the file its name beside the snapshot.
    ///
    /// Nothing is synced: reading detects bytes that did not reach the disk. A file that cannot get its name is read
    /// without one.
    func finish(_ header: IndexHeader) throws(SystemError) -> IndexImage {
        withUnsafeTemporaryAllocation(byteCount: IndexFormat.pageBytes, alignment: 16) { page in
            header.write(to: page)
            write(UnsafeRawBufferPointer(page), at: 0)
        }
        if let failure { throw failure }
        guard var draft = draft.take() else {
            var bytes = ByteBuffer(capacity: 16)
            swap(&bytes, &memory)
            return IndexImage(bytes, header)
        }
        let path = directory + "/" + StoreInventory.indexName(header.identity.header.generation)
        do throws(SystemError) { try draft.place(as: path) } catch {}
        return IndexImage(draft.takeFile(), header)
    }
}

/// The part of an index that is written next to one place: its last bytes wait until there are many.
struct IndexPart: ~Copyable {
    /// Bytes that are written at once. More are copied more slowly, because they leave the processor's caches.
    private static let pieceBytes = 128 << 10

    var bytes = ByteBuffer(capacity: IndexPart.pieceBytes + IndexFormat.pageBytes)
    /// Offset of the first waiting byte in the index.
    private var start: Int

    init(at offset: Int) { start = offset }

    /// The offset in the index at which the next byte comes.
    var end: Int { start + bytes.count }

    /// Ends a unit, of which all is there but its checksum.
    @inline(__always)
    mutating func seal(from offset: Int, _ checksum: UnitChecksum) {
        bytes.appendZeros(4)
        let unit = offset - start
        bytes.withMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[unit...]).seal(checksum, at: offset) }
    }

    /// Fills the page that began at `offset` with zeros and its checksum.
    @inline(__always)
    mutating func endPage(from offset: Int, _ checksum: UnitChecksum) {
        bytes.appendZeros(offset + IndexFormat.pageBytes - 4 - end)
        seal(from: offset, checksum)
    }

    @inline(__always)
    mutating func writeMany(to draft: IndexDraft) {
        // A piece begins and ends at a multiple of its size, as in `SnapshotWriter`.
        if bytes.count >= Self.pieceBytes { write(bytes.count - end % Self.pieceBytes, to: draft) }
    }

    mutating func writeAll(to draft: IndexDraft) { write(bytes.count, to: draft) }

    private mutating func write(_ count: Int, to draft: IndexDraft) {
        guard count > 0 else { return }
        draft.write(UnsafeRawBufferPointer(rebasing: bytes.bytes[..<count]), at: start)
        bytes.removeFirst(count)
        start += count
    }
}
