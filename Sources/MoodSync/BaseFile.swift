import JSONCodec
import Platform
import Replication

/// A snapshot on the disk of this replica, and the commit of the store whose state it is: a line
/// `{"storeId":"…","revision":N,"crc":"…"}`, then the snapshot.
struct BaseFile {
    let fold: Fold
    let storeID: String
    let revision: Int

    /// Nil where there is none, or where it is not whole; then records are read from the beginning.
    static func read(_ path: String, in fileSystem: FileSystem) throws(SyncError) -> BaseFile? {
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try fileSystem.readWhole(path) } catch { throw SyncPlace.error(error) }
        guard let bytes, let feed = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONValue.parse(Array(bytes[..<feed])), let storeID = head["storeId"]?.string,
            let revision = head["revision"]?.integer,
            head["crc"] == nil
                || bytes.withUnsafeBytes({ LineSeal.holds(UnsafeRawBufferPointer(rebasing: $0[..<feed])) }),
            let fold = bytes.withUnsafeBytes({ SnapshotText.fold(UnsafeRawBufferPointer(rebasing: $0[(feed + 1)...])) })
        else { return nil }
        return BaseFile(fold: fold.fold, storeID: storeID, revision: revision)
    }

    /// - Parameter snapshot: of the store `storeID` as it is after the commit `revision`.
    static func write(
        _ snapshot: [UInt8], storeID: String, revision: Int, to path: String, by temporary: String,
        in fileSystem: FileSystem
    ) throws(SyncError) {
        let head: JSONValue = ["storeId": .string(storeID), "revision": .number(String(revision))]
        var line = ByteBuffer(capacity: 256)
        line.append(utf8: String(head.text.dropLast()))
        let text = LineSeal.sealed(&line) + [UInt8(ascii: "\n")] + snapshot
        do throws(SystemError) { try fileSystem.replaceWhole(path, by: temporary) { _ in text } } catch {
            throw SyncPlace.error(error)
        }
    }
}
