import JSONCodec
import Replication

extension Simulation {
    mutating func check() -> Set<String> {
        guard let folds = try? replicasFolds() else { return ["broken"] }
        return judged(folds)
    }

    /// - Parameter all: what the records say at each replica; nil where records are missing that its store has seen.
    private func judged(_ all: [Fold?]) -> Set<String> {
        var (open, folds, gone): ([SimulatedReplica], [Fold], Set<Int>) = ([], [], [])
        for (place, fold) in all.enumerated() {
            if let fold {
                open.append(replicas[place])
                folds.append(fold)
                continue
            }
            // A store that has seen what is nowhere any more brings nothing in, and says so. What was done there waits.
            guard replicas[place].isIncomplete, hasSeenGone(place, all) else { return ["broken"] }
            gone.formUnion(replicas[place].known)
        }
        for replica in open { gone.subtract(replica.known) }
        return open.isEmpty ? [] : judged(open, folds, excusedNow().union(gone))
    }

    private func judged(_ replicas: [SimulatedReplica], _ folds: [Fold], _ excused: Set<Int>) -> Set<String> {
        var found: Set<String> = []
        let views = replicas.map(\.view)
        let conflicts = folds.map { fold in
            Set(
                fold.conflicts.map {
                    "\($0.id.mood.text) \($0.id.member.text) \($0.other.map(SimulatedMoods.text) ?? "-")"
                })
        }
        for replica in replicas {
            for id in replica.missing.last.keys {
                for head in replica.missing.heads(of: id)
                where folds.contains(where: { $0.known.contains(id, head.number, head.crc) }) { found.insert("stuck") }
            }
        }
        if views.contains(where: { $0 != views[0] }) || conflicts.contains(where: { $0 != conflicts[0] }) {
            found.insert("diverged")
        }
        for (place, fold) in folds.enumerated() {
            var shown: [UUID: [UInt8]] = [:]
            fold.forEachID { shown[$0] = fold.shown($0)?.bytes }
            if shown != replicas[place].moods.moods.mapValues(\.bytes) { found.insert("unfolded") }
        }
        let expected = truth.expected(of: Set(truth.all.indices).subtracting(excused))
        if views[0].keys.contains(where: { expected[$0] == nil }) { found.insert("zombie") }
        if expected.keys.contains(where: { views[0][$0] == nil }) { found.insert("gone") }
        for (mood, shown) in views[0] {
            guard let wanted = expected[mood] else { continue }
            checkMood(mood, shown, wanted, folds[0], excused, &found)
        }
        return found
    }

    /// Whether a store has seen a record that nothing has any more and that its own commits do not say.
    private func hasSeenGone(_ place: Int, _ folds: [Fold?]) -> Bool {
        var seen: [UUID: Set<Vector.Head>] = [:]
        for commit in replicas[place].moods.journal {
            for id in commit.saw?.last.keys.map({ $0 }) ?? [] {
                seen[id, default: []].formUnion(commit.saw?.heads(of: id) ?? [])
            }
        }
        // A record without the one before it cannot be applied.
        func isThere(_ id: UUID, _ head: Vector.Head) -> Bool {
            let isKnown =
                head.number == 0 || folds.contains { $0?.known.contains(id, head.number, head.crc) ?? false }
                || replicas.contains { replica in
                    replica.sync.base.known.contains(id, head.number, head.crc)
                        || replica.place.snapshots.values.contains {
                            $0.isReadable
                                && SnapshotText.fold($0.text)?.fold.known.contains(id, head.number, head.crc) ?? false
                        }
                }
            return isKnown
                || replicas.contains { replica in
                    let all = (replica.sync.own[id] ?? []) + replica.sync.others
                    let record =
                        all.first { $0.replica == id && $0.crc == head.crc } ?? replica.place.records[id]?[head.number]
                    guard let record, record.crc == head.crc else { return false }
                    return isThere(id, Vector.Head(number: record.number - 1, crc: record.before))
                }
        }
        let mine = Set(replicas[place].moods.journal.flatMap(\.numbers))
        return seen.contains { id, heads in
            heads.contains { !isThere(id, $0) && !ledgerChanges(id, $0).isSubset(of: mine) }
        }
    }

    private func checkMood(
        _ mood: UUID, _ shown: SimulatedMood, _ wanted: SimulatedTruth.Expected, _ fold: Fold,
        _ excused: Set<Int>, _ found: inout Set<String>
    ) {
        let conflicts = fold.conflicts(of: mood)
        for member in SimulatedMoods.members {
            let heads = Set((wanted.heads[member] ?? []).map { truth.all[$0].values[member] ?? nil })
            if SimulatedMoods.isTag(member) {
                if !heads.isEmpty, (shown[member] != nil) != heads.contains("true") { found.insert("lost") }
                continue
            }
            let kept = Set(
                conflicts.filter { $0.id.member.text == member }.map { $0.other.map(SimulatedMoods.text) })
            let puts = truth.all.indices.filter {
                truth.all[$0].mood == mood && truth.all[$0].values[member] != nil && !excused.contains($0)
            }
            let replaced = puts.filter { u in puts.contains { truth.isReplaced(u, by: $0, member) } }
            let old = Set(replaced.map { truth.all[$0].values[member] ?? nil }).subtracting(heads)
            if !heads.subtracting([shown[member]]).subtracting(kept).isEmpty { found.insert("lost") }
            if !kept.intersection(old).isEmpty { found.insert("false") }
            if !heads.isEmpty, old.contains(shown[member]) { found.insert("clobbered") }
        }
    }
}
