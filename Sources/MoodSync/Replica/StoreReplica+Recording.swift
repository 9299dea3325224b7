import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// Local commits become records.
extension StoreReplica {
    /// Makes records of all commits without one, under the store's lock. Then the store shows what the fold shows, and
    /// an interrupted join is finished.
    func takeLocal() throws(SyncError) {
        let touched = try recordLocal()
        guard isWhole else { throw .missing(lacking) }
        try show(touched)
    }

    func show(_ recorded: Set<UUID>) throws(SyncError) {
        var touched = recorded.union(shownBefore.keys)
        if let unfinished = unfinished.take() {
            touched.formUnion(fold.join(unfinished))
            isJoined = true
        }
        if exchange(&isAllUnsettled, with: false) { touched.formUnion(try allIDs()) }
        try commit(touched)
        shownBefore = [:]
    }

    /// Every mood of the store or the fold.
    func allIDs() throws(SyncError) -> Set<UUID> {
        var all: Set<UUID> = []
        fold.forEachID { all.insert($0) }
        do throws(MoodStoreError) {
            try moods.forEachMood { mood in if let id = MoodDocument(mood)?.id { all.insert(id) } }
        } catch {
            throw .store(error)
        }
        return all
    }

    func recordLocal() throws(SyncError) -> Set<UUID> {
        var touched = exchange(&unsettled, with: [])
        var state: Int?
        if looked < moods.durableRevision { _ = readSteps(after: looked) }
        if !hasHistory {
            // The history has a gap, so the difference to the store's state is recorded. In a store that was put back,
            // missing moods are no deletions.
            var changes = try differences()
            if isAllUnsettled { changes.removeAll { if case .put = $0 { false } else { true } } }
            let revision = moods.durableRevision
            // Commits before the gap make no records again. Those with a record are in a store that was not put back, whatever
            // name it has now.
            var there = fold.known.resolved(saw)
            for id in isAllUnsettled ? [] : ownIDs {
                guard let last = own[id]?.last else { continue }
                there = fold.known.adding(.init(number: last.number, crc: last.crc), of: id, to: there)
            }
            steps = [.seen(there, marked, after: revision)]
            if !changes.isEmpty {
                steps.append(.state(revision: revision, changes))
                try writeEarlier()
                state = revision
            }
            hasHistory = true
        }
        defer { isWhole = recorder.awaited == nil && hasOwn }
        if steps.isEmpty { return touched }
        let (steps, file) = (exchange(&steps, with: []), file)
        if isAllUnsettled { try showHistory(steps) }
        var recorder = recorder
        recorder.add(ids: Set(steps.compactMap(\.replica)), name: ProcessFacts.hostName)
        self.recorder = LocalRecorder(
            journal: file.journal, storeID: file.storeID, ids: [], seen: Vector(), own: [:], names: [:])
        for step in steps {
            // From here on the store shows what the fold shows.
            if case .seen = step, !isAllUnsettled { shownBefore = [:] }
            touched.formUnion(recorder.take(step, in: &fold, shown: &shownBefore) { file.maker(of: $0) })
        }
        while let record = recorder.waiting.next(after: fold) { touched.formUnion(fold.apply(record) ?? []) }
        let (made, taken) = (recorder.takeMade(), recorder.taken)
        self.recorder = recorder
        if isView { return touched }
        try become(taken)
        // Records reach the disk before the store gets anything that came with them; many commits share one sync.
        for (replica, records) in made {
            if own[replica] == nil { try own(replica) }
            try own[replica]?.append(records)
        }
        if let state { try end(stateAt: state) }
        return touched
    }

    /// Finds out what the store showed before its unrecorded commits, if that differs from the fold.
    func showHistory(_ steps: [LocalRecorder.Step]) throws(SyncError) {
        var ids: Set<UUID> = []
        var first: Int?
        for step in steps {
            guard case .local(let revision, _, let changes) = step else { continue }
            if first == nil { first = revision }
            for change in changes {
                switch change {
                case .put(_, let document, _): if let id = document.id { ids.insert(id) }
                case .delete(_, let gone): ids.formUnion(gone)
                case .clear: break
                }
            }
        }
        guard let first, let before = moods.moods(before: first, of: ids) else { return }
        for id in ids {
            let document = before[id].flatMap { bytes in
                ByteBuffer(copying: bytes).withBytes { MoodDocument(ValidJSON(trusting: $0)) }
            }
            shownBefore.updateValue(document, forKey: id)
        }
    }

    /// Makes the store other replicas, each from the commit after one on. One write takes all ids: after a crash, a part
    /// of them would give the commits other names.
    func become(_ taken: [(replica: UUID, after: Int)]) throws(SyncError) {
        var file = file
        var new: [UUID] = []
        for (id, revision) in taken where id != file.replica && !file.former.contains(where: { $0.replica == id }) {
            file.becomeAnother(id, after: revision, storeID: file.storeID, crc: crc(of: revision) ?? 0)
            new.append(id)
        }
        if new.isEmpty { return }
        do throws(SystemError) { try file.write(place.store, in: place.fileSystem) } catch {
            throw SyncPlace.error(error)
        }
        self.file = file
        for id in new { try own(id) }
    }

    func becomeAnother() throws(SyncError) {
        guard let id = newID() else { throw .refused(reason: "There is no random number.") }
        try become([(id, after: moods.durableRevision)])
    }

    /// Whether there is a record under this replica's id that it neither made nor has in its history: another machine
    /// writes under this id, because the store was put back or cloned with all of its ids.
    var isShared: Bool {
        let branches = fold.known.branches[file.replica] ?? []
        let last = own[file.replica]?.last
        if branches.count == 1, let last, branches[0].count == last.number, branches[0].last?.crc == last.crc {
            return false
        }
        let mine: [Known.Entry]
        if let last {
            let branch = branches.first { $0.count >= last.number && $0[last.number - 1].crc == last.crc }
            guard let branch else { return false }
            mine = Array(branch[..<last.number])
        } else {
            mine = []
        }
        for branch in branches {
            let same = zip(branch, mine).prefix { $0.crc == $1.crc }.count
            for entry in branch[same...] {
                let isHere = entry.commit != 0 && crc(of: entry.revision) == entry.commit
                if !isHere || fold.known.stores[file.replica] != file.storeID { return true }
            }
        }
        return false
    }

    /// The changes after which the fold shows what the store has.
    func differences() throws(SyncError) -> [LocalChange] {
        var changes: [LocalChange] = []
        var there: Set<UUID> = []
        let fold = fold
        do throws(MoodStoreError) {
            try moods.forEachMood { mood in
                guard let document = MoodDocument(mood), let id = document.id else { return }
                there.insert(id)
                if fold.shown(id)?.bytes == document.bytes { return }
                changes.append(.put(at: document.updatedAt ?? .minimum, document, .usual))
            }
        } catch {
            throw .store(error)
        }
        var gone: [UUID] = []
        fold.forEachID { if !there.contains($0) { gone.append($0) } }
        gone.sort()
        for start in stride(from: 0, to: gone.count, by: LocalCommit.idsMax) {
            changes.append(.delete(at: moods.now, Array(gone[start..<min(start + LocalCommit.idsMax, gone.count)])))
        }
        return changes
    }

    /// Makes the first records of a store that had moods before: each mood is as old as its last change. After a crash it is
    /// begun again.
    /// - Parameter isNew: whether to make a record in any case, because a journal exists from its first record on.
    func recordSetup(isNew: Bool) throws(SyncError) {
        let changes = try differences()
        let revision = moods.durableRevision
        looked = revision
        try writeEarlier()
        if !changes.isEmpty || isNew {
            steps = [.state(revision: revision, changes)]
            try commit(try recordLocal())
            shownBefore = [:]
        }
        try end(stateAt: revision)
    }

    private func writeEarlier() throws(SyncError) {
        if isView { return }
        try EarlierCommits.write(of: &moods, to: place.earlier, by: place.temporary, in: place.fileSystem)
    }

    /// Notes that a record has the state after a commit, so no earlier one needs a record.
    private func end(stateAt revision: Int) throws(SyncError) {
        file.endSetup(at: revision, crc: crc(of: revision) ?? 0)
        do throws(SystemError) { try file.write(place.store, in: place.fileSystem) } catch {
            throw SyncPlace.error(error)
        }
    }
}
