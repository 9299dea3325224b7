import JSONCodec
import MoodCore
import Platform
import Storage
import Versions

/// Moods that last: what the methods of the protocol do, without the protocol.
///
/// The store of a directory is opened when it is first needed, so that a host that only answers `host.ping` touches no
/// file, and one whose store is broken still serves what needs none. Where there is no store yet it reads as an empty one and
/// nothing is made: the first change does that (`isRehearsing`). Answers are written into the caller's writer, as
/// the bytes that are stored. (SwiftData: the `ModelContainer`; Room: the DAO.)
public struct MoodRecords: ~Copyable {
    /// The version of the stored shape of a mood.
    public static let schemaVersion = Version.schema
    /// A page of a list has at most this many bytes, even if an answer may have more.
    public static let pageBytesMax = 4 * 1024 * 1024
    /// What may come after the moods of a page: the total, the cursor without its label, and the end of the answer.
    static let bytesAfterItems = 256

    /// Where moods are kept.
    public enum Location: Sendable {
        case memory(isReadOnly: Bool)
        case directory(StoreSettings)
    }

    public let location: Location
    /// The longest mood that a change may make, in bytes: one that the answers can show.
    public var moodBytesMax = RecordStore.recordBytesMax
    private var held: Indirect<RecordStore>
    var records: RecordStore {
        @inline(__always) _read { yield held.value }
        @inline(__always) _modify { yield &held.value }
    }
    /// What is laid over the moods that the present request changes, before they are kept.
    public var amendments: [(id: MoodID, set: MoodMembers)] = []
    /// Whether the moods can be read.
    public var isOpen: Bool { records.isOpen }
    /// Whether there is no store yet. It is looked for again with each group.
    public private(set) var isAbsent = false
    /// Whether the present request is tried on an empty store in memory, because there is no store yet. If it changes
    /// something, it is carried out again after `openForWriting`; if it fails, nothing was made.
    public private(set) var isRehearsing = false
    /// Whether there was a store, so that none may begin in its place.
    private var wasThere = false
    /// Why the lock was not to be had for the present group, or was had in vain.
    var obstacle: StorageError?
    /// How requests wait for the lock: there, unless their owner can do other things meanwhile.
    public let lockWait = LockWait()
    /// Whether the present group waits in a way of its own, whatever its owner wants.
    private var hasOwnWait = false
    /// Whether other processes may have committed what has not been looked for.
    private var isLookDue = false
    /// Whether the present group holds the store for its changes: what that takes has been looked at, and nothing has
    /// happened since that could have changed it.
    private var isHeld = false
    /// Whether it was looked at which replica this store is, since it was opened.
    private var isReplicaKnown = false
    /// When it is next tried whether what refuses every change is over; by `Clock.monotonicMilliseconds`.
    private var healTime = 0
    private static let healMilliseconds = 250
    /// What the helper thread opens, or has opened.
    var opening: StoreOpening?
    /// Does what takes long, from files alone.
    public let helper: HelperThread
    /// What the store was when a compaction was last begun.
    var compacted = (generation: 0, bytes: 0)
    /// Whether anything was committed here.
    var hasCommitted = false
    /// Whether each commit's changes are noted, for whoever tells others of them.
    public var keepsSummary = false { didSet { records.keepsSummary = keepsSummary } }
    /// What is saved of routers where there are no files.
    var navigationInMemory = SavedNavigation()
    private let isReadOnlyMemory: Bool
    let isWritableMemory: Bool

    public private(set) var now = Timestamp.minimum
    private var nowText = ByteBuffer(capacity: 32)

    /// - Parameter helper: that of another one, which this one stands in for.
    public init(_ location: Location, helper: HelperThread = HelperThread()) {
        self.helper = helper
        if case .directory(var settings) = location {
            settings.migration = .moods
            settings.lockWait = lockWait
            self.location = .directory(settings)
        } else {
            self.location = location
        }
        switch location {
        case .memory(let isReadOnly):
            held = Indirect(.inMemory(.moods))
            isReadOnlyMemory = isReadOnly
            isWritableMemory = !isReadOnly
        case .directory:
            held = Indirect(Self.closedRecords)
            isReadOnlyMemory = false
            isWritableMemory = false
        }
    }

    /// Opens the store unless it is open; every method that needs moods calls this first. A store that could not be
    /// opened is tried again at the next call: the other process may be gone, the disk mended.
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
                use(.inMemory(.moods))
                isAbsent = true
                return
            }
            use(opened)
            wasThere = true
        } catch {
            throw .storage(error)
        }
        // Others may have committed since the helper thread opened it.
        guard isLookDue else { return }
        try look()
        if !isOpen { try openFiles() }
    }

    private mutating func use(_ opened: consuming RecordStore) {
        opened.time = records.time
        opened.keepsSummary = keepsSummary
        opened.origin = records.origin
        records = opened
        isAbsent = false
        isReplicaKnown = false
        healTime = Clock.monotonicMilliseconds + Self.healMilliseconds
    }

    /// As `open`, and the store can be written; where there is none it is made. Other processes wait until `endGroup`.
    public mutating func openForWriting() throws(MoodStoreError) {
        if isWritableMemory || isHeld, !isRehearsing { return }
        endRehearsal()
        try hold()
        if isAbsent, case .directory(let settings) = location {
            do throws(StorageError) { use(try RecordStore.open(settings, .moods)) } catch { throw .storage(error) }
            wasThere = true
            try hold()
        }
        isHeld = true
    }

    /// The same for a request that may fail, or change nothing: where there is no store yet, a rehearsal begins.
    @inline(__always)
    public mutating func openForRequest() throws(MoodStoreError) {
        if isWritableMemory || isHeld { return }
        try hold()
        isRehearsing = isAbsent
        isHeld = true
    }

    /// The present request has been tried.
    public mutating func endRehearsal() {
        guard isRehearsing else { return }
        isRehearsing = false
        isHeld = false
        records.abandonCommit()
    }

    @inline(never)
    private mutating func hold() throws(MoodStoreError) {
        if let obstacle, failure == nil { throw .storage(obstacle) }
        if !isOpen { try openFiles() }
        // Who takes the lock looks anyway.
        if isLookDue, refusal == nil, !isAbsent { isLookDue = false } else { try open() }
        if refusal != nil { try heal() }
        // What a failed sync may have left on the disk is unknown, whatever became of the store since.
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

    /// Before anything is committed by a store that was copied, or is a restored backup, it becomes another replica.
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
            // The sync says so too, and does nothing then. The moods are not affected.
            settings.log(error.reason)
        }
    }

    /// What is told of a lock that was not to be had, or was had in vain. It stays so for all of the group, and nobody in it
    /// waits again: requests that were answered before a second wait would be carried out again after it, and need the lock.
    private mutating func noted(_ error: StorageError) -> StorageError {
        if case .busy = error, let obstacle { return obstacle }
        if case .busy = error {} else { wait(.nowhere) }
        obstacle = error
        return error
    }

    /// What refused every change may be over by now: there is space, or the right to write, or the files were mended.
    private mutating func heal() throws(MoodStoreError) {
        guard failure == nil, records.mayHeal, Clock.monotonicMilliseconds >= healTime else { return }
        let start = Clock.monotonicMilliseconds
        do throws(StorageError) {
            try records.heal()
        } catch {
            close()
            throw .storage(error)
        }
        // A store that takes long to open is not opened for each request that is refused.
        let end = Clock.monotonicMilliseconds
        healTime = end + Self.healMilliseconds + (end - start) * 4
    }

    /// Before the first request of a group: whoever needs moods next sees what other processes have committed.
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
            // What is known stays, and the next request looks again.
            guard isOpen else { return close() }
            isLookDue = true
            throw .storage(noted(error))
        }
    }

    /// Behind the last request of a group, once all is flushed: others may change the store.
    public mutating func endGroup() {
        if isWritableMemory { return }
        isHeld = false
        obstacle = nil
        records.unlock()
        if hasOwnWait {
            hasOwnWait = false
            lockWait.mode = .beside
        }
    }

    /// What the present group does from here on cannot be done again after a wait: it waits for the lock there.
    public mutating func waitHere() { wait(.here) }

    private mutating func wait(_ mode: LockWait.Mode) {
        guard lockWait.mode == .beside else { return }
        lockWait.mode = mode
        hasOwnWait = true
    }

    /// What is open cannot be relied upon any more, or is about to be replaced, with nothing pending; the next request
    /// opens it anew, and says what is wrong.
    mutating func close() {
        let (time, origin) = (records.time, records.origin)
        records = Self.closedRecords
        (records.time, records.origin) = (time, origin)
        isAbsent = false
        isHeld = false
        if opening?.isDone == true { opening = nil }
    }

    /// The store's files are to be others.
    mutating func forgetFiles() {
        close()
        wasThere = false
    }

    /// What answers until the store is opened: nothing is found in it and nothing can be changed.
    private static var closedRecords: RecordStore {
        .closed(
            .moods,
            because: .unavailable(
                reason: "The store is not open.", advice: "This is a defect of the program; nothing was changed."))
    }

    /// What every change is answered with, or nil when moods can be changed.
    var refusal: StorageError? {
        if isReadOnlyMemory {
            return .readOnly(reason: "The host was started with --read-only.")
        }
        if isAbsent, case .directory(let settings) = location, settings.isReadOnly {
            return .readOnly(reason: "The store was opened read-only.")
        }
        return records.refusal
    }

    /// The moment of the requests that are handled now.
    public mutating func setTime(_ time: Timestamp) {
        // A client that waits for each answer asks a few hundred times in a millisecond.
        if time == now, nowText.count > 0 { return }
        now = time
        nowText.truncate(to: 0)
        time.write(to: &nowText)
        records.time.set(nowText.bytes)
    }

    /// A moment as a mood's time; the present one with its text, which is formatted once for all requests of a group.
    func moodTime(_ moment: Timestamp) -> MoodTime {
        moment == now ? MoodTime(JSONText(raw: nowText.bytes, isEscaped: false), saying: now) : MoodTime(moment)
    }

    // MARK: Commits

    /// Ends what the present request has changed, as one commit. Nothing can be kept of a rehearsal.
    public mutating func endCommit() throws(MoodStoreError) {
        if isAbsent, records.isCommitOpen {
            abandonCommit()
            throw .storage(.unavailable(reason: "There is no store to keep this in.", advice: "Open it for writing."))
        }
        do throws(StorageError) {
            try records.endCommit()
        } catch {
            isHeld = false
            throw .storage(error)
        }
    }

    /// Takes back what the present request has changed.
    public mutating func abandonCommit() {
        endRehearsal()
        records.abandonCommit()
    }

    /// Whether there are commits that are not durable yet.
    public var needsFlush: Bool { mutating get { records.needsFlush } }

    /// Makes all commits of the group durable, or takes them back and throws.
    public mutating func flush() throws(StorageError) {
        isHeld = false
        if records.needsFlush {
            hasCommitted = true
            waitHere()
        }
        try records.flush()
    }

    /// Makes the commits so far durable in the middle of a group; where it throws, so does `flush`.
    public mutating func flushEarly() throws(StorageError) {
        isHeld = false
        if records.needsFlush { waitHere() }
        try records.flushEarly()
    }

    /// While set, changes fail with it.
    public var failure: StorageError? {
        get { records.failure }
        set { records.failure = newValue }
    }
}
