/// A JSON value as a tree: for data without a fixed shape, such as an error's `data` or a schema.
///
/// Numbers keep their text, objects the order of their members. It is deliberately not `Hashable`: hashing or comparing
/// a peer's text as `String` is quadratic; `isEqual` compares bytes.
public indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// The number as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable {
        public let name: String
        public let value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// A number; null for one that JSON cannot express.
    public static func double(_ value: Double) -> JSONValue {
        var writer = JSONWriter(capacity: 32)
        writer.double(value)
        return value.isFinite ? .number(writer.buffer.string()) : .null
    }

    /// Reads a valid text.
    public init(_ text: ValidJSON) {
        var reader = JSONReader(text)
        self = Self.read(&reader)
    }

    /// Checks and reads a text.
    /// - Throws: the offset and the reason why it is not JSON. A duplicate name is no error here: the first one counts.
    public init(parsing text: String, depthLimit: Int = JSONValidator.depthMax) throws(JSONError) {
        self = try Self.parse(Array(text.utf8), depthLimit: depthLimit)
    }

    /// Checks and reads a text.
    /// - Throws: the offset and the reason why it is not JSON. A duplicate name is no error here: the first one counts.
    public static func parse(
        _ bytes: [UInt8], depthLimit: Int = JSONValidator.depthMax
    ) throws(JSONError) -> JSONValue {
        var validator = JSONValidator(depthLimit: depthLimit)
        let read: Result<JSONValue, JSONError> = bytes.withUnsafeBytes { raw in
            do throws(JSONError) {
                return .success(JSONValue(try validator.validate(raw).text))
            } catch {
                return .failure(error)
            }
        }
        return try read.get()
    }

    /// The depth is bounded by the validator, so this recursion is too.
    private static func read(_ reader: inout JSONReader) -> JSONValue {
        switch reader.kind {
        case .null:
            _ = reader.null()
            return .null
        case .boolean: return .boolean(reader.boolean() ?? false)
        case .number: return .number(reader.number()?.text ?? "0")
        case .string: return .string(reader.text()?.string ?? "")
        case .array:
            var elements: [JSONValue] = []
            _ = reader.enterArray()
            while reader.nextElement() { elements.append(read(&reader)) }
            return .array(elements)
        case .object:
            var members: [Member] = []
            _ = reader.enterObject()
            while let key = reader.nextKey() { members.append(Member(key.string, read(&reader))) }
            return .object(members)
        }
    }

    /// The member of this name, if this is an object with one.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// This value where an object is wanted. An empty array is the empty object: Lua and PHP write it so.
    public var asObject: JSONValue {
        if case .array(let elements) = self, elements.isEmpty { .object([]) } else { self }
    }

    public var object: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The value if it is an integer that fits.
    public var integer: Int? {
        guard case .number(let text) = self else { return nil }
        var copy = text
        return copy.withUTF8 { JSONNumber(raw: UnsafeRawBufferPointer($0)).integer }
    }

    public var double: Double? {
        guard case .number(let text) = self else { return nil }
        var copy = text
        return copy.withUTF8 { JSONNumber(raw: UnsafeRawBufferPointer($0)).double }
    }

    /// Equality by bytes; the order of an object's members does not count.
    public func isEqual(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.boolean(let a), .boolean(let b)): return a == b
        case (.number(let a), .number(let b)): return a.utf8.elementsEqual(b.utf8) || Double(a) == Double(b)
        case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let a), .object(let b)):
            return a.count == b.count
                && a.allSatisfy { member in other[member.name]?.isEqual(to: member.value) ?? false }
        default: return false
        }
    }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let text): writer.number(text: text)
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(text: member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// The value indented by two spaces, for people and for files under version control.
    public var prettyText: String {
        var writer = JSONWriter()
        writePretty(to: &writer, indent: 0)
        return writer.buffer.string()
    }

    private func writePretty(to writer: inout JSONWriter, indent: Int) {
        func line(_ indent: Int) {
            writer.buffer.append(UInt8(ascii: "\n"))
            for _ in 0..<indent { writer.buffer.append("  " as StaticString) }
        }
        switch self {
        case .array(let elements) where !elements.isEmpty:
            writer.buffer.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.buffer.append(UInt8(ascii: ",")) }
                line(indent + 1)
                element.writePretty(to: &writer, indent: indent + 1)
            }
            line(indent)
            writer.buffer.append(UInt8(ascii: "]"))
        case .object(let members) where !members.isEmpty:
            writer.buffer.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { writer.buffer.append(UInt8(ascii: ",")) }
                line(indent + 1)
                writer.buffer.append(utf8: JSONValue.string(member.name).text)
                writer.buffer.append(": " as StaticString)
                member.value.writePretty(to: &writer, indent: indent + 1)
            }
            line(indent)
            writer.buffer.append(UInt8(ascii: "}"))
        default: writer.buffer.append(utf8: text)
        }
    }

    /// The value in one line.
    public var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.buffer.string()
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
