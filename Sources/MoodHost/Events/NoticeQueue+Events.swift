import JSONCodec
import MoodCore

/// Writes the notifications `events.event {subscription, topic, seq, at, …}`.
extension NoticeQueue {
    /// - Parameters:
    ///   - seq: counts what the topic tells of: the revision of a commit; for others, the events of the session.
    ///   - members: writes what the topic adds.
    func addEvent(
        _ subscription: Subscription, _ topic: StaticString, seq: Int, at: (inout JSONWriter) -> Void,
        _ members: (inout JSONWriter) -> Void
    ) {
        add("events.event", to: subscription.session) { writer in
            writer.beginObject()
            writer.key("subscription")
            writer.string(subscription.name)
            writer.key("topic")
            writer.string(topic)
            writer.key("seq")
            writer.integer(seq)
            writer.key("at")
            at(&writer)
            members(&writer)
            writer.endObject()
        }
    }

    /// The sequence cannot go on: the subscription has ended, and `seq` is what was told last. If another store took this
    /// one's place, `seq` is 0, and nothing that the client knows of the old store counts any more.
    func addLag(_ subscription: Subscription, isAnotherStore: Bool, at now: Timestamp) {
        let seq = isAnotherStore ? 0 : subscription.told
        addEvent(subscription, "mood", seq: seq, at: { $0.string(now.text) }) { writer in
            writer.key("lagged")
            writer.boolean(true)
            guard isAnotherStore else { return }
            writer.key("resync")
            writer.boolean(true)
        }
    }
}
