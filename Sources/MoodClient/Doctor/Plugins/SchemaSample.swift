import JSONCodec

/// A value that matches a JSON Schema, if one can be made without a search: the schema's example, else the smallest
/// value of its type.
struct SchemaSample {
    private static let depthMax = 16
    private let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    var value: JSONValue { sample(root, depth: 0) }

    private func sample(_ schema: JSONValue, depth: Int) -> JSONValue {
        if let value = schema["examples"]?.array?.first ?? schema["const"] ?? schema["default"] { return value }
        if let value = schema["enum"]?.array?.first { return value }
        guard depth < Self.depthMax else { return .null }
        if let place = schema["$ref"]?.string, let other = find(place) { return sample(other, depth: depth + 1) }
        for name in ["oneOf", "anyOf", "allOf"] {
            if let first = schema[name]?.array?.first, schema["properties"] == nil {
                return sample(first, depth: depth + 1)
            }
        }
        let type = schema["type"]?.string ?? schema["type"]?.array?.first?.string
        switch type {
        case "null": return .null
        case "boolean": return .boolean(false)
        case "integer", "number": return .number(number(schema))
        case "string": return .string(text(schema))
        case "array":
            let count = min(schema.number(of: "minItems"), 64)
            let first = schema.list(of: "prefixItems")
            return .array(
                (0..<max(count, 0)).map { index in
                    sample(index < first.count ? first[index] : schema["items"] ?? .null, depth: depth + 1)
                })
        default:
            let required = schema.texts(of: "required")
            return .object(
                required.map { name in
                    .init(name, sample(schema["properties"]?[name] ?? .object([]), depth: depth + 1))
                })
        }
    }

    private func number(_ schema: JSONValue) -> String {
        if let step = schema["multipleOf"], let least = schema["minimum"]?.double, least > 0 { return step.text }
        if let least = schema["minimum"] { return least.text }
        if let below = schema["exclusiveMinimum"]?.double { return JSONValue.double(below.rounded(.down) + 1).text }
        if let most = schema["maximum"], let value = most.double, value < 0 { return most.text }
        if let above = schema["exclusiveMaximum"]?.double, above <= 0 {
            return JSONValue.double(above.rounded(.up) - 1).text
        }
        return "0"
    }

    private func text(_ schema: JSONValue) -> String {
        switch schema["format"]?.string {
        case "date-time": return "2026-01-02T03:04:05.678Z"
        case "date": return "2026-01-02"
        case "uuid": return "01949d3c-0000-7000-8000-000000000000"
        case "uri": return "https://example.org/"
        default: return String(repeating: "a", count: min(max(schema["minLength"]?.integer ?? 1, 0), 4096))
        }
    }

    /// Resolves a reference into the same document.
    private func find(_ reference: String) -> JSONValue? {
        guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
        var place = root
        for part in reference.dropFirst().split(separator: "/") {
            guard
                let next = place[String(part)]
                    ?? Int(part).flatMap({ index in
                        place.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                    })
            else { return nil }
            place = next
        }
        return place
    }
}
