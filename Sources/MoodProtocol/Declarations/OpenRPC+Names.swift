import JSONCodec

/// Unique titles for all types of the document: code generators use titles as names.
extension OpenRPC {
    /// The name of a type: `MoodCreate` for `mood.create`.
    static func typeName(_ text: String) -> String {
        text.split { !($0.isLetter || $0.isNumber) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Gives a schema a title, and its parts titles that begin with it. An existing title, which distinguishes a branch
    /// from others, becomes the end of the new one.
    static func named(_ name: String, _ schema: JSONValue) -> JSONValue {
        guard let members = schema.object, schema["$ref"] == nil else { return schema }
        let parts = members.filter { $0.name != "title" }.map { member in
            switch member.name {
            case "properties":
                let properties = member.value.object ?? []
                return JSONValue.Member(
                    member.name,
                    .object(properties.map { .init($0.name, part(name + typeName($0.name), $0.value)) }))
            case "items": return .init(member.name, part(name + "Item", member.value))
            case "additionalProperties": return .init(member.name, part(name + "Value", member.value))
            case "oneOf":
                let branches = member.value.array ?? []
                return .init(
                    member.name,
                    .array(branches.map { named(name + typeName($0["title"]?.string ?? ""), $0) }))
            case "allOf":
                return .init(member.name, .array((member.value.array ?? []).map { conditional(name, $0) }))
            default: return member
            }
        }
        return .object([.init("title", .string(name))] + parts)
    }

    /// Names the members that only one kind has, in a branch with a condition on the kind.
    private static func conditional(_ name: String, _ schema: JSONValue) -> JSONValue {
        guard let kind = schema["if"]?["properties"]?.object?.first?.value["const"]?.string else { return schema }
        return .object(
            (schema.object ?? []).map { member in
                member.name == "then" ? .init(member.name, named(name + typeName(kind), member.value)) : member
            })
    }

    /// Names a member or an element. Text, numbers and booleans get no names, and references have one.
    private static func part(_ name: String, _ schema: JSONValue) -> JSONValue {
        let isPlain =
            schema["enum"] == nil
            && ["string", "integer", "number", "boolean", "null"].contains(schema["type"]?.string)
        let isReference = schema["allOf"]?.array?.count == 1 && schema["properties"] == nil
        return isPlain || isReference ? schema : named(name, schema)
    }
}
