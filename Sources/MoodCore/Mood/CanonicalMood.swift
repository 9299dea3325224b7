import JSONCodec

/// The values by which moods are found, sorted and counted, read in one pass from a record in the canonical layout of
/// `MoodMembers.write`. For scans over all moods.
///
/// Literals read the members that every mood has, as in `MoodMembers.write`: they take 244 instructions, a loop over
/// the table's 11 names 656. The table skips the others. A test holds both to the table.
///
/// Every byte is checked: names and marks must be exactly those, and values must be valid JSON that
/// `MoodMembers(checking:)` accepts too. So both readers give equal answers. If this one gives none (a person edited
/// the record, or a later version added members), ask `MoodMembers`.
public struct CanonicalMood {
    public let id: MoodID
    /// The raw text with its escapes.
    let emoji: JSONText
    public let label: JSONText
    public let timestamp: Timestamp
    public let isFavorite: Bool
    let notes: JSONText
    /// The array with its brackets.
    let tags: UnsafeRawBufferPointer
    let optional: Optionals
    public var hasTimeZone: Bool { optional.timeZone != nil }
    public let updatedAt: Timestamp

    /// The raw values of the optional members that scans need.
    struct Optionals {
        var valence: UnsafeRawBufferPointer?
        var scales: UnsafeRawBufferPointer?
        /// The string with its quotes.
        var timeZone: UnsafeRawBufferPointer?
    }

    public init?(_ record: UnsafeRawBufferPointer) { self.init(CanonicalCursor(record)) }

    /// Reads bytes that were checked before and are unchanged. Does not check their texts again.
    public init?(known record: UnsafeRawBufferPointer) { self.init(CanonicalCursor(record, isKnown: true)) }

    @inline(__always)
    private init?(_ cursor: CanonicalCursor) {
        var cursor = cursor
        guard let id = cursor.id(), cursor.skip(",\"emoji\":"), let emoji = cursor.text(), cursor.skip(",\"label\":"),
            let label = cursor.text(), cursor.skip(",\"timestamp\":\""), let timestamp = cursor.time(),
            cursor.skip(",\"isFavorite\":"), let isFavorite = cursor.boolean(),
            cursor.skip(",\"notes\":"), let notes = cursor.text(), cursor.skip(",\"tags\":["), let tags = cursor.list()
        else { return nil }
        var optional = Optionals()
        if !cursor.skip(",\"attachments\":[") {
            guard cursor.optional(&optional), cursor.skip(",\"attachments\":[") else { return nil }
        }
        guard cursor.values(), cursor.skip(",\"createdAt\":\""), cursor.skipTime(),
            cursor.skip(",\"updatedAt\":\""), let updatedAt = cursor.time(), cursor.skip(",\"revision\":"),
            cursor.lastInteger()
        else { return nil }
        self.id = id
        self.emoji = emoji
        self.notes = notes
        self.tags = tags
        self.optional = optional
        self.label = label
        self.timestamp = timestamp
        self.isFavorite = isFavorite
        self.updatedAt = updatedAt
    }

    /// Reads only the id; nil if it is not first, as in the canonical layout.
    @inline(__always)
    public static func id(_ record: UnsafeRawBufferPointer) -> MoodID? {
        var cursor = CanonicalCursor(record)
        return cursor.id()
    }
}

/// A position in a record. A step that does not fit returns nil or false. After that the position has no meaning,
/// unless the step was `skip`, which does not move it.
struct CanonicalCursor {
    private let record: UnsafeRawBufferPointer
    private let isKnown: Bool
    private var at = 0

    @inline(__always)
    init(_ record: UnsafeRawBufferPointer, isKnown: Bool = false) {
        self.record = record
        self.isKnown = isKnown
    }

    @inline(__always)
    mutating func skip(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard record.count - at >= count else { return false }
        let found = UnsafeRawBufferPointer(rebasing: record[at..<at + count])
        guard JSONText.sameBytes(found, UnsafeRawBufferPointer(start: literal.utf8Start, count: count)) else {
            return false
        }
        at += count
        return true
    }

    /// The bytes from this position on.
    @inline(__always)
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: record[min(at, record.count)...]) }

    /// Skips the id of a record that is known to have one.
    @inline(__always)
    mutating func skipID() -> Bool {
        guard skip("{\"id\":\"") else { return false }
        at += MoodID.textLength
        return skip("\"")
    }

    /// Reads strings after an opening bracket and returns the raw array.
    @inline(__always)
    mutating func list() -> UnsafeRawBufferPointer? {
        let start = at - 1
        guard start >= 0, texts() else { return nil }
        return UnsafeRawBufferPointer(rebasing: record[start..<at])
    }

    /// Reads the next member: its name and its raw value, a string without its quotes.
    mutating func member() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard skip(","), let name = text(), skip(":"), at < record.count else { return nil }
        if record[at] == UInt8(ascii: "\"") {
            guard let text = text() else { return nil }
            return (name.raw, text.raw)
        }
        let start = at
        guard number() || anyValue(from: start) else { return nil }
        return (name.raw, UnsafeRawBufferPointer(rebasing: record[start..<at]))
    }

    /// Reads the optional members, in the order of the table.
    @inline(never)
    mutating func optional(_ found: inout CanonicalMood.Optionals) -> Bool {
        for field in MoodField.optional {
            let start = at
            guard skip(",\""), skip(field.name), skip("\":") else {
                at = start
                continue
            }
            let valueStart = at
            guard value(field.kind.json) else { return false }
            let value = UnsafeRawBufferPointer(rebasing: record[valueStart..<at])
            switch field {
            case .valence: found.valence = value
            case .scales: found.scales = value
            case .timeZone: found.timeZone = value
            default: break
            }
        }
        return true
    }

    private mutating func value(_ kind: JSONKind) -> Bool {
        switch kind {
        case .boolean: return boolean() != nil
        case .string: return text() != nil
        case .number: return number()
        case .object: return at < record.count && record[at] == UInt8(ascii: "{") && anyValue(from: at)
        case .array: return at < record.count && record[at] == UInt8(ascii: "[") && anyValue(from: at)
        case .null: return false
        }
    }

    /// Reads from the beginning of the record to the end of its id.
    @inline(__always)
    mutating func id() -> MoodID? {
        guard skip("{\"id\":\""), record.count - at > MoodID.textLength else { return nil }
        let id = MoodID(UnsafeRawBufferPointer(rebasing: record[at..<at + MoodID.textLength]))
        at += MoodID.textLength
        return skip("\"") ? id : nil
    }

    @inline(__always)
    mutating func text() -> JSONText? {
        if isKnown { return knownText() }
        guard let text = JSONValidator.string(record, from: at) else { return nil }
        at += text.raw.count + 2
        return text
    }

    @inline(__always)
    private mutating func knownText() -> JSONText? {
        guard at < record.count, record[at] == UInt8(ascii: "\""), let end = record.endOfString(from: at + 1) else {
            return nil
        }
        defer { at = end.offset + 1 }
        return JSONText(
            raw: UnsafeRawBufferPointer(rebasing: record[at + 1..<end.offset]), isEscaped: end.isEscaped)
    }

    /// Skips a time.
    @inline(__always)
    mutating func skipTime() -> Bool {
        guard isKnown else { return time() != nil }
        at += Timestamp.textLength
        return skip("\"")
    }

    /// Reads a time after its opening quote.
    @inline(__always)
    mutating func time() -> Timestamp? {
        guard record.count - at > Timestamp.textLength,
            record[at + Timestamp.textLength] == UInt8(ascii: "\""),
            let time = Timestamp(canonical: UnsafeRawBufferPointer(rebasing: record[at..<at + Timestamp.textLength]))
        else { return nil }
        at += Timestamp.textLength + 1
        return time
    }

    @inline(__always)
    mutating func boolean() -> Bool? {
        if skip("true") { return true }
        return skip("false") ? false : nil
    }

    /// Skips strings after an opening bracket, and the closing one.
    @inline(__always)
    mutating func texts() -> Bool {
        if skip("]") { return true }
        while text() != nil {
            if skip("]") { return true }
            guard skip(",") else { return false }
        }
        return false
    }

    /// Skips any values after an opening bracket, and the closing one.
    @inline(__always)
    mutating func values() -> Bool {
        skip("]") || anyValue(from: at - 1)
    }

    /// Skips any value that begins at an offset.
    @inline(never)
    private mutating func anyValue(from start: Int) -> Bool {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        guard let end = validator.endOfValue(record, from: start, depth: 1) else { return false }
        at = end
        return true
    }

    /// Skips a number by RFC 8259, section 6. A comma must follow.
    @inline(__always)
    mutating func number() -> Bool {
        _ = skip("-")
        guard integer() > 0 else { return false }
        if skip(".") {
            let start = at
            skipDigits()
            guard at > start else { return false }
        }
        if skip("e") || skip("E") {
            _ = skip("-") || skip("+")
            let start = at
            skipDigits()
            guard at > start else { return false }
        }
        return at < record.count && record[at] == UInt8(ascii: ",")
    }

    /// Skips digits and counts them; 0 if there are none, or a superfluous leading zero.
    @inline(__always)
    private mutating func integer() -> Int {
        let start = at
        skipDigits()
        return at - start > 1 && record[start] == UInt8(ascii: "0") ? 0 : at - start
    }

    @inline(__always)
    private mutating func skipDigits() {
        while at < record.count, record[at] &- 48 < 10 { at += 1 }
    }

    /// Skips digits, the closing brace and the end.
    @inline(__always)
    mutating func lastInteger() -> Bool {
        let digits = integer()
        return digits > 0 && digits <= 18 && at == record.count - 1 && record[at] == UInt8(ascii: "}")
    }
}
