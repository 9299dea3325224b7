import MoodCore

/// A rule that may forbid a route. (Vue Router: a navigation guard; UIKit: `shouldPerformSegue`.)
///
/// The host asks it for each route that `nav.navigate`, `nav.replace`, `nav.open` and `nav.restore` would show. The
/// host has no guards of its own: it checks beforehand that moods exist.
struct NavigationGuard: Sendable {
    /// Its name, for users and programs: `data.by` of the error.
    let name: String
    /// The reason to forbid the route on the router of this name, as a sentence; nil allows it.
    let veto: @Sendable (_ route: Route, _ router: String) -> String?
}
