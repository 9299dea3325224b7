import MoodCore

/// What a client is at, and loses when it leaves: where it is, and what it has typed. It goes back with a request that fails.
/// (SwiftUI: `@State`; React: the state of a component.)
///
/// A value, so that going back is one assignment.
struct SessionState {
    var navigation = NavigationState()
    var editor = MoodEditor()
}
