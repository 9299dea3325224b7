import JSONCodec

/// The reason why a value is no supported schema.
public struct SchemaProblem: Error, Sendable, Equatable {
    /// A JSON Pointer (RFC 6901) into the schema.
    public let pointer: String
    /// The problem and its remedy, as a clause.
    public let reason: String
}

/// A value's first violation of a schema.
public struct SchemaFault: Error, Sendable, Equatable {
    /// A JSON Pointer (RFC 6901) into the value.
    public internal(set) var path: String
    /// The problem and its remedy, as a clause.
    public let reason: String

    init(_ reason: String, at path: String = "") {
        self.path = path
        self.reason = reason
    }
}

/// A JSON Schema (2020-12, the keywords of `SchemaKeyword`) that is ready to check values.
///
///     let schema = try JSONSchema.compile(["type": "object", "required": ["city"]])
///     if let fault = schema.check(params) { … }   // {path: "/city", reason: "is required"}
///
/// Every check ends: the size of the value bounds the work (`SchemaCheck.stepsMax`), and the depth is bounded too.
/// Numbers are compared by their exact value. (Counterparts: Ajv in JavaScript, jsonschema in Python.)
public final class JSONSchema: Sendable {
    /// The schema as given.
    public let source: JSONValue
    /// The nodes, the root first.
    let nodes: [SchemaNode]

    init(source: JSONValue, nodes: [SchemaNode]) {
        self.source = source
        self.nodes = nodes
    }

    /// - Throws: the first problem or unsupported keyword.
    public static func compile(_ value: JSONValue) throws(SchemaProblem) -> JSONSchema {
        var compiler = SchemaCompiler()
        return JSONSchema(source: value, nodes: try compiler.compile(value))
    }

    /// A schema of another program: if it is unsupported, it accepts every value.
    public static func asFarAsKnown(_ value: JSONValue) -> JSONSchema {
        do throws(SchemaProblem) { return try compile(value) } catch {
            return JSONSchema(source: value, nodes: any.nodes)
        }
    }

    /// Accepts every value.
    public static let any = JSONSchema(source: .boolean(true), nodes: [SchemaNode()])

    /// - Returns: the first fault of the value, or nil.
    public func check(_ value: ValidJSON) -> SchemaFault? {
        var check = SchemaCheck(self, bytes: value.bytes.count)
        return check.fault(of: value, by: 0)
    }

    /// Checks a tree.
    public func check(_ value: JSONValue) -> SchemaFault? {
        Array(value.text.utf8).withUnsafeBytes { check(ValidJSON(trusting: $0)) }
    }
}

/// One compiled schema of a document. It refers to others by their index in the nodes.
struct SchemaNode: Sendable {
    /// The schema `false`.
    var isNever = false
    var kinds: SchemaKinds?
    /// Canonical texts, of `enum` or `const`, and their texts for users.
    var choices: [Choice]?
    var constant: Choice?
    var number: NumberRules?
    var text: TextRules?
    var array: ArrayRules?
    var object: ObjectRules?
    var allOf: [Int] = []
    var anyOf: [Int]?
    var oneOf: [Int]?
    var not: Int?
    var condition: Int?
    var consequence: Int?
    var alternative: Int?
    var reference: Int?

    struct Choice: Sendable {
        let canonical: [UInt8]
        let text: String
    }

    struct NumberRules: Sendable {
        var minimum: DecimalNumber?
        var maximum: DecimalNumber?
        var exclusiveMinimum: DecimalNumber?
        var exclusiveMaximum: DecimalNumber?
        var multipleOf: DecimalNumber?
    }

    struct TextRules: Sendable {
        var minLength = 0
        var maxLength = Int.max
        var pattern: Pattern?
        var patternText = ""
    }

    struct ArrayRules: Sendable {
        var prefixItems: [Int] = []
        var items: Int?
        var contains: Int?
        var minContains = 1
        var maxContains = Int.max
        var minItems = 0
        var maxItems = Int.max
        var isUnique = false
    }

    struct ObjectRules: Sendable {
        /// The members, sorted by the bytes of their names.
        var members: [Member] = []
        /// Indexes in `members`, in the order of the schema.
        var required: [Int] = []
        /// Empty once the rules are finished.
        var requiredNames: [[UInt8]] = []
        var patterns: [(pattern: Pattern, node: Int)] = []
        var additional: Int?
        var names: Int?
        var minProperties = 0
        var maxProperties = Int.max
        var dependentRequired: [(name: [UInt8], needed: [[UInt8]])] = []
        var dependentSchemas: [(name: [UInt8], node: Int)] = []

        struct Member: Sendable {
            let name: [UInt8]
            /// Nil if it is only required.
            var node: Int?
        }

        /// The index of a name in `members`.
        func place(of name: UnsafeRawBufferPointer) -> Int? {
            var (low, high) = (0, members.count)
            while low < high {
                let middle = (low + high) / 2
                if members[middle].name.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
            }
            return low < members.count && members[low].name.elementsEqual(name) ? low : nil
        }
    }
}

/// The permitted kinds of value; an integer is a number without a fraction.
struct SchemaKinds: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let integer = SchemaKinds(rawValue: 1 << 6)

    init(_ kind: JSONKind) { rawValue = 1 << kind.rawValue }

    private static let names: [(name: String, kinds: SchemaKinds)] = [
        ("null", SchemaKinds(.null)), ("boolean", SchemaKinds(.boolean)), ("number", SchemaKinds(.number)),
        ("integer", .integer), ("string", SchemaKinds(.string)), ("array", SchemaKinds(.array)),
        ("object", SchemaKinds(.object)),
    ]

    init?(name: String) {
        guard let kinds = Self.names.first(where: { $0.name == name })?.kinds else { return nil }
        self = kinds
    }

    /// `a string`, `an integer or null`.
    var phrase: String {
        let names = Self.names.filter { !isDisjoint(with: $0.kinds) }.map(\.name)
        let phrases = names.map { name in
            name == "null" ? name : ("aeiou".contains(name.prefix(1)) ? "an \(name)" : "a \(name)")
        }
        return phrases.count > 1
            ? phrases.dropLast().joined(separator: ", ") + " or " + (phrases.last ?? "") : phrases.first ?? "nothing"
    }
}
