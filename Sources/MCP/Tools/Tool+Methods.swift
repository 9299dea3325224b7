import JSONCodec
import MoodProtocol

/// A tool for each of the host's own methods that is meant for models: `--mcp-tools all`.
extension Tool {
    /// - Parameter names: keeps the new names.
    /// - Returns: nil for a method that is not for models.
    public convenience init?(_ method: Method, _ names: inout KeptNames) {
        guard Self.isForModels("\(method.name)") else { return nil }
        let fields = method.fields.filter { "\($0.name)" != "progressToken" }
        let renamed = fields.map { Self.renamed($0, &names) }
        let result = method.result
        let required = fields.filter(\.isRequired).map { "\"\(Self.snake("\($0.name)"))\": …" }
        let isPaged = ["limit", "cursor"].allSatisfy { name in fields.contains { "\($0.name)" == name } }
        let remedy = fields.contains { "\($0.name)" == "limit" } ? "Give a smaller limit." : "Ask for less."
        self.init(
            Self.toolName("\(method.name)"), "\(method.name)", method.effect == .write ? .change : .read,
            "\(method.summary) The host's own method \(method.name). Example: {\(required.joined(separator: ", "))}",
            renamed + (Self.showsNotes(method) ? [ToolFields.withNotes] : []), method.name,
            ToolParam.all(fields, &names), isNative: true,
            shows: { tool, value, facts, out in
                isPaged
                    ? tool.writePage(value, facts, to: &out)
                    : tool.writeValue(value, remedy: remedy, cutsNotes: true, facts, to: &out)
            },
            output: result)
    }

    /// Whether results of a method have notes of moods: as a member, or in a text.
    private static func showsNotes(_ method: Method) -> Bool {
        "\(method.name)" == "mood.share" || "\(method.name)" == "stats.render" || method.result.hasNotes
    }

    static func toolName(_ method: String) -> String {
        snake(method).split(separator: ".").joined(separator: "_")
    }

    static func isForModels(_ name: String) -> Bool {
        switch name {
        case "mood.clear": false
        case "time.parse", "store.info", "store.verify", "store.log": true
        default: name.hasPrefix("mood.") || name.hasPrefix("stats.") || name.hasPrefix("nav.")
        }
    }

    /// `isFavorite` becomes `is_favorite`.
    static func snake(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            if 0x41...0x5a ~= byte {
                result += "_"
                result.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }

    private static func renamed(_ field: Field, _ names: inout KeptNames) -> Field {
        let name = names.name(snake("\(field.name)"))
        var schema = field.schema
        if case .object(let inner, let rule) = schema { schema = .object(inner.map { renamed($0, &names) }, rule) }
        return field.isRequired
            ? .required(name, schema, field.summary)
            : .optional(name, schema, field.summary, default: field.defaultValue)
    }
}

extension Schema {
    /// Whether it has a member `notes` at any depth.
    fileprivate var hasNotes: Bool {
        func has(_ fields: [Field]) -> Bool { fields.contains { $0.name == "notes" || $0.schema.hasNotes } }
        return switch self {
        case .object(let fields, _), .result(let fields): has(fields)
        case .named(_, let schema), .nullable(let schema), .array(let schema, _, _): schema.hasNotes
        case .kinds(_, let kinds): kinds.contains { has($0.fields) }
        case .openKinds(_, let common, let kinds): has(common) || kinds.contains { has($0.fields) }
        case .variants(let variants): variants.contains { $0.schema.hasNotes }
        default: false
        }
    }
}
