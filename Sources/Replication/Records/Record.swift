import JSONCodec
import MoodCore

/// The changes of a replica, as one line of its log:
///
///     {"v":1,"journal":"…","replica":"…","n":7,"saw":{"…":3},"sawCrc":{"…":"xxxxxxxx"},
///      "upTo":{"storeId":"…","revision":40,"crc":"xxxxxxxx"},"ops":[…],"crc":"xxxxxxxx"}
///
/// A replica writes records 1, 2, 3 … and never another's. `saw` has the last records of the others that were in its
/// store when it made these commits, `sawCrc` their checksums and that of its own previous record, `upTo` the last of
/// the commits and the checksum that ends its line. If a commit takes several records, all but the last have
/// `"more":true`. The first one of a replica may have a `name` for users. `crc` is the CRC-32C of every byte of the
/// line before it.
///
/// The identity of a record is its replica, number and checksum. It is applied when the previous one and all that it
/// saw are applied. (`Fold`)
public struct Record: Sendable {
    /// A commit of a replica's store.
    public struct Commit: Sendable, Equatable {
        public let storeID: String
        public let revision: Int
        /// The checksum that ends its line; 0 if unknown.
        public let crc: UInt32

        public init(storeID: String, revision: Int, crc: UInt32 = 0) {
            self.storeID = storeID
            self.revision = revision
            self.crc = crc
        }
    }

    /// The most characters of a name; a longer one is cut.
    private static let nameLengthMax = 100

    /// The greatest number of a record.
    static let numberMax = 999_999_999_999_999

    public let journal: UUID
    public let replica: UUID
    public let number: Int
    public let saw: Vector
    /// The checksum of the previous record; 0 if unknown.
    public let before: UInt32
    public let upTo: Commit
    public let operations: [Operation]
    /// Whether the next record of this replica describes the same commit.
    public let isContinued: Bool
    /// The name of the replica.
    public let name: String?
    /// The line, without its line feed.
    public let line: [UInt8]

    /// Its checksum, which differs from that of another record with its number.
    public let crc: UInt32

    /// The records that it saw, and the previous one of its replica.
    public var needs: Vector {
        var all = saw
        if number > 1 { all.setHead(.init(number: number - 1, crc: before), of: replica) }
        return all
    }

    /// The records that were known when it was made.
    var knowledge: Knowledge { Knowledge(replica: replica, number: number, saw: needs) }

    /// The records that a record knew.
    struct Knowledge {
        let replica: UUID
        let number: Int
        /// The records, including the previous own ones.
        let saw: Vector

        /// Whether the record, at the operation of this place, knew an operation.
        /// - Parameters:
        ///   - crc: the record's; 0 while it is made.
        ///   - known: the branches.
        func knew(_ id: OperationID, at place: Int, _ crc: UInt32, _ known: Known) -> Bool {
            func isOwn(_ id: OperationID) -> Bool { id.record == number && id.crc == crc && id.replica == replica }
            if isOwn(id) { return id.place < place }
            if known.isCovered(id, by: saw) { return true }
            return known.twins(of: id).contains { isOwn($0) ? $0.place < place : known.isCovered($0, by: saw) }
        }
    }

    /// A name in its stored form: one line, not long.
    static func name(_ text: String) -> String? {
        let name = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }.prefix(
            nameLengthMax)
        return name.isEmpty ? nil : String(String.UnicodeScalarView(name))
    }

    // MARK: Writing

    public init(
        journal: UUID, replica: UUID, number: Int, saw: Vector, before: UInt32 = 0, upTo: Commit,
        _ operations: [Operation], isContinued: Bool = false, name: String? = nil, known: Known? = nil
    ) {
        let name = name.flatMap { Self.name($0) }
        var others = saw
        others[replica] = 0
        (self.journal, self.replica, self.number, self.saw, self.before) = (journal, replica, number, others, before)
        (self.upTo, self.isContinued, self.name) = (upTo, isContinued, name)
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.key("v")
        writer.integer(1)
        writer.key("journal")
        writer.string(journal.text)
        writer.key("replica")
        writer.string(replica.text)
        writer.key("n")
        writer.integer(number)
        writer.key("saw")
        others.write(to: &writer)
        var told = others
        if before != 0 { told.setHead(.init(number: number - 1, crc: before), of: replica) }
        told.writeCrcs(to: &writer)
        writer.key("upTo")
        writer.beginObject()
        writer.key("storeId")
        writer.string(upTo.storeID)
        writer.key("revision")
        writer.integer(upTo.revision)
        if upTo.crc != 0 {
            writer.key("crc")
            writer.string(Seal.text(upTo.crc))
        }
        writer.endObject()
        writer.key("ops")
        writer.beginArray()
        for operation in operations {
            operation.write(to: &writer) { id in
                // An operation with its own number in another record belongs to another branch.
                known?.isAmbiguous(id) ?? false || id.replica == replica && id.record == number && id.crc != 0
            }
        }
        writer.endArray()
        if isContinued {
            writer.key("more")
            writer.boolean(true)
        }
        if let name {
            writer.key("name")
            writer.string(name)
        }
        line = Seal.sealed(&writer.buffer)
        let crc = Seal.crc(of: line) ?? 0
        self.crc = crc
        self.operations = operations.map { operation in
            if case .set(let set) = operation { .set(set.named(crc)) } else { operation }
        }
    }
}

extension Operation {
    /// - Parameter isAmbiguous: whether a number alone does not identify the record.
    fileprivate func write(to writer: inout JSONWriter, _ isAmbiguous: (OperationID) -> Bool) {
        writer.beginObject()
        writer.key("at")
        switch self {
        case .set(let set):
            writer.string(set.at.text)
            writer.key("mood")
            set.document.bytes.withUnsafeBytes { writer.raw($0) }
            writer.key("set")
            writer.beginObject()
            let values = set.document.members
            for change in set.changes {
                let isThere = values.contains { $0.member == change.member }
                change.member.written(isThere: isThere).withUnsafeBytes { writer.string(utf8: $0) }
                writer.buffer.append(UInt8(ascii: ":"))
                writer.beginArray()
                for id in change.replaced { writer.string(id.text) }
                writer.endArray()
            }
            writer.endObject()
            let branched = set.changes.filter { $0.replaced.contains(where: isAmbiguous) }
            if branched.isEmpty { break }
            // In the order of `set`; older hosts ignore it.
            writer.key("setCrc")
            writer.beginObject()
            for change in branched {
                let isThere = values.contains { $0.member == change.member }
                change.member.written(isThere: isThere).withUnsafeBytes { writer.string(utf8: $0) }
                writer.buffer.append(UInt8(ascii: ":"))
                writer.beginArray()
                for id in change.replaced { writer.string(Seal.text(id.crc)) }
                writer.endArray()
            }
            writer.endObject()
        case .delete(let at, let ids):
            writer.string(at.text)
            writer.key("delete")
            writer.beginArray()
            for id in ids { writer.string(id.text) }
            writer.endArray()
        case .clear(let at):
            writer.string(at.text)
            writer.key("clear")
            writer.boolean(true)
        }
        writer.endObject()
    }
}
