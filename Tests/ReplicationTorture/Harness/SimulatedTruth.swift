import JSONCodec

/// Every change of a user, with all changes that the store had seen: the standard for the replicas. It knows nothing of
/// records, vectors or clocks.
final class SimulatedTruth {
    enum Kind { case put, delete, clear }

    struct Change {
        let kind: Kind
        let mood: UUID?
        /// The values that were set; nil: removed.
        let values: [String: String?]
        let known: Set<Int>
        let before: SimulatedMood
        let settles: Bool
    }

    private(set) var all: [Change] = []

    func add(_ change: Change) -> Int {
        all.append(change)
        return all.count - 1
    }

    /// Whether change `v` replaced the value of `u`: it knew `u`, and that was shown, or it settled the conflict.
    func isReplaced(_ u: Int, by v: Int, _ member: String) -> Bool {
        let (a, b) = (all[u], all[v])
        guard b.known.contains(u), a.mood == b.mood, let value = a.values[member], b.values[member] != nil else {
            return false
        }
        return SimulatedMoods.isTag(member) || b.settles || b.before[member] == value
    }

    struct Expected {
        /// Whether a change remains that no deletion knew.
        var isThere = false
        /// By member: the changes that were not replaced or deleted knowingly.
        var heads: [String: Set<Int>] = [:]
    }

    /// The expected moods after these changes.
    func expected(of known: Set<Int>) -> [UUID: Expected] {
        var expected: [UUID: Expected] = [:]
        let puts = known.filter { all[$0].kind == .put }
        let ends = known.filter { all[$0].kind != .put }
        for u in puts {
            guard let mood = all[u].mood else { continue }
            if ends.contains(where: { (all[$0].kind == .clear || all[$0].mood == mood) && all[$0].known.contains(u) }) {
                continue
            }
            if !puts.contains(where: { all[$0].mood == mood && all[$0].known.contains(u) }) {
                expected[mood, default: Expected()].isThere = true
            }
            for member in all[u].values.keys where !puts.contains(where: { isReplaced(u, by: $0, member) }) {
                expected[mood, default: Expected()].heads[member, default: []].insert(u)
            }
        }
        return expected.filter(\.value.isThere)
    }
}
