import JSONCodec

/// Values that are checked by the schemas of a manifest, before a plugin is asked and after it has answered.
///
/// The host checks, as it would for any client: beside the plugin it has one that never runs, whose settings have these schemas.
extension PluginBench {
    /// The part of a method that a schema describes.
    enum Part: String { case params, result }

    private static let checker = "mood.bench.schemas"

    /// Gives the host the schemas of these methods.
    /// - Returns: the reason why it cannot check by them; nil if it can.
    func declareSchemas(of methods: [JSONValue]) throws(ClientError) -> String? {
        let settings = methods.compactMap { method -> JSONValue.Member? in
            guard let name = method["name"]?.string else { return nil }
            let parts = [Part.params, .result].compactMap { part in
                method[part.rawValue].map { schema in
                    JSONValue.Member(
                        part.rawValue,
                        Self.moved(schema, to: "#/properties/\(name)/properties/\(part.rawValue)", isMap: false))
                }
            }
            return .init(name, ["type": "object", "properties": .object(parts)])
        }
        let manifest: JSONValue = [
            "manifestVersion": 1, "id": .string(Self.checker), "name": "Schemas", "version": "1.0.0", "protocol": [1],
            "exec": ["sh"], "provides": [:], "config": ["type": "object", "properties": .object(settings)],
        ]
        try writeInStore(Self.checker, [.init(name: "plugin.json", text: manifest.text)])
        let id = JSONValue.Member("id", .string(Self.checker))
        guard let info = try result("plugin.info", Params([id])), let digest = info["digest"] else {
            return "the host does not find them"
        }
        if let reason = info["reason"]?.string { return reason }
        guard case .failure(let error) = try call("plugin.trust", .object([id, .init("digest", digest)])) else {
            return nil
        }
        return error.message
    }

    /// The fault of a value, as a clause with its place; nil if there is none.
    func fault(in value: JSONValue, _ part: Part, of method: String) throws(ClientError) -> String? {
        let config = JSONValue.object([.init(method, .object([.init(part.rawValue, value)]))])
        let params: JSONValue = ["id": .string(Self.checker), "config": config]
        guard case .failure(let error) = try call("plugin.configure", params), let path = error.data?["path"]?.string
        else { return nil }
        let place = path.dropFirst("/config/\(method)/\(part.rawValue)".count)
        return "\(place.isEmpty ? part.rawValue : String(place)) \(error.data?["reason"]?.string ?? error.message)"
    }

    /// A schema as a part of another one, without keywords that mean something to settings or only to a whole.
    /// - Parameter isMap: whether the author chose the names of the members, each of which has a schema.
    private static func moved(_ schema: JSONValue, to place: String, isMap: Bool) -> JSONValue {
        switch schema {
        case .array(let elements): return .array(elements.map { moved($0, to: place, isMap: false) })
        case .object(let members):
            return .object(
                members.compactMap { member in
                    let name = member.name
                    if isMap { return .init(name, moved(member.value, to: place, isMap: false)) }
                    if ["$id", "$schema", "default", "examples", "writeOnly"].contains(name) { return nil }
                    if ["const", "enum"].contains(name) { return member }
                    if name == "$ref", let reference = member.value.string {
                        return .init(name, .string(place + reference.dropFirst()))
                    }
                    let maps = [
                        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
                    ]
                    return .init(name, moved(member.value, to: place, isMap: maps.contains(name)))
                })
        default: return schema
        }
    }
}
