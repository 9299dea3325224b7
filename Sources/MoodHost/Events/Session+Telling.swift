import JSONRPC
import MoodStore

/// Events between the requests of a client. What a request causes is told of by `Core`.
extension Session {
    /// Commits are told of in pieces of about this size.
    private static let tellingBytes = 1024 * 1024

    /// Sees what others have done, and takes the consequences.
    mutating func lookAround() {
        core.lookAround()
        sendNotices()
    }

    /// Tells of commits that nobody has been told of yet, before the next message is handled.
    /// - Returns: false when there is something to send first.
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

    /// Outside of any request.
    mutating func sendNotices() {
        core.keepStateOfRequest()
        if !core.notices.isEmpty { core.notices.insert(into: &output, at: output.count, framing: framing) }
    }

    /// Whether the client waits for commits of others and takes none of what is there for it.
    var isTooSlow: Bool { isOutputFull && core.hasUntold }

    /// Ends the subscriptions of a client that does not read.
    mutating func endSlowSubscriptions() {
        core.endSlowSubscriptions()
        sendNotices()
        groupStart = output.count
    }

    /// Whether changes of the store by other processes are worth a look at once.
    var followsStore: Bool {
        core.isWatching && core.path != nil
            && (core.state.events.wants([.mood, .nav, .store]) || core.state.models.followsStore
                || core.plugins.hasEvents)
    }

    /// Sees what others have done while nothing can be handled, because the client does not read.
    mutating func lookWhileFull(milliseconds: Int64) {
        core.setTime(milliseconds)
        core.store.beginGroup()
        core.store.lookAround()
        core.store.endGroup()
    }
}
