import JSONCodec
import MoodCore
import Platform
import Replication

/// Whether the other side lacks known records: it was emptied, put back, or has a hole.
extension SyncRound {
    mutating func isLacking() throws(SyncError) -> Bool {
        let covering = there.compactMap { snapshot -> Vector? in
            state.snapshots[snapshot.noteID] ?? (snapshot.vector.hasAllCrcs ? snapshot.vector : nil)
        }.map { replica.fold.known.resolved($0) }
        // The records of each branch that no snapshot covers.
        var wanted: [(id: UUID, from: Int, branch: [Known.Entry])] = []
        for (id, branches) in replica.fold.known.branches {
            for branch in branches {
                let covered = covering.map { replica.fold.known.covered(of: branch, id, by: $0) }.max() ?? 0
                if covered < branch.count { wanted.append((id, covered, branch)) }
            }
        }
        let files = transport.files
        defer { state.files = files ?? [] }
        // A place holds one branch, and a number does not show which.
        var mustLook = false
        for one in wanted {
            if replica.fold.known.isBranched(one.id) { mustLook = true }
            // Own records are sent as soon as possible.
            guard last[one.id] >= one.branch.count else { return true }
            guard let tip = tips[one.id] else { continue }
            if tip.number == one.branch.count, tip.crc != one.branch[tip.number - 1].crc { return true }
        }
        if wanted.isEmpty { return false }
        // The round searches for a hole if a file has gone, and at intervals.
        let now = Clock.milliseconds
        // Nothing can have gone before the first round.
        if state.checked == 0 { state.checked = now }
        let hasLost = files.map { files in state.files.contains { !files.contains($0) } } ?? false
        guard
            mustLook || hasLost || state.lacking != nil || now - state.checked >= SyncState.lackMilliseconds
                || now < state.checked
        else { return false }
        state.checked = now
        for one in wanted where try hasHole(one.id, one.from, one.branch) { return true }
        return false
    }

    /// Reads the records of a branch.
    private mutating func hasHole(_ id: UUID, _ from: Int, _ branch: [Known.Entry]) throws(SyncError) -> Bool {
        var have = last
        have[id] = from
        while true {
            try check()
            let before = have[id]
            let pulled = try transport.pull(have)
            let lines = pulled.lines.filter { $0.replica == id }
            for line in lines {
                guard line.number == have[id] + 1, line.number <= branch.count else { break }
                var crc = Seal.crc(of: line.text) ?? 0
                if coder.filter != nil {
                    guard case .record(let record) = try coder.record(line) else { return true }
                    crc = record.crc
                }
                let wanted = branch[line.number - 1].crc
                if wanted != 0, crc != wanted { return true }
                have[id] = line.number
            }
            if have[id] >= branch.count { return false }
            // Parts of a long line make no line yet.
            if !pulled.hasMore || !pulled.lines.isEmpty && have[id] == before { return true }
        }
    }
}

extension SyncRound {
    /// The message about missing records; nil if none are missing.
    var words: String? {
        var sentences: [String] = []
        if let problem { sentences.append("A record cannot be read: \(problem).") }
        if !refused.isEmpty {
            sentences.append("Not taken, because it did not pass the filter: \(refused.joined(separator: ", ")).")
        }
        if !state.missing.isEmpty {
            let parts = state.missing.prefix(5).map { id, range in
                let name = replica.fold.names[id] ?? String(id.text.suffix(8))
                return range.count == 1
                    ? "\(range.lowerBound) of \(name)" : "\(range.lowerBound) to \(range.upperBound) of \(name)"
            }
            let unread = there.filter { state.snapshots[$0.noteID] == nil && !isKnown($0) }
            sentences.append("Records are known of that are not there: \(parts.joined(separator: ", ")).")
            if !unread.isEmpty {
                let ids = unread.prefix(3).map(\.id).joined(separator: ", ")
                sentences.append(
                    "A snapshot cannot be read (\(ids)): it is not whole yet, was changed, or a newer MoodBoard wrote it."
                )
            }
            // No device has the records of a forged line.
            let isRefused = state.missing.allSatisfy { id, _ in refused.contains { $0.hasSuffix(id.text) } }
            if !isRefused { sentences.append("They come once a device that has them syncs twice.") }
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

extension StoreReplica {
    /// The number of operations known here that another vector does not cover; records of others in the base count as
    /// one each.
    func operationCount(beyond other: Vector) -> Int {
        var count = 0
        for (id, file) in own {
            for record in file.records where record.number > other[id] { count += record.operations.count }
        }
        for record in others.records where record.number > other[record.replica] { count += record.operations.count }
        return max(count, fold.vector.recordCount(beyond: other))
    }
}
