import JSONCodec
import MoodCore
import Platform

/// What a replica did, as one line of its log:
///
///     {"v":1,"journal":"…","replica":"…","n":7,"saw":{"…":3},"upTo":{"storeId":"…","revision":40},"ops":[…],"crc":"xxxxxxxx"}
///
/// A replica writes records 1, 2, 3 … and never another's. `saw` has the last records of the others that were in its store
/// when it made these commits, `upTo` the last of them. Of a commit that takes several records, all but the last say
/// `"more":true`. The first one of a replica may have a `name` for people. `crc` is the CRC-32C of every byte of the line before it.
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

    /// A name has no more characters; of a longer one the first ones are taken.
    private static let nameLengthMax = 100

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
    /// What the replica is called.
    public let name: String?
    /// The line, without its line feed.
    public let line: [UInt8]

    /// The eight digits of its checksum. Another record of the same number has others.
    public var seal: ArraySlice<UInt8> { line.suffix(LineSeal.byteCount) }

    /// Whether it may be applied to what is known.
    func follows(_ vector: Vector) -> Bool { number == vector[replica] + 1 && vector.covers(saw) }

    /// What was known when it was made.
    var knowledge: Knowledge { Knowledge(replica: replica, number: number, saw: saw) }

    /// What a record knew of.
    struct Knowledge {
        let replica: UUID
        let number: Int
        let saw: Vector

        /// Whether the record, at the operation of this place, knew of an operation.
        func knew(_ id: OperationID, at place: Int) -> Bool {
            guard id.replica == replica else { return saw.covers(id) }
            return id.record < number || id.record == number && id.place < place
        }
    }

    /// A name as it is kept: one line, not long.
    static func name(_ text: String) -> String? {
        let name = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }.prefix(
            nameLengthMax)
        return name.isEmpty ? nil : String(String.UnicodeScalarView(name))
    }

    // MARK: Writing

    public init(
        journal: UUID, replica: UUID, number: Int, saw: Vector, upTo: Commit, _ operations: [Operation],
        isContinued: Bool = false, name: String? = nil
    ) {
        let name = name.flatMap { Self.name($0) }
        var saw = saw
        saw[replica] = 0
        (self.journal, self.replica, self.number, self.saw) = (journal, replica, number, saw)
        (self.upTo, self.operations, self.isContinued, self.name) = (upTo, operations, isContinued, name)
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
        if let name {
            writer.key("name")
            writer.string(name)
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
        let start = line.count - byteCount
        let content = UnsafeRawBufferPointer(rebasing: line[..<start])
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: line.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        return word(0) << 8 == opening && line[line.count - 2] == UInt8(ascii: "\"")
            && line[line.count - 1] == UInt8(ascii: "}")
            && word(7) == CRC32C.hexDigits(of: CRC32C.checksum(content))
    }

    /// `"crc":"` as the upper seven bytes of a word.
    private static let opening: UInt64 = 0x223a_2263_7263_2200
}
