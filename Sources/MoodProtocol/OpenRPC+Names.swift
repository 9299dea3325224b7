import JSONCodec

/// Every type of the document has a title, and no other has the same: programs that write code from it take titles as names.
extension OpenRPC {
    /// `MoodCreate` of `mood.create`.
    static func typeName(_ text: String) -> String {
        text.split { !($0.isLetter || $0.isNumber) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// A schema under a title, and what it is made of under titles that begin with it. A title that is there tells a branch
    /// from the others, and stands at the end of the new one.
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

    /// What a kind has besides what all have: it stands under the condition that it is of this kind.
    private static func conditional(_ name: String, _ schema: JSONValue) -> JSONValue {
        guard let kind = schema["if"]?["properties"]?.object?.first?.value["const"]?.string else { return schema }
        return .object(
            (schema.object ?? []).map { member in
                member.name == "then" ? .init(member.name, named(name + typeName(kind), member.value)) : member
            })
    }

    /// A member or an element: text, numbers and truth have no names of their own, and references have one.
    private static func part(_ name: String, _ schema: JSONValue) -> JSONValue {
        let isPlain =
            schema["enum"] == nil
            && ["string", "integer", "number", "boolean", "null"].contains(schema["type"]?.string)
        let isReference = schema["allOf"]?.array?.count == 1 && schema["properties"] == nil
        return isPlain || isReference ? schema : named(name, schema)
    }
}
