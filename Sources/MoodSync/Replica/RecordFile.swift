import JSONCodec
import Platform
import Replication

/// A file of lines that only grows at its end. A line that a crash cut off there is overwritten.
struct RecordFile {
    let path: String
    let fileSystem: FileSystem
    private(set) var records: [Record] = []
    /// The end of the last whole line.
    private var end = 0
    /// The names of the records; nil before the first use.
    private var names: Set<Name>?

    private struct Name: Hashable {
        let replica: UUID
        let number: Int
        let crc: UInt32

        init(_ record: Record) { (replica, number, crc) = (record.replica, record.number, record.crc) }
    }

    /// Reads a file; a missing one has no records.
    /// - Parameter isOwn: whether a commit with several records counts only after its last one.
    init(_ path: String, isOwn: Bool, in fileSystem: FileSystem) throws(SyncError) {
        self.path = path
        self.fileSystem = fileSystem
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try fileSystem.readWhole(path) ?? [] } catch { throw SyncPlace.error(error) }
        var wholeEnd = 0
        var wholeCount = 0
        Lines.forEach(in: bytes) { line, lineEnd in
            guard let record = try? Record(line: line) else { return false }
            records.append(record)
            end = lineEnd
            if !record.isContinued { (wholeEnd, wholeCount) = (lineEnd, records.count) }
            return true
        }
        guard isOwn else { return }
        records.removeLast(records.count - wholeCount)
        end = wholeEnd
    }

    var last: Record? { records.last }

    /// The record of this number. Numbers are consecutive.
    func record(_ number: Int) -> Record? {
        guard let first = records.first, number >= first.number, number - first.number < records.count else {
            return nil
        }
        return records[number - first.number]
    }

    /// Appends those records that are not there yet.
    mutating func add(_ more: [Record]) throws(SyncError) {
        if !more.isEmpty, names == nil { names = Set(records.map(Name.init)) }
        try append(more.filter { names?.insert(Name($0)).inserted ?? true })
    }

    /// Appends records, and waits until they are on the disk.
    mutating func append(_ more: [Record]) throws(SyncError) {
        if more.isEmpty { return }
        var bytes = ByteBuffer(capacity: 4096)
        for record in more {
            record.line.withUnsafeBytes { bytes.append($0) }
            bytes.append(UInt8(ascii: "\n"))
        }
        do throws(SystemError) {
            let file = try File(path, .readWriteOrCreate, in: fileSystem)
            if try file.status().size > end { try file.truncate(to: end) }
            try file.write(bytes.bytes, at: end)
            try file.syncData()
        } catch {
            throw SyncPlace.error(error)
        }
        end += bytes.count
        records += more
    }

    /// Keeps only some of the records.
    mutating func keep(_ temporary: String, where isKept: (Record) -> Bool) throws(SyncError) {
        let kept = records.filter(isKept)
        if kept.count == records.count { return }
        var bytes: [UInt8] = []
        for record in kept {
            bytes += record.line
            bytes.append(UInt8(ascii: "\n"))
        }
        do throws(SystemError) { try fileSystem.replaceWhole(path, by: temporary) { _ in bytes } } catch {
            throw SyncPlace.error(error)
        }
        (records, names) = (kept, nil)
        end = bytes.count
    }
}
