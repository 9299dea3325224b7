import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// Local commits become records.
extension StoreReplica {
    /// Under the store's lock: every commit that is no record yet becomes one, or several. Then the store shows what the fold
    /// does, and a join that was broken off is finished.
    func takeLocal() throws(SyncError) {
        var touched = try recordLocal()
        touched.formUnion(shownBefore.keys)
        if let unfinished = unfinished.take() {
            touched.formUnion(fold.join(unfinished))
            isJoined = true
        }
        if exchange(&isAllUnsettled, with: false) { touched.formUnion(try allIDs()) }
        try commit(touched)
        shownBefore = [:]
    }

    /// Every mood that the store or the fold has.
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
        if looked < moods.durableRevision { _ = readSteps(after: looked) }
        if !hasHistory {
            // The history has a gap: what the store holds now is what was done. Of one that was put back, only what is more.
            var changes = try differences()
            if isAllUnsettled { changes.removeAll { if case .put = $0 { false } else { true } } }
            let revision = moods.durableRevision
            steps = [.seen(saw, marked, after: revision)]
            if !changes.isEmpty { steps.append(.local(revision: revision, crc: crc(of: revision) ?? 0, changes)) }
            hasHistory = true
        }
        if steps.isEmpty { return touched }
        let (steps, file) = (exchange(&steps, with: []), file)
        if isAllUnsettled { try showHistory(steps) }
        var recorder = recorder
        recorder.add(ids: Set(steps.compactMap(\.replica)), name: ProcessFacts.hostName)
        self.recorder = LocalRecorder(
            journal: file.journal, storeID: file.storeID, ids: [], seen: Vector(), own: [:], names: [:])
        for step in steps {
            // What the store shows then is what the fold does.
            if case .seen = step, !isAllUnsettled { shownBefore = [:] }
            touched.formUnion(recorder.take(step, in: &fold, shown: &shownBefore) { file.maker(of: $0) })
        }
        while let record = recorder.waiting.next(after: fold) { touched.formUnion(fold.apply(record) ?? []) }
        let (made, taken) = (recorder.takeMade(), recorder.taken)
        self.recorder = recorder
        if isView { return touched }
        for one in taken
        where one.replica != self.file.replica && !self.file.former.contains(where: { $0.replica == one.replica }) {
            try become(one.replica, after: one.after)
        }
        // Records are on the disk before anything that came with them is in the store; many commits wait for the disk once.
        for (replica, records) in made {
            if own[replica] == nil { try own(replica) }
            try own[replica]?.append(records)
        }
        return touched
    }

    /// What the store showed before the commits that are no records yet, where that is not what the fold shows.
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

    /// From the commit after this one on, the store is another replica.
    func become(_ replica: UUID, after revision: Int) throws(SyncError) {
        var file = file
        file.becomeAnother(replica, after: revision, storeID: file.storeID, crc: crc(of: revision) ?? 0)
        do throws(SystemError) { try file.write(place.store, in: place.fileSystem) } catch {
            throw SyncPlace.error(error)
        }
        self.file = file
        try own(replica)
    }

    /// Where another machine writes as this replica, which was put back or cloned with all of its ids, the store takes another
    /// id, once its own commits are records. Nothing is written again: both are branches of what it was.
    func takeIDWhereShared() throws(SyncError) {
        guard isShared else { return }
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        try becomeAnother()
        try commit([])
    }

    func becomeAnother() throws(SyncError) {
        guard let id = newID() else { throw .refused(reason: "There is no random number.") }
        try become(id, after: moods.durableRevision)
    }

    /// Whether a record under this replica's id is known that it neither made nor has in its history.
    var isShared: Bool {
        let branches = fold.known.branches[file.replica] ?? []
        let last = own[file.replica]?.last
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

    /// What has to be done to the fold so that it shows what the store holds.
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

    /// The first records of a store that had moods before: each mood is as old as its last change.
    /// - Parameter isNew: whether there is to be a record in any case, because the journal is there with the first one.
    func recordAll(isNew: Bool) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        let changes = try differences()
        if changes.isEmpty, !isNew { return }
        let revision = moods.durableRevision
        steps = [.local(revision: revision, crc: crc(of: revision) ?? 0, changes)]
        try commit(try recordLocal())
        shownBefore = [:]
    }
}
