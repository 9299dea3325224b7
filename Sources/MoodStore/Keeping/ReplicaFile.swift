import JSONCodec
import MoodCore
import Platform
import Storage

/// `sync/replica.json`: the replica and the journal of a store. Without this file there is no sync.
///
/// It has the machine and its own device and inode. If one of these differs, the store is a copy or a restored backup:
/// it takes a new id before its first commit, and its earlier commits stay its former self's. `crc` is the CRC-32C of
/// all but these three; a file that a person edited needs none.
public struct ReplicaFile: Sendable {
    /// An earlier identity of the store.
    public struct Former: Sendable, Equatable {
        public let replica: UUID
        public let name: String?
        public let storeID: String
        /// The last commit under that identity.
        public let upTo: Int
    }

    public let journal: UUID
    public private(set) var replica: UUID
    /// The machine's host name when it got the id. Stored, so that every writer makes an equal first record.
    public private(set) var name = ProcessFacts.hostName
    public private(set) var storeID: String
    /// Commits after this one are its own; earlier ones are in its first records.
    public var from: Int
    public private(set) var former: [Former] = []
    /// The last commit that is completely in records, if the store became this replica by a setup, because it was restored or
    /// because another machine writes as it. `crc` is the checksum of the commit's line, 0 if unknown. A copy has no
    /// anchor: the records of its former self show whether its moods and `sync/` belong together.
    public private(set) var anchor: (replica: UUID, revision: Int, crc: UInt32)?
    public var url: String
    /// The configuration for the plugin's transport; may contain secrets.
    public var config = JSONValue.object([])
    /// The programs for each line: `{push: [program, …], pull: [program, …]}`.
    public var filter: JSONValue?
    /// Whether a person set the filter here. A filter that came with a copy is not run.
    public var isFilterNamedHere = true
    private var machine = ""
    private var device: UInt64 = 0
    private var inode: UInt64 = 0

    public init(journal: UUID, replica: UUID, storeID: String, from: Int, url: String) {
        self.journal = journal
        self.replica = replica
        self.storeID = storeID
        self.from = from
        self.url = url
    }

    /// Whether no setup has ended: the store's moods may not be in records yet.
    public var isBegun: Bool { anchor == nil && former.isEmpty }

    /// Ends the setup: the state after this commit is in records.
    public mutating func endSetup(at revision: Int, crc: UInt32) {
        from = revision
        anchor = (replica, revision, crc)
    }

    /// The folder in a store's directory.
    public static let folder = "sync"
    public static let fileName = "replica.json"
    private static let bytesMax = 1 << 20

    /// Makes the store another replica from this commit on.
    /// - Parameters:
    ///   - storeID: if it differs too, all commits are the new replica's.
    ///   - crc: the checksum of that commit's line, if records have all earlier commits; nil for a copy.
    public mutating func becomeAnother(_ replica: UUID, after revision: Int, storeID: String, crc: UInt32? = nil) {
        // If the store was restored, its former identities end there too.
        former = former.map { one in
            let upTo = one.storeID == self.storeID ? min(one.upTo, revision) : one.upTo
            return Former(replica: one.replica, name: one.name, storeID: one.storeID, upTo: upTo)
        }
        former.append(Former(replica: self.replica, name: name, storeID: self.storeID, upTo: revision))
        if let crc { anchor = (replica, revision, crc) }
        self.replica = replica
        name = ProcessFacts.hostName
        if storeID != self.storeID { from = 0 }
        self.storeID = storeID
    }

    /// The replica that made a commit.
    public func maker(of revision: Int) -> UUID {
        former.first { $0.storeID == storeID && revision <= $0.upTo }?.replica ?? replica
    }

    /// The name of this replica, or of a former one.
    public func name(of replica: UUID) -> String? {
        replica == self.replica ? name : former.first { $0.replica == replica }?.name
    }

    // MARK: The file

    /// - Returns: nil if the store takes no part in sync.
    /// - Throws: `corrupt` if the file cannot be understood.
    public static func read(
        _ directory: String, in fileSystem: FileSystem
    ) throws(StorageError) -> (file: ReplicaFile, isHere: Bool, byteCount: Int)? {
        let path = directory + "/" + folder + "/" + fileName
        let bytes: [UInt8]?
        let status: FileStatus
        do throws(SystemError) {
            bytes = try fileSystem.readWhole(path, bytesMax: bytesMax)
            if bytes == nil { return nil }
            status = try fileSystem.statusOfPath(path)
        } catch {
            throw .unavailable(
                reason: "\(folder)/\(fileName) cannot be read: \(error).",
                advice: "Check who may read it, then try again.")
        }
        guard let bytes, let value = try? JSONValue.parse(bytes), let file = ReplicaFile(value), isSound(value) else {
            throw .corrupt(
                file: folder + "/" + fileName, offset: 0,
                reason:
                    "\(folder)/\(fileName) is not as it was written. If you have edited it, take the member crc out of it;"
                    + " else leave the sync (sync.leave) and set it up again.")
        }
        let isHere =
            file.machine == machineID(in: fileSystem) && file.device == status.device && file.inode == status.inode
        return (file, isHere, bytes.count)
    }

    public mutating func write(_ directory: String, in fileSystem: FileSystem) throws(SystemError) {
        let place = directory + "/" + Self.folder
        try fileSystem.makeDirectoryIfMissing(place)
        machine = Self.machineID(in: fileSystem)
        var written = self
        Self.removeLeftovers(in: place, fileSystem)
        try fileSystem.replaceWhole(place + "/" + Self.fileName, by: place + "/" + Self.temporaryName()) { status in
            (written.device, written.inode) = (status.device, status.inode)
            return Array((written.value.prettyText + "\n").utf8)
        }
        self = written
    }

    /// A unique name: a host writes the file under the store's lock, a sync under its own.
    private static func temporaryName() -> String {
        let random = RandomWords()
        return temporaryPrefix + UUID(high: random.next(), low: random.next()).text
    }

    private static let temporaryPrefix = "temporary-replica-"
    /// The age at which a temporary file has no living writer.
    private static let leftoverMilliseconds: Int64 = 600_000

    /// Removes files that killed writers left. A file that cannot be removed does no harm.
    private static func removeLeftovers(in folder: String, _ fileSystem: FileSystem) {
        for name in (try? fileSystem.list(folder)) ?? [] where name.hasPrefix(temporaryPrefix) {
            let path = folder + "/" + name
            guard let status = try? fileSystem.statusOfPath(path),
                Clock.milliseconds - status.modified / 1_000_000 > leftoverMilliseconds
            else { continue }
            try? fileSystem.unlink(path)
        }
    }

    public static func remove(_ directory: String, in fileSystem: FileSystem) throws(SystemError) {
        try fileSystem.unlink(directory + "/" + folder + "/" + fileName)
    }

    /// The id of a Linux installation (machine-id(5)); empty if there is none.
    private static func machineID(in fileSystem: FileSystem) -> String {
        let bytes = try? fileSystem.readWhole("/etc/machine-id", bytesMax: 256)
        return String(decoding: (bytes ?? [])?.prefix { $0 > 0x20 } ?? [], as: UTF8.self)
    }

    // MARK: JSON

    private init?(_ value: JSONValue) {
        guard value["v"]?.integer == 1, let journal = value["journal"]?.string.flatMap({ UUID($0) }),
            let replica = value["replica"]?.string.flatMap({ UUID($0) }), let storeID = value["storeId"]?.string,
            let from = value["from"]?.integer, let url = value["url"]?.string, let former = value["former"]?.array
        else { return nil }
        self.init(journal: journal, replica: replica, storeID: storeID, from: from, url: url)
        name = value["name"]?.string
        config = value["config"] ?? .object([])
        filter = value["filter"]
        isFilterNamedHere = value["isFilterNamedHere"]?.boolean ?? false
        if let revision = value["anchor"]?["revision"]?.integer {
            let whose = value["anchor"]?["replica"]?.string.flatMap { UUID($0) } ?? replica
            anchor = (whose, revision, value["anchor"]?["crc"]?.integer.flatMap { UInt32(exactly: $0) } ?? 0)
        }
        machine = value["machine"]?.string ?? ""
        device = value["device"]?.string.flatMap { UInt64($0) } ?? 0
        inode = value["inode"]?.string.flatMap { UInt64($0) } ?? 0
        for one in former {
            guard let replica = one["replica"]?.string.flatMap({ UUID($0) }), let storeID = one["storeId"]?.string,
                let upTo = one["upTo"]?.integer
            else { return nil }
            self.former.append(
                Former(replica: replica, name: one["name"]?.string, storeID: storeID, upTo: upTo))
        }
    }

    private static func isSound(_ value: JSONValue) -> Bool {
        guard let members = value.object, let crc = value["crc"] else { return value.object != nil }
        return crc.string == checksum(of: members)
    }

    private static func checksum(of members: [JSONValue.Member]) -> String {
        let counted = members.filter { !["machine", "device", "inode", "crc"].contains($0.name) }
        return Seal.text(Array(JSONValue.object(counted).text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
    }

    private var value: JSONValue {
        let before = former.map { one in
            JSONValue.object([
                .init("replica", .string(one.replica.text)), .init("name", one.name.map { .string($0) } ?? .null),
                .init("storeId", .string(one.storeID)), .init("upTo", .number(String(one.upTo))),
            ])
        }
        var members: [JSONValue.Member] = [
            .init("v", 1), .init("journal", .string(journal.text)), .init("replica", .string(replica.text)),
            .init("name", name.map { .string($0) } ?? .null),
            .init("storeId", .string(storeID)), .init("from", .number(String(from))), .init("url", .string(url)),
            .init("config", config), .init("filter", filter ?? .null),
            .init("isFilterNamedHere", .boolean(isFilterNamedHere)), .init("machine", .string(machine)),
            .init("device", .string(String(device))),
            .init("inode", .string(String(inode))), .init("former", .array(before)),
        ]
        if let anchor {
            let value = JSONValue.object([
                .init("replica", .string(anchor.replica.text)), .init("revision", .number(String(anchor.revision))),
                .init("crc", .number(String(anchor.crc))),
            ])
            members.append(.init("anchor", value))
        }
        members.append(.init("crc", .string(Self.checksum(of: members))))
        return .object(members)
    }
}
