import JSONCodec
import MoodProtocol

/// Shapes of the protocol as self-contained JSON Schema 2020-12, in the form that AI clients accept.
///
/// Some clients refuse `oneOf`, `anyOf` and `allOf` at the root, and external references.
public enum ToolSchema {
    static func input(_ fields: [Field]) -> JSONValue { whole(.object(fields, nil)) }

    /// Makes notes optional at any depth, because the host may leave them out.
    static func output(_ schema: Schema) -> JSONValue { withoutNeed(of: "notes", whole(schema)) }

    /// A plugin's schema of results.
    static func foreignOutput(_ schema: JSONValue) -> JSONValue { withoutNeed(of: "notes", foreign(schema)) }

    /// A plugin's schema: an object, whose references are within it.
    static func foreign(_ schema: JSONValue) -> JSONValue {
        .object((schema.object ?? []).filter { !refusedAtRoot.contains($0.name) })
    }

    private static let refusedAtRoot = ["oneOf", "anyOf", "allOf"]

    private static func whole(_ schema: Schema) -> JSONValue {
        var components: [JSONValue.Member] = []
        var described = schema.jsonSchema(&components)
        // The root must be an object itself, so a named schema replaces its name.
        if let reference = described["$ref"]?.string, let name = reference.split(separator: "/").last,
            let root = components.first(where: { $0.name == name })
        {
            described = root.value
        }
        var members = (clean(described).object ?? []).filter { !refusedAtRoot.contains($0.name) }
        if described["type"]?.string != "object" { members.insert(.init("type", "object"), at: 0) }
        let definitions = components.filter { component in
            mentions(component.name, in: members) || components.contains { mentions(component.name, in: [$0]) }
        }
        if !definitions.isEmpty {
            members.append(.init("$defs", .object(definitions.map { .init($0.name, clean($0.value)) })))
        }
        return .object(members)
    }

    /// The schema with this member optional in all objects.
    private static func withoutNeed(of name: String, _ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { withoutNeed(of: name, $0) })
        case .object(let members):
            return .object(
                members.map { member in
                    if member.name == "required", let names = member.value.array {
                        return .init("required", .array(names.filter { $0.string != name }))
                    }
                    return .init(member.name, withoutNeed(of: name, member.value))
                })
        default: return value
        }
    }

    private static func mentions(_ name: String, in members: [JSONValue.Member]) -> Bool {
        members.contains { $0.value.mentions(name) }
    }

    /// Simplifies a schema. Since 2020-12 a reference may have siblings, so it needs no wrapping; a nullable value has
    /// null in its type.
    private static func clean(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(clean))
        case .object(let members):
            if let reference = value["$ref"]?.string, let name = reference.split(separator: "/").last {
                return ["$ref": .string("#/$defs/\(name)")]
            }
            if let only = value["allOf"]?.array, only.count == 1, only[0]["$ref"] != nil {
                return .object(
                    (clean(only[0]).object ?? []) + members.filter { $0.name != "allOf" })
            }
            if let pair = value["oneOf"]?.array, pair.count == 2, pair[1]["type"]?.string == "null",
                let type = pair[0]["type"]
            {
                let outer = members.filter { $0.name != "oneOf" }
                // The meaning of the argument says more than its kind in general.
                let inner = (clean(pair[0]).object ?? []).filter { member in
                    !["type", "title"].contains(member.name) && !outer.contains { $0.name == member.name }
                }
                return .object([.init("type", .array([type, "null"]))] + inner + outer)
            }
            return .object(members.map { .init($0.name, clean($0.value)) })
        default: return value
        }
    }
}

extension JSONValue {
    /// Whether there is a reference to the schema of this name.
    fileprivate func mentions(_ name: String) -> Bool {
        switch self {
        case .array(let elements): elements.contains { $0.mentions(name) }
        case .object(let members):
            members.contains { member in
                member.name == "$ref" && member.value.string.map { $0.hasSuffix("/\(name)") } == true
                    || member.value.mentions(name)
            }
        default: false
        }
    }
}
