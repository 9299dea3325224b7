import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// The sync of a store: the methods `sync.*` without the protocol. It works on files alone, as another process would,
/// on its own thread.
public struct StoreSync: Sendable {
    private static let lockMilliseconds = 30_000

    private let settings: StoreSettings
    private let place: SyncPlace
    /// The time to wait for another process that syncs.
    private let patienceMilliseconds: Int
    private let peer: TransportPeer
    /// A replica uploads a snapshot when it is this many operations ahead of every snapshot.
    var operationsBeyondSnapshots = 10_000
    /// Whether the user waits for a round.
    public var isAsked = true
    private let isCancelled: @Sendable () -> Bool

    public init(
        _ settings: StoreSettings, peer: TransportPeer = .none, patienceMilliseconds: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        // A long hold of the store's lock, such as a compaction, is no reason to give up: no user waits for this.
        var settings = settings
        settings.lockTimeoutMilliseconds = max(settings.lockTimeoutMilliseconds, Self.lockMilliseconds)
        self.settings = settings
        self.peer = peer
        self.patienceMilliseconds = patienceMilliseconds
        self.isCancelled = isCancelled
        place = SyncPlace(store: settings.directory, fileSystem: settings.fileSystem)
    }

    /// Whether a store takes part in sync. Reads as little as possible.
    public static func isSetUp(_ directory: String, in fileSystem: FileSystem) -> Bool {
        (try? ReplicaFile.read(directory, in: fileSystem)) != nil
    }

    /// Whether it syncs with a folder, which reports no changes.
    public static func hasFolder(_ directory: String, in fileSystem: FileSystem) -> Bool {
        guard let file = (try? ReplicaFile.read(directory, in: fileSystem))?.file else { return false }
        return file.url.hasPrefix("folder:")
    }

    /// A fingerprint of the folder; nil if it cannot be read.
    public static func sight(_ directory: String, in fileSystem: FileSystem) -> SyncSight? {
        guard let file = (try? ReplicaFile.read(directory, in: fileSystem))?.file,
            let url = try? SyncURL(file.url), url.kind == .folder
        else { return nil }
        return FolderTransport(url.address, journal: file.journal, in: fileSystem).sight(besides: file.replica)
    }

    /// Whether a short-lived process may begin a round, at most one per interval. A true answer counts as its
    /// beginning.
    public static func mayBegin(_ settings: StoreSettings, everyMilliseconds interval: Int) -> Bool {
        let path = SyncPlace(store: settings.directory, fileSystem: settings.fileSystem).begun
        let now = Clock.milliseconds
        let bytes = (try? settings.fileSystem.readWhole(path, bytesMax: 64)) ?? nil
        if let bytes, let last = Int64(String(decoding: bytes, as: UTF8.self)), now >= last, now - last < interval {
            return false
        }
        let temporary = path + "-" + settings.makeIdentifier()
        return (try? settings.fileSystem.replaceWhole(path, by: temporary) { _ in Array(String(now).utf8) }) != nil
    }

    // MARK: A round

    /// One exchange. An unreachable other side is no error: the status reports it.
    public func now(_ tell: (Int, Int) -> Void) throws(SyncError) -> SyncCounts {
        _ = try place.file()
        let lock = try place.acquireLock(timeoutMilliseconds: patienceMilliseconds, isCancelled: isCancelled)
        defer { extendLifetime(lock) }
        return try round(tell)
    }

    private func round(_ tell: (Int, Int) -> Void) throws(SyncError) -> SyncCounts {
        var state = SyncState.read(place)
        var (failure, counts): (SyncError?, SyncCounts) = (nil, SyncCounts())
        var returned: Set<UUID> = []
        let now = (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text
        do throws(SyncError) {
            let file = try file()
            var transport = try transport(file)
            let coder = LineCoder(
                journal: file.journal, filter: try filter(file), isCancelled: isCancelled)
            let replica = try StoreReplica.open(place, settings) { (replica) throws(SyncError) in
                try replica.restore(from: &transport, coder, isCancelled: isCancelled)
            }
            var round = SyncRound(
                replica, transport, coder, state, isAsked: isAsked,
                operationsBeyondSnapshots: operationsBeyondSnapshots, isCancelled: isCancelled)
            do throws(SyncError) { try round.run(tell) } catch { failure = error }
            (state, counts) = (round.state, round.counts)
            for (id, number) in replica.fold.vector.last where number > state.known[id] {
                state.known[id] = number
                state.seen[id] = now
                returned.insert(id)
            }
            if replica.isWhole { state.recorded = replica.looked }
            state.names.merge(replica.fold.names) { $1 }
            state.unsent = replica.own.reduce(0) { $0 + max(($1.value.last?.number ?? 0) - state.pushed[$1.key], 0) }
        } catch {
            failure = error
        }
        switch failure {
        case nil:
            state.state = state.problem == nil ? .idle : .incomplete
            state.lastSync = now
            state.lastError = state.problem
        case .offline: state.state = .offline
        case .missing(let records): (state.state, state.missing) = (.incomplete, records)
        default: state.state = .idle
        }
        if let failure { state.lastError = failure.reason }
        // The store may have left the sync meanwhile.
        if try place.fileIfThere() != nil {
            try SyncState.change(place) { there throws(SyncError) in
                // Replicas that were forgotten meanwhile stay so, but for those that have come back.
                state.forgotten = there.forgotten.filter { !returned.contains($0) }
                there = state
            }
        }
        switch failure {
        case .offline, .missing, nil: return counts
        case let failure?: throw failure
        }
    }

    /// Makes the history up to the present commit needless for the sync: the base then holds its state and its marks.
    /// - Returns: that commit; nil if the store takes no part in sync.
    /// - Throws: also if records are missing that the store has, for which the history is still needed.
    public func keepBase() throws(SyncError) -> Int? {
        if try place.fileIfThere() == nil { return nil }
        let lock = try place.acquireLock(timeoutMilliseconds: patienceMilliseconds, isCancelled: isCancelled)
        defer { extendLifetime(lock) }
        return try StoreReplica.open(place, settings).keepState()
    }

    private func file() throws(SyncError) -> ReplicaFile {
        // A copy, or another store: it takes its own id when it is opened for writing.
        var moods = MoodRecords(.directory(settings))
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        moods.endGroup()
        return try place.file()
    }

    private func transport(_ file: ReplicaFile) throws(SyncError) -> any Transport {
        transport(
            try SyncURL(file.url, schemes: peer.schemes), file.journal, isKnown: true, file.config)
    }

    /// - Parameter isKnown: whether the journal's id is known.
    private func transport(
        _ url: SyncURL, _ journal: UUID, isKnown: Bool, _ config: JSONValue
    ) -> any Transport {
        switch url.kind {
        case .folder: FolderTransport(url.address, journal: journal, in: settings.fileSystem)
        case .git:
            GitTransport(
                url, path: place.git, journal: journal, in: settings.fileSystem, isCancelled: isCancelled)
        case .plugin(let scheme):
            PluginTransport(url.address, scheme: scheme, journal: isKnown ? journal : nil, config: config, peer)
        }
    }

    private func filter(_ file: ReplicaFile) throws(SyncError) -> SyncFilter? {
        guard let value = file.filter, value.object != nil else { return nil }
        guard file.isFilterNamedHere else {
            throw .refused(
                reason: "This store is a copy, and its filter is not run before a person has named it here. "
                    + "Say sync.setup again with the same url and the filter.")
        }
        return try SyncFilter(value)
    }

    private func newID() throws(SyncError) -> UUID {
        guard let id = UUID(settings.makeIdentifier()) else { throw .refused(reason: "There is no random number.") }
        return id
    }

    private func write(_ file: inout ReplicaFile) throws(SyncError) {
        do throws(SystemError) { try file.write(settings.directory, in: settings.fileSystem) } catch {
            throw SyncPlace.error(error)
        }
    }

    // MARK: Beginning and ending

    /// The user's parameters of a setup.
    public struct Setup: Sendable {
        public let url: String
        /// Whether to begin a journal.
        public var isNew = false
        public var journal: UUID?
        /// Whether the user has confirmed that both sides have moods.
        public var isConfirmed = false
        /// The config for the transport of a plugin.
        public var config: JSONValue?
        public var filter: JSONValue?

        public init(url: String) { self.url = url }
    }

    /// Begins a journal, or joins one.
    public func setUp(_ setup: Setup) throws(SyncError) {
        let url = try SyncURL(setup.url, schemes: peer.schemes)
        if let filter = setup.filter { _ = try SyncFilter(filter) }
        var moods = MoodRecords(.directory(settings))
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        moods.endGroup()
        let lock = try place.acquireLock(timeoutMilliseconds: patienceMilliseconds, isCancelled: isCancelled)
        defer { extendLifetime(lock) }
        if let known = try place.fileIfThere() { return try setUpAgain(setup, known) }
        let config = setup.config ?? .object([])
        let found = try journals(url, config, setup.journal)
        let journal = try chosen(found, isNew: setup.isNew, setup.journal)
        if setup.isNew, !found.isEmpty {
            settings.log(
                "\(SyncURL.shown(setup.url)) had a journal already: \(found.map(\.text).joined(separator: ", ")). Now there is"
                    + " another. To join that one, leave the sync and set it up with its id in place of 'new'.")
        }
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        let (count, identity, revision) = (moods.count, moods.identity, moods.durableRevision)
        moods.endGroup()
        guard let identity else { throw .refused(reason: "Moods that are kept in memory only are not synced.") }
        if !setup.isNew, count > 0, !setup.isConfirmed, try hasMoods(url, journal, config) {
            throw .needsConfirmation(
                reason: "Both this store and the journal have moods. Say confirm:true to have all of them in both.")
        }
        if isCancelled() { throw .cancelled }
        try removeNotes()
        var file = ReplicaFile(
            journal: journal, replica: try newID(), storeID: identity.id, from: revision, url: setup.url)
        file.config = config
        file.filter = setup.filter
        if setup.filter != nil {
            try SyncState.change(place) { state throws(SyncError) in state.wantsSnapshot = true }
        }
        try write(&file)
        do throws(SyncError) {
            _ = try StoreReplica.open(place, settings, isNew: setup.isNew)
        } catch {
            try? ReplicaFile.remove(settings.directory, in: settings.fileSystem)
            throw error
        }
    }

    /// Moves the sync of the present journal to another place, password or filter. If the new place cannot be opened,
    /// nothing changes.
    private func setUpAgain(_ setup: Setup, _ known: ReplicaFile) throws(SyncError) {
        guard setup.journal ?? known.journal == known.journal else {
            throw .refused(
                reason: "This store takes part in the journal \(known.journal.text). Leave that first (sync.leave).")
        }
        if setup.url == known.url, setup.config == nil, setup.filter == nil { return }
        var file = known
        var state = SyncState.read(place)
        let config = setup.config ?? known.config
        if setup.url != known.url || config.text != known.config.text {
            let url = try SyncURL(setup.url, schemes: peer.schemes)
            let found = try journals(url, config, known.journal)
            file.url = setup.url
            // The new place may have less than the previous one.
            state.leavePlace()
            if !found.contains(known.journal) { state.wantsSnapshot = true }
            if case .git = url.kind { GitTransport.remove(place.git, in: settings.fileSystem) }
        }
        file.config = config
        if let filter = setup.filter {
            file.filter = filter
            file.isFilterNamedHere = true
            state.wantsSnapshot = true
        }
        if isCancelled() { throw .cancelled }
        try SyncState.change(place) { there throws(SyncError) in
            state.forgotten = there.forgotten
            there = state
        }
        try write(&file)
    }

    private func journals(_ url: SyncURL, _ config: JSONValue, _ wanted: UUID?) throws(SyncError) -> [UUID] {
        if url.kind == .folder {
            // The folder for a new journal may be made; its parent must exist.
            do throws(SystemError) { try settings.fileSystem.makeDirectoryIfMissing(url.address) } catch {
                throw .offline(reason: "The folder \(url.address) cannot be used: \(error).")
            }
        }
        var transport = transport(url, wanted ?? UUID(high: 0, low: 0), isKnown: wanted != nil, config)
        return try transport.open()
    }

    private func chosen(_ found: [UUID], isNew: Bool, _ wanted: UUID?) throws(SyncError) -> UUID {
        if isNew {
            if let wanted, found.contains(wanted) {
                throw .refused(reason: "The journal \(wanted.text) is there already. Leave out new:true to join it.")
            }
            return if let wanted { wanted } else { try newID() }
        }
        if let wanted {
            if found.contains(wanted) { return wanted }
            throw .notFound(wanted.text, reason: "There is no journal \(wanted.text).")
        }
        if found.count > 1 { throw .ambiguous(journals: found.map(\.text)) }
        guard let only = found.first else {
            throw .notFound("journal", reason: "There is no journal yet. Say new:true to begin one.")
        }
        return only
    }

    /// Whether the journal has any contents.
    private func hasMoods(_ url: SyncURL, _ journal: UUID, _ config: JSONValue) throws(SyncError) -> Bool {
        var transport = transport(url, journal, isKnown: true, config)
        _ = try transport.open()
        if try !transport.snapshots().isEmpty { return true }
        let coder = LineCoder(journal: journal, filter: nil, isCancelled: isCancelled)
        for line in try transport.pull(Vector()).lines {
            // A line that needs a filter may have any contents.
            guard let read = try? coder.record(line), case .record(let record) = read else { return true }
            if !record.operations.isEmpty { return true }
        }
        return false
    }

    /// Removes the files of an earlier sync.
    private func removeNotes() throws(SyncError) {
        do throws(SystemError) {
            for name in try settings.fileSystem.list(place.path) where name.hasSuffix(".jsonl") || name == "status.json"
            {
                try settings.fileSystem.unlink(place.path + "/" + name)
            }
        } catch {
            throw SyncPlace.error(error)
        }
    }

    /// Leaves the sync. Sent records stay there, and the moods stay here.
    public func leave() throws(SyncError) {
        do throws(SyncError) { _ = try place.file() } catch {
            // A file that cannot be understood is the very reason to leave.
            guard case .store(.storage(.corrupt)) = error else { throw error }
        }
        // A running round notices this, and brings in nothing more.
        do throws(SystemError) {
            try ReplicaFile.remove(settings.directory, in: settings.fileSystem)
        } catch {
            if error.isNotThere { throw .refused(reason: "This store takes no part in sync.") }
            throw SyncPlace.error(error)
        }
        try removeNotes()
    }

    /// Forgets a replica that will not come back. It does not wait for a running round.
    public func forget(_ replica: UUID) throws(SyncError) {
        if try place.file().replica == replica {
            throw .refused(reason: "This is the store's own replica. Leave the sync with sync.leave.")
        }
        try SyncState.change(place) { state throws(SyncError) in
            guard state.known[replica] > 0 || state.pushed[replica] > 0 else {
                throw .notFound(replica.text, reason: "No replica \(replica.text) is known.")
            }
            if !state.forgotten.contains(replica) { state.forgotten.append(replica) }
        }
    }

    // MARK: Conflicts

    /// All conflicts, with all local commits. It does not wait for a running round.
    public func conflicts() throws(SyncError) -> [Conflict] {
        _ = try place.file()
        return try StoreReplica.view(place, settings).fold.conflicts
    }

    /// The effect of settling a conflict: a change of the store, which the caller commits.
    /// - Parameter now: the time of settling.
    public func settlement(_ text: String, takesOther: Bool, at now: Timestamp) throws(SyncError) -> Settlement {
        guard let id = Conflict.ID(text) else {
            throw .notFound(text, reason: "There is no conflict \(text). See sync.conflicts.")
        }
        _ = try place.file()
        let replica = try StoreReplica.view(place, settings)
        replica.moods.setTime(now)
        return try replica.settlement(id, takesOther: takesOther)
    }
}

extension MoodRecords {
    /// Applies a settlement to its mood, as a change of this store.
    public mutating func settle(_ settlement: Settlement) throws(MoodStoreError) {
        _ = try put(shared: settlement.mood) { settlement.document.write(revision: $0, to: &$1) }
        try mark(settles: settlement.member)
    }
}
