import Replication

extension StoreReplica {
    /// Gets the records again that the store has and no file here has. It takes no later records: they come once the
    /// fold shows what the store has.
    func restore(
        from transport: inout any Transport, _ coder: LineCoder, isCancelled: () -> Bool
    ) throws(SyncError) {
        _ = try transport.open()
        var have = fold.vector
        var last = own.compactMapValues(\.last)
        let ownIDs = Set(ownIDs)
        for replica in ownIDs { have[replica] = max(have[replica], last[replica]?.number ?? 0) }
        // The last known record says nothing about another branch.
        let lacked = fold.known.parted(saw).lost
        for replica in lacked.last.keys where lacked[replica] <= have[replica] { have[replica] = 0 }
        var asked = have
        while !have.covers(needed) {
            if isCancelled() { throw .cancelled }
            let pulled = try transport.pull(asked)
            var came: [Record] = []
            for line in pulled.lines {
                asked[line.replica] = max(asked[line.replica], line.number)
                guard line.number == have[line.replica] + 1, line.number <= needed[line.replica],
                    case .record(let record) = try coder.record(line)
                else { continue }
                have[line.replica] = line.number
                if fold.known.contains(record.replica, record.number, record.crc) { continue }
                // A record under a former id, made after this store had taken another id, belongs to another replica.
                let before =
                    last[record.replica].map {
                        $0.number + 1 == record.number && (record.before == 0 || record.before == $0.crc)
                    } ?? true
                let isOwn =
                    before && ownIDs.contains(record.replica) && record.upTo.storeID == file.storeID
                    && (record.upTo.revision == 0 || file.maker(of: record.upTo.revision) == record.replica)
                    && (record.upTo.crc == 0 || crc(of: record.upTo.revision).map { $0 == record.upTo.crc } ?? true)
                if isOwn {
                    try own[record.replica]?.append([record])
                    last[record.replica] = record
                } else {
                    came.append(record)
                }
            }
            try others.add(came)
            if !pulled.hasMore { break }
        }
        // Own records before the last one may be in the base alone.
        let lacksOwn = own.values.contains { file in
            file.last.map { !fold.known.contains($0.replica, $0.number, $0.crc) } ?? false
        }
        if !have.covers(needed) || !lacked.last.isEmpty || lacksOwn { try joinSnapshots(of: &transport, coder) }
    }

    /// Joins snapshots in place of records that no longer exist. The journal alone then decides what the store has.
    private func joinSnapshots(of transport: inout any Transport, _ coder: LineCoder) throws(SyncError) {
        var known = fold
        for snapshot in try transport.snapshots() {
            guard let text = try transport.text(of: snapshot) else { continue }
            do throws(SyncError) {
                if let (other, _) = try coder.snapshot(text) { _ = known.join(other) }
            } catch {
                guard case .unopened = error else { throw error }
            }
        }
        if known.known.count == fold.known.count { return }
        try BaseFile.write(
            SnapshotText.text(known, journal: file.journal), .init(storeID: file.storeID, revision: .max),
            to: place.base, by: place.temporary, in: place.fileSystem)
    }
}
