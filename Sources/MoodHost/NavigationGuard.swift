import MoodCore

/// Somebody who may say that a route is not to be shown. (Vue Router: a navigation guard; UIKit: `shouldPerformSegue`.)
///
/// Asked for each route that `nav.navigate`, `nav.replace`, `nav.open` and `nav.restore` would show. The host has none of its
/// own: that a mood is there is checked before.
struct NavigationGuard: Sendable {
    /// Who it is, for people and programs: `data.by` of the error.
    let name: String
    /// Why the route may not be shown on the router of this name, as a sentence; nil where it may.
    let veto: @Sendable (_ route: Route, _ router: String) -> String?
}
