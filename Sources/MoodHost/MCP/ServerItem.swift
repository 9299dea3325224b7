import JSONCodec
import JSONRPC
import PluginHost

/// Items of MCP servers that are plugins, as the host's clients see them. Names and addresses have the prefix
/// `x.<id>.`. Only members valid in MCP are passed on, so a faulty server never makes an answer of the host faulty.
enum ServerItem: String {
    case prompts, resources
    case resourceTemplates

    /// The request that lists them.
    var method: String {
        switch self {
        case .prompts: "prompts/list"
        case .resources: "resources/list"
        case .resourceTemplates: "resources/templates/list"
        }
    }

    /// The member that names an item.
    private var key: String {
        switch self {
        case .prompts: "name"
        case .resources: "uri"
        case .resourceTemplates: "uriTemplate"
        }
    }

    static func prefix(_ id: PluginID) -> String { "x.\(id)." }

    /// The items of one page.
    func items(of page: JSONValue, _ id: PluginID) -> [JSONValue] {
        (page[rawValue]?.array ?? []).compactMap { item in
            guard let name = item[key]?.string else { return nil }
            var members: [JSONValue.Member] = [.init(key, .string(Self.prefix(id) + name))]
            // A resource also has a name.
            if self != .prompts { members.append(.init("name", .string(item["name"]?.string ?? name))) }
            members += Self.texts(of: item, ["title", "description", "mimeType"])
            if self == .prompts { members.append(.init("arguments", .array(Self.arguments(of: item)))) }
            return .object(members)
        }
    }

    private static func arguments(of prompt: JSONValue) -> [JSONValue] {
        (prompt["arguments"]?.array ?? []).compactMap { argument in
            guard let name = argument["name"]?.string else { return nil }
            var members: [JSONValue.Member] = [.init("name", .string(name))]
            members += texts(of: argument, ["title", "description"])
            if let isRequired = argument["required"]?.boolean {
                members.append(.init("required", .boolean(isRequired)))
            }
            return .object(members)
        }
    }

    private static func texts(of item: JSONValue, _ names: [String]) -> [JSONValue.Member] {
        names.compactMap { name in item[name]?.string.map { .init(name, .string($0)) } }
    }

    // MARK: Results

    /// The `contents` of `resources/read`.
    static func contents(of result: JSONValue, _ id: PluginID) throws(RPCError) -> JSONValue {
        var contents: [JSONValue] = []
        for (place, content) in (result["contents"]?.array ?? []).enumerated() {
            guard let content = resource(content, id) else {
                throw .pluginFailed(id.text, "it has answered with no content", path: "/contents/\(place)")
            }
            contents.append(content)
        }
        return .array(contents)
    }

    /// The `messages` of `prompts/get`.
    static func messages(of result: JSONValue, _ id: PluginID) throws(RPCError) -> JSONValue {
        var messages: [JSONValue] = []
        for (place, message) in (result["messages"]?.array ?? []).enumerated() {
            guard let role = message["role"]?.string, ["user", "assistant"].contains(role),
                let content = message["content"].flatMap({ Self.content($0, id) })
            else { throw .pluginFailed(id.text, "it has answered with no message", path: "/messages/\(place)") }
            messages.append(["role": .string(role), "content": content])
        }
        return .array(messages)
    }

    /// `{uri, mimeType?, text|blob}`.
    private static func resource(_ content: JSONValue, _ id: PluginID) -> JSONValue? {
        guard let uri = content["uri"]?.string,
            let body = texts(of: content, ["text", "blob"]).first
        else { return nil }
        return .object([.init("uri", .string(prefix(id) + uri))] + texts(of: content, ["mimeType"]) + [body])
    }

    /// A part of a message: text, image, audio, a link or a resource.
    private static func content(_ content: JSONValue, _ id: PluginID) -> JSONValue? {
        let type = content["type"]?.string ?? ""
        let kind = JSONValue.Member("type", .string(type))
        switch type {
        case "text":
            return content["text"]?.string.map { .object([kind, .init("text", .string($0))]) }
        case "image", "audio":
            let members = texts(of: content, ["data", "mimeType"])
            return members.count == 2 ? .object([kind] + members) : nil
        case "resource":
            return content["resource"].flatMap { resource($0, id) }.map { .object([kind, .init("resource", $0)]) }
        case "resource_link":
            guard let uri = content["uri"]?.string else { return nil }
            return .object(
                [kind, .init("uri", .string(prefix(id) + uri)), .init("name", .string(content["name"]?.string ?? uri))]
                    + texts(of: content, ["title", "description", "mimeType"]))
        default: return nil
        }
    }
}
