import JSONCodec
import MoodCore

/// Writes the notifications `events.event {subscription, topic, seq, at, …}`.
extension NoticeQueue {
    /// - Parameters:
    ///   - seq: the revision of a commit; for other topics, the number of the event in the session.
    ///   - members: writes the topic's members.
    func addEvent(
        _ subscription: Subscription, _ topic: StaticString, seq: Int, at: (inout JSONWriter) -> Void,
        _ members: (inout JSONWriter) -> Void
    ) {
        add("events.event", to: subscription.session) { writer in
            writer.beginObject()
            writer.member("subscription", subscription.name)
            writer.member("topic", topic)
            writer.member("seq", seq)
            writer.key("at")
            at(&writer)
            members(&writer)
            writer.endObject()
        }
    }

    /// Reports that a subscription has ended because its sequence cannot go on; `seq` is the last reported revision. If
    /// another store took the old one's place, `seq` is 0, and the client must forget the old store.
    func addLag(_ subscription: Subscription, isAnotherStore: Bool, at now: Timestamp) {
        let seq = isAnotherStore ? 0 : subscription.told
        addEvent(subscription, "mood", seq: seq, at: { $0.string(now.text) }) { writer in
            writer.member("lagged", true)
            guard isAnotherStore else { return }
            writer.member("resync", true)
        }
    }
}
