import Platform
import SimulatedDisk
import Storage

/// The steps of a process on its store, with the checks of their results.
extension Torture {
    mutating func step(_ store: inout RecordStore) throws(TortureFailure) {
        switch random.below(20) {
        case 0, 1: try compact(&store)
        case 2: try verify()
        case 3: try readBeside()
        case 4: try checkReads(&store, model.floor)
        default: try commitGroup(&store)
        }
    }

    // MARK: Commits

    private mutating func commitGroup(_ store: inout RecordStore) throws(TortureFailure) {
        // The host does this; a flush without a held lock takes it by itself.
        let isLocked = !random.isOne(in: 4)
        if isLocked {
            guard try lock(&store) else { return }
        }
        try commitUnlockedGroup(&store)
        if isLocked { store.unlock() }
    }

    /// - Returns: false if the lock was not available.
    private mutating func lock(_ store: inout RecordStore) throws(TortureFailure) -> Bool {
        do throws(StorageError) {
            try store.lock()
        } catch {
            guard isExcused else { throw failure(.refused, "a store without a fault cannot be locked: \(error)") }
            return false
        }
        guard process.isAlive, store.refusal == nil else { return false }
        if store.revision != model.floor.revision { try checkOpened(&store) }
        return true
    }

    private mutating func commitUnlockedGroup(_ store: inout RecordStore) throws(TortureFailure) {
        var state = model.floor
        var made: [TortureModel.Snapshot] = []
        /// Refused commits that may still turn up.
        var doubtful: [TortureModel.Snapshot] = []
        for _ in 0..<1 + random.below(4) where process.isAlive {
            let before = state
            do throws(StorageError) {
                guard try change(&store, &state) else { continue }
            } catch {
                guard isExcused else { throw failure(.refused, "a change without a fault failed: \(error)") }
                store.abandonCommit()
                state = before
                continue
            }
            state.revision += 1
            do throws(StorageError) {
                try store.endCommit()
                made.append(state)
            } catch {
                if !process.isAlive || store.refusal != nil { doubtful = [state] }
                state = before
                break
            }
            if random.isOne(in: 10) { try checkReads(&store, state) }
        }
        do throws(StorageError) {
            try store.flush()
        } catch {
            countCommits(made.count, areAcknowledged: false)
            return try settleFailure(&store, made + doubtful, error)
        }
        guard process.isAlive else { return model.leaveOpen(made + doubtful) }
        countCommits(made.count, areAcknowledged: true)
        model.acknowledge(state, after: made)
        model.leaveOpen(doubtful)
        if !doubtful.isEmpty || random.isOne(in: 8) { try checkReads(&store, state) }
    }

    /// Follows a failed flush: the store now shows only certain commits, and the rest is taken back or open.
    private mutating func settleFailure(
        _ store: inout RecordStore, _ made: [TortureModel.Snapshot], _ error: StorageError
    ) throws(TortureFailure) {
        let before = model.floor
        model.leaveOpen(made)
        guard process.isAlive else { return }
        guard isExcused else { throw failure(.refused, "a flush without a fault failed: \(error)") }
        guard let shown = model.allowed(revision: store.revision) else {
            throw failure(.wrongRead, "after \(error) revision \(store.revision) is shown, behind \(before.revision)")
        }
        guard hasLargeCommits || shown == before else {
            throw failure(.wrongRead, "after \(error) revision \(shown.revision) is shown, not \(before.revision)")
        }
        try checkReads(&store, shown)
        let rest = store.refusal == nil ? [] : model.possible.filter { $0.revision > shown.revision }
        model.acknowledge(shown, after: model.possible)
        model.leaveOpen(rest)
    }

    /// Makes the changes of one commit, in the order in which the store reads a commit again; false if there was
    /// nothing to change.
    private mutating func change(
        _ store: inout RecordStore, _ state: inout TortureModel.Snapshot
    ) throws(StorageError) -> Bool {
        var hasChanged = false
        if random.isOne(in: 30) {
            try store.removeAll()
            for slot in 0..<slots { state.versions[slot] = 0 }
            hasChanged = true
        }
        if hasLargeCommits && random.isOne(in: 6) {
            try put(0, fill: RecordStore.lineBytesMax + random.below(100_000), &store, &state)
            hasChanged = true
        }
        for _ in 0..<random.below(4) {
            let fill = random.isOne(in: 8) ? random.below(6000) : random.below(80)
            try put(random.below(slots), fill: fill, &store, &state)
            hasChanged = true
        }
        for _ in 0..<random.below(2) {
            let slot = random.below(slots)
            let isThere = try store.remove(TortureRecord.id(slot))
            hasChanged = hasChanged || isThere
            state.versions[slot] = 0
        }
        return hasChanged
    }

    private mutating func put(
        _ slot: Int, fill: Int, _ store: inout RecordStore, _ state: inout TortureModel.Snapshot
    ) throws(StorageError) {
        let version = written.count
        let bytes = TortureRecord.bytes(
            slot: slot, time: random.below(8), version: version, text: random.below(300), fill: fill)
        written.append(bytes)
        state.versions[slot] = version
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        if let head = TortureRecord.head(UnsafeRawBufferPointer(copy)) {
            try store.put(head, UnsafeRawBufferPointer(copy))
        }
    }

    // MARK: The rest

    private mutating func compact(_ store: inout RecordStore) throws(TortureFailure) {
        do throws(StorageError) {
            if try store.compact() != nil { countCompaction() }
        } catch {
            guard isExcused else { throw failure(.refused, "a compaction without a fault failed: \(error)") }
        }
        guard process.isAlive else { return }
        try checkReads(&store, model.floor)
    }

    private mutating func verify() throws(TortureFailure) {
        let report: VerifyReport
        do throws(StorageError) {
            report = try StoreFiles.verify(settings(process.fileSystem, isReadOnly: false), TortureRecord.examination)
        } catch {
            throw failure(.wrongRead, "a check that nobody cancelled ended with \(error)")
        }
        guard !isExcused, !report.isWhole else { return }
        throw failure(.wrongRead, "a store without a fault is not whole: \(report.problems)")
    }

    /// Opens the store in another process to read, which takes no lock and sees all acknowledged commits.
    private mutating func readBeside() throws(TortureFailure) {
        let reader = disk.startProcess()
        defer { reader.kill() }
        var store = try openedToRead(reader)
        try checkReads(&store, model.floor)
    }

    /// Reads while no other process has the store open, perhaps for the first time since a crash.
    mutating func readAlone() throws(TortureFailure) {
        let reader = disk.startProcess()
        defer { reader.kill() }
        var store = try openedToRead(reader)
        guard let known = model.known(revision: store.revision) else {
            throw failure(.wrongRead, "revision \(store.revision) is shown to a reader, which never was")
        }
        try checkReads(&store, known)
    }

    private func openedToRead(_ reader: SimulatedProcess) throws(TortureFailure) -> RecordStore {
        let store: RecordStore
        do throws(StorageError) {
            store = try RecordStore.open(settings(reader.fileSystem, isReadOnly: true), TortureRecord.extractor)
        } catch {
            throw failure(.refused, "a reader is refused: \(error)")
        }
        guard case .readOnly = store.refusal else {
            throw failure(.refused, "a reader is told: \(String(describing: store.refusal))")
        }
        return store
    }
}
