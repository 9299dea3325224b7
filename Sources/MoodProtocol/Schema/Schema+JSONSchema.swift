import JSONCodec

extension Schema {
    /// This schema as JSON Schema (draft-07, which OpenRPC uses; valid in 2020-12 too), with the default limits.
    /// - Parameter components: collects the named schemas.
    public func jsonSchema(_ components: inout [JSONValue.Member]) -> JSONValue {
        switch self {
        case .string(let format): return .object([.init("type", "string")] + format.keywords)
        case .id: return ["type": "string", "format": "uuid"]
        case .time: return ["type": "string", "format": "date-time"]
        case .integer(let range): return Self.integer(range)
        case .count(let name): return Self.integer(1...name.defaultValue)
        case .number(let range):
            return ["type": "number", "minimum": .double(range.lowerBound), "maximum": .double(range.upperBound)]
        case .boolean: return ["type": "boolean"]
        case .confirmation: return ["type": "boolean", "const": true]
        case .openChoice(let choices):
            return [
                "type": "string", "anyOf": [["enum": .array(choices.map { .string("\($0)") })], ["minLength": 1]],
            ]
        case .choice(let choices):
            return ["type": "string", "enum": .array(choices.map { .string("\($0)") })]
        case .array(let element, let count, let isUnique):
            var members = [JSONValue.Member("type", "array"), .init("items", element.jsonSchema(&components))]
            switch count {
            case .range(let range):
                members.append(.init("minItems", .number(String(range.lowerBound))))
                members.append(.init("maxItems", .number(String(range.upperBound))))
            case .upTo(let name): members.append(.init("maxItems", .number(String(name.defaultValue))))
            case .any: break
            }
            if isUnique { members.append(.init("uniqueItems", true)) }
            return .object(members)
        case .object(let fields, let rule):
            return Self.object(fields, isClosed: true, rule, &components)
        case .result(let fields):
            return Self.object(fields, isClosed: false, nil, &components)
        case .kinds(let name, let kinds):
            return [
                "oneOf": .array(
                    kinds.map { kind in
                        let tag = Field.required(
                            name,
                            kind.name.isOpen
                                ? .described([.init("type", "string"), .init("pattern", "^x\\.")])
                                : .choice([kind.name]),
                            "Which it is.")
                        return Self.titled(
                            "\(kind.name)", Self.object([tag] + kind.fields, isClosed: true, kind.rule, &components))
                    })
            ]
        case .openKinds(let name, let common, let kinds):
            return Self.openKinds(by: name, common, kinds, &components)
        case .nullable(let schema):
            return [
                "oneOf": [
                    Self.titled("A value", schema.jsonSchema(&components)), ["title": "Removal", "type": "null"],
                ]
            ]
        case .named(let name, let schema):
            if !components.contains(where: { $0.name == name }) {
                // Reserve the place first: schemas may refer to each other.
                let place = components.count
                components.append(.init(name, .null))
                let described = schema.jsonSchema(&components)
                components[place] = .init(name, described)
            }
            return ["$ref": .string("#/components/schemas/\(name)")]
        case .value(let rule): return .object(rule.keywords)
        case .token:
            return [
                "oneOf": [
                    ["title": "Text", "type": "string", "maxLength": .number(String(Self.tokenBytesMax))],
                    ["title": "Integer", "type": "integer"],
                ]
            ]
        case .variants(let variants):
            return [
                "oneOf": .array(variants.map { Self.titled($0.title, $0.schema.jsonSchema(&components)) })
            ]
        case .described(let keywords): return .object(keywords)
        case .any: return [:]
        }
    }

    /// Requires the members of each known kind under a condition, so that an unknown kind is valid too.
    private static func openKinds(
        by name: Name, _ common: [Field], _ kinds: [Kind],
        _ components: inout [JSONValue.Member]
    ) -> JSONValue {
        let all = object(
            [.required(name, .string(.plain), "Which it is.")] + common, isClosed: false, nil, &components)
        var conditions: [JSONValue] = []
        for kind in kinds where !kind.fields.isEmpty {
            let tag: JSONValue = .object([.init("\(name)", ["const": .string("\(kind.name)")])])
            conditions.append([
                "if": ["properties": tag], "then": object(kind.fields, isClosed: false, nil, &components),
            ])
        }
        return .object((all.object ?? []) + [.init("allOf", .array(conditions))])
    }

    /// A schema with a title. A reference is wrapped, because draft-07 ignores its siblings.
    private static func titled(_ title: String, _ schema: JSONValue) -> JSONValue {
        let name = JSONValue.Member("title", .string(title))
        guard let members = schema.object, schema["$ref"] == nil else {
            return .object([name, .init("allOf", [schema])])
        }
        return .object([name] + members)
    }

    private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
        var members = [JSONValue.Member("type", "integer"), .init("minimum", .number(String(range.lowerBound)))]
        if range.upperBound != .max { members.append(.init("maximum", .number(String(range.upperBound)))) }
        return .object(members)
    }

    private static func object(
        _ fields: [Field], isClosed: Bool, _ rule: ObjectRule?, _ components: inout [JSONValue.Member]
    ) -> JSONValue {
        var properties: [JSONValue.Member] = []
        for field in fields { properties.append(.init("\(field.name)", field.jsonSchema(&components))) }
        var members = [JSONValue.Member("type", "object"), .init("properties", .object(properties))]
        let required = fields.filter(\.isRequired).map { JSONValue.string("\($0.name)") }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        if isClosed { members.append(.init("additionalProperties", false)) }
        return .object(members + (rule?.keywords ?? []))
    }
}

extension Field {
    /// The schema with the member's meaning.
    func jsonSchema(_ components: inout [JSONValue.Member]) -> JSONValue {
        let described = schema.jsonSchema(&components)
        guard case .object(let members) = described, described["$ref"] == nil else {
            // Draft-07 ignores siblings of $ref, so the reference is wrapped.
            return ["allOf": [described], "description": .string(summary)]
        }
        // The member's meaning is more precise than its kind's.
        var all = members.filter { $0.name != "description" } + [.init("description", .string(summary))]
        if let defaultValue { all.append(.init("default", defaultValue)) }
        return .object(all)
    }
}
