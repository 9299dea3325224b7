import JSONCodec
import JSONRPC
import MoodProtocol
import PluginHost

/// The position in a list of an AI client: in the host's own part, and in the parts of MCP servers that are plugins.
///
/// Its cursor is that of the host's own part alone, or an object of cursors by id of the server, with `""` for the
/// host's own.
struct ListPlace {
    /// Nil: the host's own part is complete. Empty: from the beginning.
    var own: String?
    /// The servers with further items and their cursors; an empty cursor: from the beginning.
    var servers: [(id: PluginID, cursor: String)]

    /// The beginning of all parts.
    init(servers: [PluginID]) {
        own = ""
        self.servers = servers.map { ($0, "") }
    }

    /// - Throws: `invalidParams` for no cursor of this kind. The host's method checks the host's own part.
    init(cursor: String) throws {
        guard cursor.utf8.first == UInt8(ascii: "{") else {
            (own, servers) = (cursor, [])
            return
        }
        (own, servers) = (nil, [])
        guard let parts = try? JSONValue.parse(Array(cursor.utf8)).object else { throw Self.invalid }
        for part in parts {
            guard let text = part.value.string else { throw Self.invalid }
            if part.name.isEmpty {
                own = text
            } else if let id = PluginID(part.name) {
                servers.append((id, text))
            } else {
                throw Self.invalid
            }
        }
    }

    /// Records the next cursor of a server. An empty or unchanged cursor would make the client loop forever.
    mutating func goOn(_ server: PluginID, at next: String?, after sent: String) {
        guard let next, !next.isEmpty, next != sent else { return }
        servers.append((server, next))
    }

    static var invalid: RPCError {
        Arguments.error("is no cursor of this list; leave it out to begin at the first page", at: "/cursor")
    }

    /// Nil at the end.
    var cursor: String? {
        if servers.isEmpty { return own }
        let own = own.map { [JSONValue.Member("", .string($0))] } ?? []
        return JSONValue.object(own + servers.map { .init($0.id.text, .string($0.cursor)) }).text
    }
}
