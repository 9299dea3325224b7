import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import PluginHost

/// `events.*`: subscriptions of clients and plugins.
extension Core {
    static let eventHandlers: InlineArray<_, Handler> = [
        Handler(
            EventMethods.subscribe, .reads,
            { try $0.subscribe(try topics($1, $2), since: $2[EventParams.since], by: $1.caller, &$3) }
        ),
        Handler(EventMethods.unsubscribe, { try $0.unsubscribe($1.caller, $2, &$3) }),
    ]

    /// The requested topics. A plugin without the permission for routers is not notified of them.
    private static func topics(
        _ request: borrowing Request, _ arguments: borrowing Arguments
    ) throws -> EventTopics {
        let isDenied = !request.caller.permissions.contains(.navigation)
        guard let names = arguments[EventParams.topics] else { return isDenied ? .all.subtracting(.nav) : .all }
        var topics: EventTopics = []
        names.forEachElement { name in
            for entry in EventTopics.named where name.text?.equals(entry.name) == true { topics.insert(entry.topic) }
        }
        if isDenied, topics.contains(.nav) {
            throw RPCError(
                .permissionDenied, "The topic nav needs the permission navigation, which was not granted.",
                [.init("permission", "navigation")])
        }
        return topics
    }

    /// - Parameter since: also report the commits after this revision, if they are kept.
    mutating func subscribe(
        _ topics: EventTopics, since: Int?, by caller: Caller, _ out: inout JSONWriter
    ) throws {
        guard state.events.subscriptions.count < EventState.subscriptionsMax else {
            throw RPCError.over(
                "subscriptions", EventState.subscriptionsMax,
                "There are \(EventState.subscriptionsMax) subscriptions already. End one with events.unsubscribe.")
        }
        var told = store.revision
        var mustResync = false
        if topics.contains(.mood), let since, since != told {
            mustResync = try !canReplay(after: since)
            if !mustResync { told = since }
        }
        if topics.contains(.store) { beginFollowingSettings() }
        let (revision, identity, session) = (store.revision, store.identity, caller.session)
        changeState { state in
            if state.events.subscriptions.isEmpty { state.events.store = identity }
            state.events.lastNumber += 1
            state.events.subscriptions.append(
                Subscription(
                    number: state.events.lastNumber, session: session, topics: topics, told: told, begun: revision))
        }
        out.beginObject()
        out.member("subscription", "s\(state.events.lastNumber)")
        out.member("revision", revision)
        out.member(ifTrue: "resync", mustResync)
        out.endObject()
    }

    private mutating func canReplay(after since: Int) throws -> Bool {
        if since > store.revision { return false }
        return try store.keepsCommits(after: since)
    }

    private mutating func unsubscribe(
        _ caller: Caller, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws {
        let name = arguments[EventParams.subscription]
        let session = caller.session
        let own = state.events.subscriptions.firstIndex { $0.name == name && $0.session == session }
        guard let place = own else {
            let shown = String(name.unicodeScalars.prefix(64))
            throw RPCError(
                .notFound,
                "There is no subscription \"\(shown)\" in this session; one that was told lagged has ended.",
                [.init("name", .string(shown))])
        }
        changeState { _ = $0.events.subscriptions.remove(at: place) }
        out.raw("{}")
    }

    /// Sends plugins the notifications of durable changes that they subscribed to.
    mutating func tellPlugins() {
        for notice in notices.takeForPlugins() {
            guard let plugin = plugins.hosted(session: notice.session), plugin.life.state == .running else { continue }
            notice.message.withUnsafeBytes { plugin.reply($0) }
        }
    }

    /// Ends the subscriptions of a plugin whose process has ended.
    mutating func endSubscriptions(of id: PluginID) {
        let session = plugins.session(of: id.text)
        guard state.events.subscriptions.contains(where: { $0.session == session }) else { return }
        changeState { $0.events.subscriptions.removeAll { $0.session == session } }
    }
}
