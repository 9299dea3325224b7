import JSONCodec
import Platform
import Replication

/// A snapshot on this replica's disk, with the commit of the store whose state it is: a line
/// `{"storeId":"…","revision":N,"commit":"…","crc":"…"}`, then the snapshot; `commit` is the checksum that ends the
/// commit's line.
struct BaseFile {
    let fold: Fold
    let commit: Record.Commit

    /// Nil if there is none, or if it is damaged; then the replica reads records from the beginning.
    static func read(_ path: String, in fileSystem: FileSystem) throws(SyncError) -> BaseFile? {
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try fileSystem.readWhole(path) } catch { throw SyncPlace.error(error) }
        guard let bytes, let feed = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONValue.parse(Array(bytes[..<feed])), let storeID = head["storeId"]?.string,
            let revision = head["revision"]?.integer,
            head["crc"] == nil
                || bytes.withUnsafeBytes({ Seal.content(of: UnsafeRawBufferPointer(rebasing: $0[..<feed])) != nil }),
            let fold = bytes.withUnsafeBytes({ SnapshotText.fold(UnsafeRawBufferPointer(rebasing: $0[(feed + 1)...])) })
        else { return nil }
        let crc = head["commit"]?.string.flatMap { Seal.crc($0) } ?? 0
        return BaseFile(fold: fold.fold, commit: .init(storeID: storeID, revision: revision, crc: crc))
    }

    /// - Parameter snapshot: the snapshot of the store after the commit.
    static func write(
        _ snapshot: [UInt8], _ commit: Record.Commit, to path: String, by temporary: String,
        in fileSystem: FileSystem
    ) throws(SyncError) {
        let head: JSONValue = [
            "storeId": .string(commit.storeID), "revision": .number(String(commit.revision)),
            "commit": .string(Seal.text(commit.crc)),
        ]
        var line = ByteBuffer(capacity: 256)
        line.append(utf8: String(head.text.dropLast()))
        let text = Seal.sealed(&line) + [UInt8(ascii: "\n")] + snapshot
        do throws(SystemError) { try fileSystem.replaceWhole(path, by: temporary) { _ in text } } catch {
            throw SyncPlace.error(error)
        }
    }
}
