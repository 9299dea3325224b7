import JSONCodec

/// A JSON Schema of the host in a few words: `integer 1-1000`, `"text" or "html"`, `array of UUID`.
enum SchemaText {
    static func words(_ schema: JSONValue) -> String {
        if let name = reference(schema) { return name }
        if let choices = schema["enum"]?.array {
            return list(choices.map(\.text))
        }
        if let known = schema["anyOf"]?.array?.first?["enum"]?.array {
            return list(known.map(\.text) + ["what a plugin brings"])
        }
        if let value = schema["const"] { return value.text }
        if let variants = schema["oneOf"]?.array {
            return list(variants.map(words))
        }
        switch schema["type"]?.string {
        case "string": return string(schema)
        case "integer": return "integer" + range(schema)
        case "number": return "number" + range(schema)
        case "array": return "array of " + (schema["items"].map(words) ?? "values")
        case let type?: return type
        case nil: return "any value"
        }
    }

    /// The name of a schema's reference. A reference with a description is wrapped.
    private static func reference(_ schema: JSONValue) -> String? {
        let wrapped = schema["allOf"]?.array?.first
        let place = schema["$ref"]?.string ?? wrapped?["$ref"]?.string
        return place.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    private static func string(_ schema: JSONValue) -> String {
        switch schema["format"]?.string {
        case "uuid": "UUID"
        case "date-time": "time"
        case "uri": "address"
        default: "string"
        }
    }

    private static func range(_ schema: JSONValue) -> String {
        switch (schema["minimum"]?.text, schema["maximum"]?.text) {
        case (let low?, let high?): low.hasPrefix("-") ? " from \(low) to \(high)" : " \(low)-\(high)"
        case (let low?, nil): " from \(low)"
        default: ""
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
