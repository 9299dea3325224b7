import JSONCodec
import Platform
import Replication

/// A snapshot on the disk of this replica, and the commit of the store whose state it is: a line `{"storeId":"…","revision":N}`,
/// then the snapshot.
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
            let revision = head["revision"]?.integer, let fold = SnapshotText.fold(Array(bytes[(feed + 1)...]))
        else { return nil }
        return BaseFile(fold: fold.fold, storeID: storeID, revision: revision)
    }

    func write(_ path: String, journal: UUID, by temporary: String, in fileSystem: FileSystem) throws(SyncError) {
        let head: JSONValue = ["storeId": .string(storeID), "revision": .number(String(revision))]
        let text = Array((head.text + "\n").utf8) + SnapshotText.text(fold, journal: journal)
        do throws(SystemError) { try fileSystem.replaceWhole(path, by: temporary) { _ in text } } catch {
            throw SyncPlace.error(error)
        }
    }
}

/// A snapshot as one text.
enum SnapshotText {
    static func text(_ fold: Fold, journal: UUID) -> [UInt8] {
        var bytes = ByteBuffer(capacity: 1 << 16)
        Snapshot.write(fold, journal: journal) { line in
            line.withUnsafeBytes { bytes.append($0) }
            bytes.append(UInt8(ascii: "\n"))
        }
        return Array(bytes.bytes)
    }

    /// - Returns: nil where a line is missing or not whole.
    static func fold(_ text: [UInt8]) -> (fold: Fold, journal: UUID)? {
        var reading: Snapshot.Reading?
        var isWhole = true
        Lines.forEach(in: text) { line, _ in
            do throws(RecordFault) {
                if reading == nil { reading = try Snapshot.Reading(first: line) } else { try reading?.take(line) }
            } catch {
                isWhole = false
            }
            return isWhole
        }
        guard isWhole, let reading, let fold = reading.fold else { return nil }
        return (fold, reading.header.journal)
    }
}
