import MoodCore

/// What a client is at, and loses when it leaves: where it is, what it has typed, what it plays. It goes back with a request
/// that fails. (SwiftUI: `@State`; React: the state of a component.)
///
/// A value, so that going back is one assignment.
struct SessionState {
    var navigation = NavigationState()
    var editor = MoodEditor()
    /// The one recording that is played.
    var playing: Recording?
}
