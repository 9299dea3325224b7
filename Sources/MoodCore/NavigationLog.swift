import JSONCodec

/// Where a router has been: its last moves. (Analytics of a router; React Router: a listener on the history.)
///
/// A session keeps copies of its state, to go back to. So entries are in small blocks that copies share: adding one
/// copies a block at most.
public struct NavigationLog: Sendable {
    /// What moved the router.
    public enum Action: String, Sendable, CaseIterable {
        case navigate, replace, goBack, goBackToRoot, open, restore
        /// A mood was deleted, and its routes with it.
        case prune
    }

    public struct Entry: Sendable {
        public let at: Timestamp
        public let action: Action
        /// The route that was shown then.
        public let route: Route

        /// Writes `{at, action, route}`.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("at", at.text)
            writer.member("action", action.rawValue)
            writer.key("route")
            route.write(to: &writer)
            writer.endObject()
        }
    }

    /// At least this many of the last moves are kept.
    public static let keptMin = 1000
    private static let blockLength = 32

    private var full: [[Entry]] = []
    private var last: [Entry] = []

    public init() {}

    public mutating func add(_ action: Action, to route: Route, at moment: Timestamp) {
        if last.count == Self.blockLength {
            full.append(last)
            last.removeAll()
            if full.count * Self.blockLength >= Self.keptMin + Self.blockLength { full.removeFirst() }
        }
        last.append(Entry(at: moment, action: action, route: route))
    }

    /// How many moves are kept.
    public var count: Int { full.count * Self.blockLength + last.count }

    /// The last moves, newest first.
    public func newest(_ limit: Int) -> [Entry] {
        var entries = Array(last.reversed().prefix(limit))
        for block in full.reversed() where entries.count < limit {
            entries += block.reversed().prefix(limit - entries.count)
        }
        return entries
    }
}
