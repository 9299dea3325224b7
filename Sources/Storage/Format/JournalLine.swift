import JSONCodec

/// One commit in a journal: `{"seq":N,"at":"…","durable":D,…,"crc":"xxxxxxxx"}`; `CommitLines` has the form.
struct JournalLine {
    let seq: Int
    /// The time of the commit: 24 bytes of RFC 3339.
    let time: UnsafeRawBufferPointer
    /// The last synced commit at the time of writing.
    let durable: Int
    /// The author, if no client made the commit: an ASCII name without escapes.
    let origin: UnsafeRawBufferPointer?
    /// The progress in the records of other replicas with this commit: a JSON object.
    let saw: UnsafeRawBufferPointer?
    /// The member of its moods whose conflicts this commit settles, without escapes.
    let settles: UnsafeRawBufferPointer?
    /// The members after these, up to the comma before the seal.
    private let changes: UnsafeRawBufferPointer

    /// The parts of a line, in their order.
    enum Part {
        /// The commit removes every record.
        case clear
        /// Number of records that the clear removed.
        case cleared(count: Int)
        /// The id of one of them.
        case clearedID(UnsafeRawBufferPointer)
        case put(UnsafeRawBufferPointer)
        /// The put of this number, counted from 0, made a record that was not there before.
        case created(Int)
        case delete(id: UnsafeRawBufferPointer)
        /// The commits that this one undoes, in order.
        case undoes([Int])
        /// The commits that this one redoes.
        case redoes([Int])
        case operation(OperationMembers)
        /// The other members about replicas: `sawCrc`, `sawAlso` and `replica`, without braces.
        case marks(UnsafeRawBufferPointer)
    }

    /// Reads the line before its seal, which must be valid. Nil if it has another form.
    @inline(__always)
    init?(content: UnsafeRawBufferPointer) {
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"seq\":"), let seq = matcher.takeInteger(), matcher.take(",\"at\":\""),
            let time = matcher.takeText(count: 24), matcher.take("\",\"durable\":"),
            let durable = matcher.takeInteger(), durable < seq
        else { return nil }
        self.seq = seq
        self.time = time
        self.durable = durable
        if matcher.take(",\"origin\":\"") {
            guard let origin = matcher.takeString() else { return nil }
            self.origin = origin
        } else {
            origin = nil
        }
        if matcher.take(",\"saw\":") {
            guard let saw = matcher.takeObject() else { return nil }
            self.saw = saw
        } else {
            saw = nil
        }
        if matcher.take(",\"settles\":\"") {
            guard let settles = matcher.takeString() else { return nil }
            self.settles = settles
        } else {
            settles = nil
        }
        changes = UnsafeRawBufferPointer(rebasing: content[matcher.position...])
    }

    /// The members before the puts and deletions of a line, of which the content may be only a beginning. Nil for another
    /// form, or if that ends too early.
    static func head(of content: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let changes = JournalLine(content: content)?.changes else { return nil }
        var matcher = ByteMatcher(changes)
        if matcher.take(",\"clear\":true"), matcher.take(",\"cleared\":"), matcher.takeObject() == nil { return nil }
        return UnsafeRawBufferPointer(rebasing: content[..<(content.count - matcher.remaining)])
    }

    /// False if the line certainly names no operation, by a quick check: the members of an operation are the last, and
    /// end with a string or an object, while most changes end with an array.
    var mayNameOperation: Bool { changes.count < 2 || changes[changes.count - 2] != UInt8(ascii: "]") }

    /// Passes on the changes of the commit, in order. False if the rest has another form.
    func forEachChange<Failure: Error>(_ body: (LoadEvent) throws(Failure) -> Void) throws(Failure) -> Bool {
        try forEachPart { (part) throws(Failure) in
            switch part {
            case .clear: try body(.clear)
            case .put(let record): try body(.put(record))
            case .delete(let id): try body(.delete(id: id))
            case .cleared, .clearedID, .created, .undoes, .redoes, .operation, .marks: break
            }
        }
    }

    /// Passes on all parts of the line, in order. False if the rest has another form.
    @inline(__always)
    func forEachPart<Failure: Error>(_ body: (Part) throws(Failure) -> Void) throws(Failure) -> Bool {
        var matcher = ByteMatcher(changes)
        if matcher.take(",\"clear\":true") {
            try body(.clear)
            if matcher.take(",\"cleared\":{\"count\":") {
                guard let count = matcher.takeInteger(), matcher.take(",\"ids\":[") else { return false }
                try body(.cleared(count: count))
                guard try Self.takeIDs(&matcher, { (id) throws(Failure) in try body(.clearedID(id)) }),
                    matcher.take("}")
                else { return false }
            }
        }
        if matcher.take(",\"put\":[") {
            repeat {
                guard let record = matcher.takeObject() else { return false }
                try body(.put(record))
            } while matcher.take(",")
            guard matcher.take("]") else { return false }
        }
        if matcher.take(",\"created\":[") {
            repeat {
                guard let number = matcher.takeInteger() else { return false }
                try body(.created(number))
            } while matcher.take(",")
            guard matcher.take("]") else { return false }
        }
        if matcher.take(",\"delete\":[") {
            guard try Self.takeIDs(&matcher, { (id) throws(Failure) in try body(.delete(id: id)) }) else {
                return false
            }
        }
        if matcher.take(",\"undoes\":[") {
            guard let revisions = Self.takeRevisions(&matcher) else { return false }
            try body(.undoes(revisions))
        } else if matcher.take(",\"redoes\":[") {
            guard let revisions = Self.takeRevisions(&matcher) else { return false }
            try body(.redoes(revisions))
        }
        if matcher.take(",\"opId\":\"") {
            guard let operation = OperationMembers(&matcher) else { return false }
            try body(.operation(operation))
        }
        let start = matcher.position
        let isMarked = Self.takeMarks(&matcher)
        if isMarked { try body(.marks(UnsafeRawBufferPointer(rebasing: changes[(start + 1)..<matcher.position]))) }
        return matcher.take(",") && matcher.isAtEnd || Self.areUnknown(changes[matcher.position...])
    }

    /// Takes the members that older versions skip, which therefore come last.
    @inline(__always)
    private static func takeMarks(_ matcher: inout ByteMatcher) -> Bool {
        guard matcher.take(",\"sawCrc\":") else { return false }
        guard matcher.takeObject() != nil else { return false }
        if matcher.take(",\"sawAlso\":"), matcher.takeObject() == nil { return false }
        if matcher.take(",\"replica\":\""), matcher.takeString() == nil { return false }
        return true
    }

    /// Whether the rest consists of members that this version does not know. It skips them: the line's checksum is
    /// right, so a newer version wrote them.
    @inline(never)
    private static func areUnknown(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
        // `,"name":value,`, or after a known member and its comma `"name":value,`.
        var text = Array(rest)
        guard text.popLast() == UInt8(ascii: ","), !text.isEmpty else { return false }
        if text[0] == UInt8(ascii: ",") { text[0] = UInt8(ascii: "{") } else { text.insert(UInt8(ascii: "{"), at: 0) }
        text.append(UInt8(ascii: "}"))
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        return text.withUnsafeBytes { text in
            do throws(JSONError) {
                let outline = try validator.validate(text)
                let members = JSONValue(outline.text).object ?? []
                return outline.duplicate == nil && !members.contains { known.contains($0.name) }
            } catch {
                return false
            }
        }
    }

    /// Known members, which must not stand out of their place.
    private static let known: Set<String> = [
        "clear", "cleared", "put", "created", "delete", "undoes", "redoes", "opId", "method", "params", "answer",
        "origin", "saw", "settles",
    ]

    @inline(never)
    private static func takeRevisions(_ matcher: inout ByteMatcher) -> [Int]? {
        var revisions: [Int] = []
        repeat {
            guard let revision = matcher.takeInteger() else { return nil }
            revisions.append(revision)
        } while matcher.take(",")
        return matcher.take("]") ? revisions : nil
    }

    /// Passes on the ids up to the bracket that ends their array.
    @inline(__always)
    private static func takeIDs<Failure: Error>(
        _ matcher: inout ByteMatcher, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        repeat {
            guard matcher.take("\""), let id = matcher.takeText(count: 36), matcher.take("\"") else { return false }
            try body(id)
        } while matcher.take(",")
        return matcher.take("]")
    }
}

/// The content of a store, in order, during its opening. The bytes are valid during the call only.
public enum LoadEvent {
    /// A record of the snapshot: one JSON object.
    case record(UnsafeRawBufferPointer)
    /// A record that a commit wrote: one JSON object.
    case put(UnsafeRawBufferPointer)
    /// The id (36 bytes) of a record that a commit deleted.
    case delete(id: UnsafeRawBufferPointer)
    /// A commit deleted every record.
    case clear
}
