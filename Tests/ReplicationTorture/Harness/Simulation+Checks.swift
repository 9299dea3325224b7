import JSONCodec
import Replication

extension Simulation {
    mutating func check() -> Set<String> {
        var found: Set<String> = []
        guard let folds = try? replicasFolds(), folds.count == replicas.count else { return ["broken"] }
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
        let excused = excusedNow()
        let expected = truth.expected(of: Set(truth.all.indices).subtracting(excused))
        if views[0].keys.contains(where: { expected[$0] == nil }) { found.insert("zombie") }
        if expected.keys.contains(where: { views[0][$0] == nil }) { found.insert("gone") }
        for (mood, shown) in views[0] {
            guard let wanted = expected[mood] else { continue }
            checkMood(mood, shown, wanted, folds[0], excused, &found)
        }
        return found
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
