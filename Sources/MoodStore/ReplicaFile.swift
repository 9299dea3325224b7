import JSONCodec
import MoodCore
import Platform
import Storage

/// `sync/replica.json`: which replica of which journal a store is. No file, no sync.
///
/// It holds the machine and its own device and inode. Where one of these is another, the store was copied or is a restored
/// backup: it takes a new id before anything is committed, and what it did before stays what its former self did. `crc` is the
/// CRC-32C of all but these three; a file that somebody has edited needs none.
public struct ReplicaFile: Sendable {
    /// What the store was before.
    public struct Former: Sendable, Equatable {
        public let replica: UUID
        public let name: String?
        public let storeID: String
        /// The last commit that it made as that.
        public let upTo: Int
    }

    public let journal: UUID
    public private(set) var replica: UUID
    /// What the machine was called when it got that id. It is kept, so that whoever makes the first record makes the same.
    public private(set) var name = ProcessFacts.hostName
    public private(set) var storeID: String
    /// Commits after this one are its own; what came before is in its first records.
    public private(set) var from: Int
    public private(set) var former: [Former] = []
    /// The commit up to which records tell of all that it did, where it became this replica because it was put back or another
    /// machine writes as it; with the digits that end the commit's line, 0 where they are not known. A copy has none of its own:
    /// whether its moods and `sync/` belong together is told by the records of its former self.
    public private(set) var anchor: (replica: UUID, revision: Int, crc: UInt32)?
    public var url: String
    /// What the transport of a plugin is told; may hold secrets.
    public var config = JSONValue.object([])
    /// `{push: [program, …], pull: [program, …]}`: what lines go through.
    public var filter: JSONValue?
    /// Whether the filter was named by a person here, and did not come with a copy: a program is run only then.
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

    /// The folder in a store's directory.
    public static let folder = "sync"
    public static let fileName = "replica.json"
    private static let bytesMax = 1 << 20

    /// From this commit on it is another replica.
    /// - Parameters:
    ///   - storeID: where that is another one too, all of its commits are its own.
    ///   - crc: the digits that end that commit's line, where records tell of all that was done until then; nil for a copy.
    public mutating func becomeAnother(_ replica: UUID, after revision: Int, storeID: String, crc: UInt32? = nil) {
        // Where the store was put back, what it was before ends there too.
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

    /// What a replica that it is or was is called.
    public func name(of replica: UUID) -> String? {
        replica == self.replica ? name : former.first { $0.replica == replica }?.name
    }

    // MARK: The file

    /// - Returns: nil where the store takes no part in sync.
    /// - Throws: `corrupt` where the file says nothing that is understood.
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

    /// A name that no other writer has: a host writes the file under the store's lock, a sync under its own.
    private static func temporaryName() -> String {
        let random = RandomWords()
        return temporaryPrefix + UUID(high: random.next(), low: random.next()).text
    }

    private static let temporaryPrefix = "temporary-replica-"
    /// So long after it was written nobody is at work on such a file.
    private static let leftoverMilliseconds: Int64 = 600_000

    /// Removes what writers left that were killed. It stays where it cannot be, and means nothing.
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

    /// The identity that an installation of Linux has (machine-id(5)); empty where there is none.
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
        let crc = Array(JSONValue.object(counted).text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
        return withUnsafeBytes(of: CRC32C.hexDigits(of: crc)) { String(decoding: $0, as: UTF8.self) }
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
