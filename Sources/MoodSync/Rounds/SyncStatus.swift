import JSONCodec
import MoodStore
import Platform
import Replication
import Storage

/// The status of `sync.status`, from notes, without waiting.
public struct SyncStatus: Sendable {
    public struct Replica: Sendable {
        public let id: UUID
        /// The name of its machine; without one, the end of its id.
        public let name: String
        /// Its last record that is in this store.
        public let last: Int
        /// The time of its latest news.
        public let lastSeen: String?
    }

    public var journal: UUID?
    public var replica: UUID?
    /// The url without a password.
    public var url: String?
    public var state: String
    public var lastSync: String?
    public var lastError: String?
    /// Records and commits that were not sent.
    public var pending = 0
    public var replicas: [Replica] = []
    /// Records that are known of and could not be fetched.
    public var missing: [(replica: UUID, numbers: ClosedRange<Int>)] = []
    /// Lines that did not pass the filter.
    public var refused: [String] = []
    /// Paths with names of ours that are no such files.
    public var passedOver: [String] = []

    public static let off = SyncStatus(state: SyncState.Name.off.rawValue)

    /// - Parameter commitsAfter: the number of local commits after a revision.
    public static func read(
        _ directory: String, in fileSystem: FileSystem, commitsAfter: (Int) -> Int
    ) throws(StorageError) -> SyncStatus {
        guard let file = try ReplicaFile.read(directory, in: fileSystem)?.file else { return off }
        let place = SyncPlace(store: directory, fileSystem: fileSystem)
        let notes = SyncState.read(place)
        var status = SyncStatus(state: notes.state.rawValue)
        status.journal = file.journal
        status.replica = file.replica
        status.url = SyncURL.shown(file.url)
        status.lastSync = notes.lastSync
        status.lastError = notes.lastError
        if isAtWork(place) { status.state = SyncState.Name.syncing.rawValue }
        status.pending = commitsAfter(max(notes.recorded, file.from))
        let own = [file.replica] + file.former.map(\.replica)
        if let unsent = notes.unsent {
            status.pending += unsent
        } else {
            // An older host wrote the notes.
            for id in own { status.pending += max(notes.known[id] - notes.pushed[id], 0) }
        }
        (status.missing, status.refused, status.passedOver) = (notes.missing, notes.refused, notes.passedOver)
        for (id, last) in notes.known.last.sorted(by: { $0.key < $1.key }) where !notes.forgotten.contains(id) {
            let name = notes.names[id] ?? file.name(of: id) ?? String(id.text.suffix(8))
            status.replicas.append(Replica(id: id, name: name, last: last, lastSeen: notes.seen[id]))
        }
        return status
    }

    /// Whether another process holds the lock.
    private static func isAtWork(_ place: SyncPlace) -> Bool {
        guard let file = try? File(place.lock, .readWrite, in: place.fileSystem) else { return false }
        do throws(SystemError) { try place.fileSystem.lock(file.descriptor, .sharedNow) } catch { return true }
        return false
    }
}
