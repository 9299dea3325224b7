import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `nav.screen`: gathers the contents of a route's screen, then lets the screen write itself.
extension Core {
    mutating func showScreen(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        // Actions name the router if the request did.
        let router = arguments[has: NavigationParams.router] ? arguments[NavigationParams.router] : nil
        let isAsked = arguments[NavigationParams.screen] != nil
        let route = try shownRoute(arguments)
        if let id = route.id {
            // A requested mood must exist; one that the router still shows may be deleted by now.
            if try isAsked || store.contains(id) { return try showMood(id, router, request, arguments, &out) }
        }
        let screen = Screen(
            route, router: router, context: reading(arguments, in: nil),
            isZoneGiven: arguments[has: ReadingParams.timeZone],
            try content(of: route))
        try screen.write(&phrases, to: &out)
        return nil
    }

    private func shownRoute(_ arguments: borrowing Arguments) throws -> Route {
        if let asked = arguments[NavigationParams.screen] { return try Self.route(asked) }
        return state.navigation.router(arguments[NavigationParams.router]).current
    }

    /// The needs of a screen. The menu and the form need no store.
    func needOfScreen(_ arguments: borrowing Arguments) throws -> Need {
        let route = try shownRoute(arguments)
        return route.id != nil || Self.listRoutes.contains(route) ? .reads : []
    }

    private static let listRoutes: [Route] = [.observation, .architecture, .crudList]

    private mutating func showMood(
        _ id: MoodID, _ router: String?, _ request: borrowing Request, _ arguments: borrowing Arguments,
        _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        guard pluginFlags.contains(.cells) else {
            try show(id, DetailRequest(request, arguments), .screen(router: router), &out)
            return nil
        }
        return try showWithPlugins(
            id, DetailRequest(request, arguments), .screen(router: router),
            try pluginReading(of: id, request, arguments),
            waitMilliseconds: request.caller.plugin == nil ? Core.cellsMilliseconds : 0, &out)
    }

    private mutating func content(of route: Route) throws -> Screen.Content {
        var content = Screen.Content()
        if route == .introState || route == .architecture {
            content.editor = state.editor
            content.rules = editorRules()
        }
        if Self.listRoutes.contains(route) {
            content.moods = try store.newest(Screen.rowsMax)
        }
        return content
    }
}
