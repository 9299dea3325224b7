import JSONCodec
import MoodCore

/// The rules of requests for a mood in a file that a person has edited.
///
/// A member may be missing if a caller of `mood.create` may leave it out, or if the host adds it. Unknown members stay
/// as they are, as everywhere in a store.
public enum StoredMood {
    private static let fields: [Field] = MoodField.allCases.map { field in
        let schema = MoodSchemas.schema(of: field)
        return if case .required = field.row.presence {
            .required(Name(field.name), schema, field.summary)
        } else {
            .optional(Name(field.name), schema, field.summary)
        }
    }

    /// A mood in the store's files as JSON Schema, for the documents in `Schemas`. It is that of answers, but with
    /// times and ids in their one stored form, attachments of any kind, and no configurable limit.
    public static var jsonSchema: JSONValue {
        var properties: [JSONValue.Member] = []
        var required: [JSONValue] = []
        for field in MoodField.allCases {
            properties.append(.init("\(field.name)", jsonSchema(of: field)))
            if !field.isOptional { required.append(.string("\(field.name)")) }
        }
        return ["type": "object", "properties": .object(properties), "required": .array(required)]
    }

    private static func jsonSchema(of field: MoodField) -> JSONValue {
        switch field.kind {
        case .id: return ["$ref": "#/$defs/uuid"]
        case .time: return ["$ref": "#/$defs/time"]
        case .attachments: return ["type": "array", "items": ["type": "object", "required": ["kind"]]]
        default: break
        }
        var components: [JSONValue.Member] = []
        return withoutLimits(MoodSchemas.schema(of: field).jsonSchema(&components))
    }

    private static func withoutLimits(_ schema: JSONValue) -> JSONValue {
        guard case .object(let members) = schema else { return schema }
        return .object(
            members.filter { !["maxLength", "maxItems", "description"].contains($0.name) }
                .map { .init($0.name, withoutLimits($0.value)) })
    }

    /// The first problem of a mood: a clause, and an offset into its bytes.
    public static func problem(_ mood: ValidJSON, _ limits: Limits) -> (offset: Int, reason: String)? {
        var reader = JSONReader(mood)
        guard reader.enterObject() else { return (0, "is not an object") }
        var seen: Set<Int> = []
        while let key = reader.nextKey() {
            let start = reader.valueStart
            guard let index = fields.firstIndex(where: { $0.name.matches(key) }) else {
                // Rows of a list have this member besides those of the mood.
                if key.equals("actions") { return (start, "has \"actions\", a name of the protocol's own") }
                reader.skip()
                continue
            }
            seen.insert(index)
            // Stores of earlier versions can contain U+0000 in texts.
            if let problem = fields[index].schema.check(&reader, limits), problem.reason != Problem.nullCharacter.reason
            {
                return (start, "has a wrong \"\(fields[index].name)\"\(problem.path): it \(problem.reason)")
            }
        }
        for (index, field) in fields.enumerated() where field.isRequired && !seen.contains(index) {
            return (0, "lacks \"\(field.name)\"")
        }
        return nil
    }
}
