import MoodCore

/// A client's state while it is connected: routers, editor, the recording it plays, subscriptions. A failed request
/// reverts it. (SwiftUI: `@State`; React: the state of a component.)
///
/// A value, so that reverting is one assignment.
struct SessionState {
    var navigation = NavigationState()
    var editor = MoodEditor()
    /// The recording that the client plays.
    var playing: Recording?
    /// The store's revision at the last check whether the moods of the routers exist.
    var prunedRevision = 0
    var events = EventState()
    var models = ModelState()

    /// Whether a subscription or route follows changes of moods.
    var followsStore: Bool { !events.subscriptions.isEmpty || navigation.hasMoods || models.followsStore }

    /// Whether a subscription follows changes of settings: statistics and days of AI clients' resources go by them.
    var followsSettings: Bool { events.wants(.store) || models.followsStore }

    /// The last commit that all followers have; nil without followers.
    var toldToAll: Int? {
        guard let told = models.told else { return events.toldToAll }
        return min(told, events.toldToAll ?? told)
    }
}
