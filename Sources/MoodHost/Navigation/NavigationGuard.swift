import MoodCore

/// A rule that may forbid a route. (Vue Router: a navigation guard; UIKit: `shouldPerformSegue`.)
///
/// Asked for each route that `nav.navigate`, `nav.replace`, `nav.open` and `nav.restore` would show. The host has none of its
/// own: that a mood is there is checked before.
struct NavigationGuard: Sendable {
    /// Its name, for people and programs: `data.by` of the error.
    let name: String
    /// Why the route may not be shown on the router of this name, as a sentence; nil if it may.
    let veto: @Sendable (_ route: Route, _ router: String) -> String?
}
