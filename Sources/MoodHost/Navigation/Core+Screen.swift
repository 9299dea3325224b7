import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `nav.screen`: gathers what the screen of a route shows, then lets the screen write itself.
extension Core {
    mutating func showScreen(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws(RPCError) {
        // Actions name the router where the request did.
        let router = arguments[has: NavigationParams.router] ? arguments[NavigationParams.router] : nil
        let asked = arguments[NavigationParams.screen]
        let isAsked = asked != nil
        let route =
            if let asked {
                try Self.route(asked)
            } else {
                state.navigation.router(arguments[NavigationParams.router]).current
            }
        if let id = route.id {
            // A mood that was asked for must be there; one that the router still shows may be gone by now.
            let isShown = isAsked ? true : try isThere(id)
            if isShown { return try showMood(id, router, request, arguments, &out) }
        }
        let screen = Screen(
            route, router: router, context: reading(arguments, in: nil),
            isZoneGiven: arguments[has: ReadingParams.timeZone],
            try content(of: route))
        do throws(TextError) { try screen.write(&phrases, to: &out) } catch { throw RPCError(error) }
    }

    private mutating func showMood(
        _ id: MoodID, _ router: String?, _ request: borrowing Request, _ arguments: borrowing Arguments,
        _ out: inout JSONWriter
    ) throws(RPCError) {
        if pluginFlags.contains(.unread) { try open() }
        guard pluginFlags.contains(.cells) else {
            return try show(id, DetailRequest(request, arguments), .screen(router: router), &out)
        }
        try showWithPlugins(
            id, DetailRequest(request, arguments), .screen(router: router),
            try pluginReading(of: id, request, arguments),
            waitMilliseconds: request.caller.plugin == nil ? Core.cellsMilliseconds : 0, &out)
    }

    /// What the menu and the form show needs no store.
    private mutating func content(of route: Route) throws(RPCError) -> Screen.Content {
        var content = Screen.Content()
        if route == .introState || route == .architecture {
            content.editor = state.editor
            content.rules = editorRules()
        }
        if [.observation, .architecture, .crudList].contains(route) {
            try open()
            do throws(MoodStoreError) { content.moods = try store.newest(Screen.rowsMax) } catch {
                throw RPCError(error)
            }
        }
        return content
    }
}
