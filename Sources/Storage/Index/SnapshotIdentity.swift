import Platform

/// Which snapshot an index belongs to: what its first line says, which file it is, and its last line. The device is left
/// out, because it may have another number after the system was started again.
package struct SnapshotIdentity: Equatable {
    /// `],"crc":"xxxxxxxx"}` and the line feed.
    static let closingBytes = 3 + Seal.byteCount

    package private(set) var header: SnapshotHeader
    let inode: UInt64
    package let size: Int
    /// Nanoseconds since 1970.
    let modified: Int64
    let closingLine: [UInt8]

    init(header: SnapshotHeader, inode: UInt64, size: Int, modified: Int64, closingLine: [UInt8]) {
        self.header = header
        // They may be of any size, and the checksum in the closing line speaks for them.
        self.header.unknownMembers = []
        self.inode = inode
        self.size = size
        self.modified = modified
        self.closingLine = closingLine
    }

    /// Asks an open snapshot whose header line was read; the closing line comes short where the file does.
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
