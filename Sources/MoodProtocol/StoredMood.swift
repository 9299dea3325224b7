import JSONCodec
import MoodCore

/// The rules of requests for a mood that stands in a file which a person has edited.
///
/// What a caller of `mood.create` may leave out may be missing here, and so may what the host adds. Members that no rule
/// knows stay as they are, as everywhere in a store.
public enum StoredMood {
    private static let fields: [Field] =
        MoodSchemas.given + [
            .optional("id", MoodSchemas.id, "A UUID."),
            .optional("createdAt", MoodSchemas.time, "When it was recorded."),
            .optional("updatedAt", MoodSchemas.time, "When it last changed."),
            .optional("revision", .integer(1 ... .max), "The store's revision when it last changed."),
        ]

    /// The first thing that is wrong with a mood, and where: a clause about it, and an offset into its bytes.
    public static func problem(_ mood: ValidJSON, _ limits: Limits) -> (offset: Int, reason: String)? {
        var reader = JSONReader(mood)
        guard reader.enterObject() else { return (0, "is not an object") }
        var seen: Set<Int> = []
        while let key = reader.nextKey() {
            let start = reader.valueStart
            guard let index = fields.firstIndex(where: { key.equals($0.name) }) else {
                // Rows of a list have this member beside those of the mood.
                if key.equals("actions") { return (start, "has \"actions\", a name of the protocol's own") }
                reader.skip()
                continue
            }
            seen.insert(index)
            if let problem = fields[index].schema.check(&reader, limits) {
                return (start, "has a wrong \"\(fields[index].name)\"\(problem.path): it \(problem.reason)")
            }
        }
        for (index, field) in fields.enumerated() where field.isRequired && !seen.contains(index) {
            return (0, "lacks \"\(field.name)\"")
        }
        return nil
    }
}
