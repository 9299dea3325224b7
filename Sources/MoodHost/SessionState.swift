import MoodCore

/// What a client is at, and loses when it leaves: where it is, what it has typed, what it plays, what it wants to be told
/// of. It goes back with a request that fails. (SwiftUI: `@State`; React: the state of a component.)
///
/// A value, so that going back is one assignment.
struct SessionState {
    var navigation = NavigationState()
    var editor = MoodEditor()
    /// The one recording that is played.
    var playing: Recording?
    /// The store's revision when it was last looked whether the moods that it is about are still there.
    var prunedRevision = 0
    var events = EventState()

    /// Whether something has to happen when moods change.
    var followsStore: Bool { !events.subscriptions.isEmpty || hasMoods }

    /// Whether there is a mood that some router leads to, or that is played.
    var hasMoods: Bool { navigation.hasMoods || playing != nil }

    var moods: Set<MoodID> {
        playing.map { navigation.moods.union([$0.mood]) } ?? navigation.moods
    }
}
