import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

/// `nav.*`: the routers of the session.
extension Core {
    static let navigationHandlers: InlineArray<_, HandlerEntry> = [
        HandlerEntry("nav.state", { (core, arguments, out) throws(RPCError) in try core.showState(arguments, &out) }),
        HandlerEntry(
            "nav.navigate",
            { (core, arguments, out) throws(RPCError) in
                let route = try core.shownRoute(arguments)
                try core.move(arguments.string("router"), &out) { (router) throws(Router.TooDeep) in
                    try router.navigate(to: route)
                }
            }
        ),
        HandlerEntry(
            "nav.replace",
            { (core, arguments, out) throws(RPCError) in
                let route = try core.shownRoute(arguments)
                try core.move(arguments.string("router"), &out) { (router) throws(Router.TooDeep) in
                    try router.replace(with: route)
                }
            }
        ),
        HandlerEntry(
            "nav.goBack",
            { (core, arguments, out) throws(RPCError) in
                try core.move(arguments.string("router"), &out) { (router) throws(Router.TooDeep) in router.goBack() }
            }
        ),
        HandlerEntry(
            "nav.goBackToRoot",
            { (core, arguments, out) throws(RPCError) in
                try core.move(arguments.string("router"), &out) { (router) throws(Router.TooDeep) in
                    router.goBackToRoot()
                }
            }
        ),
        HandlerEntry(
            "nav.open",
            { (core, arguments, out) throws(RPCError) in
                guard let route = arguments.string("url").flatMap(DeepLink.route) else {
                    throw Arguments.error("is required", at: "/url")
                }
                try core.check(route)
                try core.move(arguments.string("router"), &out) { (router) throws(Router.TooDeep) in
                    try router.open(route)
                }
            }
        ),
        HandlerEntry(
            "nav.url",
            { (_, arguments, out) throws(RPCError) in
                let route = try route(arguments)
                out.beginObject()
                out.key("url")
                out.string(DeepLink.url(of: route))
                out.endObject()
            }
        ),
        HandlerEntry("nav.menu", { (_, _, out) throws(RPCError) in Menu.write(to: &out) }),
    ]

    private static func route(_ arguments: borrowing Arguments) throws(RPCError) -> Route {
        guard let value = arguments["route"] else { throw Arguments.error("is required", at: "/route") }
        var name = ""
        var id: MoodID?
        value.forEachMember { key, value in
            if key.equals("name") { name = value.text?.string ?? "" }
            if key.equals("id") { id = value.moodID }
        }
        guard let route = Route(name: name, id: id) else {
            throw Arguments.error("is no route", at: "/route/name")
        }
        return route
    }

    /// The route that is to be shown: its mood must be there.
    private mutating func shownRoute(_ arguments: borrowing Arguments) throws(RPCError) -> Route {
        let route = try Self.route(arguments)
        try check(route)
        return route
    }

    mutating func check(_ route: Route) throws(RPCError) {
        guard case .moodDetail(let id) = route else { return }
        try open()
        do throws(MoodStoreError) {
            guard try store.contains(id) else { throw MoodStoreError.notFound(id) }
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func showState(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        // Looking at a router that nobody has used makes none.
        let name = arguments.string("router") ?? NavigationState.mainName
        state.navigation.router(name).write(name: name, to: &out)
    }

    /// Moves a router, the main one if there is no name, and writes it.
    mutating func move(
        _ name: String?, _ out: inout JSONWriter, _ body: (inout Router) throws(Router.TooDeep) -> Void
    ) throws(RPCError) {
        let name = name ?? NavigationState.mainName
        try moveRouter(name, body)
        state.navigation.router(name).write(name: name, to: &out)
    }

    /// The one place where a router changes.
    /// - Throws: `limitExceeded`, and nothing has changed.
    mutating func moveRouter(
        _ name: String, _ body: (inout Router) throws(Router.TooDeep) -> Void
    ) throws(RPCError) {
        do throws(NavigationError<Router.TooDeep>) {
            try changeState { (state) throws(NavigationError<Router.TooDeep>) in
                try state.navigation.withRouter(name, body)
            }
        } catch {
            switch error {
            case .tooManyRouters:
                throw RPCError(
                    .limitExceeded,
                    "There are \(NavigationState.routersMax) routers already. Use one of them.",
                    [.init("limit", "routers"), .init("value", .number(String(NavigationState.routersMax)))])
            case .failed:
                throw RPCError(
                    .limitExceeded,
                    "The router \(name) holds \(Router.depthMax) routes already. Go back with nav.goBack first.",
                    [.init("limit", "routerDepth"), .init("value", .number(String(Router.depthMax)))])
            }
        }
    }
}
