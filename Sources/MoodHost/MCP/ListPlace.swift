import JSONCodec
import JSONRPC
import MoodProtocol
import PluginHost

/// Where a list of an AI client goes on: the host's own part of it, and the parts of MCP servers that are plugins.
///
/// As a cursor: that of the host's own part alone, or an object, by id of the server, with `""` for the host's own.
struct ListPlace {
    /// Nil: all of the host's own was told. Empty: from the beginning.
    var own: String?
    /// Those that have more, and where; empty: from the beginning.
    var servers: [(id: PluginID, cursor: String)]

    /// The beginning of all.
    init(servers: [PluginID]) {
        own = ""
        self.servers = servers.map { ($0, "") }
    }

    /// - Throws: `invalidParams` where it is no cursor of this kind. Whether the host's own part is one, the host's method says.
    init(cursor: String) throws(RPCError) {
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

    /// Notes where the part of a server goes on. A cursor that is empty, or does not move, would lead a client round and round.
    mutating func goOn(_ server: PluginID, at next: String?, after sent: String) {
        guard let next, !next.isEmpty, next != sent else { return }
        servers.append((server, next))
    }

    static var invalid: RPCError {
        Arguments.error("is no cursor of this list; leave it out to begin at the first page", at: "/cursor")
    }

    /// Nil: there is no more.
    var cursor: String? {
        if servers.isEmpty { return own }
        let own = own.map { [JSONValue.Member("", .string($0))] } ?? []
        return JSONValue.object(own + servers.map { .init($0.id.text, .string($0.cursor)) }).text
    }
}
