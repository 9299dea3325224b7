import JSONCodec
import MoodCore

/// A value in params that breaks its declaration.
public struct Problem: Error {
    /// A JSON Pointer (RFC 6901) into params.
    public var path: String
    /// The mistake and the rule, as a clause.
    public let reason: String

    init(_ reason: String, at path: String = "") {
        self.path = path
        self.reason = reason
    }

    /// This problem seen from one level up.
    func below(_ name: String) -> Problem {
        Problem(reason, at: "/" + JSONPointer.escaped(name) + path)
    }
}

extension Schema {
    /// The first problem of a value, or nil.
    public func problem(of value: ValidJSON, _ limits: Limits = Limits()) -> Problem? {
        var reader = JSONReader(value)
        return check(&reader, limits) ?? (takesNullCharacter ? nil : Problem(nullCharacterIn: value))
    }

    /// Whether its texts may contain U+0000: input that is shown with its problems, and files, whose moods lose it.
    var takesNullCharacter: Bool {
        switch self {
        case .string(let format): format.takesNullCharacter
        case .array(let element, _, _): element.takesNullCharacter
        default: false
        }
    }

    /// Whether `check` finds U+0000 itself, or allows it.
    var looksAtAllTexts: Bool {
        switch self {
        case .string, .id, .time, .integer, .count, .number, .boolean, .confirmation, .choice: true
        case .array(let element, _, _): element.looksAtAllTexts
        case .nullable(let schema), .named(_, let schema): schema.looksAtAllTexts
        default: false
        }
    }

    /// Reads one value.
    /// - Returns: its first problem, or nil.
    func check(_ reader: inout JSONReader, _ limits: Limits) -> Problem? {
        switch self {
        case .string(let format):
            guard let text = reader.text() else { return wrongKind("a string", &reader) }
            return Self.check(text, format, limits)
        case .id:
            guard let text = reader.text() else { return wrongKind("a string", &reader) }
            return text.withDecoded { MoodID($0) } == nil
                ? Problem("must be a UUID such as 0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b") : nil
        case .time:
            guard let text = reader.text() else { return wrongKind("a string", &reader) }
            return text.withDecoded { Timestamp(rfc3339: $0) } == nil
                ? Problem("must be an RFC 3339 time with a zone, in the years 0001-9999, such as 2026-01-02T03:04:05Z")
                : nil
        case .boolean:
            return reader.boolean() == nil ? wrongKind("true or false", &reader) : nil
        case .confirmation:
            let kind = reader.kind
            return reader.boolean() == true
                ? nil
                : Problem("must be true, to say that you mean it; it is \(kind == .boolean ? "false" : kind.name)")
        case .integer(let range):
            return checkInteger(&reader, range)
        case .count(let name):
            return checkInteger(&reader, 1...limits[name])
        case .number(let range):
            guard let number = reader.number() else { return wrongKind("a number", &reader) }
            guard let value = number.double, range.contains(value) else {
                return Problem("must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return nil
        case .choice(let choices):
            guard let text = reader.text() else { return wrongKind("a string", &reader) }
            for choice in choices where choice.matches(text) { return nil }
            return Problem("must be one of \(Self.quoted(choices))")
        case .openChoice:
            return reader.text() == nil ? wrongKind("a string", &reader) : nil
        case .array(let element, let count, let isUnique):
            return checkArray(&reader, element, count, isUnique, limits)
        case .object(let fields, let rule):
            return Self.checkObject(&reader, fields, rule, limits)
        case .kinds(let name, let kinds):
            return Self.checkKinds(&reader, by: name, kinds, limits)
        case .nullable(let schema):
            return reader.null() ? nil : schema.check(&reader, limits)
        case .named(_, let schema):
            return schema.check(&reader, limits)
        case .value(let rule):
            return rule.problem(reader.skip()).map { Problem($0.reason, at: $0.path) }
        case .token:
            return Self.checkToken(&reader)
        case .any, .result, .openKinds, .variants, .described:
            reader.skip()
            return nil
        }
    }

    @inline(__always)
    private static func check(_ text: JSONText, _ format: TextFormat, _ limits: Limits) -> Problem? {
        let isShort = format.byteLimit.map { text.raw.count <= limits[$0] } ?? false
        if !isShort, let reason = text.withDecoded({ format.problem($0, limits) }) { return Problem(reason) }
        return text.isEscaped && !format.takesNullCharacter && text.holdsNullCharacter ? .nullCharacter : nil
    }

    private func checkInteger(_ reader: inout JSONReader, _ range: ClosedRange<Int>) -> Problem? {
        guard let number = reader.number() else { return wrongKind("an integer", &reader) }
        if let value = number.integer, range.contains(value) { return nil }
        if range.upperBound == .max { return Problem("must be an integer, \(range.lowerBound) or more") }
        return Problem("must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }

    private func wrongKind(_ wanted: StaticString, _ reader: inout JSONReader) -> Problem {
        let kind = reader.kind
        reader.skip()
        return Problem("must be \(wanted), not \(kind.name)")
    }

    /// The longest token, in bytes of its text.
    static let tokenBytesMax = 256

    private static func checkToken(_ reader: inout JSONReader) -> Problem? {
        switch reader.kind {
        case .string:
            let count = reader.text()?.withDecoded(\.count) ?? 0
            return count <= tokenBytesMax ? nil : Problem("may have at most \(tokenBytesMax) bytes")
        case .number:
            return reader.number()?.integer == nil ? Problem("must be an integer of at most 64 bits, or a string") : nil
        default: return Schema.token.wrongKind("a string or an integer", &reader)
        }
    }

    private func checkArray(
        _ reader: inout JSONReader, _ element: Schema, _ count: Count, _ isUnique: Bool, _ limits: Limits
    ) -> Problem? {
        guard reader.enterArray() else { return wrongKind("an array", &reader) }
        let start = reader
        let range: ClosedRange<Int> =
            switch count {
            case .range(let range): range
            case .upTo(let name): 0...limits[name]
            case .any: 0...Int.max
            }
        var index = 0
        while reader.nextElement() {
            if index == range.upperBound { return Problem("may have at most \(Self.elements(range.upperBound))") }
            if isUnique, index > 0, Self.repeats(reader, since: start, index) {
                return Problem(
                    "must not repeat an earlier one; upper and lower case make no difference", at: "/\(index)")
            }
            if let problem = element.check(&reader, limits) { return problem.below(String(index)) }
            index += 1
        }
        return index < range.lowerBound ? Problem("must have at least \(Self.elements(range.lowerBound))") : nil
    }

    private static func elements(_ count: Int) -> String { "\(count) element\(count == 1 ? "" : "s")" }

    /// Whether the next text repeats one of the `count` texts before it, without white space around it and without
    /// case. They are few, so reading them again costs less than keeping them.
    private static func repeats(_ reader: JSONReader, since start: JSONReader, _ count: Int) -> Bool {
        var copy = reader
        guard let text = copy.text() else { return false }
        var earlier = start
        return text.withDecoded { bytes in
            let wanted = TextRule.trimmed(bytes)
            for _ in 0..<count {
                guard earlier.nextElement() else { return false }
                guard let other = earlier.text() else {
                    earlier.skip()
                    continue
                }
                if other.withDecoded({ CaseFolding.compareFolded(TextRule.trimmed($0), wanted) == 0 }) { return true }
            }
            return false
        }
    }

    private static func checkObject(
        _ reader: inout JSONReader, _ fields: [Field], _ rule: ObjectRule?, _ limits: Limits
    ) -> Problem? {
        let start = reader
        let isEmptyArray = Self.isEmptyArray(reader)
        guard isEmptyArray || reader.enterObject() else { return Schema.any.wrongKind("an object", &reader) }
        if isEmptyArray { reader.skip() }
        var seen: UInt64 = 0
        while !isEmptyArray, let key = reader.nextKey() {
            guard let index = fields.firstIndex(where: { $0.name.matches(key) }) else {
                return unknown(key, among: fields)
            }
            if !fields[index].isRequired, !fields[index].schema.isNullable, reader.null() { continue }
            if let problem = fields[index].schema.check(&reader, limits) {
                return problem.below("\(fields[index].name)")
            }
            seen |= 1 << UInt64(index)
        }
        for (index, field) in fields.enumerated() where field.isRequired && seen >> UInt64(index) & 1 == 0 {
            return Problem("is required: \(field.summary)").below("\(field.name)")
        }
        guard let rule else { return nil }
        var whole = start
        return rule.problem(whole.skip()).map { Problem($0.reason, at: $0.path) }
    }

    /// Whether an array is empty: Lua and PHP write empty objects so.
    private static func isEmptyArray(_ reader: JSONReader) -> Bool {
        var copy = reader
        return copy.enterArray() && !copy.nextElement()
    }

    private static func checkKinds(
        _ reader: inout JSONReader, by name: Name,
        _ kinds: [Kind], _ limits: Limits
    ) -> Problem? {
        var copy = reader
        let isEmptyArray = Self.isEmptyArray(reader)
        guard isEmptyArray || copy.enterObject() else { return Schema.any.wrongKind("an object", &reader) }
        let names = kinds.map { "\"\($0.name)\"" }.joined(separator: ", ")
        while !isEmptyArray, let key = copy.nextKey() {
            guard name.matches(key) else {
                copy.skip()
                continue
            }
            guard let text = copy.text(),
                let match = kinds.first(where: { $0.name.matches(text) || $0.name.isBeginning(of: text) })
            else {
                return Problem("must be one of \(names)", at: "/\(name)")
            }
            let tag = match.name.isOpen ? Schema.string(.plain) : .choice([match.name])
            let fields = [Field.required(name, tag, "Which it is.")] + match.fields
            return checkObject(&reader, fields, match.rule, limits)
        }
        return Problem("is required: one of \(names)", at: "/\(name)")
    }

    /// The problem of an unknown member.
    static func unknown(_ key: JSONText, among fields: [Field]) -> Problem {
        let name = key.string
        let nearest = NearestNames.find(name, among: fields.map { "\($0.name)" }).first
        let hint = nearest.map { "did you mean \"\($0)\"?" } ?? Self.list(fields)
        return Problem("is not a known member; \(hint)").below(String(name.unicodeScalars.prefix(JSONPointer.nameMax)))
    }

    private static func list(_ fields: [Field]) -> String {
        fields.isEmpty
            ? "none is expected here" : "known are " + fields.map { "\($0.name)" }.joined(separator: ", ")
    }

    var isNullable: Bool {
        if case .nullable = self { true } else { false }
    }
}

extension Name {
    /// Whether it stands for all names with this prefix.
    var isOpen: Bool { bytes.last == UInt8(ascii: ".") }

    fileprivate func isBeginning(of text: JSONText) -> Bool {
        isOpen && text.withDecoded { $0.count > bytes.count && $0.starts(with: bytes) }
    }
}

extension Schema {
    fileprivate static func quoted(_ choices: [Name]) -> String {
        choices.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
