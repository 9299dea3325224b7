import JSONCodec
import MoodProtocol

/// The value of a keyword and its pointer, which reads as the kind that the keyword requires.
struct SchemaArgument {
    let value: JSONValue
    let pointer: String

    init(_ value: JSONValue, _ pointer: String) {
        self.value = value
        self.pointer = pointer
    }

    func problem(_ reason: String) -> SchemaProblem { SchemaProblem(pointer: pointer, reason: reason) }

    func text() throws(SchemaProblem) -> String {
        guard let text = value.string else { throw problem("must be a string") }
        return text
    }

    func boolean() throws(SchemaProblem) -> Bool {
        guard let value = value.boolean else { throw problem("must be true or false") }
        return value
    }

    func number() throws(SchemaProblem) -> DecimalNumber {
        guard case .number(let text) = value else { throw problem("must be a number") }
        return Array(text.utf8).withUnsafeBytes { DecimalNumber($0) }
    }

    func count() throws(SchemaProblem) -> Int {
        guard let count = value.integer, count >= 0 else { throw problem("must be an integer, 0 or more") }
        return count
    }

    func elements() throws(SchemaProblem) -> [SchemaArgument] {
        guard let elements = value.array else { throw problem("must be an array") }
        return elements.enumerated().map { SchemaArgument($0.element, "\(pointer)/\($0.offset)") }
    }

    func members() throws(SchemaProblem) -> [(name: String, value: SchemaArgument)] {
        guard let members = value.object else { throw problem("must be an object") }
        return members.map { ($0.name, SchemaArgument($0.value, pointer + "/" + JSONPointer.escaped($0.name))) }
    }

    func names() throws(SchemaProblem) -> [String] {
        var names: [String] = []
        for element in try elements() { names.append(try element.text()) }
        return names
    }

    func kinds() throws(SchemaProblem) -> SchemaKinds {
        let wanted = "must be null, boolean, number, integer, string, array or object, or an array of them"
        var kinds: SchemaKinds = []
        let names = value.array ?? [value]
        for name in names {
            guard let kind = name.string.flatMap({ SchemaKinds(name: $0) }) else { throw problem(wanted) }
            kinds.formUnion(kind)
        }
        guard !names.isEmpty else { throw problem(wanted) }
        return kinds
    }

    /// A regular expression: this text, or a name at this place.
    func pattern(_ name: String? = nil) throws(SchemaProblem) -> Pattern {
        let text = if let name { name } else { try text() }
        do throws(Pattern.Problem) {
            return try Pattern(text)
        } catch {
            throw problem(error.reason)
        }
    }

    /// The pointer of a reference `#` or `#/…`, with percent signs decoded. RFC 6901, section 6.
    func target() throws(SchemaProblem) -> String {
        let text = try text()
        let only = "must be # or #/… in the same document; others are not fetched"
        guard text.utf8.first == UInt8(ascii: "#") else { throw problem(only) }
        var bytes: [UInt8] = []
        var rest = text.utf8.dropFirst()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else { throw problem(only) }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else { throw problem(only) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
