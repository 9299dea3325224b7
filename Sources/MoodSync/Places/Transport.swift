import JSONCodec
import Replication

/// A carrier of lines and snapshots between replicas that understands neither: a folder, git, or a plugin. All requests
/// may be repeated.
protocol Transport {
    /// Whether a line may be incomplete for a while, because another program copies it.
    var copiesInParts: Bool { get }

    /// Opens the other side, and fetches its contents.
    /// - Returns: the journals there.
    mutating func open() throws(SyncError) -> [UUID]

    /// Sends consecutive lines of one replica.
    /// - Returns: the last one that is there now. Lines that were not sent because of a gap are sent again. Without
    ///   lines it only reports.
    mutating func push(_ lines: [TransportLine], of replica: UUID) throws(SyncError) -> Int

    /// - Parameter have: the last known records.
    mutating func pull(_ have: Vector) throws(SyncError) -> Pulled

    /// The snapshots there.
    mutating func snapshots() throws(SyncError) -> [TransportSnapshot]

    /// The text of a snapshot; nil if it is incomplete.
    mutating func text(of snapshot: TransportSnapshot) throws(SyncError) -> [UInt8]?

    /// Uploads a snapshot; it is listed once it is complete.
    mutating func put(_ text: [UInt8], as snapshot: TransportSnapshot) throws(SyncError)

    /// Removes records of a replica, and snapshots, that a later snapshot covers.
    mutating func drop(_ replica: UUID, upTo number: Int, snapshots: [TransportSnapshot]) throws(SyncError)

    /// Whether sent lines reach the other side only after `finish`.
    var sendsLater: Bool { get }

    /// Makes sure that all sent lines have reached the other side.
    mutating func finish() throws(SyncError)

    /// The files of records there, by name; nil if the transport has none.
    var files: [String]? { get }

    /// Entries with the name of a file of records or of a snapshot that are none.
    var passedOver: [String] { get }
}

extension Transport {
    var sendsLater: Bool { false }
    var files: [String]? { nil }
    var passedOver: [String] { [] }
}

/// A line on a transport, with the attributes that the transport knows.
struct TransportLine: Sendable {
    let replica: UUID
    let number: Int
    /// The text without its line feed.
    let text: [UInt8]
}

/// A snapshot on a transport.
struct TransportSnapshot: Sendable {
    /// The id of its writer and the extent of its records: unique for each text.
    let id: String
    let vector: Vector
    /// The number of its messages; 1 if it is not split.
    var parts = 1
    /// A text that changes when the snapshot is written again.
    var stamp = ""

    /// The key of its notes.
    var noteID: String { stamp.isEmpty ? id : id + " " + stamp }

    init(id: String, vector: Vector, parts: Int = 1) {
        (self.id, self.vector, self.parts) = (id, vector, parts)
    }

    /// A snapshot of a replica. Its vector only grows, and so does the count of known records.
    init(of replica: UUID, _ vector: Vector, _ known: Known) {
        self.init(id: "\(replica.text)-\(known.count)", vector: vector)
    }

    /// The replica that wrote it.
    var replica: UUID? { UUID(String(id.prefix(UUID.textLength))) }
}

struct Pulled {
    var lines: [TransportLine] = []
    /// The last record of each replica that is there.
    var last = Vector()
    /// Whether there are more.
    var hasMore = false
}
