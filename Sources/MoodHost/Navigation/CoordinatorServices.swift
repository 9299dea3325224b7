import JSONCodec
import JSONRPC
import MoodCore

/// The services of the coordinator, as closures: the host supplies those of its core, a test its fakes. They return
/// copies, so a view of the store never lives longer than the call that returned it.
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
        /// The length after which the text may end incomplete, because no answer can hold it.
        var bytesMax: @Sendable (borrowing World) -> Int
    }

    /// The recording that the client plays.
    struct Audio: Sendable {
        var playing: @Sendable (borrowing World) -> Recording?
        var setPlaying: @Sendable (inout World, Recording?) -> Void
    }

    /// The moods. A closure that changes one writes it in its new state.
    struct Data: Sendable {
        /// A mood as stored.
        var record: @Sendable (inout World, MoodID) throws -> [UInt8]
        /// Sets a mood's favorite mark; nil toggles it.
        var setFavorite: @Sendable (inout World, MoodID, Bool?, inout JSONWriter) throws -> Void
        var setNotes: @Sendable (inout World, MoodID, String, inout JSONWriter) throws -> Void
        var delete: @Sendable (inout World, MoodID) throws -> Void
        var deleteAll: @Sendable (inout World) throws -> Void
        var insertSamples: @Sendable (inout World) throws -> Void
        /// A mood as text, with times relative to the timestamp.
        var text: @Sendable (inout World, MoodID, ShareFormat, Timestamp) throws -> String
        /// The events of a host in all moods, in order of their start.
        var events: @Sendable (inout World, String) throws -> HostEvents
    }

    /// The routers by name; nil is the main one.
    struct Navigation: Sendable {
        /// Moves a router, and writes it in its new state.
        var move: @Sendable (inout World, NavigationLog.Action, Route?, String?, inout JSONWriter) throws -> Void
    }

    /// The form. Each closure writes it in its new state.
    struct Editor: Sendable {
        /// Opens the form for a mood, or for a new one.
        var begin: @Sendable (inout World, MoodID?, inout JSONWriter) throws -> Void
        var selectEmoji: @Sendable (inout World, String, inout JSONWriter) throws -> Void
        var cancel: @Sendable (inout World, inout JSONWriter) throws -> Void
        /// Records the form, and writes the members `editor` and `mood` of an open object.
        var submit: @Sendable (inout World, inout JSONWriter) throws -> Void
    }

    struct Events: Sendable {
        /// Subscribes the client to these topics, and writes the subscription.
        var subscribe: @Sendable (inout World, [Action.Topic], inout JSONWriter) throws -> Void
    }
}
