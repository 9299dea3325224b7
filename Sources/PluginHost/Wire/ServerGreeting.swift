import JSONCodec

/// The greeting between the host and an MCP server: it finds out the server's era and tools. It does no I/O: it returns
/// the next request, and gets the answers.
///
/// It tries the newer era first (`server/discover`, 2026-07-28). A server that refuses that, does not answer, or ends,
/// gets the older greeting (`initialize`, 2024-11-05 to 2025-11-25). (MCP: "Backward Compatibility" of the lifecycle.)
struct ServerGreeting: Sendable {
    enum Step: Sendable { case discover, initialize, tools, done }

    struct Request: Sendable {
        let method: String
        let params: JSONValue
        /// A notification to send before it.
        var notification: String?
    }

    enum Next: Sendable {
        case ask(Request)
        /// The server is ready.
        case greeted
        /// The server cannot be used; a clause gives the reason.
        case failed(String)
    }

    static let version = "2026-07-28"
    static let olderVersion = "2025-11-25"
    private static let olderVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// The most tools and pages, more than any sensible server has.
    private static let toolsMax = 1024
    private static let pagesMax = 128

    private(set) var step = Step.discover
    /// Whether it speaks an older era; known from one start to the next.
    private(set) var isOlder = false
    /// The tools as described by the server: objects with a usable name and an `inputSchema`.
    private(set) var tools: [JSONValue] = []
    private var listed: [JSONValue] = []
    /// The reasons for leaving out tools of the present list, a sentence each.
    private(set) var leftOut: [String] = []
    private var pages = 0
    /// The declared capabilities. A server without `tools` may refuse to list them.
    private var capabilities: [JSONValue.Member] = []
    private let client: JSONValue

    /// - Parameter hostVersion: the version of the host for the server.
    init(hostVersion: String) { client = ["name": "moodboard", "version": .string(hostVersion)] }

    /// Begins with a new process.
    mutating func begin() -> Request {
        if isOlder { return initialize() }
        step = .discover
        return Request(method: "server/discover", params: with([]))
    }

    /// Falls back to the older greeting, because the server has ended or does not answer `server/discover`.
    /// - Returns: the next request to a new process, or to this one; nil if it was made already.
    mutating func fallBack() -> Request? {
        guard step == .discover else { return nil }
        isOlder = true
        return initialize()
    }

    private mutating func initialize() -> Request {
        step = .initialize
        return Request(
            method: "initialize",
            params: ["protocolVersion": .string(Self.olderVersion), "capabilities": [:], "clientInfo": client])
    }

    /// Lists the tools again, because they may have changed.
    mutating func listAgain() -> Request {
        (listed, leftOut) = ([], [])
        pages = 0
        return list(after: nil)
    }

    /// Takes the answer to the last request.
    /// - Parameter result: nil for an error.
    mutating func answered(_ result: JSONValue?) -> Next {
        switch step {
        case .discover:
            guard let result, (result["supportedVersions"]?.array ?? []).contains(where: { $0.string == Self.version })
            else { return fallBack().map { .ask($0) } ?? .failed("it speaks no MCP") }
            return .ask(listTools(of: result))
        case .initialize:
            guard let result else { return .failed("it refused to begin (server/discover and initialize)") }
            guard let version = result["protocolVersion"]?.string, Self.olderVersions.contains(version) else {
                return .failed("it speaks no version of MCP that this host knows")
            }
            var request = listTools(of: result)
            request.notification = "notifications/initialized"
            return .ask(request)
        case .tools:
            guard let page = result?["tools"]?.array else {
                if has("tools") { return .failed("it did not list its tools") }
                step = .done
                return .greeted
            }
            for tool in page { list(tool) }
            pages += 1
            guard listed.count <= Self.toolsMax, pages <= Self.pagesMax else {
                return .failed("it has more than \(Self.toolsMax) tools")
            }
            if let cursor = result?["nextCursor"]?.string { return .ask(list(after: cursor)) }
            tools = listed
            step = .done
            return .greeted
        case .done: return .greeted
        }
    }

    private mutating func list(_ tool: JSONValue) {
        let name = tool["name"]?.string ?? ""
        let reason: String
        if !Self.isName(name) {
            reason = "has no name of 1 to 128 letters, digits and _ . -"
        } else if tool["inputSchema"]?.object == nil {
            reason = "has no inputSchema"
        } else if listed.contains(where: { $0["name"]?.string == name }) {
            reason = "is listed twice"
        } else {
            return listed.append(tool)
        }
        leftOut.append("tools/list: \(tool.text.prefix(100)) \(reason), and is left out.")
    }

    /// Takes a late answer to `server/discover`, after the older greeting was tried: the server was only slow.
    mutating func discovered(_ result: JSONValue?) -> Next? {
        guard step == .initialize, let result else { return nil }
        step = .discover
        isOlder = false
        return answered(result)
    }

    private mutating func listTools(of result: JSONValue) -> Request {
        capabilities = result["capabilities"]?.object ?? []
        return listAgain()
    }

    /// Whether it has `tools`, `prompts`, `resources` or `completions`.
    func has(_ capability: String) -> Bool { capabilities.contains { $0.name.utf8.elementsEqual(capability.utf8) } }

    /// Whether it supports a request such as `prompts/get`.
    func serves(_ method: String) -> Bool {
        let capability = method.prefix { $0 != "/" }
        return has(capability == "completion" ? "completions" : String(capability))
    }

    private mutating func list(after cursor: String?) -> Request {
        step = .tools
        return Request(method: "tools/list", params: with(cursor.map { [.init("cursor", .string($0))] } ?? []))
    }

    /// The request of a call.
    /// - Parameters:
    ///   - given: the tool's arguments, or the params of a request of MCP: an object.
    ///   - number: the number of the request, which is also the token of the server's progress.
    func request(_ call: PluginCall, _ given: JSONValue, number: Int) -> (method: String, params: JSONValue) {
        let progress = JSONValue.Member("progressToken", .number(String(number)))
        if call.isOfProtocol { return (call.method, with(given.object ?? [], meta: [progress])) }
        return ("tools/call", with([.init("name", .string(call.method)), .init("arguments", given)], meta: [progress]))
    }

    private func with(_ members: [JSONValue.Member], meta: [JSONValue.Member] = []) -> JSONValue {
        var meta = meta
        if !isOlder {
            meta += [
                .init("io.modelcontextprotocol/protocolVersion", .string(Self.version)),
                .init("io.modelcontextprotocol/clientCapabilities", [:]),
                .init("io.modelcontextprotocol/clientInfo", client),
            ]
        }
        return .object(meta.isEmpty ? members : members + [.init("_meta", .object(meta))])
    }

    /// Whether the name is valid: 1 to 128 of `A-Za-z0-9_.-`. (MCP: "Tool Names")
    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
