import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `nav.save` and `nav.restore`: routers that outlive their session.
extension Core {
    mutating func saveRouter(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        let name = arguments[NavigationParams.name]
        let router = arguments[NavigationParams.router]
        // A route may lead to a mood of an earlier request of the group. Its commit becomes durable first, so that a
        // saved route never leads nowhere. A save cannot be reverted, so it ends the group.
        try store.flushEarly()
        // If the group is being answered again, every change of it is refused.
        if let failure = store.failure { throw failure }
        var saved = try store.savedNavigation()
        do throws(SavedNavigation.Full) {
            try saved.save(state.navigation.router(router).path, as: name, at: now)
        } catch {
            throw RPCError.over(
                "savedStates", SavedNavigation.countMax,
                "There are \(SavedNavigation.countMax) saved states already. Save under a name that is there.")
        }
        try store.keep(saved)
        state.navigation.router(router).write(name: router, to: &out)
    }

    /// Restores a router, and writes its state with `dropped`.
    mutating func restoreRouter(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        let router = arguments[NavigationParams.router]
        let (kept, dropped) = try savedPath(arguments)
        try moveRouter(router, .restore) { (router) throws(Router.TooDeep) in try router.restore(kept) }
        out.beginObject()
        state.navigation.router(router).writeMembers(name: router, to: &out)
        out.member("dropped", array: dropped) { route, out in route.write(to: &out) }
        out.endObject()
    }

    /// The routes of a saved path that can be shown, and those that cannot.
    mutating func savedPath(
        _ arguments: borrowing Arguments
    ) throws -> (kept: [Route], dropped: [SavedNavigation.SavedRoute]) {
        let name = arguments[NavigationParams.name]
        guard let path = try store.savedNavigation().path(name) else { throw RPCError.nothingSaved(name) }
        var kept: [Route] = []
        var dropped: [SavedNavigation.SavedRoute] = []
        for saved in path {
            guard case .known(let route) = saved, try isShowable(route) else {
                dropped.append(saved)
                continue
            }
            kept.append(route)
        }
        return (kept, dropped)
    }

    private mutating func isShowable(_ route: Route) throws -> Bool {
        guard let id = route.id else { return true }
        return try store.contains(id)
    }
}

extension RPCError {
    fileprivate static func nothingSaved(_ name: String) -> RPCError {
        RPCError(
            .notFound, "Nothing is saved under the name \"\(name)\". Save a router with nav.save.",
            [.init("name", .string(name))])
    }
}
