import JSONCodec
import JSONRPC
import PluginHost

/// Items of MCP servers that are plugins, as the host's clients see them. Names and addresses have the prefix
/// `x.<id>.`. Only members valid in MCP are passed on, so a faulty server never makes an answer of the host faulty.
enum ForwardedMCPItem: String {
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
    /// - Parameter leaveOut: hears of an item that is none, as a sentence.
    func items(of page: JSONValue, _ id: PluginID, leaveOut: (String) -> Void) -> [JSONValue] {
        (page[rawValue]?.array ?? []).compactMap { item in
            guard let name = item[key]?.string else {
                leaveOut("\(method): \(item.text.prefix(100)) has no \(key), and is left out.")
                return nil
            }
            let shown = self == .resources ? Self.address(name, id) : Self.prefix(id) + name
            var members: [JSONValue.Member] = [.init(key, .string(shown))]
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
    static func contents(of result: JSONValue, _ id: PluginID) throws -> JSONValue {
        var contents: [JSONValue] = []
        for (place, content) in (result["contents"]?.array ?? []).enumerated() {
            guard let content = resource(content, id) else {
                throw RPCError.pluginFailed(id.text, "it has answered with no content", path: "/contents/\(place)")
            }
            contents.append(content)
        }
        return .array(contents)
    }

    /// The `messages` of `prompts/get`.
    static func messages(of result: JSONValue, _ id: PluginID) throws -> JSONValue {
        var messages: [JSONValue] = []
        for (place, message) in (result["messages"]?.array ?? []).enumerated() {
            guard let role = message["role"]?.string, ["user", "assistant"].contains(role),
                let content = message["content"].flatMap({ Self.content($0, id) })
            else { throw RPCError.pluginFailed(id.text, "it has answered with no message", path: "/messages/\(place)") }
            messages.append(["role": .string(role), "content": content])
        }
        return .array(messages)
    }

    /// `{uri, mimeType?, text|blob}`.
    private static func resource(_ content: JSONValue, _ id: PluginID) -> JSONValue? {
        guard let uri = content["uri"]?.string,
            let body = texts(of: content, ["text", "blob"]).first
        else { return nil }
        let isText = body.name == "text"
        guard isText || isBase64(body.value.string ?? "") else { return nil }
        return .object([.init("uri", .string(address(uri, id)))] + texts(of: content, ["mimeType"]) + [body])
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
            guard members.count == 2, isBase64(members[0].value.string ?? "") else { return nil }
            return .object([kind] + members)
        case "resource":
            return content["resource"].flatMap { resource($0, id) }.map { .object([kind, .init("resource", $0)]) }
        case "resource_link":
            guard let uri = content["uri"]?.string else { return nil }
            return .object(
                [kind, .init("uri", .string(address(uri, id))), .init("name", .string(content["name"]?.string ?? uri))]
                    + texts(of: content, ["title", "description", "mimeType"]))
        default: return nil
        }
    }

    // MARK: Addresses

    private static let encoded = "uri:"

    /// A server's address in the form that AI clients accept. Their libraries refuse a list with an address that is no URL,
    /// and change others; such an address is encoded as a whole.
    static func address(_ uri: String, _ id: PluginID) -> String {
        if isPlain(uri) { return prefix(id) + uri }
        var text = prefix(id) + encoded
        for byte in uri.utf8 {
            if isUnreserved(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// The server's own address, given the part behind the prefix.
    static func original(_ address: String) -> String {
        guard address.utf8.starts(with: encoded.utf8) else { return address }
        var bytes: [UInt8] = []
        var rest = address.utf8.dropFirst(encoded.utf8.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = String(rest.prefix(2)).flatMap({ UInt8($0, radix: 16) }) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether every library leaves an address as it is: `scheme:`, then what RFC 3986 allows, with a host of letters and digits
    /// where there is one, and without steps to the folder above.
    private static func isPlain(_ uri: String) -> Bool {
        let bytes = Array(uri.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), !uri.utf8.starts(with: encoded.utf8) else {
            return false
        }
        let isScheme = bytes[..<colon].allSatisfy { byte in
            0x61...0x7a ~= byte || 0x30...0x39 ~= byte || "+-.".utf8.contains(byte)
        }
        var rest = bytes[(colon + 1)...]
        guard isScheme, colon > 0 else { return false }
        if rest.starts(with: "///".utf8) {
            rest = rest.dropFirst(3)
        } else if rest.starts(with: "//".utf8) {
            let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            guard !host.isEmpty, host.allSatisfy({ isUnreserved($0) && $0 != UInt8(ascii: "~") }) else { return false }
            rest = rest.dropFirst(2 + host.count)
        }
        let isStep = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
        return !isStep && rest.allSatisfy { isUnreserved($0) || "/:?#@!$&()*+,;=%".utf8.contains($0) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte || 0x41...0x5a ~= byte || 0x30...0x39 ~= byte || "-._~".utf8.contains(byte)
    }

    /// Whether bytes are written as MCP has them. RFC 4648, section 4.
    private static func isBase64(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.count - digits.count
        return text.utf8.count % 4 == 0 && padding <= 2
            && text.utf8.suffix(padding).allSatisfy { $0 == UInt8(ascii: "=") }
            && digits.allSatisfy {
                isUnreserved($0) && !"-._~".utf8.contains($0) || "+/".utf8.contains($0)
            }
    }
}
