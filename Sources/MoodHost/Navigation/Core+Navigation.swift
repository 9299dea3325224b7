import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

/// `nav.*`: the routers of the session.
extension Core {
    static let navigationHandlers: InlineArray<_, Handler> = [
        Handler(NavigationMethods.state, { $0.showState($2, &$3) }),
        Handler(
            NavigationMethods.navigate,
            check: { need(of: try route($2[NavigationParams.route])) },
            routes: { [(try route($1[NavigationParams.route]), $1[NavigationParams.router])] },
            { try $0.move($2[NavigationParams.router], .navigate, to: route($2[NavigationParams.route]), &$3) }),
        Handler(
            NavigationMethods.replace,
            check: { need(of: try route($2[NavigationParams.route])) },
            routes: { [(try route($1[NavigationParams.route]), $1[NavigationParams.router])] },
            { try $0.move($2[NavigationParams.router], .replace, to: route($2[NavigationParams.route]), &$3) }),
        Handler(NavigationMethods.goBack, { try $0.move($2[NavigationParams.router], .goBack, &$3) }),
        Handler(NavigationMethods.goBackToRoot, { try $0.move($2[NavigationParams.router], .goBackToRoot, &$3) }),
        Handler(
            NavigationMethods.open,
            check: { need(of: try linked($2)) },
            routes: { [(try linked($1), $1[NavigationParams.router])] },
            { try $0.move($2[NavigationParams.router], .open, to: linked($2), &$3) }),
        Handler(
            NavigationMethods.url,
            { (_, _, arguments, out) throws in
                let route = try route(arguments[NavigationParams.route])
                out.beginObject()
                out.member("url", DeepLink.url(of: route))
                out.endObject()
            }
        ),
        Handler(
            NavigationMethods.menu,
            { (core, _, _, out) throws in
                core.loadPlugins()
                Menu.write(plugins: core.plugins.menu, to: &out)
            }
        ),
        Handler(
            NavigationMethods.screen,
            check: { try $0.needOfScreen($2) }, maybe: { try $0.showScreen($1, $2, &$3) }),
        Handler(NavigationMethods.log, { $0.writeLog($2, &$3) }),
        Handler(NavigationMethods.save, [.makes, .durable], { try $0.saveRouter($2, &$3) }),
        Handler(
            NavigationMethods.restore, .reads,
            routes: { (core, arguments) throws in
                let router = arguments[NavigationParams.router]
                return try core.savedPath(arguments).kept.map { ($0, router) }
            },
            { try $0.restoreRouter($2, &$3) }),
    ]

    /// The needs of a route. A route to a mood reads the store, to check that the mood exists.
    private static func need(of route: Route) -> Need { route.id == nil ? [] : .reads }

    private static func linked(_ arguments: borrowing Arguments) throws -> Route {
        guard let route = DeepLink.route(of: arguments[NavigationParams.url]) else {
            throw Arguments.error("is no moodboard:// URL", at: "/url")
        }
        return route
    }

    static func route(_ value: ValidJSON) throws -> Route {
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
        out.member("items", array: state.navigation.moves(of: name, arguments[NavigationParams.moves])) { entry, out in
            entry.write(to: &out)
        }
        out.endObject()
    }
}

// MARK: - Moving

extension Core {
    /// Moves a router and writes its state.
    /// - Throws: `limitExceeded`.
    mutating func move(
        _ name: String, _ action: NavigationLog.Action, to route: Route? = nil, _ out: inout JSONWriter
    ) throws {
        try moveRouter(name, action) { (router) throws(Router.TooDeep) in
            switch (action, route) {
            case (.navigate, let route?): try router.navigate(to: route)
            case (.replace, let route?): try router.replace(with: route)
            case (.open, let route?): try router.open(route)
            case (.goBackToRoot, _): router.goBackToRoot()
            default: router.goBack()
            }
        }
        state.navigation.router(name).write(name: name, to: &out)
    }

    /// Checks that the routes of a request may be shown: each mood exists, and all guards and hooks agree.
    mutating func ask(
        about routes: Handler.Routes, _ request: borrowing Request, _ arguments: borrowing Arguments
    ) throws {
        let asked = try routes(&self, arguments)
        for (route, router) in asked {
            if let id = route.id, try !store.contains(id) { throw RPCError(MoodStoreError.notFound(id)) }
            for one in guards {
                guard let reason = one.veto(route, router) else { continue }
                throw RPCError.refused(by: one.name, reason)
            }
        }
        // The store, with which plugins are read, need not be open for a route.
        if pluginFlags.contains(.unread) { loadPlugins() }
        guard pluginFlags.contains(.navigateHooks) || request.isAgain else { return }
        for (route, router) in asked { try askNavigateHooks(route, router, request) }
    }

    /// Changes a router and reports it; the one place that does.
    /// - Throws: `limitExceeded` without any change.
    mutating func moveRouter(
        _ name: String, _ action: NavigationLog.Action, _ body: (inout Router) throws(Router.TooDeep) -> Void
    ) throws {
        let before = state.navigation.router(name)
        let now = now
        do throws(NavigationError<Router.TooDeep>) {
            try changeState { (state) throws(NavigationError<Router.TooDeep>) in
                try state.navigation.move(name, action, at: now, body)
            }
        } catch {
            switch error {
            case .tooManyRouters:
                throw RPCError.over(
                    "routers", NavigationState.routersMax,
                    "There are \(NavigationState.routersMax) routers already. Use one of them.")
            case .failed:
                throw RPCError.over(
                    "routerDepth", Router.depthMax,
                    "The router \(name) holds \(Router.depthMax) routes already. Go back with nav.goBack first.")
            }
        }
        if state.navigation.router(name) != before { tellOfNavigation(name) }
    }
}
