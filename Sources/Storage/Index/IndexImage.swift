import JSONCodec
import Platform

/// The bytes of an index, on the disk or in memory, with one interface for readers.
package struct IndexImage: ~Copyable {
    private enum Source: ~Copyable {
        case file(File)
        case memory(ByteBuffer)
    }

    private let source: Source
    let header: IndexHeader

    /// An image that was just built.
    init(_ bytes: consuming ByteBuffer, _ header: IndexHeader) {
        source = .memory(bytes)
        self.header = header
    }

    /// An image that was just built, in its file.
    init(_ file: consuming File, _ header: IndexHeader) {
        source = .file(file)
        self.header = header
    }

    /// Takes the index of this snapshot from a file; nil if it is damaged, cut short, of another version of the format
    /// or of another snapshot. Reads one page.
    package init?(_ file: consuming File, of snapshot: SnapshotIdentity) {
        guard let header = Self.header(file), header.identity.hasSameContent(as: snapshot),
            snapshot.closingLine.count == SnapshotIdentity.closingBytes
        else { return nil }
        source = .file(file)
        self.header = header
    }

    /// Takes an index of any snapshot: only its rows may be used.
    init?(ofAnySnapshot file: consuming File) {
        guard let header = Self.header(file) else { return nil }
        source = .file(file)
        self.header = header
    }

    private static func header(_ file: borrowing File) -> IndexHeader? {
        withUnsafeTemporaryAllocation(byteCount: IndexFormat.pageBytes, alignment: 16) { page in
            // An unreadable file counts as none: the index is rebuilt.
            guard let status = try? file.status(), let count = try? file.read(page, at: 0),
                count == page.count, let header = IndexHeader(page: UnsafeRawBufferPointer(page)),
                status.size == header.sections.byteCount
            else { return nil }
            return header
        }
    }

    /// Reads exactly these units.
    @inline(__always)
    func read(_ into: UnsafeMutableRawBufferPointer, at offset: Int) throws(IndexFault) {
        switch source {
        case .file(let file):
            let count: Int
            do {
                count = try file.read(into, at: offset)
            } catch {
                throw .indexDamaged(reason: "The index cannot be read: \(error).")
            }
            guard count == into.count else { throw .indexDamaged(reason: "The index was cut short.") }
        case .memory(let buffer):
            guard offset >= 0, offset <= buffer.count, into.count <= buffer.count - offset else {
                throw .indexDamaged(reason: "The index has no byte \(offset).")
            }
            into.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer.bytes[offset..<offset + into.count]))
        }
    }

    /// The bytes of the whole file, nil where it is one.
    package var bytes: [UInt8]? {
        switch source {
        case .file: nil
        case .memory(let buffer): Array(buffer.bytes)
        }
    }
}

extension IndexImage {
    /// The index beside a snapshot; nil if none fits it.
    static func open(in place: borrowing StoreDirectory, of snapshot: SnapshotIdentity) -> IndexImage? {
        // An index that cannot be opened counts as none.
        guard let file = try? place.open(StoreInventory.indexName(snapshot.header.generation), .read) else {
            return nil
        }
        return IndexImage(file, of: snapshot)
    }
}

/// The identity of an index's snapshot: its first line, its file, and its last line. The device is left out, because
/// its number may change when the system starts again.
package struct SnapshotIdentity: Equatable {
    /// `],"crc":"xxxxxxxx"}` and the line feed.
    static let closingBytes = 3 + Seal.byteCount

    package private(set) var header: SnapshotHeader
    let inode: UInt64
    package let size: Int
    /// Nanoseconds since 1970.
    let modified: Int64
    let closingLine: [UInt8]

    /// Whether an index of one fits the other. If only the inode differs, it is a copy that kept its time, as in a
    /// backup: size, time, first and last line agree, and every record is checked when it is read.
    func hasSameContent(as other: SnapshotIdentity) -> Bool {
        header == other.header && size == other.size && modified == other.modified && closingLine == other.closingLine
    }

    init(header: SnapshotHeader, inode: UInt64, size: Int, modified: Int64, closingLine: [UInt8]) {
        self.header = header
        // They may be of any size, and the checksum in the closing line covers them.
        self.header.unknownMembers = []
        self.inode = inode
        self.size = size
        self.modified = modified
        self.closingLine = closingLine
    }

    /// Reads the identity of an open snapshot with this header; if the file is short, so is the closing line.
    package init(of snapshot: borrowing File, _ header: SnapshotHeader) throws(SystemError) {
        let status = try snapshot.status()
        var line = [UInt8](repeating: 0, count: Self.closingBytes)
        let start = max(status.size - Self.closingBytes, 0)
        let result: Result<Int, SystemError> = line.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                return .success(try snapshot.read(buffer, at: start))
            } catch {
                return .failure(error)
            }
        }
        line.removeLast(line.count - (try result.get()))
        self.init(
            header: header, inode: status.inode, size: status.size, modified: status.modified, closingLine: line)
    }
}
