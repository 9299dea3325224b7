import JSONCodec
import MoodCore

/// The reason why a line is no record.
public enum RecordFault: Error, Sendable, Equatable {
    /// The checksum is wrong: the line was cut, changed, or not yet copied as a whole.
    case broken
    /// The line is whole, but this version does not understand it.
    case unknown(String)

    /// A clause for users.
    public var reason: String {
        switch self {
        case .broken: "its checksum is wrong"
        case .unknown(let what): what
        }
    }
}

extension Record {
    static let depthMax = 64

    /// Reads a line, without its line feed.
    public init(line: UnsafeRawBufferPointer) throws(RecordFault) {
        guard Seal.content(of: line) != nil else { throw .broken }
        var validator = JSONValidator(depthLimit: Self.depthMax)
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(line) } catch {
            throw .unknown("it is not JSON: \(error.reason)")
        }
        if outline.duplicate != nil { throw .unknown("it has a doubled name") }
        let text = outline.text
        try self.init(text, Array(line))
    }

    private init(_ text: ValidJSON, _ line: [UInt8]) throws(RecordFault) {
        var (version, number): (Int?, Int?)
        var (journal, replica): (UUID?, UUID?)
        var saw: Vector?
        var (crcs, branches): (ValidJSON?, ValidJSON?)
        var upTo: Commit?
        var operations: ValidJSON?
        var isContinued = false
        var name: String?
        var reader = JSONReader(text)
        guard reader.enterObject() else { throw .unknown("it is no object") }
        while let key = reader.nextKey() {
            let start = reader.valueStart
            if key.equals("v") {
                version = reader.number()?.integer
            } else if key.equals("journal") {
                journal = reader.text()?.withDecoded { UUID($0) }
            } else if key.equals("replica") {
                replica = reader.text()?.withDecoded { UUID($0) }
            } else if key.equals("n") {
                number = reader.number()?.integer
            } else if key.equals("more") {
                isContinued = reader.boolean() ?? false
            } else if key.equals("name") {
                name = reader.text().flatMap { Self.name($0.string) }
            } else if key.equals("ops") {
                operations = reader.skip()
            } else if key.equals("saw") {
                reader.skip()
                saw = Vector(reader.slice(from: start))
            } else if key.equals("sawCrc") {
                crcs = reader.skip()
            } else if key.equals("sawAlso") {
                branches = reader.skip()
            } else if key.equals("upTo") {
                reader.skip()
                upTo = Commit(reader.slice(from: start))
            } else {
                reader.skip()
                continue
            }
            // Skip a value of another kind.
            if reader.at <= start { reader.skip() }
        }
        guard let version else { throw .unknown("it has no version") }
        guard version == 1 else { throw .unknown("it is of version \(version); a newer MoodBoard wrote it") }
        guard let journal, let replica, let number, (1...Self.numberMax).contains(number), var saw, let upTo,
            let operations
        else { throw .unknown("a member is missing or wrong") }
        // `saw` has a place for the previous own record, whose checksum is read with the others.
        saw[replica] = number - 1
        saw.add(crcs: crcs, branches: branches)
        before = number > 1 ? saw.heads(of: replica).first?.crc ?? 0 : 0
        saw[replica] = 0
        crc = Seal.crc(of: line) ?? 0
        self.journal = journal
        self.replica = replica
        self.number = number
        self.saw = saw
        self.upTo = upTo
        self.line = line
        self.isContinued = isContinued
        self.name = name
        self.operations = try Self.operations(operations, replica, number, crc)
    }

    private static func operations(
        _ text: ValidJSON, _ replica: UUID, _ number: Int, _ crc: UInt32
    ) throws(RecordFault) -> [Operation] {
        var reader = JSONReader(text)
        guard reader.enterArray() else { throw .unknown("ops is no array") }
        var all: [Operation] = []
        while reader.nextElement() {
            let id = OperationID(replica: replica, record: number, place: all.count, crc: crc)
            guard let operation = Operation(reader.skip(), id) else {
                throw .unknown("operation \(all.count) is of a form that is not known")
            }
            all.append(operation)
        }
        return all
    }
}

extension Record.Commit {
    fileprivate init?(_ text: ValidJSON) {
        let value = JSONValue(text)
        guard let storeID = value["storeId"]?.string, let revision = value["revision"]?.integer else { return nil }
        self.init(
            storeID: storeID, revision: revision, crc: value["crc"]?.string.flatMap { Seal.crc($0) } ?? 0)
    }
}

extension Operation {
    fileprivate init?(_ text: ValidJSON, _ id: OperationID) {
        var at: Timestamp?
        var (mood, set, delete, crcs): (ValidJSON?, ValidJSON?, ValidJSON?, ValidJSON?)
        var isClear = false
        var reader = JSONReader(text)
        guard reader.enterObject() else { return nil }
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals("at") {
                var text = JSONReader(value)
                at = text.text()?.withDecoded { Timestamp(rfc3339: $0) }
            } else if key.equals("mood") {
                mood = value
            } else if key.equals("set") {
                set = value
            } else if key.equals("setCrc") {
                crcs = value
            } else if key.equals("delete") {
                delete = value
            } else if key.equals("clear") {
                isClear = true
            }
        }
        guard let at else { return nil }
        if let mood, let set {
            guard let document = MoodDocument(mood), let id = document.id.map({ (id, $0) }),
                var changes = Self.changes(set)
            else { return nil }
            if let crcs { Self.name(&changes, by: JSONValue(crcs)) }
            self = .set(SetOperation(id.0, mood: id.1, at: at, document, changes))
        } else if let delete {
            var ids: [UUID] = []
            var list = JSONReader(delete)
            guard list.enterArray() else { return nil }
            while list.nextElement() {
                guard let id = list.text()?.withDecoded({ UUID($0) }) else { return nil }
                ids.append(id)
            }
            self = .delete(at: at, ids)
        } else if isClear {
            self = .clear(at: at)
        } else {
            return nil
        }
    }

    /// Adds the checksums of replaced operations whose numbers are ambiguous.
    private static func name(_ changes: inout [SetOperation.Change], by crcs: JSONValue) {
        for member in crcs.object ?? [] {
            let named = Member(written: Array(member.name.utf8))
            guard let place = changes.firstIndex(where: { $0.member == named }) else { continue }
            let told = (member.value.array ?? []).map { $0.string.flatMap { Seal.crc($0) } ?? 0 }
            let replaced = changes[place].replaced.enumerated().map { number, id in
                number < told.count ? id.with(crc: told[number]) : id
            }
            changes[place] = SetOperation.Change(named, replaced: replaced)
        }
    }

    private static func changes(_ set: ValidJSON) -> [SetOperation.Change]? {
        var changes: [SetOperation.Change] = []
        var reader = JSONReader(set)
        guard reader.enterObject() else { return nil }
        while let key = reader.nextKey() {
            var replaced: [OperationID] = []
            guard reader.enterArray() else { return nil }
            while reader.nextElement() {
                guard let id = reader.text().flatMap({ OperationID($0) }) else { return nil }
                replaced.append(id)
            }
            changes.append(.init(Member(written: key.withDecoded { Array($0) }), replaced: replaced))
        }
        return changes
    }
}
