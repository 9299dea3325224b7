import JSONCodec
import JSONRPC
import MoodProtocol

/// A request of the Model Context Protocol.
public enum ModelMethod: Int, CaseIterable, Sendable {
    case initialize, discover, ping, setLevel
    case listTools, callTool
    case listResources, listTemplates, readResource, subscribe, unsubscribe, listen
    case listPrompts, getPrompt, complete

    public var name: StaticString {
        switch self {
        case .initialize: "initialize"
        case .discover: "server/discover"
        case .ping: "ping"
        case .setLevel: "logging/setLevel"
        case .listTools: "tools/list"
        case .callTool: "tools/call"
        case .listResources: "resources/list"
        case .listTemplates: "resources/templates/list"
        case .readResource: "resources/read"
        case .subscribe: "resources/subscribe"
        case .unsubscribe: "resources/unsubscribe"
        case .listen: "subscriptions/listen"
        case .listPrompts: "prompts/list"
        case .getPrompt: "prompts/get"
        case .complete: "completion/complete"
        }
    }

    /// The eras that have the request.
    public var era: Era {
        switch self {
        case .initialize, .ping, .setLevel, .subscribe, .unsubscribe: .older
        case .discover, .listen: .newer
        default: .both
        }
    }

    /// Whether its result shows moods.
    public var showsMoods: Bool {
        switch self {
        case .callTool, .readResource, .getPrompt: true
        default: false
        }
    }

    /// The error for a misspelled name in the manner of MCP; nil for another name.
    public static func notFound(_ name: String) -> RPCError? {
        let names = allCases.map { "\($0.name)" }
        guard name.contains("/"), !name.hasPrefix("$/"), !names.contains(name) else { return nil }
        let nearest = NearestNames.find(name, among: names)
        let shown = String(name.unicodeScalars.prefix(100))
        let hint =
            nearest.isEmpty
            ? "Of MCP there are \(names.joined(separator: ", "))."
            : "Did you mean \(nearest.joined(separator: " or "))?"
        return RPCError(
            .methodNotFound, "There is no method \"\(shown)\". \(hint)",
            [.init("suggestions", .array(nearest.map { .string($0) }))])
    }

    public enum Era: Sendable { case older, newer, both }

    /// All of them, made once; the most frequent one comes first.
    private static let all = [callTool] + allCases

    /// The method of this name; nil for another one.
    public init?(_ name: JSONText) {
        guard let method = Self.all.first(where: { name.equals($0.name) }) else { return nil }
        self = method
    }
}
