import MoodCore

/// What a client has while it is connected: where it is, what it has typed, what it plays, its subscriptions. It goes back
/// with a request that fails. (SwiftUI: `@State`; React: the state of a component.)
///
/// A value, so that going back is one assignment.
struct SessionState {
    var navigation = NavigationState()
    var editor = MoodEditor()
    /// The one recording that is played.
    var playing: Recording?
    /// The store's revision when it was last looked whether the moods on the way are still there.
    var prunedRevision = 0
    var events = EventState()
    var models = ModelState()

    /// Whether something has to happen when moods change.
    var followsStore: Bool { !events.subscriptions.isEmpty || navigation.hasMoods || models.followsStore }

    /// The commit after which somebody has not been told; nil where nobody wants to be.
    var toldToAll: Int? {
        guard let told = models.told else { return events.toldToAll }
        return min(told, events.toldToAll ?? told)
    }
}
