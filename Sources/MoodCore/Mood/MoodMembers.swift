import JSONCodec

/// A mood's members as views: of a stored record, of a request's params, or of one over the other. `MoodField` lists
/// them.
///
/// One type serves reading, creating and updating, because a stored record is what the protocol shows. It holds no text
/// of its own, so it must not outlive the bytes that it reads. (For readers from elsewhere: a SwiftData model object, a
/// Room entity; but a view, closer to a FlatBuffers accessor.)
///
/// Invariant: `write` is canonical. Members have one order, texts are trimmed and escaped in one way, times are in UTC
/// with three digits. Writing a canonical record gives the same bytes, so moods are equal if their bytes are.
public struct MoodMembers {
    public var id: MoodID?
    public var timestamp = MoodTime()
    public var createdAt = MoodTime()
    public var updatedAt = MoodTime()
    public var revision: Int?
    /// Members that this version does not know. They stay as they are.
    public var unknown: [(name: JSONText, value: ValidJSON)] = []
    /// The other members by index: a string without its quotes, any other value whole.
    private(set) var values = MoodValues(
        repeating: MoodValue(JSONText(raw: UnsafeRawBufferPointer(start: nil, count: 0), isEscaped: false)))
    /// The members that have a value.
    private(set) var given: MoodFields = []
    /// The members to remove from the mood below this one.
    private var removed: MoodFields = []

    @inline(__always)
    public init() {}

    /// Reads bytes for a new stored record.
    /// - Returns: nil if a member has the wrong kind, or a required one is missing.
    public init?(checking record: ValidJSON) {
        self.init()
        guard read(record), isWhole, timestamp.value != nil, createdAt.value != nil, updatedAt.value != nil else {
            return nil
        }
    }

    /// Reads a stored record. The store or the loader has checked it.
    public init(trusting record: ValidJSON) {
        self.init()
        _ = read(record)
    }

    /// Reads the checked changes of a request. null removes an optional member, and means nothing for others.
    public init(change: ValidJSON) {
        self.init()
        var reader = JSONReader(change)
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            guard let field = MoodField(key) else {
                reader.skip()
                continue
            }
            if !reader.null() {
                _ = take(field, &reader)
            } else if field.isOptional {
                removed.insert(MoodFields(field))
            }
        }
    }

    /// Reads all members; false if one has the wrong kind.
    private mutating func read(_ record: ValidJSON) -> Bool {
        var reader = JSONReader(record)
        guard reader.enterObject() else { return false }
        var expected = 0
        while let key = reader.nextKey() {
            guard let field = MoodField(key, expecting: expected) else {
                unknown.append((key, reader.skip()))
                continue
            }
            expected = field.rawValue + 1
            let start = reader.valueStart
            if take(field, &reader) { continue }
            guard field.isAdded else { return false }
            unknown.append((key, reader.slice(from: start)))
        }
        return true
    }

    // MARK: One member

    public var emoji: JSONText? {
        get { self[.emoji] }
        set { self[.emoji] = newValue }
    }
    public var label: JSONText? {
        get { self[.label] }
        set { self[.label] = newValue }
    }
    public var isFavorite: Bool? {
        get { self[.isFavorite].map { $0.raw.first == UInt8(ascii: "t") } }
        set { self[.isFavorite] = newValue.map { JSONText($0 ? "true" : "false") } }
    }
    public var notes: JSONText? {
        get { self[.notes] }
        set { self[.notes] = newValue }
    }
    public var tags: ValidJSON? { self[.tags].map { ValidJSON(trusting: $0.raw) } }
    public var valence: JSONNumber? { self[.valence].map { JSONNumber(raw: $0.raw) } }
    public var timeZone: JSONText? { self[.timeZone] }
    public var attachments: ValidJSON? { self[.attachments].map { ValidJSON(trusting: $0.raw) } }

    /// A member other than id, time and revision: a string without its quotes, any other value whole.
    public internal(set) subscript(field: MoodField) -> JSONText? {
        @inline(__always) get { given.contains(MoodFields(field)) ? values[field.place].text : nil }
        @inline(__always) set {
            if let newValue {
                values[field.place] = MoodValue(newValue)
                given.insert(MoodFields(field))
            } else {
                given.remove(MoodFields(field))
            }
        }
    }

    /// A member that is a time.
    public subscript(time field: MoodField) -> MoodTime {
        get { field == .createdAt ? createdAt : field == .updatedAt ? updatedAt : timestamp }
        set {
            switch field {
            case .createdAt: createdAt = newValue
            case .updatedAt: updatedAt = newValue
            default: timestamp = newValue
            }
        }
    }

    /// Takes the next value for a member; false if it has the wrong kind.
    @inline(__always)
    private mutating func take(_ field: MoodField, _ reader: inout JSONReader) -> Bool {
        if let text = reader.text() { return take(field, text: text) }
        return take(field, value: reader.skip())
    }

    /// Takes a value for a member; false if it has the wrong kind.
    public mutating func take(_ field: MoodField, _ value: ValidJSON) -> Bool {
        var reader = JSONReader(value)
        return take(field, &reader)
    }

    @inline(__always)
    private mutating func take(_ field: MoodField, text: JSONText) -> Bool {
        let kind = field.kind
        switch kind {
        case .id:
            id = text.withDecoded { MoodID($0) }
            return id != nil
        case .time: self[time: field] = MoodTime(text)
        case .line(let charactersMax):
            // A value that breaks the rule of an added member stays as an unknown one.
            guard text.withDecoded({ MoodField.Kind.lineProblem($0, charactersMax) }) == nil else { return false }
            self[field] = text
        default:
            guard kind.json == .string else { return false }
            self[field] = text
        }
        return true
    }

    private mutating func take(_ field: MoodField, value: ValidJSON) -> Bool {
        let kind = field.kind
        if case .object(let object) = kind {
            guard kind.problem(value) == nil else { return false }
            if object.rule.isEmpty(value) {
                removed.insert(MoodFields(field))
            } else {
                self[field] = JSONText(whole: value)
            }
            return true
        }
        guard let first = value.bytes.first, JSONKind(firstByte: first) == kind.json else { return false }
        switch kind {
        case .revision:
            var reader = JSONReader(value)
            revision = reader.number()?.integer
            return revision != nil
        case .flag, .number: if field.isAdded, kind.problem(value) != nil { return false }
        default: break
        }
        self[field] = JSONText(whole: value)
        return true
    }

    /// Takes a value of the right kind for a member that is not an id, a time, a revision or an object: a string
    /// without its quotes, any other value whole.
    @inline(__always)
    public mutating func take(_ field: MoodField, _ value: JSONText) { self[field] = value }

    /// Whether it has all members that every mood has.
    public var isWhole: Bool {
        given.isSuperset(of: .texts) && id != nil && !timestamp.isEmpty && !createdAt.isEmpty && !updatedAt.isEmpty
            && revision != nil
    }

    /// This mood with the members of `other`, and without those that `other` removes.
    public func overlaid(with other: MoodMembers) -> MoodMembers {
        var result = self
        if !other.timestamp.isEmpty { result.timestamp = other.timestamp }
        result.given.formUnion(other.given)
        result.given.subtract(other.removed)
        other.given.forEach { field in
            let value = other.values[field.place]
            // A value with an equal meaning stays, so that it is no change.
            if case .object(let object) = field.kind, given.contains(MoodFields(field)),
                object.rule.isSame(values[field.place].json, value.json)
            {
                return
            }
            result.values[field.place] = value
        }
        if !unknown.isEmpty {
            result.unknown.removeAll { member in
                MoodField(member.name).map { other.given.union(other.removed).contains(MoodFields($0)) } ?? false
            }
        }
        return result
    }
}

extension JSONText {
    /// A value that is not a string.
    fileprivate init(whole value: ValidJSON) { self.init(raw: value.bytes, isEscaped: false) }
}
