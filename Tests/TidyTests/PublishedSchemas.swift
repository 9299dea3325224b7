import JSONCodec

@testable import MoodProtocol

/// The schemas in `Schemas`, each in 2020-12 and in draft-07, which OpenRPC and many programs use.
enum PublishedSchemas {
    /// The schemas of files, written by hand in 2020-12.
    static let files = ["journal-line", "navigation", "plugins", "settings", "store-snapshot"]

    static func path(_ name: String) -> String { "Schemas/\(name).schema.json" }
    static func olderPath(_ name: String) -> String { "Schemas/draft-07/\(name).schema.json" }

    static func id(_ name: String) -> String { "moodboard://schemas/2020-12/\(name).schema.json" }
    static func olderID(_ name: String) -> String { "moodboard://schemas/draft-07/\(name).schema.json" }

    // MARK: draft-07

    /// The schema in draft-07, in which a reference stands alone and definitions have another name.
    static func older(_ schema: JSONValue, _ name: String) -> JSONValue {
        switch older(schema) {
        case .object(let members):
            .object(
                members.map { member in
                    switch member.name {
                    case "$schema": .init(member.name, "http://json-schema.org/draft-07/schema#")
                    case "$id": .init(member.name, .string(olderID(name)))
                    default: member
                    }
                })
        case let other: other
        }
    }

    private static func older(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(older))
        case .object(let members):
            let changed = members.map { member in
                switch member.name {
                case "$defs": JSONValue.Member("definitions", older(member.value))
                case "$ref":
                    JSONValue.Member(
                        member.name, .string((member.value.string ?? "").replacing("#/$defs/", with: "#/definitions/")))
                default: JSONValue.Member(member.name, older(member.value))
                }
            }
            guard changed.count > 1, let reference = changed.first(where: { $0.name == "$ref" }) else {
                return .object(changed)
            }
            return .object(
                changed.filter { $0.name != "$ref" } + [.init("allOf", [.object([reference])])])
        default: return value
        }
    }

    // MARK: Messages

    /// The messages of a client and a host, by the OpenRPC document.
    static func messages(_ document: JSONValue) -> JSONValue {
        var types: [JSONValue.Member] = []
        var requests: [JSONValue] = []
        var responses: [JSONValue] = []
        func add(_ name: String, _ schema: JSONValue) -> JSONValue {
            types.append(.init(name, schema))
            return ["$ref": .string("#/$defs/\(name)")]
        }
        let id = add(
            "ID", ["title": "ID", "oneOf": [["type": "string"], ["type": "number"], ["type": "null"]]])
        for method in document["methods"]?.array ?? [] {
            let method = Described(method)
            let params = add("\(method.type)Params", method.params)
            requests.append(add("\(method.type)Request", method.request(id: id, params: params)))
            responses.append(
                add("\(method.type)Response", response(method.type, id, "result", method.result)))
        }
        let errors = (document["components"]?["errors"]?.object ?? []).map { error in
            message(
                OpenRPC.typeName(error.name),
                [
                    .init("code", ["const": error.value["code"] ?? .null]), .init("message", ["type": "string"]),
                    .init("data", error.value["data"] ?? .null),
                ], required: ["code", "message", "data"])
        }
        let error = add("Error", ["title": "Error", "anyOf": .array(errors)])
        responses.append(add("ErrorResponse", response("Error", id, "error", error)))
        let notifications = (document["x-notifications"]?.array ?? []).map { notification in
            let name = notification["name"]?.string ?? ""
            return add(
                OpenRPC.typeName(name) + "Notification",
                message(
                    OpenRPC.typeName(name) + "Notification",
                    [
                        version, .init("method", ["const": .string(name)]),
                        .init("params", notification["params"] ?? .null),
                    ],
                    required: ["jsonrpc", "method", "params"]))
        }
        let all: [JSONValue] = [
            add("Request", ["title": "Request", "anyOf": .array(requests)]),
            add("Response", ["title": "Response", "anyOf": .array(responses)]),
            add("Notification", ["title": "Notification", "anyOf": .array(notifications)]),
        ]
        let shared = (document["components"]?["schemas"]?.object ?? []).map { JSONValue.Member($0.name, $0.value) }
        return .object([
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .init("$id", .string(self.id("messages"))),
            .init("title", "Messages"),
            .init(
                "description",
                "What a client and a host say to each other, but for methods of plugins: a type for each request and its response."
            ),
            .init("anyOf", .array(all)), .init("$defs", .object(types + shared).pointingHere),
        ])
    }

    private static let version = JSONValue.Member("jsonrpc", ["const": "2.0"])

    private static func response(
        _ type: String, _ id: JSONValue, _ member: String, _ schema: JSONValue
    ) -> JSONValue {
        message(
            "\(type)Response", [version, .init("id", id), .init(member, schema)], required: ["jsonrpc", "id", member])
    }

    private static func message(_ title: String, _ members: [JSONValue.Member], required: [String]) -> JSONValue {
        .object([
            .init("title", .string(title)), .init("type", "object"), .init("properties", .object(members)),
            .init("required", .array(required.map { .string($0) })),
        ])
    }

    /// A method of the document.
    private struct Described {
        let method: JSONValue
        init(_ method: JSONValue) { self.method = method }

        var name: String { method["name"]?.string ?? "" }
        var type: String { OpenRPC.typeName(name) }
        var result: JSONValue { method["result"]?["schema"] ?? .null }
        private var declared: [JSONValue] { method["params"]?.array ?? [] }
        private var required: [JSONValue] {
            declared.filter { $0["required"]?.boolean == true }.compactMap { $0["name"] }
        }

        var params: JSONValue {
            let members = declared.map { JSONValue.Member($0["name"]?.string ?? "", $0["schema"] ?? .null) }
            return .object([
                .init("title", .string("\(type)Params")), .init("type", "object"),
                .init("properties", .object(members)), .init("required", .array(required)),
                .init("additionalProperties", false),
            ])
        }

        /// A request; without an id a notification. Params by position are a list.
        func request(id: JSONValue, params: JSONValue) -> JSONValue {
            let given: JSONValue = ["anyOf": [params, ["type": "array"]]]
            return PublishedSchemas.message(
                "\(type)Request",
                [
                    PublishedSchemas.version, .init("id", id), .init("method", ["const": .string(name)]),
                    .init("params", given),
                ],
                required: ["jsonrpc", "method"] + (required.isEmpty ? [] : ["params"]))
        }
    }
}

extension JSONValue {
    /// The schema with references to components of an OpenRPC document turned into references to definitions here.
    fileprivate var pointingHere: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.pointingHere))
        case .object(let members):
            .object(
                members.map { member in
                    guard member.name == "$ref", let target = member.value.string else {
                        return .init(member.name, member.value.pointingHere)
                    }
                    return .init(member.name, .string(target.replacing("#/components/schemas/", with: "#/$defs/")))
                })
        default: self
        }
    }

    /// A definition a line.
    var definitionsByLine: String {
        var text = "{\n"
        let members = object ?? []
        for (number, member) in members.enumerated() {
            let end = number + 1 < members.count ? ",\n" : "\n"
            let name = JSONValue.string(member.name).text
            guard ["$defs", "definitions"].contains(member.name), let types = member.value.object else {
                text += "  \(name): \(member.value.text)" + end
                continue
            }
            let lines = types.map { "    \(JSONValue.string($0.name).text): \($0.value.text)" }
            text += "  \(name): {\n" + lines.joined(separator: ",\n") + "\n  }" + end
        }
        return text + "}\n"
    }
}
