import JSONCodec
import MoodCore
import Platform

/// What a replica did, as one line of its log:
///
///     {"v":1,"journal":"…","replica":"…","n":7,"saw":{"…":3},"upTo":{"storeId":"…","revision":40},"ops":[…],"crc":"xxxxxxxx"}
///
/// A replica writes records 1, 2, 3 … and never another's. `saw` has the last records of the others that were in its store
/// when it made these commits, `upTo` the last of them. Of a commit that takes several records, all but the last say
/// `"more":true`. `crc` is the CRC-32C of every byte of the line before it.
///
/// It is applied when it is the next of its replica and all that it saw is applied. (`Fold`)
public struct Record: Sendable {
    /// A commit of the store that a replica is.
    public struct Commit: Sendable, Equatable {
        public let storeID: String
        public let revision: Int

        public init(storeID: String, revision: Int) {
            self.storeID = storeID
            self.revision = revision
        }
    }

    /// No replica writes more.
    static let numberMax = 999_999_999_999_999

    public let journal: UUID
    public let replica: UUID
    public let number: Int
    public let saw: Vector
    public let upTo: Commit
    public let operations: [Operation]
    /// Whether the next record of this replica tells of the same commit.
    public let isContinued: Bool
    /// The line, without its line feed.
    public let line: [UInt8]

    /// The eight digits of its checksum. Another record of the same number has others.
    public var seal: ArraySlice<UInt8> { line.suffix(LineSeal.byteCount) }

    /// Whether it may be applied to what is known.
    func follows(_ vector: Vector) -> Bool { number == vector[replica] + 1 && vector.covers(saw) }

    /// Whether it, at the operation of this place, knew of an operation.
    func knew(_ id: OperationID, at place: Int) -> Bool {
        guard id.replica == replica else { return saw.covers(id) }
        return id.record < number || id.record == number && id.place < place
    }

    // MARK: Writing

    public init(
        journal: UUID, replica: UUID, number: Int, saw: Vector, upTo: Commit, _ operations: [Operation],
        isContinued: Bool = false
    ) {
        var saw = saw
        saw[replica] = 0
        (self.journal, self.replica, self.number, self.saw) = (journal, replica, number, saw)
        (self.upTo, self.operations, self.isContinued) = (upTo, operations, isContinued)
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
        saw.write(to: &writer)
        writer.key("upTo")
        writer.beginObject()
        writer.key("storeId")
        writer.string(upTo.storeID)
        writer.key("revision")
        writer.integer(upTo.revision)
        writer.endObject()
        writer.key("ops")
        writer.beginArray()
        for operation in operations { operation.write(to: &writer) }
        writer.endArray()
        if isContinued {
            writer.key("more")
            writer.boolean(true)
        }
        line = LineSeal.sealed(&writer.buffer)
    }
}

extension Operation {
    fileprivate func write(to writer: inout JSONWriter) {
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

/// The checksum that ends a line.
public enum LineSeal {
    /// `"crc":"` and eight digits and `"}`.
    static let byteCount = 17

    /// Ends an object whose brace is still open.
    public static func sealed(_ buffer: inout ByteBuffer) -> [UInt8] {
        buffer.append(UInt8(ascii: ","))
        let digits = CRC32C.hexDigits(of: CRC32C.checksum(buffer.bytes))
        buffer.append("\"crc\":\"" as StaticString)
        buffer.append(word: digits)
        buffer.append("\"}" as StaticString)
        return Array(buffer.bytes)
    }

    /// Whether a line is whole.
    public static func holds(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > byteCount else { return false }
        let content = UnsafeRawBufferPointer(rebasing: line[..<(line.count - byteCount)])
        var seal = ByteBuffer(capacity: 32)
        seal.append("\"crc\":\"" as StaticString)
        seal.append(word: CRC32C.hexDigits(of: CRC32C.checksum(content)))
        seal.append("\"}" as StaticString)
        return seal.bytes.elementsEqual(line[(line.count - byteCount)...])
    }
}
