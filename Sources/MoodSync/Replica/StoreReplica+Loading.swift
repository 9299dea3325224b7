import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// The known records, and those that the store has.
extension StoreReplica {
    func load(_ makesAgain: Bool) throws(SyncError) {
        var base = try BaseFile.read(place.base, in: place.fileSystem)
        if base?.commit.storeID != file.storeID { base = nil }
        let isPutBack = !(lastRecorded.map(has) ?? true)
        let isBaseHere = base.map { has($0.commit) } ?? true
        isAllUnsettled = isPutBack || !isBaseHere
        if let base {
            fold = base.fold
            if isBaseHere { saw = base.fold.vector }
        }
        let start = if let base, isBaseHere { base.commit.revision } else { try startOfHistory(isPutBack) }
        looked = start
        marked = file.maker(of: start)
        let heads = own.compactMapValues { $0.last.map { Vector.Head(number: $0.number, crc: $0.crc) } }
        var names: [UUID: String] = [:]
        for id in [file.replica] + file.former.map(\.replica) { names[id] = file.name(of: id) }
        recorder = LocalRecorder(
            journal: file.journal, storeID: file.storeID, ids: Set(ownIDs), seen: saw, own: heads, names: names)
        recorder.isPutBack = isPutBack
        if isPutBack {
            for id in ownIDs {
                for record in own[id]?.records ?? [] where record.upTo.crc == 0 {
                    recorder.unnamed[id, default: [:]][record.number] = record
                }
            }
        }
        let isPart = readSteps(after: start)
        let joined = try BaseFile.read(place.joined, in: place.fileSystem)
        // The mark of a join names exactly its records: other branches may have the same numbers.
        isJoined = joined.map { joined in steps.contains { $0.vector?.names(joined.fold.vector) ?? false } } ?? false
        // It may be older than the base, if only its removal was lost.
        if let joined, isJoined { unsettled.formUnion(fold.join(joined.fold)) }
        if !isJoined, isPart { unfinished = joined?.fold }
        let (before, file) = (fold, file)
        let known = apply()
        // The journal's commits may make records again that the other side does not have.
        isWhole = makesAgain || hasAll
        guard !isAllUnsettled, !isJoined, unfinished == nil,
            recorder.makesAgain(steps, known, fold.known, maker: { file.maker(of: $0) })
        else { return }
        fold = before
        recorder.waiting = known
        isAllUnsettled = true
    }

    /// The commit from which on records are made of commits. The setup's, unless the store was put back to a time before it.
    private func startOfHistory(_ isPutBack: Bool) throws(SyncError) -> Int {
        if !isPutBack { return file.from }
        let last = try EarlierCommits.last(in: &moods, place.earlier, in: place.fileSystem)
        file.from = min(file.from, last ?? (file.from <= moods.durableRevision ? file.from : 0))
        return file.from
    }

    /// Reads the journal after a commit.
    /// - Returns: whether it ends in the middle of a join.
    func readSteps(after start: Int) -> Bool {
        var (saw, marked, isPart) = (saw, marked, false)
        var steps: [LocalRecorder.Step] = []
        hasHistory = moods.commits(after: start) { commit in
            if commit.origin != MoodRecords.syncOrigin {
                steps.append(.local(revision: commit.seq, crc: commit.crc, LocalCommit(commit).changes))
                return true
            }
            var shown: [UUID: MoodDocument?] = [:]
            for change in commit.changes {
                shown.updateValue(
                    change.record.flatMap { MoodDocument(ValidJSON(trusting: $0)) }, forKey: change.id)
            }
            steps.append(.shown(shown))
            isPart = commit.saw == nil
            if let line = commit.seenVector {
                saw = line.vector
                if let replica = line.replica { marked = replica }
                steps.append(.seen(line.vector, line.replica, after: commit.seq))
            }
            return true
        }
        (self.saw, self.marked) = (saw, marked)
        self.steps += steps
        looked = max(looked, moods.durableRevision)
        return isPart
    }

    /// Applies the records of `sync/`.
    /// - Returns: these records.
    func apply() -> Inbox {
        var known = Inbox()
        needed = saw
        for replica in ownIDs {
            for record in own[replica]?.records ?? [] {
                known.add(record)
                needed = needed.joined(with: record.saw)
            }
        }
        // Leaves out records that the store lacks, unless it was put back: they come again.
        for record in others.records where isAllUnsettled || record.number <= needed[record.replica] {
            known.add(record)
        }
        known.drop(knownTo: fold)
        let all = known
        defer { recorder.waiting = known }
        var applied: [(record: Record, touched: Set<UUID>)] = []
        while let record = known.next(after: fold) { applied.append((record, fold.apply(record) ?? [])) }
        // The journal may have seen another branch only.
        for one in applied where !fold.known.covers(one.record, by: saw) { unsettled.formUnion(one.touched) }
        return all
    }

    /// Whether the fold has all records that the journal and the own records name.
    var hasAll: Bool { hasOwn && fold.known.covers(saw) && fold.known.covers(needed) }

    /// Whether the fold has all own records: they wait for those that they saw.
    var hasOwn: Bool {
        ownIDs.allSatisfy { id in own[id]?.last.map { fold.known.contains(id, $0.number, $0.crc) } ?? true }
    }

    /// The records that the store waits for and no file here has.
    var lacking: [(replica: UUID, numbers: ClosedRange<Int>)] {
        let lacked = fold.known.parted(recorder.awaited ?? needed).lost
        return lacked.last.keys.sorted().compactMap { id in
            let there = (own[id]?.records ?? []) + others.records.filter { $0.replica == id }
            let gone = lacked.heads(of: id).filter { head in
                !there.contains { $0.number == head.number && (head.crc == 0 || $0.crc == head.crc) }
            }
            guard let last = gone.first?.number else { return nil }
            let numbers = Set(there.map(\.number))
            let first = (min(fold.vector[id] + 1, last)...last).first { !numbers.contains($0) }
            return (id, (first ?? last)...last)
        }
    }

    /// The ids under which this store itself has made records.
    var ownIDs: [UUID] { [file.replica] + file.former.filter { $0.storeID == file.storeID }.map(\.replica) }

    /// The commit of the last record that was made here.
    var lastRecorded: Record.Commit? {
        for replica in [file.replica] + file.former.reversed().map(\.replica) {
            let last = own[replica]?.last?.upTo
            // The record of a state names no commit.
            let isAtAnchor = last?.revision ?? 0 == 0
            if let anchor = file.anchor, anchor.replica == replica, isAtAnchor {
                return .init(storeID: file.storeID, revision: anchor.revision, crc: anchor.crc)
            }
            guard let last, last.storeID == file.storeID else { continue }
            // A kill came between the record of a state and its anchor: where the store is is unknown.
            return last.revision == 0 ? .init(storeID: file.storeID, revision: .max) : last
        }
        return nil
    }
}
