import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost

/// Requests of plugins to the host.
extension PluginRegistry {
    /// The caller of a plugin's requests.
    func caller(_ plugin: HostedPlugin) -> Caller {
        let id = plugin.id.text
        let session = session(of: id)
        var permissions: Permissions = []
        let granted = self[plugin.id]?.manifest.permissions
        switch granted?.moods {
        case .read: permissions.insert(.readMoods)
        case .write: permissions.formUnion([.readMoods, .writeMoods])
        case .some(.none), nil: break
        }
        if granted?.navigation == true { permissions.insert(.navigation) }
        return Caller(session: session, permissions: permissions, plugin: id)
    }

    /// The number by which the session of a plugin differs from the client's, and from other plugins'.
    func session(of id: String) -> Int {
        let session = sessions[id] ?? sessions.count + 1
        sessions[id] = session
        return session
    }

    /// The plugin of this session; nil if it may no longer run.
    func hosted(session: Int) -> HostedPlugin? { hosted.first { sessions[$0.id.text] == session } }

    /// The reason why a plugin may not call this method; nil if it may try.
    /// - Parameter isAsked: whether its own hook is asked now.
    func refusal(of name: JSONText, by plugin: HostedPlugin, isAsked: Bool, in methods: borrowing MethodTable)
        -> RPCError?
    {
        if name.withDecoded({ $0.starts(with: "x.".utf8) }) {
            return RPCError(
                .permissionDenied, "What a plugin asks is not served by a plugin.", [.init("permission", "owner")])
        }
        guard let method = methods.find(name)?.method, method.effect == .write, method.permission == .writeMoods else {
            return nil
        }
        if isAsked {
            return .refused(by: "x.\(plugin.id)", "A plugin may change nothing while its own hook is asked.")
        }
        guard self[plugin.id]?.mayChange(at: Clock.monotonicMilliseconds) == false else { return nil }
        return .over(
            "pluginChanges", 600,
            "The plugin has made 600 changes in a minute, and is told of changes: that may be a loop.")
    }
}
