import JSONCodec

/// Records with commits: all in memory, or on disk as a snapshot and a journal.
///
/// A request makes at most one commit. Requests handled together form a group, and one `flush` makes the group durable.
/// No answer of the group may leave before that. (SwiftData: a `ModelContext` and its `save`; SQL: a transaction and a
/// group commit.)
///
///     store.put(head, bytes)              // opens a commit
///     try store.endCommit(at: now)        // revision + 1, one line for the journal
///     try store.flush()                   // one write and one sync for all commits of the group
///
/// It is in one of these states:
///
///     memory    records are in memory only; nothing touches a disk
///     unborn    there are no files yet: it is empty, and the end of its first commit makes them
///     closed    no files are open: every question and every change throws the reason
///     open      records are those of the files
///     broken    open, but the snapshot can no longer be read: pending commits can still become durable; changes throw
///               the reason, and so does the next `catchUp`, after which the owner opens the store again
///
/// Only `open` turns `closed` into `open`, and `beBorn` `unborn`. `open` becomes `closed` if the files were replaced and cannot be read, and
/// `broken` if a snapshot fails that a rewrite has overtaken.
///
/// Invariants
/// 1. The table shows all ended commits; `undo` can take it back to the last flush.
/// 2. Slots in `undo` own their bytes, slots in the table own theirs; no bytes have two owners. (`UndoLog` has the
///    rest.)
/// 3. After a failed flush the table, the revision and the files are those of the last flush.
/// 4. A commit first clears, then puts, then removes; lines keep this order.
/// 5. A group that was lost before its flush is remembered until then, because its answers are already written.
public struct RecordStore: ~Copyable {
    /// Longest line of a journal, in bytes; a longer commit becomes a new snapshot.
    public static let lineBytesMax = 4 * 1024 * 1024
    /// Longest record, in bytes: with its answer and the members around it, it fits a line (`StoreFiles.lineBytesMax`).
    public static let recordBytesMax = 8 << 20

    @usableFromInline enum State {
        case memory, open
        indirect case unborn(StoreSettings)
        case closed(StorageError)
        case broken(StorageError)
    }

    @usableFromInline var state: State
    /// The number of commits ever made.
    public internal(set) var revision = 0
    var layers: LayeredRecords
    /// Set while the store is open or broken.
    var files: StoreFiles?
    /// The lines of the group, for the files.
    var lines = Indirect(CommitLines(after: 0))
    /// The limit of `StoreSettings`.
    var commitBytesInMemory = StoreSettings.commitBytesInMemoryUsual
    var operations = OperationLog()
    let extractor: RecordExtractor
    var undo = UndoLog()
    /// The commits of this process that its session can undo.
    var madeHere = OwnCommits(generation: 0)
    private var commitStart = 0
    public private(set) var isCommitOpen = false
    /// Whether the open or next commit is abandoned at its end.
    var isRehearsal = false
    var flushedRevision = 0
    /// The last commit that is durable.
    public var durableRevision: Int { flushedRevision }
    /// The reason why the commits of the present group were taken back before its flush.
    private var lostGroup: StorageError?
    /// Whether commits of the present group are durable before its flush.
    private var isPartlyDurable = false
    /// The time of the next commits; the host sets it once per group.
    public var time = TimeText()
    /// Whether the base of `layers` is the snapshot before the last rewrite, because the new one could not be read.
    var isBaseOvertaken = false
    /// The damage of the snapshot, found since the opening.
    var foundDamage: StoreDamage?
    /// The last logged damage.
    var toldDamage: StoreDamage?
    /// The origin to record in commits that no client requested.
    public var origin: String?
    /// Whether to record `summary`.
    public var keepsSummary = false
    /// The changes of the open commit so far, or of the last commit.
    public private(set) var summary = CommitSummary()

    init(_ state: State, _ extractor: RecordExtractor) {
        self.state = state
        self.extractor = extractor
        layers = LayeredRecords(extractor: extractor)
    }

    /// A store that leaves nothing on disk.
    public static func inMemory(_ extractor: RecordExtractor) -> RecordStore {
        var store = RecordStore(.memory, extractor)
        store.undo.trail = Trail()
        return store
    }

    /// A closed store, with the reason.
    public static func closed(_ extractor: RecordExtractor, because reason: StorageError) -> RecordStore {
        RecordStore(.closed(reason), extractor)
    }

    /// Opens the store of a directory, creates a missing one, and recovers one that was not closed cleanly.
    public static func open(_ settings: StoreSettings, _ extractor: RecordExtractor) throws(StorageError) -> RecordStore
    {
        var store = RecordStore(.open, extractor)
        try store.adopt(StoreFiles.open(settings, extractor) { store.layers.load($0) })
        return store
    }

    /// Opens an existing store; nil if there is none. Creates nothing.
    public static func openIfThere(
        _ settings: StoreSettings, _ extractor: RecordExtractor
    ) throws(StorageError) -> RecordStore? {
        var store = RecordStore(.open, extractor)
        guard let files = try StoreFiles.openIfThere(settings, extractor, load: { store.layers.load($0) })
        else { return nil }
        try store.adopt(files)
        return store
    }

    mutating func adopt(_ opened: StoreFiles) throws(StorageError) {
        use(opened)
        follow(opened.revision)
        try takeBase()
        tellOfDamage()
    }

    /// Continues after a commit of the files; none is pending.
    mutating func follow(_ last: Int) {
        revision = last
        flushedRevision = last
        madeHere.drop(after: last)
        lines.value.removeAll(after: last)
    }

    // MARK: Changing

    /// Inserts or replaces a record, as part of the open commit.
    /// - Throws: `recordTooLarge`; the reason why the store is closed; a fault of the snapshot. Then nothing is
    ///   changed.
    public mutating func put(_ head: RecordHead, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard bytes.count <= Self.recordBytesMax else { throw .recordTooLarge(byteCount: bytes.count) }
        if lines.value.lineBytes > commitBytesInMemory {
            try beginCommit()
            // Before it was begun, the line was that of the last commit.
            if lines.value.lineBytes > commitBytesInMemory { return try putInDraft(head, bytes, since: commitStart) }
        }
        if let number = layers.table.find(head.id) {
            try beginCommit()
            if keepsSummary { summary.note(.updated, head.id) }
            undo.append(.replaced(layers.table.replace(number, with: RecordSlot(head: head, copying: bytes))))
            if !isInMemory { lines.value.put(bytes) }
        } else {
            try requireChangeable()
            let hidden = try hide(head.id)
            try beginCommit()
            if keepsSummary { summary.note(hidden == nil ? .created : .updated, head.id) }
            if let hidden { undo.append(.hidden(hidden)) }
            layers.table.insert(RecordSlot(head: head, copying: bytes))
            undo.append(.inserted(head.id))
            if !isInMemory { lines.value.put(bytes, isNew: hidden == nil) }
        }
    }

    mutating func noteInSummary(_ kind: UndoneCommit.Kind, _ id: RecordID) {
        if keepsSummary { summary.note(kind, id) }
    }

    /// Removes a record, as part of the open commit and after its puts; false if there is none.
    /// - Throws: the reason why the store is closed; a fault of the snapshot. Then nothing is changed.
    public mutating func remove(_ id: RecordID) throws(StorageError) -> Bool {
        if let number = layers.table.find(id) {
            try beginCommit()
            undo.append(.removed(layers.table.remove(number)))
        } else {
            try requireChangeable()
            guard let hidden = try hide(id) else { return false }
            try beginCommit()
            undo.append(hidden: hidden, since: commitStart)
        }
        if keepsSummary { summary.note(.deleted, id) }
        if !isInMemory {
            var text = ByteBuffer(capacity: 48)
            id.write(to: &text)
            lines.value.delete(id: text.bytes)
        }
        return true
    }

    /// Removes all records, as the first change of the open commit.
    /// - Throws: the reason why the store is closed; then nothing is changed.
    public mutating func removeAll() throws(StorageError) {
        try beginCommit()
        let count = layers.count
        let first = newestIDs(CommitSummary.clearedNamesMax)
        undo.trail?.note(revision) { $0.newestCleared = first }
        if keepsSummary { summary.noteCleared(count: count, first: first) }
        for slot in layers.table.removeAll() { undo.append(.removed(slot)) }
        if layers.setBaseHidden(true) { undo.append(.baseHidden) }
        if !isInMemory { lines.value.clear(count: count, first: first) }
    }

    /// Opens the commit if needed. The only way into one, so that no change goes to a store that is not open.
    mutating func beginCommit() throws(StorageError) {
        guard !isCommitOpen else { return }
        try requireChangeable()
        isCommitOpen = true
        commitStart = undo.count
        revision += 1
        if keepsSummary { summary.begin(revision) }
        if isInMemory { return }
        let time = time
        let durable = files?.syncedRevision ?? 0
        time.withBytes { lines.value.begin(seq: revision, at: $0, durable: durable, origin: origin) }
    }

    private func requireChangeable() throws(StorageError) {
        if let fault { throw fault }
    }

    /// Ends the open commit, if there is one.
    /// - Throws: if the store cannot take the commit; nothing of it remains.
    public mutating func endCommit() throws(StorageError) {
        if isRehearsal { return abandonCommit() }
        guard isCommitOpen else { return }
        let draft = layers.table.draft
        do throws(StorageError) {
            if let failure = fault ?? draft?.failure { throw failure }
            if isUnborn, try !beBorn() { throw .bornElsewhere }
        } catch {
            abandonCommit()
            throw error
        }
        isCommitOpen = false
        guard let files else {
            // In memory there is nothing to wait for.
            if let origin { undo.trail?.note(revision) { $0.origin = origin } }
            undo.keep(revision, at: time)
            madeHere.insert(revision)
            flushedRevision = revision
            if operations.isOpen { endOperation() }
            return
        }
        let length = lines.value.end()
        if length > Self.lineBytesMax || draft != nil { return try endCommitAsSnapshot(files) }
        madeHere.insert(revision, byteCount: length)
        if operations.isOpen { endOperation() }
        files.writeAhead(&lines.value)
    }

    /// Makes the commits before this one durable, then this one by a new snapshot.
    private mutating func endCommitAsSnapshot(_ files: StoreFiles) throws(StorageError) {
        if operations.isOpen { files.snapshotOperation = lines.value.lastOperation() }
        defer { files.snapshotOperation = [] }
        operations.abandon()
        let line = lines.value.takeLast()
        let revision = revision
        let isInPlace: Bool
        do throws(StorageError) {
            isInPlace = try syncLines()
        } catch {
            revertCommit()
            dropDraft()
            takeGroupBack()
            lostGroup = error
            throw error
        }
        if isInPlace {
            isPartlyDurable = true
            flushedRevision = revision - 1
            undo.free(upTo: commitStart)
            commitStart = 0
        }
        do throws(StorageError) {
            let draft = layers.table.draft
            try files.keepCommit(revision, line, draft)
            try writeGeneration(ofFile: revision)
        } catch {
            // The rest of the commit file counts for nothing: no later journal begins after this commit. Remove it to
            // free space, unless the new snapshot may be in place.
            if refusal == nil { files.dropCommits { $0 == revision } }
            revertCommit()
            dropDraft()
            if !isInPlace {
                // The commits before it are not durable either: the new generation would have made them so.
                var failure = error
                do throws(StorageError) { try takeBackSync() } catch { failure = error }
                takeGroupBack()
                lostGroup = failure
                throw failure
            }
            throw error
        }
        isPartlyDurable = true
        if !isInPlace { settleOperations() }
        undo.free()
        madeHere.insert(revision, byteCount: Self.lineBytesMax)
        flushedRevision = revision
        refreshBase()
    }

    /// Takes the open commit back, if there is one.
    public mutating func abandonCommit() {
        isRehearsal = false
        guard isCommitOpen else { return }
        if !isInMemory { lines.value.dropLast() }
        operations.abandon()
        revertCommit()
        dropDraft()
    }

    private mutating func revertCommit() {
        summary = CommitSummary()
        revert(to: commitStart)
        undo.trail?.dropNote(revision)
        revision -= 1
        isCommitOpen = false
    }

    /// Whether ended commits wait to become durable.
    public var needsFlush: Bool { mutating get { revision != flushedRevision || lostGroup != nil } }

    /// Ends the group and makes all its commits durable: one write, one sync.
    /// - Throws: if it fails; the store is then as after the last flush. If the journal can no longer be trusted, a new
    ///   generation begins from that state; if that fails too, the store becomes read-only. `outcomeUnknown` if a part
    ///   of the group was durable before.
    public mutating func flush() throws(StorageError) {
        defer { isPartlyDurable = false }
        do throws(StorageError) {
            try makeDurable()
        } catch {
            lostGroup = nil
            throw isPartlyDurable ? .outcomeUnknown(reason: error.reason) : error
        }
    }

    /// Makes the commits so far durable in the middle of a group, for a caller that needs the files up to date.
    /// - Throws: if it fails; then `flush` throws too, because earlier requests of the group have been answered.
    public mutating func flushEarly() throws(StorageError) {
        guard needsFlush else { return }
        do throws(StorageError) {
            try makeDurable()
        } catch {
            lostGroup = error
            throw error
        }
        isPartlyDurable = true
    }

    private mutating func makeDurable() throws(StorageError) {
        guard needsFlush else { return }
        do throws(StorageError) {
            if let lostGroup { throw lostGroup }
            if try !syncLines() { try rewriteWithGroup() }
        } catch {
            takeGroupBack()
            throw error
        }
        undo.free()
        flushedRevision = revision
    }

    /// Syncs the lines of the group.
    /// - Returns: false if the journal has lost its name: the caller must begin the next generation with the group in
    ///   it.
    /// - Throws: if it fails; none of the lines remains.
    private mutating func syncLines() throws(StorageError) -> Bool {
        guard let files else { return true }
        if try files.sync(&lines.value) {
            settleOperations()
            return true
        }
        do throws(StorageError) {
            try files.leaveJournal(knowing: operations.ofJournals)
        } catch {
            try takeBackSync()
            throw error
        }
        return false
    }

    /// Takes back all commits that are not durable.
    private mutating func takeGroupBack() {
        summary = CommitSummary()
        files?.dropStaged(&lines.value)
        operations.dropStaged()
        revert(to: undo.groupStart)
        madeHere.drop(after: flushedRevision)
        revision = flushedRevision
        guard files?.journal.isUnusable == true else { return }
        // If this fails too, the files refuse every change from now on with the reason.
        do throws(StorageError) { try rewrite() } catch {}
    }
}
