import JSONRPC
import MoodStore

/// Events between the requests of a client. `Core` reports the changes of a request itself.
extension Session {
    /// The approximate bytes of commits that are reported at a time.
    private static let tellingBytes = 1024 * 1024

    /// Looks for changes by other processes, and reports them.
    mutating func lookAround() {
        core.lookAround()
        sendNotices()
    }

    /// Reports the unreported commits, before the next message is handled.
    /// - Returns: false if the output must be sent first.
    mutating func tell() -> Bool {
        defer { sendNotices() }
        guard core.hasUntold else {
            core.pruneRoutes()
            return true
        }
        let room = limits[.queuedOutputBytes] - (output.count - sent)
        guard room > 0 else { return false }
        guard core.tellOfCommits(bytesMax: min(room, Self.tellingBytes)) else { return false }
        core.pruneRoutes()
        return true
    }

    /// Sends notifications that belong to no request.
    mutating func sendNotices() {
        core.keepStateOfRequest()
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: output.count, framing: framing) }
    }

    /// Whether the client does not read its output while commits wait for it.
    var isTooSlow: Bool { isOutputFull && core.hasUntold }

    /// Ends the subscriptions of a client that does not read.
    mutating func endSlowSubscriptions() {
        core.endSlowSubscriptions()
        sendNotices()
    }

    /// Whether to look at once for changes of the store by other processes.
    var followsStore: Bool {
        core.isWatching && core.path != nil
            && (core.state.events.wants([.mood, .nav, .store]) || core.state.models.followsStore
                || core.plugins.hasEvents)
    }

    /// Looks for changes by other processes while no request can be handled, because the client does not read.
    mutating func lookWhileFull(milliseconds: Int64) {
        core.setTime(milliseconds)
        core.store.beginGroup()
        core.store.lookAround()
        core.store.endGroup()
    }
}
