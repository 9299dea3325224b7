import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

/// `events.*`: who wants to be told.
extension Core {
    static let eventHandlers: InlineArray<_, Handler> = [
        Handler(
            EventMethods.subscribe,
            { (core, arguments, out) throws(RPCError) in
                try core.subscribe(topics(arguments), since: arguments[EventParams.since], &out)
            }
        ),
        Handler(
            EventMethods.unsubscribe,
            { (core, arguments, out) throws(RPCError) in try core.unsubscribe(arguments, &out) }),
    ]

    private static func topics(_ arguments: borrowing Arguments) -> EventTopics {
        guard let names = arguments[EventParams.topics] else { return .all }
        var topics: EventTopics = []
        names.forEachElement { name in
            for entry in EventTopics.named where name.text?.equals(entry.name) == true { topics.insert(entry.topic) }
        }
        return topics
    }

    /// - Parameter since: the commits after this revision are told of too, if they are kept.
    mutating func subscribe(
        _ topics: EventTopics, since: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        try open()
        guard state.events.subscriptions.count < EventState.subscriptionsMax else {
            throw RPCError(
                .limitExceeded,
                "There are \(EventState.subscriptionsMax) subscriptions already. End one with events.unsubscribe.",
                [.init("limit", "subscriptions"), .init("value", .number(String(EventState.subscriptionsMax)))])
        }
        var told = store.revision
        var mustResync = false
        if topics.contains(.mood), let since, since != told {
            mustResync = try !canReplay(after: since)
            if !mustResync { told = since }
        }
        let (revision, identity) = (store.revision, store.identity)
        changeState { state in
            if state.events.subscriptions.isEmpty { state.events.store = identity }
            state.events.lastNumber += 1
            state.events.subscriptions.append(
                Subscription(number: state.events.lastNumber, topics: topics, told: told, begun: revision))
        }
        out.beginObject()
        out.key("subscription")
        out.string("s\(state.events.lastNumber)")
        out.key("revision")
        out.integer(revision)
        if mustResync {
            out.key("resync")
            out.boolean(true)
        }
        out.endObject()
    }

    private mutating func canReplay(after since: Int) throws(RPCError) -> Bool {
        if since > store.revision { return false }
        do throws(MoodStoreError) { return try store.keepsCommits(after: since) } catch { throw RPCError(error) }
    }

    private mutating func unsubscribe(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let name = arguments[EventParams.subscription]
        guard let place = state.events.subscriptions.firstIndex(where: { $0.name == name }) else {
            let shown = String(name.unicodeScalars.prefix(64))
            throw RPCError(
                .notFound,
                "There is no subscription \"\(shown)\" in this session; one that was told lagged has ended.",
                [.init("name", .string(shown))])
        }
        changeState { _ = $0.events.subscriptions.remove(at: place) }
        out.raw("{}")
    }
}
