import JSONCodec
import JSONRPC
import PluginHost

@testable import MoodClient
@testable import MoodHost
@testable import MoodProtocol

/// The tables of pages that come from the declarations.
enum PageTables {
    /// The page explains these, so its table only names them.
    private static let commonMembers = ["dryRun", "opId", "ifRevision", "progressToken"]
    private static let errorGroups = [
        ("*reading*", ["storeBusy", "storeUnavailable", "storeCorrupt"]),
        ("*writing*", ["*reading*", "storeReadOnly", "storageFull", "outcomeUnknown"]),
        ("*changing*", ["*writing*", "conflict", "refused"]),
        ("*plugins*", ["pluginUnavailable", "pluginFailed", "pluginTimeout"]),
    ]
    /// The errors of any method, which the page names above the table.
    private static let commonErrors = [
        "invalidParams", "internalError", "cancelled", "shuttingDown", "permissionDenied", "limitExceeded",
    ]

    static func methods(_ document: JSONValue) -> String {
        var text = head(["method", "", "params", "result", "may fail with"])
        let declared = MethodTable().all
        for method in document["methods"]?.array ?? [] {
            let params = (method["params"]?.array ?? []).map { param in
                if commonMembers.contains(string(param["name"])) { return "`\(string(param["name"]))?`" }
                let schema = param["schema"] ?? .null
                let isRequired = param["required"]?.boolean == true
                let absent = schema["default"].map { " = `\($0.text)`" } ?? ""
                return "`\(string(param["name"]))\(isRequired ? "" : "?")` \(SchemaText.words(schema))\(absent)"
            }
            let name = string(method["name"])
            let result = declared.first { "\($0.name)" == name }.map { shape($0.result) } ?? ""
            var errors = (method["errors"]?.array ?? []).map { string($0["message"]) }
                .filter { !commonErrors.contains($0) }
            for (group, kinds) in errorGroups where kinds.allSatisfy({ errors.contains($0) }) {
                errors = [group] + errors.filter { !kinds.contains($0) }
            }
            text += row([
                "`\(name)`", string(method["x-effect"]), params.joined(separator: "; "), "`\(result)`",
                errors.joined(separator: ", "),
            ])
        }
        return text
    }

    /// The types in results, in the order in which a reader meets them. Kinds that a member distinguishes have a separate
    /// table.
    private static let named = [
        "Mood", "Route", "Navigation", "Offer", "Accessible", "Editor", "StoreInfo", "Settings", "Tally", "SyncStatus",
        "SyncConflict", "Plugin", "PluginInfo",
    ]

    static func types() -> String {
        var found: [String: Schema] = [:]
        for method in MethodTable().all {
            for schema in [method.result] + method.fields.map(\.schema) { collect(schema, into: &found) }
        }
        var shapes: [(name: String, text: String)] = []
        return named.reduce(into: head(["type", "shape"])) { text, name in
            let own = found[name].map(shape) ?? ""
            // The members of another type come first: only the further ones are shown.
            let base = shapes.first { own.hasPrefix($0.text.dropLast() + ", ") }
            let further = base.map { "\($0.name) and `{\(own.dropFirst($0.text.count + 1))`" }
            text += row([name, further ?? "`\(own)`"])
            shapes.append((name, own))
        }
    }

    static func events() -> String {
        var text = head(["topic", "members"])
        for notification in NotificationDeclaration.all {
            guard case .named(_, .openKinds(_, let common, let kinds)) = notification.params else { continue }
            text += row(["all", "`\(members(common))`"])
            for kind in kinds { text += row(["`\(kind.name)`", "`\(members(kind.fields))`"]) }
        }
        return text
    }

    static func errors() -> String {
        var text = head(["code", "kind", "when", "what else is in `data`"])
        for error in ErrorDeclaration.all {
            let members = error.members.map { field in
                var text = "`\(field.name)\(field.isRequired ? "" : "?")`"
                if case .choice(let words) = field.schema, words.count < 4 { text += " (\(choice(words)))" }
                return text
            }
            text += row([
                "\(error.code.number)", "`\(error.code.name)`",
                error.summary + (error.code.isRetryable ? " Retryable." : ""), members.joined(separator: ", "),
            ])
        }
        return text
    }

    static func limits() -> String {
        var text = head(["limit", "default", "from", "to", "of what"])
        for name in Limits.Name.allCases {
            let numbers = [name.defaultValue, name.range.lowerBound, name.range.upperBound].map(String.init)
            text += row(["`\(name.rawValue)`"] + numbers + [name.summary])
        }
        return text
    }

    static func pluginLimits() -> String {
        let defaults = Manifest.Limits()
        return Manifest.Limits.declared.reduce(into: head(["limit", "default", "from", "to"])) { text, limit in
            let numbers = [defaults[keyPath: limit.member], limit.range.lowerBound, limit.range.upperBound].map(
                String.init)
            text += row(["`\(limit.name)`"] + numbers)
        }
    }

    /// All keywords, and a table of those that differ from the specification.
    static func schemaKeywords() -> String {
        let all = SchemaKeyword.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return SchemaKeyword.allCases.reduce(into: all + ".\n\n" + head(["keyword", "differs from the specification"]))
        {
            text, keyword in
            if let remark = keyword.remark { text += row(["`\(keyword.rawValue)`", remark]) }
        }
    }

    private static func string(_ value: JSONValue?) -> String { value?.string ?? "" }

    /// A row of a table, with bars without spaces around them, as in all tables of the pages.
    private static func row(_ cells: [String]) -> String {
        "|" + cells.map { $0.isEmpty ? " " : $0 }.joined(separator: "|") + "|\n"
    }

    /// The first two rows of a table.
    private static func head(_ titles: [String]) -> String { row(titles) + row(titles.map { _ in "---" }) }

    // MARK: Shapes

    /// The form of a result in few signs: `{id: UUID, label, tags: string[], valence?: number}`. A member without a
    /// type is a string.
    private static func shape(_ schema: Schema) -> String {
        switch schema {
        case .string, .openChoice: "string"
        case .id: "UUID"
        case .time: "time"
        case .integer, .count: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .confirmation: "true"
        case .choice(let words): choice(words)
        case .array(let element, _, _): shape(element) + "[]"
        case .object(let fields, _), .result(let fields): "{\(members(fields))}"
        case .nullable(let schema): shape(schema) + " or null"
        case .variants(let variants): variants.map { shape($0.schema) }.joined(separator: " or ")
        case .named(let name, _): name
        case .token: "string or integer"
        case .kinds, .openKinds, .value, .described: "object"
        case .any: "any"
        }
    }

    private static func members(_ fields: [Field]) -> String {
        fields.map { field in
            let (shape, name) = (shape(field.schema), "\(field.name)\(field.isRequired ? "" : "?")")
            return shape == "string" ? name : "\(name): \(shape)"
        }.joined(separator: ", ")
    }

    private static func choice(_ words: [Name]) -> String { words.map { "\"\($0)\"" }.joined(separator: "/") }

    private static func collect(_ schema: Schema, into found: inout [String: Schema]) {
        switch schema {
        case .named(let name, let inner):
            guard found[name] == nil else { return }
            found[name] = inner
            collect(inner, into: &found)
        case .array(let inner, _, _), .nullable(let inner): collect(inner, into: &found)
        case .object(let fields, _), .result(let fields): for field in fields { collect(field.schema, into: &found) }
        case .variants(let variants): for variant in variants { collect(variant.schema, into: &found) }
        case .openKinds(_, let common, let kinds):
            for field in common + kinds.flatMap(\.fields) { collect(field.schema, into: &found) }
        default: break
        }
    }
}
