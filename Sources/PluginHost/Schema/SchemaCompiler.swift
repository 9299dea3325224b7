import JSONCodec
import MoodProtocol

/// Compiles a schema once, so that checks need not read it.
///
/// 1. Every schema of the document is a node, identified by its JSON Pointer; `$ref` is resolved at the end.
/// 2. At most `stepsInPlaceMax` nested schemas check a value before a step into the value, so the compiler finds
/// circular references.
struct SchemaCompiler {
    static let nodesMax = 10_000
    static let pointerBytesMax = 2048
    static let stepsInPlaceMax = 64

    private var nodes: [SchemaNode] = []
    /// Nodes by their pointers, as bytes: a hostile name is slow as a `String`.
    private var places: [[UInt8]: Int] = [:]
    private var references: [(node: Int, target: String, pointer: String)] = []

    mutating func compile(_ value: JSONValue) throws(SchemaProblem) -> [SchemaNode] {
        _ = try node(value, "")
        for reference in references {
            guard let target = places[Array(reference.target.utf8)] else {
                throw SchemaProblem(
                    pointer: reference.pointer, reason: "leads to no schema of this document; write #/$defs/NAME")
            }
            nodes[reference.node].reference = target
        }
        var heights = [Int?](repeating: nil, count: nodes.count)
        for node in nodes.indices { _ = try height(node, 0, &heights) }
        return nodes
    }

    /// The number of nested schemas that check one value.
    private func height(_ node: Int, _ depth: Int, _ heights: inout [Int?]) throws(SchemaProblem) -> Int {
        if let height = heights[node] { return height }
        var highest = 0
        if depth < Self.stepsInPlaceMax {
            for inner in nodes[node].inPlace {
                highest = max(highest, try height(inner, depth + 1, &heights))
            }
        }
        guard depth < Self.stepsInPlaceMax, highest < Self.stepsInPlaceMax else {
            let pointer = String(decoding: places.first { $0.value == node }?.key ?? [], as: UTF8.self)
            throw SchemaProblem(
                pointer: pointer,
                reason:
                    "refers to itself without a step into the value, or through more than \(Self.stepsInPlaceMax) schemas"
            )
        }
        heights[node] = highest + 1
        return highest + 1
    }

    /// Compiles a schema. The validator bounds the depth of a document, so this recursion is bounded too.
    private mutating func node(_ value: JSONValue, _ pointer: String) throws(SchemaProblem) -> Int {
        guard nodes.count < Self.nodesMax else {
            throw SchemaProblem(pointer: pointer, reason: "is one schema too many; at most \(Self.nodesMax) are read")
        }
        guard pointer.utf8.count <= Self.pointerBytesMax else {
            throw SchemaProblem(pointer: "", reason: "has names that are too long, one inside the other")
        }
        let place = nodes.count
        nodes.append(SchemaNode())
        places[Array(pointer.utf8)] = place
        if let isAlways = value.boolean {
            nodes[place].isNever = !isAlways
            return place
        }
        guard let members = value.object else {
            throw SchemaProblem(pointer: pointer, reason: "must be a schema: an object, true or false")
        }
        var node = SchemaNode()
        for member in members {
            let below = pointer + "/" + JSONPointer.escaped(member.name)
            guard let keyword = SchemaKeyword(name: member.name) else {
                // Extensions have this prefix; OpenAPI, section "Specification Extensions".
                if member.name.utf8.starts(with: "x-".utf8) { continue }
                throw Self.unknown(member.name, below)
            }
            try add(keyword, SchemaArgument(member.value, below), to: &node, place, in: value)
        }
        node.object?.finish()
        nodes[place] = node
        return place
    }

    private static func unknown(_ name: String, _ pointer: String) -> SchemaProblem {
        let nearest = NearestNames.find(name, among: SchemaKeyword.allCases.map(\.rawValue)).first
        let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "leave it out"
        return SchemaProblem(pointer: pointer, reason: "is not a keyword that is supported here; \(hint)")
    }

    // MARK: Keywords

    private mutating func add(
        _ keyword: SchemaKeyword, _ argument: SchemaArgument, to node: inout SchemaNode, _ place: Int,
        in schema: JSONValue
    ) throws(SchemaProblem) {
        switch keyword {
        case .type: node.kinds = try argument.kinds()
        case .enum: node.choices = try argument.elements().map { Self.choice($0.value) }
        case .const: node.constant = Self.choice(argument.value)
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf:
            try addNumber(keyword, argument, to: &node.number)
        case .minLength, .maxLength, .pattern: try addText(keyword, argument, to: &node.text)
        case .items, .prefixItems, .minItems, .maxItems, .uniqueItems, .contains, .minContains, .maxContains:
            try addArray(keyword, argument, to: &node.array)
        case .properties, .patternProperties, .additionalProperties, .propertyNames, .required, .minProperties,
            .maxProperties, .dependentRequired, .dependentSchemas:
            try addObject(keyword, argument, to: &node.object)
        case .allOf: node.allOf = try several(argument)
        case .anyOf: node.anyOf = try several(argument)
        case .oneOf: node.oneOf = try several(argument)
        case .not: node.not = try self.node(argument.value, argument.pointer)
        case .if: node.condition = try self.node(argument.value, argument.pointer)
        case .then: node.consequence = try self.node(argument.value, argument.pointer)
        case .else: node.alternative = try self.node(argument.value, argument.pointer)
        case .ref: references.append((place, try argument.target(), argument.pointer))
        case .defs, .definitions:
            for member in try argument.members() { _ = try self.node(member.value.value, member.value.pointer) }
        case .id:
            _ = try argument.text()
            if place != 0 { throw argument.problem("stands only at the root; refer to #/$defs/NAME") }
        case .title, .description, .format, .schema, .comment, .contentEncoding, .contentMediaType:
            _ = try argument.text()
        case .deprecated, .readOnly, .writeOnly: _ = try argument.boolean()
        case .examples: _ = try argument.elements()
        case .default: break
        }
    }

    private static func choice(_ value: JSONValue) -> SchemaNode.Choice {
        SchemaNode.Choice(canonical: CanonicalJSON.bytes(value, numbers: .byValue), text: value.text)
    }

    private mutating func several(_ argument: SchemaArgument) throws(SchemaProblem) -> [Int] {
        let elements = try argument.elements()
        guard !elements.isEmpty else { throw argument.problem("must have at least one schema") }
        var places: [Int] = []
        for element in elements { places.append(try node(element.value, element.pointer)) }
        return places
    }

    private func addNumber(
        _ keyword: SchemaKeyword, _ argument: SchemaArgument, to rules: inout SchemaNode.NumberRules?
    ) throws(SchemaProblem) {
        var changed = rules ?? SchemaNode.NumberRules()
        let number = try argument.number()
        switch keyword {
        case .minimum: changed.minimum = number
        case .maximum: changed.maximum = number
        case .exclusiveMinimum: changed.exclusiveMinimum = number
        case .exclusiveMaximum: changed.exclusiveMaximum = number
        default:
            guard !number.isNegative, 1...DecimalNumber.divisorDigitsMax ~= number.digits.count else {
                throw argument.problem("must be more than 0, with at most \(DecimalNumber.divisorDigitsMax) digits")
            }
            changed.multipleOf = number
        }
        rules = changed
    }

    private func addText(
        _ keyword: SchemaKeyword, _ argument: SchemaArgument, to rules: inout SchemaNode.TextRules?
    ) throws(SchemaProblem) {
        var changed = rules ?? SchemaNode.TextRules()
        switch keyword {
        case .minLength: changed.minLength = try argument.count()
        case .maxLength: changed.maxLength = try argument.count()
        default:
            changed.pattern = try argument.pattern()
            changed.patternText = try argument.text()
        }
        rules = changed
    }

    private mutating func addArray(
        _ keyword: SchemaKeyword, _ argument: SchemaArgument, to rules: inout SchemaNode.ArrayRules?
    ) throws(SchemaProblem) {
        var changed = rules ?? SchemaNode.ArrayRules()
        switch keyword {
        case .items: changed.items = try node(argument.value, argument.pointer)
        case .prefixItems: changed.prefixItems = try several(argument)
        case .contains: changed.contains = try node(argument.value, argument.pointer)
        case .minContains: changed.minContains = try argument.count()
        case .maxContains: changed.maxContains = try argument.count()
        case .minItems: changed.minItems = try argument.count()
        case .maxItems: changed.maxItems = try argument.count()
        default: changed.isUnique = try argument.boolean()
        }
        rules = changed
    }

    private mutating func addObject(
        _ keyword: SchemaKeyword, _ argument: SchemaArgument, to rules: inout SchemaNode.ObjectRules?
    ) throws(SchemaProblem) {
        var changed = rules ?? SchemaNode.ObjectRules()
        switch keyword {
        case .properties:
            for member in try argument.members() {
                let place = try node(member.value.value, member.value.pointer)
                changed.members.append(.init(name: Array(member.name.utf8), node: place))
            }
        case .required: changed.requiredNames = try argument.names().map { Array($0.utf8) }
        case .patternProperties:
            for member in try argument.members() {
                let pattern = try member.value.pattern(member.name)
                changed.patterns.append((pattern, try node(member.value.value, member.value.pointer)))
            }
        case .additionalProperties: changed.additional = try node(argument.value, argument.pointer)
        case .propertyNames: changed.names = try node(argument.value, argument.pointer)
        case .minProperties: changed.minProperties = try argument.count()
        case .maxProperties: changed.maxProperties = try argument.count()
        case .dependentRequired:
            for member in try argument.members() {
                changed.dependentRequired.append(
                    (Array(member.name.utf8), try member.value.names().map { Array($0.utf8) }))
            }
        default:
            for member in try argument.members() {
                let place = try node(member.value.value, member.value.pointer)
                changed.dependentSchemas.append((Array(member.name.utf8), place))
            }
        }
        rules = changed
    }
}

extension SchemaNode {
    /// The schemas that check this node's value too.
    fileprivate var inPlace: [Int] {
        allOf + (anyOf ?? []) + (oneOf ?? [])
            + [not, condition, consequence, alternative, reference].compactMap { $0 }
            + (object?.dependentSchemas.map(\.node) ?? [])
    }
}

extension SchemaNode.ObjectRules {
    /// Sorts the members, and finds the required ones among them.
    fileprivate mutating func finish() {
        let declared = Set(members.map(\.name))
        let others = Set(requiredNames).subtracting(declared).map { Member(name: $0) }
        members = (members + others).sorted { $0.name.lexicographicallyPrecedes($1.name) }
        required = requiredNames.compactMap { name in name.withUnsafeBytes { place(of: $0) } }
        requiredNames = []
    }
}
