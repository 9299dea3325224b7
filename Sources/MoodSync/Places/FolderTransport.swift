import JSONCodec
import Platform
import Replication

/// A folder that another program copies: Syncthing, Dropbox, NFS, a USB stick.
///
///     <folder>/<journal>/journal.json                 marks the journal; written once
///     <folder>/<journal>/<replica>/<from>.jsonl       records, the first one `from`
///     <folder>/<journal>/<replica>/snapshot.jsonl     a line {"v":1,"id":"…","vector":{…},"crc":"…"}, then the snapshot
///
/// Each file has one writer, so that no two copies of one can be in conflict. A partly copied file is read up to its
/// last whole line.
struct FolderTransport: Transport {
    /// The bytes after which a new file begins, so that little is copied again.
    private static let fileBytes = 1 << 20

    let copiesInParts = true
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
        do throws(SystemError) {
            return try fileSystem.list(path).compactMap { UUID($0) }.filter { isKind(.directory, path($0)) }.sorted()
        } catch {
            if error.isNotThere { return [] }
            throw error
        }
    }

    /// Whether the path has this kind; a link never has. Opening another kind of file in place of ours may block
    /// forever.
    private func isKind(_ kind: FileStatus.Kind, _ path: String) -> Bool {
        (try? fileSystem.statusOfPath(path).kind) == kind
    }

    /// Entries with names of ours that are no such files.
    var passedOver: [String] {
        var found: [String] = []
        for name in (try? fileSystem.list(path)) ?? [] where UUID(name) != nil {
            let replica = path + "/" + name
            guard isKind(.directory, replica) else {
                found.append(replica)
                continue
            }
            for entry in (try? fileSystem.list(replica)) ?? []
            where entry == "snapshot.jsonl" || Self.start(of: entry) != nil {
                if !isKind(.regular, replica + "/" + entry) || !isOwned(entry, by: name) {
                    found.append(replica + "/" + entry)
                }
            }
        }
        return found.sorted()
    }

    /// Whether a file begins with a line of the replica whose folder it is in. In a copied folder it does not.
    private func isOwned(_ entry: String, by name: String) -> Bool {
        if entry == "snapshot.jsonl" {
            return UUID(name).flatMap { try? snapshotHead($0) }.map { $0.replica == UUID(name) } ?? true
        }
        guard let bytes = (try? fileSystem.readWhole("\(path)/\(name)/\(entry)", bytesMax: 4096)) ?? nil else {
            return true
        }
        let start = String(decoding: bytes.prefix(200), as: UTF8.self)
        return !start.contains("\"replica\":\"") || start.lowercased().contains(name.lowercased())
    }

    var files: [String]? {
        var found: [String] = []
        for replica in (try? replicas()) ?? [] {
            for from in (try? files(replica)) ?? [] { found.append("\(replica.text)/\(from)") }
        }
        return found
    }

    /// The first number in a file of records, from its name.
    private static func start(of name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.count > 6, bytes.suffix(6).elementsEqual(".jsonl".utf8) else { return nil }
        return Int(String(decoding: bytes.dropLast(6), as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The first numbers of the files, ascending.
    private func files(_ replica: UUID) throws(SystemError) -> [Int] {
        let names: [String]
        do throws(SystemError) { names = try fileSystem.list(path(replica)) } catch {
            if error.isNotThere { return [] }
            throw error
        }
        return names.compactMap { Self.start(of: $0) }.filter { isKind(.regular, file(replica, $0)) }.sorted()
    }

    private func file(_ replica: UUID, _ from: Int) -> String { "\(path(replica))/\(from).jsonl" }

    private static func error(_ error: SystemError) -> SyncError { .offline(reason: "The folder: \(error).") }

    /// A fingerprint of the files of other replicas.
    func sight(besides own: UUID) -> SyncSight? {
        do throws(SystemError) {
            var sizes: [UUID: [Int]] = [:]
            for replica in try replicas() where replica != own {
                let last = try files(replica).last ?? 0
                var found = [last]
                for path in [file(replica, last), snapshotPath(replica)] {
                    let status: FileStatus
                    do throws(SystemError) { status = try fileSystem.statusOfPath(path) } catch { continue }
                    found += [status.size, Int(truncatingIfNeeded: status.modified)]
                }
                sizes[replica] = found
            }
            return SyncSight(sizes: sizes)
        } catch {
            return nil
        }
    }

    // MARK: Sending

    func push(_ lines: [TransportLine], of replica: UUID) throws(SyncError) -> Int {
        do throws(SystemError) { return try append(lines, of: replica) } catch { throw Self.error(error) }
    }

    private func append(_ lines: [TransportLine], of replica: UUID) throws(SystemError) -> Int {
        let found = try files(replica).last
        var last = try snapshotHead(replica)?.vector[replica] ?? 0
        // The end of the last file: a gap in a file would hide the records after it.
        var (end, lastThere) = (0, 0)
        if let found {
            let bytes = try fileSystem.readWhole(file(replica, found)) ?? []
            Lines.forEach(in: bytes) { line, lineEnd in
                guard let head = CarriedLine(line), head.replica == replica else { return false }
                last = max(last, head.number)
                lastThere = head.number
                end = lineEnd
                return true
            }
        }
        let rest = lines.filter { $0.number > last }
        guard let first = rest.first, first.number == last + 1 else { return last }
        try begin()
        try fileSystem.makeDirectoryIfMissing(path(replica))
        var current = found.flatMap { end > 0 && end < Self.fileBytes && lastThere == last ? $0 : nil }
        if current == nil { end = 0 }
        var text = ByteBuffer(capacity: 4096)
        for line in rest {
            if end + text.count >= Self.fileBytes, let name = current {
                try write(text.bytes, at: end, file(replica, name))
                text.truncate(to: 0)
                (current, end) = (nil, 0)
            }
            if current == nil { current = line.number }
            line.text.withUnsafeBytes { text.append($0) }
            text.append(UInt8(ascii: "\n"))
            last = line.number
        }
        if let current { try write(text.bytes, at: end, file(replica, current)) }
        try File(path(replica), .directory, in: fileSystem).sync()
        return last
    }

    /// Writes `journal.json`, so that others find the journal before they have records. A root that is gone, such as a
    /// stick that was pulled out, is not made again.
    private func begin() throws(SystemError) {
        let name = path + "/journal.json"
        if try fileSystem.readWhole(name, bytesMax: 1) != nil { return }
        let text: JSONValue = ["v": 1, "journal": .string(journal.text)]
        try fileSystem.makeDirectoryIfMissing(path)
        try fileSystem.replaceWhole(name, by: path + "/.journal.temporary") { _ in Array((text.text + "\n").utf8) }
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
        pulled.last[replica] = try snapshotHead(replica)?.vector[replica] ?? 0
        var next = have + 1
        // The file with the next record, and those after it.
        let start = files.lastIndex { $0 <= next } ?? 0
        for from in files[min(start, files.count)...] {
            guard let bytes = try fileSystem.readWhole(file(replica, from)) else { continue }
            var isWhole = true
            Lines.forEach(in: bytes) { line, _ in
                // An incomplete line is still being copied.
                guard let head = CarriedLine(line), head.replica == replica else {
                    isWhole = false
                    return false
                }
                pulled.last[replica] = max(pulled.last[replica], head.number)
                if head.number == next {
                    pulled.lines.append(TransportLine(replica: replica, number: next, text: Array(line)))
                    next += 1
                }
                return true
            }
            if !isWhole { return }
        }
    }

    // MARK: Snapshots

    private func snapshotHead(_ replica: UUID) throws(SystemError) -> TransportSnapshot? {
        // The first line is short, unless there are thousands of replicas.
        let path = snapshotPath(replica)
        guard isKind(.regular, path), let bytes = try fileSystem.readWhole(path, bytesMax: 1 << 18) else { return nil }
        var head: TransportSnapshot?
        Lines.forEach(in: bytes) { line, _ in
            head = TransportSnapshot(line)
            return false
        }
        let status = try fileSystem.statusOfPath(path)
        head?.stamp = "\(status.size)-\(status.modified)"
        return head
    }

    func snapshots() throws(SyncError) -> [TransportSnapshot] {
        do throws(SystemError) {
            var found: [TransportSnapshot] = []
            for replica in try replicas() {
                if let head = try snapshotHead(replica), head.replica == replica { found.append(head) }
            }
            return found
        } catch {
            throw Self.error(error)
        }
    }

    func text(of snapshot: TransportSnapshot) throws(SyncError) -> [UInt8]? {
        guard let replica = snapshot.replica else { return nil }
        do throws(SystemError) {
            guard let bytes = try fileSystem.readWhole(snapshotPath(replica)) else { return nil }
            var (isSame, start) = (false, 0)
            Lines.forEach(in: bytes) { line, end in
                (isSame, start) = (TransportSnapshot(line)?.id == snapshot.id, end)
                return false
            }
            return isSame ? Array(bytes[start...]) : nil
        } catch {
            throw Self.error(error)
        }
    }

    func put(_ text: [UInt8], as snapshot: TransportSnapshot) throws(SyncError) {
        guard let replica = snapshot.replica else { return }
        let path = path(replica)
        do throws(SystemError) {
            try begin()
            try fileSystem.makeDirectoryIfMissing(path)
            try fileSystem.replaceWhole(snapshotPath(replica), by: path + "/.snapshot.temporary") { _ in
                snapshot.line + text
            }
        } catch {
            throw Self.error(error)
        }
    }

    func drop(_ replica: UUID, upTo number: Int, snapshots: [TransportSnapshot]) throws(SyncError) {
        do throws(SystemError) {
            let files = try files(replica)
            // A file is removed once all of its records are covered: those of the next file begin after them.
            for (from, next) in zip(files, files.dropFirst()) where next <= number + 1 {
                try fileSystem.unlink(file(replica, from))
            }
            for snapshot in snapshots {
                guard let replica = snapshot.replica, try snapshotHead(replica)?.id == snapshot.id else { continue }
                try fileSystem.unlink(snapshotPath(replica))
            }
        } catch {
            throw Self.error(error)
        }
    }

    func finish() throws(SyncError) {}
}

/// A fingerprint of what others have written to a folder, so that two looks can be compared.
public struct SyncSight: Sendable, Equatable {
    let sizes: [UUID: [Int]]
}

extension TransportSnapshot {
    fileprivate init?(_ line: UnsafeRawBufferPointer) {
        guard Seal.content(of: line) != nil, let value = try? JSONValue.parse(Array(line)),
            let id = value["id"]?.string,
            let members = value["vector"]?.object,
            members.allSatisfy({ UUID($0.name) != nil && $0.value.integer != nil })
        else { return nil }
        // It was found to be JSON above.
        self.init(id: id, vector: Vector(members: ValidJSON(trusting: line), "vector"))
    }

    fileprivate var line: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.key("v")
        writer.integer(1)
        writer.key("id")
        writer.string(id)
        writer.key("vector")
        vector.write(to: &writer)
        vector.writeCrcs(to: &writer)
        return Seal.sealed(&writer.buffer) + [UInt8(ascii: "\n")]
    }
}
