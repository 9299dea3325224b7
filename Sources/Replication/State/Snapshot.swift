import JSONCodec
import MoodCore

/// A fold as text, which replaces reading all records: lines of JSON, the first with the vector, then one for each mood
/// by id. Each line has its checksum.
///
///     {"v":1,"journal":"…","vector":{"…":7},"sawCrc":{"…":"…"},"known":{…},"names":{"…":"phone"},"moods":2,"crc":"…"}
///     {"id":"…","ops":[{"op":"replica/n/i","at":"…","mood":{…},"isAlive":true,"heads":["label",…]},…],"crc":"…"}
///
/// `sawCrc` has the checksums of the last records, `known` those of all (`Known`); `opCrc` identifies an operation's
/// record if several have its number. A set that keeps the mood alive has its whole mood, any other one only the
/// members that it is a head of.
public enum Snapshot {
    /// The contents of the first line.
    public struct Header: Sendable {
        public let journal: UUID
        public let known: Known
        public let names: [UUID: String]
        public let moods: Int
    }

    /// Passes each line to `body`, without a line feed.
    public static func write<Failure: Error>(
        _ fold: Fold, journal: UUID, _ body: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.key("v")
        writer.integer(1)
        writer.key("journal")
        writer.string(journal.text)
        writer.key("vector")
        fold.vector.write(to: &writer)
        fold.vector.writeCrcs(to: &writer)
        writer.key("known")
        fold.known.write(to: &writer)
        if !fold.names.isEmpty {
            writer.key("names")
            writer.beginObject()
            for (replica, name) in fold.names.sorted(by: { $0.key < $1.key }) {
                writer.key(text: replica.text)
                writer.string(name)
            }
            writer.endObject()
        }
        writer.key("moods")
        writer.integer(fold.count)
        try body(Seal.sealed(&writer.buffer))
        for (id, state) in fold.states {
            writer.rewind(to: 0)
            write(id, state, fold.known, to: &writer)
            try body(Seal.sealed(&writer.buffer))
        }
    }

    private static func write(_ id: UUID, _ state: MoodState, _ known: Known, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(id.text)
        writer.key("ops")
        writer.beginArray()
        var all = state.alive
        for head in state.heads where !all.contains(where: { $0.id == head.operation.id }) {
            all.append(head.operation)
        }
        for operation in all.sorted(by: { $0.id < $1.id }) {
            let isAlive = state.alive.contains { $0.id == operation.id }
            let heads = state.heads.filter { $0.operation.id == operation.id }.map(\.member).sorted()
            writer.beginObject()
            writer.key("op")
            writer.string(operation.id.text)
            if known.isAmbiguous(operation.id) {
                writer.key("opCrc")
                writer.string(Seal.text(operation.id.crc))
            }
            writer.key("at")
            writer.string(operation.at.text)
            writer.key("mood")
            if isAlive {
                operation.document.bytes.withUnsafeBytes { writer.raw($0) }
            } else {
                writer.beginObject()
                let values = operation.document.members.filter { heads.contains($0.member) }
                MoodDocument.write(values, to: &writer)
                writer.endObject()
            }
            writer.key("isAlive")
            writer.boolean(isAlive)
            writer.key("heads")
            writer.beginArray()
            for head in heads { head.name.withUnsafeBytes { writer.string(utf8: $0) } }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }

    // MARK: Reading

    /// Reads the first line.
    static func header(
        _ line: UnsafeRawBufferPointer, _ validator: inout JSONValidator
    ) throws(RecordFault) -> Header {
        let text = try checked(line, &validator)
        var (journal, vector, moods): (UUID?, Vector?, Int?)
        var version: Int?
        var known: ValidJSON?
        var names: [UUID: String] = [:]
        var reader = JSONReader(text)
        guard reader.enterObject() else { throw .unknown("it is no object") }
        while let key = reader.nextKey() {
            let slice = reader.skip()
            var value = JSONReader(slice)
            if key.equals("v") {
                version = value.number()?.integer
            } else if key.equals("journal") {
                journal = value.text()?.withDecoded { UUID($0) }
            } else if key.equals("vector") {
                vector = Vector(&value)
            } else if key.equals("known") {
                known = slice
            } else if key.equals("names"), value.enterObject() {
                while let replica = value.nextKey() {
                    let text = JSONValue(value.skip()).string
                    guard let id = replica.withDecoded({ UUID($0) }), let name = text.flatMap({ Record.name($0) })
                    else { continue }
                    names[id] = name
                }
            } else if key.equals("moods") {
                moods = value.number()?.integer
            }
        }
        guard version == 1 else { throw .unknown("it is of a version that is not known") }
        guard let journal, let vector, let moods, moods >= 0 else { throw .unknown("a member is missing or wrong") }
        return Header(
            journal: journal, known: known.map { Known($0, upTo: vector) } ?? Known(numbers: vector), names: names,
            moods: moods)
    }

    /// Reads a snapshot line by line.
    public struct Reading: Sendable {
        public let header: Header
        private var moods: [UUID: MoodState] = [:]
        private var count = 0

        /// - Parameter first: the first line.
        public init(first: UnsafeRawBufferPointer, _ validator: inout JSONValidator) throws(RecordFault) {
            header = try Snapshot.header(first, &validator)
            moods.reserveCapacity(min(header.moods, 1 << 20))
        }

        public mutating func take(
            _ line: UnsafeRawBufferPointer, _ validator: inout JSONValidator
        ) throws(RecordFault) {
            let (id, state) = try Snapshot.mood(Snapshot.checked(line, &validator), header.known)
            moods[id] = state
            count += 1
        }

        /// The fold, after the last line; nil if lines are missing.
        public var fold: Fold? {
            count == header.moods && count == moods.count ? Fold(header.known, header.names, moods) : nil
        }
    }

    /// The validator for its lines.
    static var validator: JSONValidator { JSONValidator(depthLimit: 64) }

    private static func checked(
        _ line: UnsafeRawBufferPointer, _ validator: inout JSONValidator
    ) throws(RecordFault) -> ValidJSON {
        guard Seal.content(of: line) != nil else { throw .broken }
        guard validator.accepts(line) else { throw .unknown("it is not JSON") }
        return ValidJSON(trusting: line)
    }

    private static func mood(_ text: ValidJSON, _ known: Known) throws(RecordFault) -> (UUID, MoodState) {
        var id: UUID?
        var operations: ValidJSON?
        var reader = JSONReader(text)
        guard reader.enterObject() else { throw .unknown("it is no object") }
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals("id") {
                var text = JSONReader(value)
                id = text.text()?.withDecoded { UUID($0) }
            } else if key.equals("ops") {
                operations = value
            }
        }
        guard let id, let operations else { throw .unknown("a member is missing or wrong") }
        var alive: [SetOperation] = []
        var heads: [MoodState.Head] = []
        var list = JSONReader(operations)
        guard list.enterArray() else { throw .unknown("ops is no array") }
        while list.nextElement() {
            guard operation(list.skip(), of: id, known, &alive, &heads) else {
                throw .unknown("an operation of mood \(id.text) is of a form that is not known")
            }
        }
        guard !alive.isEmpty else { throw .unknown("mood \(id.text) is not alive") }
        return (id, MoodState(alive: alive, heads: heads))
    }

    private static func operation(
        _ text: ValidJSON, of mood: UUID, _ known: Known, _ alive: inout [SetOperation], _ heads: inout [MoodState.Head]
    ) -> Bool {
        var (id, at): (OperationID?, Timestamp?)
        var (document, members): (ValidJSON?, ValidJSON?)
        var crc: UInt32?
        var isAlive = false
        var reader = JSONReader(text)
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            let slice = reader.skip()
            var value = JSONReader(slice)
            if key.equals("op") {
                id = value.text().flatMap { OperationID($0) }
            } else if key.equals("opCrc") {
                crc = value.text().flatMap { Seal.crc($0.string) }
            } else if key.equals("at") {
                at = value.text()?.withDecoded { Timestamp(rfc3339: $0) }
            } else if key.equals("mood") {
                document = slice
            } else if key.equals("isAlive") {
                isAlive = value.boolean() ?? false
            } else if key.equals("heads") {
                members = slice
            }
        }
        guard let id, let at, let document, let members else { return false }
        let kept = isAlive ? MoodDocument(document) : MoodDocument(partial: document)
        guard let kept, !isAlive || kept.id == mood else { return false }
        let named = id.with(crc: crc ?? known.crc(of: id.record, id.replica))
        let set = SetOperation(named, mood: mood, at: at, kept, [])
        if isAlive { alive.append(set) }
        var list = JSONReader(members)
        guard list.enterArray() else { return false }
        while list.nextElement() {
            guard let name = list.text() else { return false }
            heads.append(.init(member: Member(name: name.withDecoded { Array($0) }), operation: set))
        }
        return true
    }
}
