import JSONCodec
import MoodCore
import Platform
import Storage
import Versions

/// Persistent moods: the protocol's methods without the protocol.
///
/// It opens the store of a directory on first use. So a host that only answers `host.ping` touches no file, and a host
/// with a broken store still serves requests that do not need it. A missing store reads as empty; only the first change
/// makes it. Answers go to the caller's writer as the stored bytes. (SwiftData: the `ModelContainer`;
/// Room: the DAO.)
public struct MoodRecords: ~Copyable {
    /// The version of a stored mood's form.
    public static let schemaVersion = Version.schema
    /// The most bytes of a list's page, even if an answer may have more.
    public static let pageBytesMax = 4 * 1024 * 1024
    /// Room after the moods of a page: the total, the cursor without its label, and the end of the answer.
    static let bytesAfterItems = 256

    /// The place of the moods.
    public enum Location: Sendable {
        case memory(isReadOnly: Bool)
        case directory(StoreSettings)
    }

    public let location: Location
    /// The longest mood that a change may make, in bytes, so that answers can show it.
    public var moodBytesMax = RecordStore.recordBytesMax
    /// Moods through which a list may look while other requests wait: that takes some 10 ms.
    public var countAtOnce = 1 << 17
    private var held: Indirect<RecordStore>
    var records: RecordStore {
        @inline(__always) _read { yield held.value }
        @inline(__always) _modify { yield &held.value }
    }
    /// Changes that plugin hooks add to the moods of the open or next commit before they are stored.
    public var amendments: [(id: MoodID, set: MoodMembers)] = []
    /// The settings that the file of the present import holds. They are kept once its moods are durable.
    public var givenSettings: GivenSettings?
    /// Whether the moods can be read.
    public var isOpen: Bool { records.isOpen }
    /// Whether there is no store yet. Each group looks for it again.
    @inline(__always) public var isAbsent: Bool { records.isUnborn }
    /// Whether there was a store, so that no new one may replace it.
    private var wasThere = false
    /// Whether the present group ends with the present request: a failed sync cannot take back what it has done.
    public internal(set) var isGroupOver = false
    /// The error of all changes of the present group, which is answered again because its sync failed.
    public private(set) var failure: StorageError?
    /// The error of the lock for the present group.
    var obstacle: StorageError?
    /// The way in which requests wait for the lock: blocking, unless their owner can do other work meanwhile.
    public let lockWait = LockWait()
    /// Whether the present group waits in another way than its owner wants.
    private var hasOwnWait = false
    /// Whether other processes may have committed since the last check.
    private var isLookDue = false
    /// Whether the present group holds the lock, and all checks before a change were made and are still valid.
    private var isHeld = false
    /// Whether the store's replica was checked since it was opened.
    private var isReplicaKnown = false
    /// The time of the next attempt to end a state that refuses every change; by `Clock.monotonicMilliseconds`.
    private var healTime = 0
    private static let healMilliseconds = 250
    /// The store that the helper thread opens, or has opened.
    var opening: StoreOpening?
    /// The thread for long work on files alone.
    public let helper: HelperThread
    /// The state of the store when the last compaction began.
    var compacted = (generation: 0, bytes: 0)
    /// Whether this process has committed anything.
    var hasCommitted = false
    /// Whether commits keep a summary of their changes for subscribers and hooks.
    public var keepsSummary = false { didSet { records.keepsSummary = keepsSummary } }
    /// The saved routers of a store in memory, and its settings.
    var navigationInMemory = SavedNavigation()
    var settingsInMemory: [UInt8]?
    /// The numbers of the moods in memory for which this stands in; another thread has them.
    let told: Statistics?
    private let isReadOnlyMemory: Bool
    let isWritableMemory: Bool

    public private(set) var now = Timestamp.minimum
    private var nowText = ByteBuffer(capacity: 32)

    public init(_ location: Location) { self.init(location, HelperThread(), told: nil) }

    /// A second view of the durable moods while another thread has this one: of the files, as another process has it.
    /// It tells the numbers alone of moods in memory.
    public var standIn: MoodRecords {
        let told = isWritableMemory || isReadOnlyMemory ? statistics : nil
        var standIn = MoodRecords(location, helper, told: told)
        standIn.moodBytesMax = moodBytesMax
        standIn.keepsSummary = keepsSummary
        standIn.settingsInMemory = settingsInMemory
        standIn.lockWait.mode = lockWait.mode
        return standIn
    }

    private init(_ location: Location, _ helper: HelperThread, told: Statistics?) {
        self.helper = helper
        self.told = told
        if case .directory(var settings) = location {
            settings.migration = .moods
            settings.lockWait = lockWait
            self.location = .directory(settings)
        } else {
            self.location = location
        }
        switch location {
        case .memory(let isReadOnly):
            held = Indirect(told == nil ? .inMemory(.moods) : Self.closedRecords)
            isReadOnlyMemory = isReadOnly
            isWritableMemory = !isReadOnly
        case .directory:
            held = Indirect(Self.closedRecords)
            isReadOnlyMemory = false
            isWritableMemory = false
        }
    }

    /// Opens the store unless it is open; every method that needs moods calls this first. After a failure the next call
    /// tries again: the other process may be gone, the disk repaired.
    @inline(__always)
    public mutating func open() throws(MoodStoreError) {
        if isLookDue { try look() }
        if !isOpen { try openFiles() }
    }

    private mutating func openFiles() throws(MoodStoreError) {
        isLookDue = opening != nil
        guard case .directory(let settings) = location else { return }
        do throws(StorageError) {
            guard let opened = try openedRecords(settings) else {
                if wasThere { throw StoreFiles.gone(settings.directory) }
                return use(.unborn(settings, .moods))
            }
            use(opened)
            wasThere = true
        } catch {
            throw .storage(error)
        }
        // Other processes may have committed since the helper thread opened it.
        guard isLookDue else { return }
        try look()
        if !isOpen { try openFiles() }
    }

    private mutating func use(_ opened: consuming RecordStore) {
        opened.time = records.time
        opened.keepsSummary = keepsSummary
        opened.origin = records.origin
        records = opened
        isReplicaKnown = false
        healTime = Clock.monotonicMilliseconds + Self.healMilliseconds
    }

    /// Opens the store for writing, and makes it if there is none. Other processes wait until `endGroup`.
    public mutating func openForWriting() throws(MoodStoreError) {
        try openForRequest()
        guard isAbsent else { return }
        let hasBegun = records.isCommitOpen
        do throws(MoodStoreError) { try beBorn() } catch {
            guard error.isBornElsewhere, !hasBegun else { throw error }
            try openForRequest()
        }
    }

    /// Opens the store for a request that may fail, or change nothing. If there is no store yet, the first commit makes
    /// it.
    @inline(__always)
    public mutating func openForRequest() throws(MoodStoreError) {
        if isWritableMemory || isHeld { return }
        try hold()
        isHeld = true
    }

    /// Makes the store for the open commit.
    /// - Throws: also if another process has made one meanwhile: the commit is gone then, and the next request opens that
    ///   store.
    private mutating func beBorn() throws(MoodStoreError) {
        do throws(StorageError) {
            guard try records.beBorn() else { throw .bornElsewhere }
        } catch {
            abandonCommit()
            if error == .bornElsewhere { close() }
            isHeld = false
            throw .storage(error)
        }
        wasThere = true
        knowReplica()
    }

    @inline(never)
    private mutating func hold() throws(MoodStoreError) {
        if let obstacle, failure == nil { throw .storage(obstacle) }
        if !isOpen { try openFiles() }
        // Taking the lock catches up anyway.
        if isLookDue, refusal == nil, !isAbsent { isLookDue = false } else { try open() }
        if refusal != nil { try heal() }
        // After a failed sync the content of the disk is unknown, whatever happened to the store since.
        if let refusal { throw .storage(failure ?? refusal) }
        if isAbsent { return }
        do throws(StorageError) {
            try records.lock()
        } catch {
            if isOpen { isLookDue = true } else { close() }
            throw .storage(noted(error))
        }
        if let refusal { throw .storage(failure ?? refusal) }
        if !isReplicaKnown { knowReplica() }
    }

    /// Makes a copied store or a restored backup another replica before its first commit.
    private mutating func knowReplica() {
        guard case .directory(let settings) = location, let identity else { return }
        isReplicaKnown = true
        do throws(StorageError) {
            guard let (known, isHere, _) = try ReplicaFile.read(settings.directory, in: settings.fileSystem),
                !isHere || known.storeID != identity.id, let replica = UUID(settings.makeIdentifier())
            else { return }
            var file = known
            file.becomeAnother(replica, after: records.durableRevision, storeID: identity.id)
            if !isHere { file.isFilterNamedHere = false }
            do throws(SystemError) { try file.write(settings.directory, in: settings.fileSystem) } catch {
                settings.log("the store is a copy, and cannot take an id of its own for the sync: \(error)")
            }
        } catch {
            // The sync reports it too, and does nothing then. The moods are not affected.
            settings.log(error.reason)
        }
    }

    /// The error to report if the lock could not be taken, or was taken for nothing. It holds for the whole group,
    /// which never waits twice: requests answered before a second wait would run again, and need the lock.
    private mutating func noted(_ error: StorageError) -> StorageError {
        if case .busy = error, let obstacle { return obstacle }
        if case .busy = error {} else { wait(.nowhere) }
        obstacle = error
        return error
    }

    /// Checks whether the reason to refuse every change is gone: there is space again, or permission, or repaired
    /// files.
    private mutating func heal() throws(MoodStoreError) {
        guard failure == nil, records.mayHeal, Clock.monotonicMilliseconds >= healTime else { return }
        let start = Clock.monotonicMilliseconds
        do throws(StorageError) {
            try records.heal()
        } catch {
            close()
            throw .storage(error)
        }
        // A store that takes long to open must not be opened for each refused request.
        let end = Clock.monotonicMilliseconds
        healTime = end + Self.healMilliseconds + (end - start) * 4
    }

    /// Begins a group of requests. The first one that needs moods catches up with other processes.
    public mutating func beginGroup() {
        isLookDue = isOpen && !isWritableMemory && !isReadOnlyMemory
    }

    @inline(never)
    private mutating func look() throws(MoodStoreError) {
        isLookDue = false
        if isAbsent { return close() }
        do throws(StorageError) {
            try records.catchUp()
        } catch {
            // The known state stays, and the next request catches up again.
            guard isOpen else { return close() }
            isLookDue = true
            throw .storage(noted(error))
        }
    }

    /// Ends a group after its last flush. Other processes may change the store now.
    public mutating func endGroup() {
        if isGroupOver { isGroupOver = false }
        if failure != nil { failure = nil }
        if isWritableMemory { return }
        isHeld = false
        obstacle = nil
        records.unlock()
        if hasOwnWait {
            hasOwnWait = false
            lockWait.mode = .beside
        }
    }

    /// Makes the present group block for the lock, because its next steps cannot be repeated after a wait.
    public mutating func waitHere() { wait(.here) }

    private mutating func wait(_ mode: LockWait.Mode) {
        guard lockWait.mode == .beside else { return }
        lockWait.mode = mode
        hasOwnWait = true
    }

    /// Closes the store without pending changes, because it is unreliable or about to be replaced. The next request
    /// opens it again, and reports what is wrong.
    mutating func close() {
        let (time, origin) = (records.time, records.origin)
        wasThere = wasThere || records.storeID != nil
        records = Self.closedRecords
        (records.time, records.origin) = (time, origin)
        isHeld = false
        if opening?.isDone == true { opening = nil }
    }

    /// Closes the store before other files replace its own.
    mutating func forgetFiles() {
        close()
        wasThere = false
    }

    /// The stand-in until the store is opened: it finds nothing and refuses every change.
    private static var closedRecords: RecordStore {
        .closed(
            .moods,
            because: .unavailable(
                reason: "The store is not open.", advice: "This is a defect of the program; nothing was changed."))
    }

    /// The error for every change; nil if moods can be changed.
    var refusal: StorageError? {
        if isReadOnlyMemory {
            return .readOnly(reason: "The host was started with --read-only.")
        }
        if isAbsent, case .directory(let settings) = location, settings.isReadOnly {
            return .readOnly(reason: "The store was opened read-only (--read-only).")
        }
        return records.refusal
    }

    /// Sets the moment of the present requests.
    public mutating func setTime(_ time: Timestamp) {
        // A client that waits for each answer sends a few hundred requests in a millisecond.
        if time == now, nowText.count > 0 { return }
        now = time
        nowText.truncate(to: 0)
        time.write(to: &nowText)
        records.time.set(nowText.bytes)
    }

    /// A moment as a mood's time. The present moment has its text, which is formatted once for each group.
    func moodTime(_ moment: Timestamp) -> MoodTime {
        moment == now ? MoodTime(JSONText(raw: nowText.bytes, isEscaped: false), saying: now) : MoodTime(moment)
    }

    // MARK: Commits

    /// Ends the present request's changes as one commit, which makes a missing store.
    public mutating func endCommit() throws(MoodStoreError) {
        if isAbsent, records.isCommitOpen { try beBorn() }
        if !amendments.isEmpty { amendments.removeAll() }
        do throws(StorageError) {
            try records.endCommit()
        } catch {
            isHeld = false
            throw .storage(error)
        }
    }

    /// Drops the present request's changes.
    public mutating func abandonCommit() {
        records.abandonCommit()
        givenSettings = nil
        if !amendments.isEmpty { amendments.removeAll() }
    }

    /// Whether there are commits that are not durable yet.
    public var needsFlush: Bool { mutating get { records.needsFlush } }

    /// Makes all commits of the group durable, or drops them and throws.
    public mutating func flush() throws(StorageError) {
        isHeld = false
        if records.needsFlush {
            hasCommitted = true
            waitHere()
        }
        try records.flush()
    }

    /// Makes the commits so far durable in the middle of a group. If it throws, so does `flush`.
    public mutating func flushEarly() throws(StorageError) {
        isHeld = false
        if records.needsFlush {
            isGroupOver = true
            waitHere()
        }
        try records.flushEarly()
    }

    /// Begins the present group again, and refuses all its changes.
    public mutating func refuseChanges(_ failure: StorageError) { self.failure = failure }
}
