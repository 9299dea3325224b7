import JSONCodec

/// A router's last moves. (Analytics of a router; React Router: a listener on the history.)
///
/// A session keeps copies of its state, to go back to. Entries are in small blocks that the copies share, so adding one
/// copies at most one block.
public struct NavigationLog: Sendable {
    /// The cause of a move.
    public enum Action: String, Sendable, CaseIterable {
        case navigate, replace, goBack, goBackToRoot, open, restore
        /// A mood was deleted, and its routes with it.
        case prune
    }

    public struct Entry: Sendable {
        public let at: Timestamp
        public let action: Action
        /// The route after the move.
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

    /// The fewest of the last moves that are kept.
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

    /// The number of kept moves.
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
