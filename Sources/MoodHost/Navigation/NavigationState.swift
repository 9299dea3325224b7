import MoodCore
import MoodProtocol

/// The routers of a session by name; `main` is the default.
struct NavigationState {
    static let routersMax = 64
    static let mainName = "\(NavigationParams.mainRouter)"

    /// A router with its log.
    private struct Logged {
        var router = Router()
        var log = NavigationLog()
    }

    private var main = Logged()
    /// By the bytes of their names: to a client that wrote another text, an answer with this one is a stranger's.
    private var others: [[UInt8]: Logged] = [:]

    /// A router; one that was never used is at its root.
    func router(_ name: String) -> Router { logged(name)?.router ?? Router() }

    /// The moves of a router, newest first.
    func moves(of name: String, _ limit: Int) -> [NavigationLog.Entry] { logged(name)?.log.newest(limit) ?? [] }

    private func logged(_ name: String) -> Logged? {
        name == Self.mainName ? main : others[Array(name.utf8)]
    }

    /// Calls `body` with a router, which is made if missing, and logs the move.
    /// - Throws: an error if there are too many routers, or if `body` throws.
    mutating func move<Failure: Error>(
        _ name: String, _ action: NavigationLog.Action, at moment: Timestamp,
        _ body: (inout Router) throws(Failure) -> Void
    ) throws(NavigationError<Failure>) {
        if name != Self.mainName, logged(name) == nil, others.count >= Self.routersMax - 1 { throw .tooManyRouters }
        var moved = logged(name)?.router ?? Router()
        do throws(Failure) { try body(&moved) } catch { throw .failed(error) }
        if name == Self.mainName {
            Self.keep(moved, action, at: moment, in: &main)
        } else {
            Self.keep(moved, action, at: moment, in: &others[Array(name.utf8), default: Logged()])
        }
    }

    private static func keep(
        _ moved: Router, _ action: NavigationLog.Action, at moment: Timestamp, in logged: inout Logged
    ) {
        if moved == logged.router { return }
        logged.router = moved
        logged.log.add(action, to: moved.current, at: moment)
    }

    /// The moods to which the routers lead.
    var moods: Set<MoodID> {
        var moods = Set(main.router.path.compactMap(\.id))
        for other in others.values { moods.formUnion(other.router.path.compactMap(\.id)) }
        return moods
    }

    /// Whether there are any.
    var hasMoods: Bool { main.router.leadsToMood || others.values.contains { $0.router.leadsToMood } }

    /// Removes the routes of deleted moods, and logs that.
    /// - Returns: the names of the changed routers, in order.
    mutating func remove(_ ids: Set<MoodID>, at moment: Timestamp) -> [String] {
        ([Self.mainName] + others.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()).filter { name in
            guard var pruned = logged(name)?.router, pruned.remove(ids) else { return false }
            if name == Self.mainName {
                Self.keep(pruned, .prune, at: moment, in: &main)
            } else {
                Self.keep(pruned, .prune, at: moment, in: &others[Array(name.utf8), default: Logged()])
            }
            return true
        }
    }
}

enum NavigationError<Failure: Error>: Error {
    case tooManyRouters
    case failed(Failure)
}
