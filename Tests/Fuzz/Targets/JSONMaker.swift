import JSONCodec

/// Makes JSON from bytes, because mutated text is hardly ever JSON. After the last byte every choice is the first one.
struct JSONMaker {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// A number from 0 up to and without `count`.
    mutating func choice(_ count: Int) -> Int { Int(bytes.popFirst() ?? 0) % count }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[choice(values.count)] }

    private static let names = ["a", "b", "c", "id", "name", "a/b", "~", ""]

    mutating func name() -> String { pick(Self.names) }

    mutating func value(depth: Int = 3) -> JSONValue {
        switch choice(depth > 0 ? 8 : 6) {
        case 0: return .null
        case 1: return .boolean(choice(2) == 0)
        case 2:
            return .number(pick(["0", "1", "-1", "2", "1.0", "1e2", "0.5", "-0.0", "1e400", "12345678901234567890"]))
        case 3: return .number(String(choice(8) - 2))
        case 4: return .string(pick(["", "a", "aa", "ab", "é", "😊", "1", "a\u{301}", "\u{0}"]))
        case 5: return .string(name())
        case 6: return .array((0..<choice(4)).map { _ in value(depth: depth - 1) })
        default:
            var members: [JSONValue.Member] = []
            for _ in 0..<choice(4) {
                let name = name()
                if !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                    members.append(.init(name, value(depth: depth - 1)))
                }
            }
            return .object(members)
        }
    }

    /// A schema that is mostly valid.
    mutating func schema(depth: Int = 3) -> JSONValue {
        guard depth > 0 else { return .boolean(choice(4) != 0) }
        var members: [JSONValue.Member] = []
        for _ in 0..<1 + choice(3) {
            let member = keyword(depth: depth - 1)
            if !members.contains(where: { $0.name == member.name }) { members.append(member) }
        }
        return .object(members)
    }

    private mutating func several(_ depth: Int) -> JSONValue {
        .array((0..<1 + choice(3)).map { _ in schema(depth: depth) })
    }

    private mutating func named(_ depth: Int) -> JSONValue {
        var members: [JSONValue.Member] = []
        for name in Self.names.prefix(1 + choice(4)) { members.append(.init(name, schema(depth: depth))) }
        return .object(members)
    }

    private mutating func keyword(depth: Int) -> JSONValue.Member {
        let count = JSONValue.number(String(choice(4)))
        switch choice(24) {
        case 0:
            return .init(
                "type", .string(pick(["string", "integer", "number", "null", "array", "object", "boolean", "any"])))
        case 1: return .init("enum", .array((0..<choice(3)).map { _ in value(depth: 1) }))
        case 2: return .init("const", value(depth: 2))
        case 3: return .init(pick(["minimum", "exclusiveMinimum"]), value(depth: 0))
        case 4: return .init(pick(["maximum", "exclusiveMaximum", "multipleOf"]), value(depth: 0))
        case 5: return .init(pick(["minLength", "maxLength", "minItems", "maxItems"]), count)
        case 6: return .init(pick(["minProperties", "maxProperties", "minContains", "maxContains"]), count)
        case 7: return .init("pattern", .string(pick(["a", "^a?$", "[ab]{1,2}", "(a|b)+", ".", "\\w", "(", "a{,1}"])))
        case 8: return .init("items", schema(depth: depth))
        case 9: return .init("prefixItems", several(depth))
        case 10: return .init("contains", schema(depth: depth))
        case 11: return .init("uniqueItems", .boolean(choice(2) == 0))
        case 12, 13: return .init("properties", named(depth))
        case 14: return .init("patternProperties", .object([.init(pick(["a", "^.$", ""]), schema(depth: depth))]))
        case 15: return .init("additionalProperties", schema(depth: depth))
        case 16: return .init("propertyNames", schema(depth: depth))
        case 17: return .init("required", .array((0..<choice(3)).map { _ in .string(name()) }))
        case 18: return .init("dependentSchemas", named(depth))
        case 19: return .init("allOf", several(depth))
        case 20: return .init(pick(["anyOf", "oneOf"]), several(depth))
        case 21: return .init(pick(["not", "if", "then", "else"]), schema(depth: depth))
        case 22: return .init("$ref", .string(pick(["#", "#/properties/a", "#/items", "#/$defs/a"])))
        default: return .init("$defs", named(depth))
        }
    }
}
