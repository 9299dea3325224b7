import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

/// `nav.*`: the routers of the session.
extension Core {
    static let navigationHandlers: InlineArray<_, Handler> = [
        Handler(
            NavigationMethods.state, { (core, _, arguments, out) throws(RPCError) in core.showState(arguments, &out) }),
        Handler(
            NavigationMethods.navigate,
            check: { (_, _, arguments) throws(RPCError) in
                need(of: try route(arguments[NavigationParams.route]))
            },
            routes: { (_, arguments) throws(RPCError) in
                [(try route(arguments[NavigationParams.route]), arguments[NavigationParams.router])]
            },
            { (core, _, arguments, out) throws(RPCError) in
                try core.move(
                    arguments[NavigationParams.router], .navigate(Self.route(arguments[NavigationParams.route])), &out)
            }
        ),
        Handler(
            NavigationMethods.replace,
            check: { (_, _, arguments) throws(RPCError) in
                need(of: try route(arguments[NavigationParams.route]))
            },
            routes: { (_, arguments) throws(RPCError) in
                [(try route(arguments[NavigationParams.route]), arguments[NavigationParams.router])]
            },
            { (core, _, arguments, out) throws(RPCError) in
                try core.move(
                    arguments[NavigationParams.router], .replace(Self.route(arguments[NavigationParams.route])), &out)
            }
        ),
        Handler(
            NavigationMethods.goBack,
            { (core, _, arguments, out) throws(RPCError) in
                try core.move(arguments[NavigationParams.router], .goBack, &out)
            }
        ),
        Handler(
            NavigationMethods.goBackToRoot,
            { (core, _, arguments, out) throws(RPCError) in
                try core.move(arguments[NavigationParams.router], .goBackToRoot, &out)
            }
        ),
        Handler(
            NavigationMethods.open,
            check: { (_, _, arguments) throws(RPCError) in need(of: try linked(arguments)) },
            routes: { (_, arguments) throws(RPCError) in
                [(try linked(arguments), arguments[NavigationParams.router])]
            },
            { (core, _, arguments, out) throws(RPCError) in
                try core.move(arguments[NavigationParams.router], .open(try linked(arguments)), &out)
            }
        ),
        Handler(
            NavigationMethods.url,
            { (_, _, arguments, out) throws(RPCError) in
                let route = try route(arguments[NavigationParams.route])
                out.beginObject()
                out.key("url")
                out.string(DeepLink.url(of: route))
                out.endObject()
            }
        ),
        Handler(
            NavigationMethods.menu,
            { (core, _, _, out) throws(RPCError) in
                core.loadPlugins()
                Menu.write(plugins: core.plugins.menu, to: &out)
            }
        ),
        Handler(
            NavigationMethods.screen,
            check: { (core, _, arguments) throws(RPCError) in try core.needOfScreen(arguments) },
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.showScreen(request, arguments, &out) }
        ),
        Handler(
            NavigationMethods.log, { (core, _, arguments, out) throws(RPCError) in core.writeLog(arguments, &out) }),
        Handler(
            NavigationMethods.save, [.makes, .durable],
            { (core, _, arguments, out) throws(RPCError) in try core.saveRouter(arguments, &out) }),
        Handler(
            NavigationMethods.restore, .reads,
            routes: { (core, arguments) throws(RPCError) in
                let router = arguments[NavigationParams.router]
                return try core.savedPath(arguments).kept.map { ($0, router) }
            },
            { (core, _, arguments, out) throws(RPCError) in try core.restoreRouter(arguments, &out) }),
    ]

    /// The needs of a route. A route to a mood reads the store, to check that the mood exists.
    private static func need(of route: Route) -> Need { route.id == nil ? [] : .reads }

    private static func linked(_ arguments: borrowing Arguments) throws(RPCError) -> Route {
        guard let route = DeepLink.route(of: arguments[NavigationParams.url]) else {
            throw Arguments.error("is no moodboard:// URL", at: "/url")
        }
        return route
    }

    static func route(_ value: ValidJSON) throws(RPCError) -> Route {
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

    private func showState(_ arguments: borrowing Arguments, _ out: inout JSONWriter) {
        // Reading a router that was never used makes none.
        let name = arguments[NavigationParams.router]
        state.navigation.router(name).write(name: name, to: &out)
    }

    /// Writes `{items}`, newest first.
    private func writeLog(_ arguments: borrowing Arguments, _ out: inout JSONWriter) {
        let name = arguments[NavigationParams.router]
        out.beginObject()
        out.key("items")
        out.beginArray()
        for entry in state.navigation.moves(of: name, arguments[NavigationParams.moves]) { entry.write(to: &out) }
        out.endArray()
        out.endObject()
    }
}

// MARK: - Moving

/// A client's request to a router.
enum NavigationMove {
    case navigate(Route)
    case replace(Route)
    case open(Route)
    case goBack
    case goBackToRoot
}

extension Core {
    /// Moves a router and writes its state.
    /// - Throws: `limitExceeded`.
    mutating func move(_ name: String, _ move: NavigationMove, _ out: inout JSONWriter) throws(RPCError) {
        switch move {
        case .navigate(let route):
            try moveRouter(name, .navigate) { (router) throws(Router.TooDeep) in try router.navigate(to: route) }
        case .replace(let route):
            try moveRouter(name, .replace) { (router) throws(Router.TooDeep) in try router.replace(with: route) }
        case .open(let route):
            try moveRouter(name, .open) { (router) throws(Router.TooDeep) in try router.open(route) }
        case .goBack: try moveRouter(name, .goBack) { (router) throws(Router.TooDeep) in router.goBack() }
        case .goBackToRoot:
            try moveRouter(name, .goBackToRoot) { (router) throws(Router.TooDeep) in router.goBackToRoot() }
        }
        state.navigation.router(name).write(name: name, to: &out)
    }

    /// Checks that the routes of a request may be shown: each mood exists, and all guards and hooks agree.
    mutating func ask(
        about routes: Handler.Routes, _ request: borrowing Request, _ arguments: borrowing Arguments
    ) throws(Stop) {
        let asked: [(route: Route, router: String)]
        do throws(RPCError) {
            asked = try routes(&self, arguments)
            for (route, router) in asked {
                if let id = route.id, try !isThere(id) { throw RPCError(MoodStoreError.notFound(id)) }
                for one in guards {
                    guard let reason = one.veto(route, router) else { continue }
                    throw RPCError(
                        .refused, reason, [.init("by", .string(one.name)), .init("reason", .string(reason))])
                }
            }
        } catch {
            throw .refused(error)
        }
        guard pluginFlags.contains(.navigateHooks) else { return }
        for (route, router) in asked { try askNavigateHooks(route, router, request) }
    }

    mutating func isThere(_ id: MoodID) throws(RPCError) -> Bool {
        do throws(MoodStoreError) { return try store.contains(id) } catch { throw RPCError(error) }
    }

    /// Changes a router and reports it; the one place that does.
    /// - Throws: `limitExceeded` without any change.
    mutating func moveRouter(
        _ name: String, _ action: NavigationLog.Action, _ body: (inout Router) throws(Router.TooDeep) -> Void
    ) throws(RPCError) {
        let before = state.navigation.router(name)
        let now = now
        do throws(NavigationError<Router.TooDeep>) {
            try changeState { (state) throws(NavigationError<Router.TooDeep>) in
                try state.navigation.move(name, action, at: now, body)
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
        if state.navigation.router(name) != before { tellOfNavigation(name) }
    }
}
