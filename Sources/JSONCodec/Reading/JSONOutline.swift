/// Bytes that `JSONValidator` has accepted, as required by `JSONReader`.
///
/// It is a view: it must not outlive the validator's input.
public struct ValidJSON {
    public let bytes: UnsafeRawBufferPointer

    /// Only for bytes that were validated, or written by `JSONWriter`.
    @inlinable
    public init(trusting bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inlinable
    public subscript(_ part: JSONPart) -> ValidJSON {
        // The validator has set the offsets, so they need no check.
        ValidJSON(
            trusting: UnsafeRawBufferPointer(
                start: bytes.baseAddress.map { $0 + part.valueStart }, count: part.valueEnd - part.valueStart))
    }
}

/// One member or element of a text's top level, as offsets into the text.
public struct JSONPart: Sendable {
    /// The range between the quotes of the name; both 0 for an element.
    public let keyStart: Int
    public let keyEnd: Int
    public let valueStart: Int
    public let valueEnd: Int

    init(keyStart: Int, keyEnd: Int, valueStart: Int, valueEnd: Int) {
        self.keyStart = keyStart
        self.keyEnd = keyEnd
        self.valueStart = valueStart
        self.valueEnd = valueEnd
    }
}

/// A valid text with the parts of its top level, so that callers need not scan it again.
public struct JSONOutline {
    public let text: ValidJSON
    public let kind: JSONKind
    /// Members of a top-level object, elements of a top-level array; empty otherwise. The validator owns the memory: it
    /// is valid until the next text is validated. If there are more than the validator keeps, the first ones.
    public let parts: UnsafeBufferPointer<JSONPart>
    /// Number of all parts.
    public let count: Int
    /// The offset of the first duplicate name anywhere in the text.
    public let duplicate: Int?

    /// The raw bytes of a member's name.
    @inlinable
    public func key(_ part: JSONPart) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: text.bytes.baseAddress.map { $0 + part.keyStart }, count: part.keyEnd - part.keyStart)
    }
}

/// The six kinds of JSON value. RFC 8259, section 3.
public enum JSONKind: UInt8, Sendable {
    case null, boolean, number, string, array, object

    /// The kind of a valid value by its first byte.
    @inlinable
    public init(firstByte: UInt8) {
        switch firstByte {
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
        case UInt8(ascii: "n"): self = .null
        default: self = .number
        }
    }

    /// The kind with its article, for sentences.
    public var name: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
