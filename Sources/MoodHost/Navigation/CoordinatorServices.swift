import JSONCodec
import JSONRPC
import MoodCore

/// What the coordinator needs of the world, as closures: the host hands in those of its core, a test its fakes. They
/// return copies, so a view of the store never lives longer than the call that gave it.
struct CoordinatorServices<World: ~Copyable>: Sendable {
    var clock: Clock
    var place: Place
    var calendar: Calendar
    var audio: Audio
    var data: Data
    var navigation: Navigation
    var editor: Editor
    var events: Events

    struct Clock: Sendable {
        var now: @Sendable (borrowing World) -> Timestamp
    }

    struct Place: Sendable {
        /// The address of a place, which a client's system opens as a map.
        var url: @Sendable (Coordinates) -> String
    }

    struct Calendar: Sendable {
        /// The event at this place among the attachments of a mood as an iCalendar object.
        var text: @Sendable (Attachment.Event, Int, MoodMembers, _ bytesMax: Int) -> String
        /// A longer text is not wanted, and need not be made to its end.
        var bytesMax: @Sendable (borrowing World) -> Int
    }

    /// What plays is known here and played by the client.
    struct Audio: Sendable {
        var playing: @Sendable (borrowing World) -> Recording?
        var setPlaying: @Sendable (inout World, Recording?) -> Void
    }

    /// The moods. A closure that changes one writes it as it is after the change.
    struct Data: Sendable {
        /// A mood as it is stored.
        var record: @Sendable (inout World, MoodID) throws(RPCError) -> [UInt8]
        /// Sets a mood's favourite mark; nil: the other one.
        var setFavorite: @Sendable (inout World, MoodID, Bool?, inout JSONWriter) throws(RPCError) -> Void
        var setNotes: @Sendable (inout World, MoodID, String, inout JSONWriter) throws(RPCError) -> Void
        var delete: @Sendable (inout World, MoodID) throws(RPCError) -> Void
        var deleteAll: @Sendable (inout World) throws(RPCError) -> Void
        var insertSamples: @Sendable (inout World) throws(RPCError) -> Void
        /// A mood as text, which counts times from the moment.
        var text: @Sendable (inout World, MoodID, ShareFormat, Timestamp) throws(RPCError) -> String
        /// The events of a host in all moods, in order of their start.
        var events: @Sendable (inout World, String) throws(RPCError) -> HostEvents
    }

    /// The routers by name; nil is the main one. Each closure writes the router as it is after the change.
    struct Navigation: Sendable {
        var navigate: @Sendable (inout World, Route, String?, inout JSONWriter) throws(RPCError) -> Void
        var replace: @Sendable (inout World, Route, String?, inout JSONWriter) throws(RPCError) -> Void
        var goBack: @Sendable (inout World, String?, inout JSONWriter) throws(RPCError) -> Void
        var goBackToRoot: @Sendable (inout World, String?, inout JSONWriter) throws(RPCError) -> Void
    }

    /// The form. Each closure writes it as it is after the change.
    struct Editor: Sendable {
        /// Opens it for a mood, or for a new one.
        var begin: @Sendable (inout World, MoodID?, inout JSONWriter) throws(RPCError) -> Void
        var selectEmoji: @Sendable (inout World, String, inout JSONWriter) throws(RPCError) -> Void
        var cancel: @Sendable (inout World, inout JSONWriter) throws(RPCError) -> Void
        /// Records what it holds, and writes the members `editor` and `mood` of an object that is open.
        var submit: @Sendable (inout World, inout JSONWriter) throws(RPCError) -> Void
    }

    struct Events: Sendable {
        /// Tells the client of these topics from now on, and writes the subscription.
        var subscribe: @Sendable (inout World, [Action.Topic], inout JSONWriter) throws(RPCError) -> Void
    }
}
