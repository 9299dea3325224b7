import MoodCore

/// The routers of a session by name; `main` is the one for a client that asks for no other.
struct NavigationState {
    static let routersMax = 64
    static let mainName = "main"

    private var main = Router()
    private var others: [String: Router] = [:]

    /// A router as it is; one that nobody has used is at its root.
    func router(_ name: String) -> Router {
        name == Self.mainName ? main : others[name] ?? Router()
    }

    /// Calls `body` with a router, which is made when there is none of this name.
    /// - Throws: when there are too many, or when `body` throws.
    mutating func withRouter<Failure: Error>(
        _ name: String, _ body: (inout Router) throws(Failure) -> Void
    ) throws(NavigationError<Failure>) {
        if name == Self.mainName {
            do throws(Failure) { return try body(&main) } catch { throw .failed(error) }
        }
        if others[name] == nil, others.count >= Self.routersMax - 1 { throw .tooManyRouters }
        var router = others[name] ?? Router()
        do throws(Failure) { try body(&router) } catch { throw .failed(error) }
        others[name] = router
    }

    /// The moods that some router leads to.
    var moods: Set<MoodID> {
        var moods = Set(main.path.compactMap(\.id))
        for router in others.values { moods.formUnion(router.path.compactMap(\.id)) }
        return moods
    }

    /// Whether there are any.
    var hasMoods: Bool { main.leadsToMood || others.values.contains { $0.leadsToMood } }

    /// Takes the routes of moods out that are gone.
    /// - Returns: the names of the routers that had some, in order.
    mutating func remove(_ ids: [MoodID]) -> [String] {
        var moved: [String] = []
        if main.remove(ids) { moved.append(Self.mainName) }
        for name in others.keys.sorted() where others[name]?.remove(ids) == true { moved.append(name) }
        return moved
    }
}

enum NavigationError<Failure: Error>: Error {
    case tooManyRouters
    case failed(Failure)
}
