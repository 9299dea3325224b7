import JSONCodec

/// The part of JSON Schema that the published schemas use; an unknown keyword is a problem too.
struct SchemaChecker {
    /// The document that `$ref` points into.
    let root: JSONValue

    func problems(of value: JSONValue, by schema: JSONValue, at path: String = "") -> [String] {
        var found: [String] = []
        for keyword in schema.object ?? [] {
            found += check(value, keyword.name, keyword.value, schema, path)
        }
        return found
    }

    /// Whether a value fits. It checks the members that distinguish kinds of objects first, because mostly they differ.
    private func fits(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        for property in schema["properties"]?.object ?? [] {
            guard let choice = property.value["enum"]?.array?.first ?? property.value["const"],
                let found = value[property.name]?.string, property.value["enum"]?.array?.count ?? 1 == 1
            else { continue }
            if choice.string != found { return false }
        }
        return problems(of: value, by: schema).isEmpty
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        func require(_ isRight: Bool) -> [String] {
            isRight ? [] : ["\(path.isEmpty ? "/" : path) breaks \(keyword) \(argument.text.prefix(80))"]
        }
        switch keyword {
        case "$ref":
            guard let target = resolve(argument.string ?? "") else { return ["\(argument.text) leads nowhere"] }
            return problems(of: value, by: target, at: path)
        case "type":
            let types = argument.array?.compactMap(\.string) ?? [argument.string ?? ""]
            return require(types.contains { isOfType(value, $0) })
        case "const": return require(value.isEqual(to: argument))
        case "enum": return require(argument.array?.contains { $0.isEqual(to: value) } == true)
        case "minimum": return require(value.double.map { $0 >= argument.double ?? 0 } ?? true)
        case "maximum": return require(value.double.map { $0 <= argument.double ?? 0 } ?? true)
        case "minLength": return require(value.string.map { $0.unicodeScalars.count >= argument.integer ?? 0 } ?? true)
        case "maxLength": return require(value.string.map { $0.unicodeScalars.count <= argument.integer ?? 0 } ?? true)
        case "pattern":
            guard let text = value.string, let pattern = argument.string else { return [] }
            guard let expression = try? Regex(pattern) else { return ["\(pattern) is no pattern"] }
            return require(text.firstMatch(of: expression) != nil)
        case "minItems": return require(value.array.map { $0.count >= argument.integer ?? 0 } ?? true)
        case "maxItems": return require(value.array.map { $0.count <= argument.integer ?? 0 } ?? true)
        case "uniqueItems":
            let texts = value.array?.map(\.text) ?? []
            return require(Set(texts).count == texts.count)
        case "items":
            return (value.array ?? []).enumerated().flatMap {
                problems(of: $0.element, by: argument, at: "\(path)/\($0.offset)")
            }
        case "required":
            let names = argument.array?.compactMap(\.string) ?? []
            return require(value.object == nil || names.allSatisfy { value[$0] != nil })
        case "properties":
            return (argument.object ?? []).flatMap { property in
                value[property.name].map { problems(of: $0, by: property.value, at: "\(path)/\(property.name)") } ?? []
            }
        case "additionalProperties":
            let known = schema["properties"]?.object?.map(\.name) ?? []
            if argument.object != nil {
                return (value.object ?? []).filter { !known.contains($0.name) }.flatMap {
                    problems(of: $0.value, by: argument, at: "\(path)/\($0.name)")
                }
            }
            guard argument.boolean == false else { return [] }
            return require((value.object ?? []).allSatisfy { known.contains($0.name) })
        case "propertyNames":
            return (value.object ?? []).flatMap {
                problems(of: .string($0.name), by: argument, at: "\(path)/\($0.name)")
            }
        case "maxProperties":
            return require(value.object.map { $0.count <= argument.integer ?? 0 } ?? true)
        case "oneOf":
            return require(argument.array?.count { fits(value, $0) } == 1)
        case "anyOf":
            return require(argument.array?.contains { fits(value, $0) } == true)
        case "if":
            let branch = fits(value, argument) ? schema["then"] : schema["else"]
            return branch.map { problems(of: value, by: $0, at: path) } ?? []
        case "then", "else": return []
        case "not": return require(!fits(value, argument))
        case "allOf": return (argument.array ?? []).flatMap { problems(of: value, by: $0, at: path) }
        case "$schema", "$id", "$comment", "$defs", "title", "description", "default", "format", "examples": return []
        default: return ["unknown keyword \(keyword)"]
        }
    }

    func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return reference == "#" ? root : nil }
        var value: JSONValue? = root
        for part in reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false) {
            value = value?[String(part).replacing("~1", with: "/").replacing("~0", with: "~")]
        }
        return value
    }

    private func isOfType(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.boolean, "boolean"), (.string, "string"), (.array, "array"), (.object, "object"),
            (.number, "number"):
            true
        case (.number, "integer"): value.integer != nil
        default: false
        }
    }
}

extension SchemaChecker {
    /// A published schema of `Schemas` by name.
    static func published(_ name: String) throws -> JSONValue {
        try JSONValue.parse(ProjectFiles.bytes("Schemas/\(name)"))
    }
}

extension JSONValue {
    /// The schema of a method's result, in an OpenRPC document.
    func result(of method: String) -> JSONValue? {
        self["methods"]?.array?.first { $0["name"]?.string == method }?["result"]?["schema"]
    }
}
