import JSONCodec

/// How the host and an MCP server begin: which era the server speaks, and which tools it has. It does no I/O: it says what is to
/// be asked next, and is told the answers.
///
/// The newer era is tried first (`server/discover`, 2026-07-28). A server that refuses that, does not answer, or ends, is asked as
/// the older ones were (`initialize`, 2024-11-05 to 2025-11-25). (MCP: "Backward Compatibility" of the lifecycle.)
struct ServerGreeting: Sendable {
    enum Step: Sendable { case discover, initialize, tools, done }

    struct Request: Sendable {
        let method: String
        let params: JSONValue
        /// A notification that goes out before it.
        var notification: String?
    }

    enum Next: Sendable {
        case ask(Request)
        /// The server can be used.
        case greeted
        /// It cannot; a clause says why.
        case failed(String)
    }

    static let version = "2026-07-28"
    static let olderVersion = "2025-11-25"
    private static let olderVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// More tools, or pages of them, than anybody means.
    private static let toolsMax = 1024
    private static let pagesMax = 128

    private(set) var step = Step.discover
    /// Whether it speaks an older era; known from one start to the next.
    private(set) var isOlder = false
    /// As the server has described them: objects with a usable name and an `inputSchema`.
    private(set) var tools: [JSONValue] = []
    private var listed: [JSONValue] = []
    private var pages = 0
    /// What it says that it has. A server without `tools` may refuse to list them.
    private var capabilities: [JSONValue.Member] = []
    private let client: JSONValue

    /// - Parameter hostVersion: what the server is told of the host.
    init(hostVersion: String) { client = ["name": "moodboard", "version": .string(hostVersion)] }

    /// A process has been started.
    mutating func begin() -> Request {
        if isOlder { return initialize() }
        step = .discover
        return Request(method: "server/discover", params: with([]))
    }

    /// The server has ended, or says nothing to `server/discover`.
    /// - Returns: what to ask the next process, or this one; nil where it was asked that already.
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

    /// The tools may be others.
    mutating func listAgain() -> Request {
        listed = []
        pages = 0
        return list(after: nil)
    }

    /// What was asked last has been answered.
    /// - Parameter result: nil where it is an error.
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
            listed += page.filter { $0["inputSchema"]?.object != nil && Self.isName($0["name"]?.string ?? "") }
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

    /// A late answer to `server/discover`, after the older way was tried: the server only was slow.
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

    /// Whether a request such as `prompts/get` means something to it.
    func serves(_ method: String) -> Bool {
        let capability = method.prefix { $0 != "/" }
        return has(capability == "completion" ? "completions" : String(capability))
    }

    private mutating func list(after cursor: String?) -> Request {
        step = .tools
        return Request(method: "tools/list", params: with(cursor.map { [.init("cursor", .string($0))] } ?? []))
    }

    /// The request that a call becomes.
    /// - Parameters:
    ///   - given: the tool's arguments, or the params of a request that MCP has: an object.
    ///   - number: of the request, under which the server may tell of its progress.
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

    /// 1 to 128 of `A-Za-z0-9_.-`. (MCP: "Tool Names")
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
