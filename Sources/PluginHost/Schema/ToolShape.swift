import JSONCodec

/// A schema in the form that AI clients accept. Their libraries refuse some valid JSON Schema: a root without `type:
/// "object"`, a reference to the root itself, an address with a space, `true` in place of a schema, one `$id` in two
/// tools. Such schemas are rewritten if possible.
public struct ToolShape {
    /// The reason why a schema cannot be rewritten, as a clause.
    public struct Problem: Error, Sendable, Equatable {
        public let reason: String
    }

    /// The new address of the root.
    private let rootAddress: String
    /// Whether clients check results by it. The host has done so before.
    private let isOfResult: Bool
    /// Whether the schema stands inside another one.
    private let isInner: Bool
    private var isRecursive = false

    /// Rewrites a schema of arguments.
    /// - Returns: a schema that is equivalent for objects; a tool takes nothing else.
    public static func ofArguments(_ schema: JSONValue) throws(Problem) -> JSONValue {
        guard mayBeObject(schema) else { throw Problem(reason: "is not of type object") }
        return try mended(schema, isOfResult: false)
    }

    /// Rewrites a schema of results. A result that is no object becomes the member `result` of one.
    public static func ofResult(_ schema: JSONValue) throws(Problem) -> JSONValue {
        if mayBeObject(schema) { return try mended(schema, isOfResult: true) }
        var shape = ToolShape(rootAddress: "#/properties/result", isOfResult: true, isInner: true)
        let members = (schema.object ?? []).filter { !["$id", "$schema"].contains($0.name) }
        return [
            "type": "object", "properties": ["result": try shape.walk(.object(members))], "required": ["result"],
        ]
    }

    private static func mended(_ schema: JSONValue, isOfResult: Bool) throws(Problem) -> JSONValue {
        let definitions = schema["$defs"]?.object ?? []
        var rootName = "Root"
        while definitions.contains(where: { $0.name == rootName }) { rootName += "_" }
        var shape = ToolShape(rootAddress: "#/$defs/\(rootName)", isOfResult: isOfResult, isInner: false)
        // Every reference is within the schema, so `$id` names nothing. Without `$schema` it is one of 2020-12.
        let said = (schema.object ?? []).filter { !["type", "$id", "$schema"].contains($0.name) }
        let root = try shape.walk(.object(said))
        var mended = [JSONValue.Member("type", "object")] + (root.object ?? [])
        guard shape.isRecursive else { return .object(mended) }
        let inner = JSONValue.object(mended.filter { $0.name != "$defs" })
        mended.removeAll { $0.name == "$defs" }
        return .object(
            mended + [.init("$defs", .object((root["$defs"]?.object ?? []) + [.init(rootName, inner)]))])
    }

    private init(rootAddress: String, isOfResult: Bool, isInner: Bool) {
        (self.rootAddress, self.isOfResult, self.isInner) = (rootAddress, isOfResult, isInner)
    }

    /// Whether an object can fit, by the keywords of the root.
    private static func mayBeObject(_ schema: JSONValue) -> Bool {
        if let isRight = schema.boolean { return isRight }
        let types = schema["type"].map { $0.array ?? [$0] }
        if let types, !types.contains(where: { $0.string == "object" }) { return false }
        if let constant = schema["const"], constant.object == nil { return false }
        if let choices = schema["enum"]?.array, !choices.contains(where: { $0.object != nil }) { return false }
        for name in ["anyOf", "oneOf"] {
            if let choices = schema[name]?.array, !choices.contains(where: mayBeObject) { return false }
        }
        return (schema["allOf"]?.array ?? []).allSatisfy(mayBeObject)
    }

    /// - Parameter isMap: whether the author chose the names of the members, each of which has a schema.
    private mutating func walk(_ value: JSONValue, isMap: Bool = false) throws(Problem) -> JSONValue {
        switch value {
        case .array(let elements):
            var walked: [JSONValue] = []
            for element in elements { walked.append(try walk(element)) }
            return .array(walked)
        case .object(let members):
            var walked: [JSONValue.Member] = []
            for member in members {
                if let member = isMap ? .init(member.name, try property(member.value)) : try keyword(member) {
                    walked.append(member)
                }
            }
            return .object(walked)
        default: return value
        }
    }

    /// A named schema, as an object even if the author wrote `true` or `false`.
    private mutating func property(_ schema: JSONValue) throws(Problem) -> JSONValue {
        guard let isRight = schema.boolean else { return try walk(schema) }
        return isRight ? [:] : ["not": [:]]
    }

    /// A rewritten member of a schema; nil if clients do not get it.
    private mutating func keyword(_ member: JSONValue.Member) throws(Problem) -> JSONValue.Member? {
        let name = member.name
        switch name {
        // Values, not schemas.
        case "const", "enum", "default", "examples": return member
        case "$ref":
            guard let address = member.value.string else { return member }
            if address == "#" { isRecursive = true }
            if address == "#" { return .init(name, .string(rootAddress)) }
            let plain = address.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
            return .init(name, .string(isInner ? rootAddress + plain.dropFirst() : plain))
        case "pattern":
            guard let pattern = member.value.string else { return member }
            // The host has checked the result by it.
            return isOfResult && Self.isOfECMAAlone(pattern) ? nil : .init(name, .string(Self.plain(pattern)))
        case "patternProperties":
            guard let patterns = member.value.object else { return member }
            if isOfResult, let pattern = patterns.first(where: { Self.isOfECMAAlone($0.name) }) {
                throw Problem(reason: "has the pattern \(pattern.name), which not every AI client can read")
            }
            let plain = patterns.map { JSONValue.Member(Self.plain($0.name), $0.value) }
            return .init(name, try walk(.object(plain), isMap: true))
        case "properties", "$defs", "definitions", "dependentSchemas":
            return .init(name, try walk(member.value, isMap: true))
        default: return .init(name, try walk(member.value))
        }
    }

    // MARK: Regular expressions

    /// A backslash and what follows it, or a single character.
    private static func pieces(_ pattern: String) -> [Substring] {
        var pieces: [Substring] = []
        var rest = pattern[...]
        while let first = rest.unicodeScalars.first {
            let piece = Substring(rest.unicodeScalars.prefix(first == "\\" ? 2 : 1))
            pieces.append(piece)
            rest = Substring(rest.unicodeScalars.dropFirst(piece.unicodeScalars.count))
        }
        return pieces
    }

    /// Whether Python, the language of many clients, does not know the expression.
    private static func isOfECMAAlone(_ pattern: String) -> Bool {
        let pieces = pieces(pattern)
        return pieces.contains { ["\\p", "\\P", "\\u", "\\c"].contains($0) } || pattern.contains("(?<")
    }

    /// The expression without needless backslashes, which JavaScript refuses.
    private static func plain(_ pattern: String) -> String {
        var isInClass = false
        return pieces(pattern).map { piece in
            if piece == "[" { isInClass = true }
            if piece == "]" { isInClass = false }
            guard piece.unicodeScalars.count == 2, let last = piece.unicodeScalars.last else { return String(piece) }
            let isWord = last.properties.isAlphabetic || last.properties.numericType != nil
            if isWord || "^$\\.*+?()[]{}|/".unicodeScalars.contains(last) || isInClass && last == "-" {
                return String(piece)
            }
            return String(Character(last))
        }.joined()
    }
}

extension Manifest.OwnMethod {
    /// Its schemas, as AI clients take them.
    public func toolSchemas() throws(ToolShape.Problem) -> (input: JSONValue, output: JSONValue) {
        func part(
            _ name: String, _ shape: (JSONValue) throws(ToolShape.Problem) -> JSONValue, _ schema: JSONSchema
        ) throws(ToolShape.Problem) -> JSONValue {
            do throws(ToolShape.Problem) { return try shape(schema.source) } catch {
                throw .init(reason: "the schema of its \(name) \(error.reason)")
            }
        }
        return (
            try part("params", ToolShape.ofArguments, params), try part("result", ToolShape.ofResult, result)
        )
    }
}
