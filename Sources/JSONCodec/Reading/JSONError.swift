/// The reason why a text is not JSON as accepted here, and the offset: RFC 8259, made stricter by the protocol's
/// limits.
public struct JSONError: Error, Sendable, Equatable {
    /// The byte at which reading failed, counted from the start of the text.
    public let offset: Int
    public let reason: Reason

    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    public enum Reason: Sendable, Equatable {
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case trailingBytes
        case invalidLiteral
        case invalidNumber
        case invalidEscape
        case loneSurrogate
        case controlCharacter
        case invalidUTF8
        case tooDeep(limit: Int)
        case byteOrderMark
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A clause for people that completes "not JSON: …".
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(byte))"
        case .trailingBytes: "there is more text after the value"
        case .invalidLiteral: "only true, false and null may be written without quotes"
        case .invalidNumber: "a number must look like -1, 0.5 or 1e3"
        case .invalidEscape: "a backslash may be followed by one of \" \\ / b f n r t or by u and four hex digits"
        case .loneSurrogate: "a \\u surrogate must come in a pair"
        case .controlCharacter: "a control character in a string must be escaped"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .byteOrderMark: "the text begins with a byte order mark; leave it out"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7e: "'\(Character(Unicode.Scalar(byte)))'"
        default: "byte 0x\(String(byte, radix: 16))"
        }
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(reason) (at byte \(offset))" }
}
