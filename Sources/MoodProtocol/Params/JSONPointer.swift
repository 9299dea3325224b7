import JSONCodec

/// JSON Pointers, by which an error names a member. RFC 6901.
public enum JSONPointer {
    /// A reference token with `~` and `/` escaped. RFC 6901, section 3.
    public static func escaped(_ token: String) -> String {
        var result = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The longest part of a client's name in an answer, in code points.
    static let nameMax = 1024

    /// The reference token of a client's name.
    static func token(_ key: JSONText) -> String {
        escaped(String(key.string.unicodeScalars.prefix(nameMax)))
    }

    /// The pointer to the member whose name begins at `offset`, counted from the start of the value.
    static func path(to offset: Int, in value: ValidJSON) -> String {
        var reader = JSONReader(value)
        return path(to: offset, isInText: false, &reader) ?? ""
    }

    /// The pointer to the string, or to the member whose name, covers `offset`, counted from the start of the value.
    static func path(covering offset: Int, in value: ValidJSON) -> String {
        var reader = JSONReader(value)
        return path(to: offset, isInText: true, &reader) ?? ""
    }

    /// - Parameter isInText: whether the offset may be in a string too.
    private static func path(to offset: Int, isInText: Bool, _ reader: inout JSONReader) -> String? {
        switch reader.kind {
        case .object:
            _ = reader.enterObject()
            while true {
                let before = reader.at
                guard let key = reader.nextKey() else { return nil }
                // The name is between the previous member and its own colon.
                if offset >= before, offset < reader.at { return "/" + token(key) }
                if let rest = path(to: offset, isInText: isInText, &reader) { return "/" + token(key) + rest }
            }
        case .array:
            _ = reader.enterArray()
            var index = 0
            while reader.nextElement() {
                if let rest = path(to: offset, isInText: isInText, &reader) { return "/\(index)" + rest }
                index += 1
            }
            return nil
        default:
            reader.skip()
            return isInText && offset < reader.at ? "" : nil
        }
    }
}

extension Problem {
    /// The problem of a value with U+0000, which no request may have; nil if there is none.
    public init?(nullCharacterIn value: ValidJSON) {
        guard let offset = NullCharacter.offset(in: value.bytes) else { return nil }
        self = .nullCharacter
        path = JSONPointer.path(covering: offset, in: value)
    }

    static let nullCharacter = Problem("must not contain the character U+0000; leave it out")
}
