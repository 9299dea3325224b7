import Replication

extension StoreReplica {
    /// Has the other side send again what the store has and no file here has any more. Of later records nothing is taken: they
    /// come once the fold shows what the store holds.
    func restore(
        from transport: inout any Transport, _ coder: LineCoder, isCancelled: () -> Bool
    ) throws(SyncError) {
        _ = try transport.open()
        var have = fold.vector
        let ownIDs = Set(ownIDs)
        for replica in ownIDs { have[replica] = max(have[replica], own[replica]?.last?.number ?? 0) }
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
                // What was made under an id of before, after this store had taken another, is somebody else's.
                let isOwn =
                    ownIDs.contains(record.replica) && record.upTo.storeID == file.storeID
                    && file.maker(of: record.upTo.revision) == record.replica
                if isOwn { try own[record.replica]?.append([record]) } else { came.append(record) }
            }
            try others.append(came)
            if !pulled.hasMore { return }
        }
    }
}
