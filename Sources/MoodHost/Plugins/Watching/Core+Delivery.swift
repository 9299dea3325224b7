import JSONCodec
import JSONRPC
import MoodCore
import MoodStore
import Platform
import PluginHost
import Storage

/// `events.deliver`: each change reaches a plugin at least once, in order, without a gap, one at a time.
extension Core {
    /// Handles acknowledgements, and sends each plugin its next event.
    mutating func deliverEvents() {
        let now = Clock.monotonicMilliseconds
        for plugin in plugins.plugins(that: .events) {
            guard let delivery = plugin.delivery, delivery.isOurs(at: now),
                delivery.advance(at: now, note: plugin.hosted.note),
                plugin.hosted.life.state != .failed, let (seq, params) = nextEvent(after: delivery)
            else { continue }
            let call = PluginCall(
                "events.deliver", params, timeoutMilliseconds: plugin.manifest.limits.timeoutMilliseconds)
            delivery.begin(call, of: seq)
            plugin.hosted.call(call)
        }
        plugins.deliveryDeadline = deliveryDeadline
    }

    /// Whether some plugin lacks durable events, and this host is the one to deliver them.
    var isDelivering: Bool {
        let now = Clock.monotonicMilliseconds
        for plugin in plugins.plugins(that: .events) where plugin.hosted.life.state != .failed {
            if let delivery = plugin.delivery, isBehind(delivery), delivery.isOurs(at: now) { return true }
        }
        return false
    }

    private var deliveryDeadline: Int? {
        var earliest: Int?
        for plugin in plugins.plugins(that: .events) {
            guard let delivery = plugin.delivery, let time = delivery.deadline(isBehind: isBehind(delivery)) else {
                continue
            }
            earliest = min(earliest ?? time, time)
        }
        return earliest
    }

    private func isBehind(_ delivery: PluginDelivery) -> Bool {
        if path == nil { return delivery.next != nil }
        guard let acknowledged = delivery.acknowledged else { return true }
        return store.hasCommits(after: acknowledged)
    }

    private mutating func nextEvent(after delivery: PluginDelivery) -> (Int, [UInt8])? {
        guard path != nil else { return delivery.next }
        guard let last = delivery.acknowledged, store.hasCommits(after: last) else { return nil }
        var found: (Int, [UInt8])?
        let messageBytes = options.limits[.messageBytes]
        let isWhole = store.commits(after: last, .beginning) { commit in
            var changes = EventChanges(bytesMax: messageBytes)
            for change in commit.changes.prefix(EventChanges.changesMax) {
                changes.add(change.kind, change.id, change.record)
            }
            changes.finish(total: commit.count)
            found = (
                commit.seq,
                Self.event(commit.seq, at: String(decoding: commit.at, as: UTF8.self), commit.origin) {
                    changes.write(to: &$0)
                }
            )
            return false
        }
        if let found { return found }
        guard !isWhole else { return nil }
        // The journals no longer have the commits in between.
        let seq = store.durableRevision
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("topic", literal: "mood")
        writer.member("resync", true)
        writer.member("seq", seq)
        writer.endObject()
        return (seq, Array(writer.buffer.bytes))
    }

    private static func event(
        _ seq: Int, at time: String, _ origin: String?, _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.member("topic", literal: "mood")
        writer.member("seq", seq)
        writer.member("at", time)
        writer.origin(origin)
        members(&writer)
        writer.endObject()
        return Array(writer.buffer.bytes)
    }

    /// Keeps a commit for delivery, because a store in memory has no journal to read again.
    mutating func keepForDelivery() {
        let summary = store.summary
        guard summary.revision == store.revision else { return }
        var changes = EventChanges(bytesMax: options.limits[.messageBytes])
        for change in summary.changes.prefix(EventChanges.changesMax) {
            // If the mood cannot be read, the event carries the change without it.
            let record = change.kind == .deleted ? nil : try? store.record(change.id)
            changes.add(change.kind, change.id, record?.bytes)
        }
        changes.finish(total: summary.count)
        let params = Self.event(summary.revision, at: now.text, store.origin) { changes.write(to: &$0) }
        for plugin in plugins.plugins(that: .events) { plugin.delivery?.add(params, of: summary.revision) }
    }
}
