import JSONCodec
import Platform
import Replication

/// A folder that something else copies: Syncthing, Dropbox, NFS, a USB stick.
///
///     <folder>/<journal>/journal.json                 says that there is one; written once
///     <folder>/<journal>/<replica>/<from>.jsonl       records, the first one `from`
///     <folder>/<journal>/<replica>/snapshot.jsonl
///
/// Each file has one writer, so that no two copies of one can be in conflict. A file that was copied in part is read up to
/// the last line that is whole.
struct FolderTransport: Transport {
    /// A new file is begun after so many bytes, so that little is copied again.
    private static let fileBytes = 1 << 20

    let root: String
    let journal: UUID
    let fileSystem: FileSystem
    private var path: String { root + "/" + journal.text }

    init(_ root: String, journal: UUID, in fileSystem: FileSystem) {
        (self.root, self.journal, self.fileSystem) = (root, journal, fileSystem)
    }

    private func path(_ replica: UUID) -> String { path + "/" + replica.text }
    private func snapshotPath(_ replica: UUID) -> String { path(replica) + "/snapshot.jsonl" }

    func open() throws(SyncError) -> [UUID] {
        try Self.journals(in: root, fileSystem)
    }

    static func journals(in root: String, _ fileSystem: FileSystem) throws(SyncError) -> [UUID] {
        do throws(SystemError) {
            return try fileSystem.list(root).compactMap { UUID($0) }.sorted()
        } catch {
            throw .offline(reason: "The folder \(root) is not there, or cannot be read: \(error).")
        }
    }

    private func replicas() throws(SystemError) -> [UUID] {
        do throws(SystemError) { return try fileSystem.list(path).compactMap { UUID($0) }.sorted() } catch {
            if error.isNotThere { return [] }
            throw error
        }
    }

    /// The numbers that the files begin with, ascending.
    private func files(_ replica: UUID) throws(SystemError) -> [Int] {
        let names: [String]
        do throws(SystemError) { names = try fileSystem.list(path(replica)) } catch {
            if error.isNotThere { return [] }
            throw error
        }
        return names.compactMap { name in
            let bytes = Array(name.utf8)
            guard bytes.count > 6, bytes.suffix(6).elementsEqual(".jsonl".utf8) else { return nil }
            return Int(String(decoding: bytes.dropLast(6), as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
        }.sorted()
    }

    private func file(_ replica: UUID, _ from: Int) -> String { "\(path(replica))/\(from).jsonl" }

    private static func error(_ error: SystemError) -> SyncError { .offline(reason: "The folder: \(error).") }

    // MARK: Sending

    func begin() throws(SyncError) {
        let text: JSONValue = ["v": 1, "journal": .string(journal.text)]
        do throws(SystemError) {
            try fileSystem.makeDirectoryIfMissing(root)
            try fileSystem.makeDirectoryIfMissing(path)
            try fileSystem.replaceWhole(path + "/journal.json", by: path + "/.journal.temporary") { _ in
                Array((text.text + "\n").utf8)
            }
        } catch {
            throw Self.error(error)
        }
    }

    func push(_ records: [Record], of replica: UUID) throws(SyncError) -> Int {
        var isAnother = false
        let last: Int
        do throws(SystemError) { last = try append(records, of: replica, &isAnother) } catch { throw Self.error(error) }
        if isAnother { throw .diverged(reason: "Somebody else wrote records as replica \(replica.text).") }
        return last
    }

    private func append(_ records: [Record], of replica: UUID, _ isAnother: inout Bool) throws(SystemError) -> Int {
        let found = try files(replica).last
        var last = try snapshotVector(replica)?[replica] ?? 0
        var end = 0
        let first = records.first?.number ?? 0
        if let found {
            let bytes = try fileSystem.readWhole(file(replica, found)) ?? []
            Lines.forEach(in: bytes) { line, lineEnd in
                guard let record = try? Record(line: line), record.replica == replica else { return false }
                last = max(last, record.number)
                end = lineEnd
                let place = record.number - first
                if records.indices.contains(place), records[place].line != record.line { isAnother = true }
                return true
            }
        }
        if isAnother { return last }
        let rest = records.filter { $0.number > last }
        guard let first = rest.first, first.number == last + 1 else { return last }
        try fileSystem.makeDirectoryIfMissing(root)
        try fileSystem.makeDirectoryIfMissing(path)
        try fileSystem.makeDirectoryIfMissing(path(replica))
        var current = found.flatMap { end > 0 && end < Self.fileBytes ? $0 : nil }
        if current == nil { end = 0 }
        var text = ByteBuffer(capacity: 4096)
        for record in rest {
            if end + text.count >= Self.fileBytes, let name = current {
                try write(text.bytes, at: end, file(replica, name))
                text.truncate(to: 0)
                (current, end) = (nil, 0)
            }
            if current == nil { current = record.number }
            record.line.withUnsafeBytes { text.append($0) }
            text.append(UInt8(ascii: "\n"))
            last = record.number
        }
        if let current { try write(text.bytes, at: end, file(replica, current)) }
        try File(path(replica), .directory, in: fileSystem).sync()
        return last
    }

    private func write(_ text: UnsafeRawBufferPointer, at end: Int, _ path: String) throws(SystemError) {
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        if try file.status().size > end { try file.truncate(to: end) }
        try file.write(text, at: end)
        try file.syncData()
    }

    // MARK: Receiving

    func pull(_ have: Vector) throws(SyncError) -> Pulled {
        do throws(SystemError) {
            var pulled = Pulled()
            for replica in try replicas() { try pull(replica, after: have[replica], into: &pulled) }
            return pulled
        } catch {
            throw Self.error(error)
        }
    }

    private func pull(_ replica: UUID, after have: Int, into pulled: inout Pulled) throws(SystemError) {
        let files = try files(replica)
        pulled.last[replica] = try snapshotVector(replica)?[replica] ?? 0
        var next = have + 1
        // The file that has the next one, and those after it.
        let start = files.lastIndex { $0 <= next } ?? 0
        for from in files[min(start, files.count)...] {
            guard let bytes = try fileSystem.readWhole(file(replica, from)) else { continue }
            var isWhole = true
            Lines.forEach(in: bytes) { line, _ in
                do throws(RecordFault) {
                    let record = try Record(line: line)
                    guard record.replica == replica, record.journal == journal else {
                        throw .unknown("it belongs to another replica or journal")
                    }
                    pulled.last[replica] = max(pulled.last[replica], record.number)
                    if record.number == next {
                        pulled.records.append(record)
                        next += 1
                    }
                    return true
                } catch {
                    isWhole = false
                    // Half a line is one that is still being copied.
                    if error != .broken { pulled.problems.append("\(replica.text)/\(from).jsonl: \(error.reason)") }
                    return false
                }
            }
            if !isWhole { return }
        }
    }

    // MARK: Snapshots

    private func snapshotVector(_ replica: UUID) throws(SystemError) -> Vector? {
        // The first line is not long, but for thousands of replicas.
        guard let text = try fileSystem.readWhole(snapshotPath(replica), bytesMax: 1 << 18) else { return nil }
        return SnapshotText.header(text)?.vector
    }

    func snapshots() throws(SyncError) -> [(replica: UUID, vector: Vector)] {
        do throws(SystemError) {
            var found: [(replica: UUID, vector: Vector)] = []
            for replica in try replicas() {
                if let vector = try snapshotVector(replica) { found.append((replica, vector)) }
            }
            return found
        } catch {
            throw Self.error(error)
        }
    }

    func snapshot(of replica: UUID) throws(SyncError) -> [UInt8]? {
        do throws(SystemError) { return try fileSystem.readWhole(snapshotPath(replica)) } catch {
            throw Self.error(error)
        }
    }

    func putSnapshot(_ text: [UInt8], of replica: UUID) throws(SyncError) {
        do throws(SystemError) {
            try fileSystem.makeDirectoryIfMissing(path)
            try fileSystem.makeDirectoryIfMissing(path(replica))
            try fileSystem.replaceWhole(snapshotPath(replica), by: path(replica) + "/.snapshot.temporary") { _ in text }
        } catch {
            throw Self.error(error)
        }
    }

    func drop(_ replica: UUID, upTo number: Int) throws(SyncError) {
        do throws(SystemError) {
            let files = try files(replica)
            // A file goes once all of its records are covered: those of the next one begin after them.
            for (from, next) in zip(files, files.dropFirst()) where next <= number + 1 {
                try fileSystem.unlink(file(replica, from))
            }
        } catch {
            throw Self.error(error)
        }
    }

    func finish() throws(SyncError) {}
}
