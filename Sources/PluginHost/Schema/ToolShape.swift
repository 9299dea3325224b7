import JSONCodec

/// A schema in the form that AI clients accept. Their libraries refuse some valid JSON Schema: a root without `type:
/// "object"`, a reference to the root itself, an address with a space. Such schemas are rewritten if possible.
public enum ToolShape {
    /// The reason why a schema cannot be rewritten, as a clause.
    public struct Problem: Error, Sendable, Equatable {
        public let reason: String
    }

    /// - Returns: a schema that is equivalent for objects; a tool takes and gives nothing else.
    public static func mended(_ schema: JSONValue) throws(Problem) -> JSONValue {
        guard schema.object != nil else { throw Problem(reason: "is no object") }
        switch schema["type"] {
        case nil: break
        case .string(let type)? where type == "object": break
        case .array(let types)? where types.contains { $0.string == "object" }: break
        default: throw Problem(reason: "is not of type object")
        }
        let rootName = name(besides: schema["$defs"]?.object ?? [])
        var isRecursive = false
        let root = try walk(schema, "#/$defs/\(rootName)", &isRecursive)
        var members = [JSONValue.Member("type", "object")] + (root.object ?? []).filter { $0.name != "type" }
        guard isRecursive else { return .object(members) }
        let inner = JSONValue.object(members.filter { $0.name != "$defs" && $0.name != "$id" && $0.name != "$schema" })
        let definitions = (root["$defs"]?.object ?? []) + [.init(rootName, inner)]
        members.removeAll { $0.name == "$defs" }
        return .object(members + [.init("$defs", .object(definitions))])
    }

    private static func name(besides taken: [JSONValue.Member]) -> String {
        var name = "Root"
        while taken.contains(where: { $0.name == name }) { name += "_" }
        return name
    }

    private static func walk(
        _ value: JSONValue, _ rootAddress: String, _ isRecursive: inout Bool
    ) throws(Problem) -> JSONValue {
        switch value {
        case .array(let elements):
            var walked: [JSONValue] = []
            for element in elements { walked.append(try walk(element, rootAddress, &isRecursive)) }
            return .array(walked)
        case .object(let members):
            var walked: [JSONValue.Member] = []
            for member in members {
                // Values are no schemas, whatever they look like.
                let isValue = ["const", "enum", "default", "examples"].contains(member.name)
                if member.name == "$ref", let address = member.value.string {
                    isRecursive = isRecursive || address == "#"
                    walked.append(.init(member.name, .string(address == "#" ? rootAddress : addressed(address))))
                } else if ["$id", "$schema"].contains(member.name), let address = member.value.string {
                    walked.append(.init(member.name, .string(addressed(address))))
                } else {
                    walked.append(
                        .init(member.name, isValue ? member.value : try walk(member.value, rootAddress, &isRecursive)))
                }
            }
            return .object(walked)
        default: return value
        }
    }

    private static func addressed(_ address: String) -> String {
        address.utf8.contains(UInt8(ascii: " "))
            ? address.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20") : address
    }
}

extension Manifest.OwnMethod {
    /// Its schemas in the form that AI clients accept.
    public func toolSchemas() throws(ToolShape.Problem) -> (input: JSONValue, output: JSONValue) {
        func part(_ name: String, _ schema: JSONSchema) throws(ToolShape.Problem) -> JSONValue {
            do throws(ToolShape.Problem) { return try ToolShape.mended(schema.source) } catch {
                throw .init(reason: "the schema of its \(name) \(error.reason)")
            }
        }
        return (try part("params", params), try part("result", result))
    }
}
