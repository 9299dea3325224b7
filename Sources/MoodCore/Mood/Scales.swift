import JSONCodec

/// A person's measurements besides the valence: `{"sleep":7,"energy":-2.5}`, names with numbers, in the order given.
/// (Trackers call them scales, factors or metrics.)
public enum Scales {
    public static let countMax = 16
    public static let nameCharactersMax = 32
    /// A limit besides that of characters, which have any number of bytes.
    public static let nameBytesMax = 256
    public static let range: ClosedRange<Double> = -1000...1000

    static let rule = MoodField.ObjectRule(
        problem: { problem(of: $0) },
        keywords: [
            .init("type", "object"), .init("maxProperties", .number(String(countMax))),
            .init("propertyNames", ["minLength": 1, "maxLength": .number(String(nameCharactersMax))]),
            .init(
                "additionalProperties",
                [
                    "type": "number", "minimum": .double(range.lowerBound), "maximum": .double(range.upperBound),
                ]),
        ],
        isEmpty: { isEmpty($0) }, isSame: { isSame($0, $1) }, write: { write($0, to: &$1) })

    /// The problem of a scale's name without the white space around it; nil if it is valid.
    public static func nameProblem(_ text: UnsafeRawBufferPointer) -> String? {
        TextRule.lineProblem(TextRule.trimmed(text), charactersMax: nameCharactersMax, bytesMax: nameBytesMax)
    }

    /// The first problem of a value for scales: the name of the scale (nil is the value itself) and a clause. An empty
    /// object has no scales, nor has an empty array: some languages write empty objects so.
    public static func problem(of value: ValidJSON) -> (name: JSONText?, reason: String)? {
        var reader = JSONReader(value)
        guard reader.enterObject() else {
            return isEmpty(value) ? nil : (nil, "must be an object of names and numbers, not \(reader.kind.name)")
        }
        let start = reader
        var count = 0
        while let name = reader.nextKey() {
            if count == countMax { return (nil, "may have at most \(countMax) names") }
            if let reason = name.withDecoded(nameProblem) { return (name, "has a name that " + reason) }
            guard let number = reader.number() else { return (name, "must be a number, not \(reader.kind.name)") }
            guard let value = number.double, range.contains(value) else {
                return (name, "must be a number from -1000 to 1000")
            }
            if index(of: name, in: start) != count { return (name, "must not repeat an earlier name") }
            count += 1
        }
        return nil
    }

    /// Whether an object or array is empty.
    static func isEmpty(_ value: ValidJSON) -> Bool {
        var reader = JSONReader(value)
        if reader.enterObject() { return reader.nextKey() == nil }
        return reader.enterArray() && !reader.nextElement()
    }

    /// Writes valid scales in canonical form.
    static func write(_ scales: ValidJSON, to writer: inout JSONWriter) {
        writer.beginObject()
        var reader = JSONReader(scales)
        guard reader.enterObject() else { return writer.endObject() }
        while let name = reader.nextKey() {
            name.withDecoded { writer.string(utf8: TextRule.trimmed($0)) }
            writer.buffer.append(UInt8(ascii: ":"))
            writer.double(reader.number()?.double ?? 0)
        }
        writer.endObject()
    }

    /// Whether two valid values have equal names and numbers, in any order.
    static func isSame(_ a: ValidJSON, _ b: ValidJSON) -> Bool {
        var first = JSONReader(a)
        var count = 0
        guard first.enterObject() else { return false }
        while let name = first.nextKey() {
            guard let mine = first.number()?.double, value(of: name, in: b) == mine else { return false }
            count += 1
        }
        var second = JSONReader(b)
        _ = second.enterObject()
        while second.nextKey() != nil {
            second.skip()
            count -= 1
        }
        return count == 0
    }

    /// The scales of a mood, in their order.
    static func all(of mood: MoodMembers) -> [(name: String, value: Double)] {
        guard let scales = mood.scales else { return [] }
        var reader = JSONReader(scales)
        var all: [(name: String, value: Double)] = []
        guard reader.enterObject() else { return [] }
        while let name = reader.nextKey() {
            let text = name.withDecoded { String(decoding: TextRule.trimmed($0), as: UTF8.self) }
            if let value = reader.number()?.double { all.append((text, value)) }
        }
        return all
    }

    private static func value(of name: JSONText, in scales: ValidJSON) -> Double? {
        var reader = JSONReader(scales)
        guard reader.enterObject() else { return nil }
        while let other = reader.nextKey() {
            if isSame(name, other) { return reader.number()?.double }
            reader.skip()
        }
        return nil
    }

    /// The index of a name among the following members.
    private static func index(of name: JSONText, in start: JSONReader) -> Int? {
        var reader = start
        var index = 0
        while let other = reader.nextKey() {
            if isSame(name, other) { return index }
            reader.skip()
            index += 1
        }
        return nil
    }

    private static func isSame(_ a: JSONText, _ b: JSONText) -> Bool {
        a.withDecoded { first in
            b.withDecoded { JSONText.sameBytes(TextRule.trimmed(first), TextRule.trimmed($0)) }
        }
    }
}

extension MoodMembers {
    public var scales: ValidJSON? { self[.scales].map { ValidJSON(trusting: $0.raw) } }
}
