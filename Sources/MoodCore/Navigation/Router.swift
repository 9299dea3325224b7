import JSONCodec

/// A client's position: a stack of routes over the menu. Only this type changes it. (SwiftUI: `NavigationStack(path:)`;
/// UIKit: a coordinator; Compose: `NavController`; React: a history.)
///
/// Invariant: `path` never contains `menu`, which is the root below it, and has at most `depthMax` routes.
public struct Router: Sendable, Equatable {
    public static let depthMax = 64

    /// The routes above the root, the current one last.
    public private(set) var path: [Route] = []

    public init() {}

    public var current: Route { path.last ?? .menu }
    public var canGoBack: Bool { !path.isEmpty }

    /// The stack is full.
    public struct TooDeep: Error {}

    /// Shows a route on top of the present one; `menu` goes back to the root.
    public mutating func navigate(to route: Route) throws(TooDeep) {
        if route == .menu { return goBackToRoot() }
        guard path.count < Self.depthMax else { throw TooDeep() }
        path.append(route)
    }

    /// Shows a route, unless it is already shown, for deep links.
    public mutating func open(_ route: Route) throws(TooDeep) {
        if route != current { try navigate(to: route) }
    }

    /// Shows a route in place of the present one. At the root it goes on top.
    public mutating func replace(with route: Route) throws(TooDeep) {
        if route == .menu { return goBackToRoot() }
        if !path.isEmpty { path.removeLast() }
        try navigate(to: route)
    }

    /// Goes one step back. At the root nothing happens.
    public mutating func goBack() {
        if !path.isEmpty { path.removeLast() }
    }

    public mutating func goBackToRoot() { path.removeAll() }

    /// Replaces the path. The last of these routes is shown, the others are below it.
    public mutating func restore(_ routes: [Route]) throws(TooDeep) {
        let routes = routes.filter { $0 != .menu }
        guard routes.count <= Self.depthMax else { throw TooDeep() }
        path = routes
    }

    /// Whether a mood's route is in the path.
    public var leadsToMood: Bool { path.contains { $0.id != nil } }

    /// Removes the routes of deleted moods.
    /// - Returns: whether there were any.
    public mutating func remove(_ moods: Set<MoodID>) -> Bool {
        let before = path.count
        path.removeAll { route in route.id.map(moods.contains) ?? false }
        return path.count < before
    }

    /// Writes `{router, path, current, canGoBack, depth}`.
    public func write(name: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(name: name, to: &writer)
        writer.endObject()
    }

    /// Writes only the members, for an object that has more.
    public func writeMembers(name: String, to writer: inout JSONWriter) {
        writer.member("router", name)
        writer.beginArray("path")
        for route in path { route.write(to: &writer) }
        writer.endArray()
        writer.key("current")
        current.write(to: &writer)
        writer.member("canGoBack", canGoBack)
        writer.member("depth", path.count)
    }
}
