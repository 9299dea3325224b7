import JSONCodec
import MoodProtocol

/// The user's settings for a plugin: checked against the schema `config` of its manifest, completed with the schema's
/// defaults, and separated from secrets.
///
/// Secrets are the members with `writeOnly`. They are found through `properties` alone; elsewhere the word makes a
/// manifest invalid, so no secret can stay among the rest.
public enum PluginConfig {
    /// The fault of a config from the user; nil if it is valid.
    public static func fault(_ config: JSONValue, by schema: JSONSchema?) -> SchemaFault? {
        guard config.object != nil else { return SchemaFault("must be an object") }
        guard config.fits(levels: Manifest.depthMax) else {
            return SchemaFault("must not be nested deeper than \(Manifest.depthMax) levels")
        }
        guard let schema else {
            return config.object?.isEmpty == true
                ? nil : SchemaFault("must be empty: the plugin has nothing to configure")
        }
        return schema.check(withDefaults(config, by: schema))
    }

    /// The config with the schema's defaults for absent members, at every level that `properties` describes.
    public static func withDefaults(_ config: JSONValue, by schema: JSONSchema?) -> JSONValue {
        guard let schema else { return config }
        return filled(config, schema.source)
    }

    private static func filled(_ value: JSONValue, _ schema: JSONValue) -> JSONValue {
        guard var members = value.object, let properties = schema["properties"]?.object else { return value }
        for property in properties {
            if let place = members.firstIndex(where: { $0.isNamed(property.name) }) {
                members[place] = .init(property.name, filled(members[place].value, property.value))
            } else if let absent = property.value["default"] {
                members.append(.init(property.name, filled(absent, property.value)))
            } else if property.value["type"]?.string == "object" {
                // A missing object still has the defaults inside it.
                let inner = filled(.object([]), property.value)
                if inner.object?.isEmpty == false { members.append(.init(property.name, inner)) }
            }
        }
        return .object(members)
    }

    /// Separates the secrets from a config.
    /// - Returns: both as objects; a secret inside another object is inside that object in both.
    public static func split(_ config: JSONValue, by schema: JSONSchema?) -> (open: JSONValue, secret: JSONValue) {
        guard let schema else { return (config, .object([])) }
        return taken(config, schema.source)
    }

    private static func taken(_ value: JSONValue, _ schema: JSONValue) -> (open: JSONValue, secret: JSONValue) {
        guard let members = value.object, let properties = schema["properties"]?.object else {
            return (value, .object([]))
        }
        var (open, secret): ([JSONValue.Member], [JSONValue.Member]) = ([], [])
        for member in members {
            guard let property = properties.first(where: { $0.isNamed(member.name) })?.value else {
                open.append(member)
                continue
            }
            if property["writeOnly"]?.boolean == true {
                secret.append(member)
                continue
            }
            let parts = taken(member.value, property)
            open.append(.init(member.name, parts.open))
            if parts.secret.object?.isEmpty == false { secret.append(.init(member.name, parts.secret)) }
        }
        return (.object(open), .object(secret))
    }

    /// Merges members over others: objects are merged, other values replaced.
    public static func laid(_ above: JSONValue, over below: JSONValue) -> JSONValue {
        guard let upper = above.object, var members = below.object else { return above }
        for member in upper {
            if let place = members.firstIndex(where: { $0.isNamed(member.name) }) {
                members[place] = .init(member.name, laid(member.value, over: members[place].value))
            } else {
                members.append(member)
            }
        }
        return .object(members)
    }

    // MARK: The schema itself

    /// Checks that secrets can be found and that the defaults fit.
    static func check(_ schema: JSONSchema, _ member: ManifestMember) throws(ManifestProblem) {
        guard member.value["writeOnly"]?.boolean != true else {
            throw ManifestProblem(
                pointer: member.pointer + "/writeOnly", reason: "must stand in a member, not in the whole")
        }
        try findHiddenSecrets(member.value, member.pointer, isReached: true)
        let defaults = withDefaults(.object([]), by: schema)
        // A member without a default may be required: the user sets it before the plugin runs.
        for property in defaults.object ?? [] {
            guard let described = schema.source["properties"]?[property.name] else { continue }
            let pointer = "\(member.pointer)/properties/\(JSONPointer.escaped(property.name))"
            guard described["default"] != nil, described["$ref"] == nil else { continue }
            let whole = JSONValue.object([.init(property.name, property.value)])
            if let fault = schema.check(whole),
                fault.path.utf8.starts(with: "/\(JSONPointer.escaped(property.name))".utf8)
            {
                throw ManifestProblem(pointer: pointer + "/default", reason: "does not fit: it \(fault.reason)")
            }
        }
    }

    /// Finds secrets outside `properties`. The validator bounds the depth of a manifest, so this recursion is bounded
    /// too.
    private static func findHiddenSecrets(
        _ schema: JSONValue, _ pointer: String, isReached: Bool
    ) throws(ManifestProblem) {
        if let elements = schema.array {
            for (index, element) in elements.enumerated() {
                try findHiddenSecrets(element, "\(pointer)/\(index)", isReached: false)
            }
        }
        for member in schema.object ?? [] {
            let below = "\(pointer)/\(JSONPointer.escaped(member.name))"
            switch SchemaKeyword(name: member.name) {
            case .writeOnly where member.value.boolean == true && !isReached:
                throw ManifestProblem(
                    pointer: below, reason: "must stand in a member that properties describes, not in another schema")
            case .properties, .patternProperties, .defs, .definitions, .dependentSchemas:
                let isReached = isReached && member.isNamed("properties")
                for inner in member.value.object ?? [] {
                    try findHiddenSecrets(
                        inner.value, "\(below)/\(JSONPointer.escaped(inner.name))", isReached: isReached)
                }
            case .default, .examples, .const, .enum: break
            default: try findHiddenSecrets(member.value, below, isReached: false)
            }
        }
    }
}

extension JSONValue {
    fileprivate func fits(levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels > 0 && elements.allSatisfy { $0.fits(levels: levels - 1) }
        case .object(let members): levels > 0 && members.allSatisfy { $0.value.fits(levels: levels - 1) }
        default: true
        }
    }
}

extension JSONValue.Member {
    /// Compares byte by byte: names that merely look alike are different.
    func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}
