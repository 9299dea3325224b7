import JSONCodec
import Replication

/// What carries lines and snapshots between replicas, and understands neither. Folder, git and the plugins of other engines
/// answer the same questions, and all of them may be asked again.
protocol Transport {
    /// Whether a line may be there in part for a while, because something else copies it.
    var copiesInParts: Bool { get }

    /// Reaches the other side, and brings what is there.
    /// - Returns: the journals that are there.
    mutating func open() throws(SyncError) -> [UUID]

    /// Sends lines of one replica, which follow each other.
    /// - Returns: the last one that is there now. What is not sent, because there would be a gap, is sent again. Without any
    ///   lines it only tells.
    mutating func push(_ lines: [TransportLine], of replica: UUID) throws(SyncError) -> Int

    /// - Parameter have: the last records that are known.
    mutating func pull(_ have: Vector) throws(SyncError) -> Pulled

    /// The snapshots that are there.
    mutating func snapshots() throws(SyncError) -> [TransportSnapshot]

    /// The text of a snapshot; nil where it is not whole.
    mutating func text(of snapshot: TransportSnapshot) throws(SyncError) -> [UInt8]?

    /// Puts a snapshot; it is listed once it is there as a whole.
    mutating func put(_ text: [UInt8], as snapshot: TransportSnapshot) throws(SyncError)

    /// Removes records of a replica, and snapshots, that a later snapshot covers.
    mutating func drop(_ replica: UUID, upTo number: Int, snapshots: [TransportSnapshot]) throws(SyncError)

    /// Whether what is sent is on the other side only after `finish`.
    var sendsLater: Bool { get }

    /// Sees to it that what was sent is on the other side.
    mutating func finish() throws(SyncError)

    /// The files of records that are there, by name; nil where there are none of such a kind.
    var files: [String]? { get }

    /// What has a name of a file of records or of a snapshot and is none.
    var passedOver: [String] { get }
}

extension Transport {
    var sendsLater: Bool { false }
    var files: [String]? { nil }
    var passedOver: [String] { [] }
}

/// A line that is carried, and what a transport knows of it.
struct TransportLine: Sendable {
    let replica: UUID
    let number: Int
    /// Without its line feed.
    let text: [UInt8]
}

/// A snapshot that is carried.
struct TransportSnapshot: Sendable {
    /// Who put it, and how much it knows: never the same for another text.
    let id: String
    let vector: Vector
    /// Of how many messages it is made; 1 where nothing has to be taken apart.
    var parts = 1
    /// What changes where the text is written anew.
    var stamp = ""

    /// What it is noted by.
    var noteID: String { stamp.isEmpty ? id : id + " " + stamp }

    init(id: String, vector: Vector, parts: Int = 1) {
        (self.id, self.vector, self.parts) = (id, vector, parts)
    }

    /// What a replica puts. Its vector only grows, and so does the count of what is known.
    init(of replica: UUID, _ vector: Vector, _ known: Known) {
        self.init(id: "\(replica.text)-\(known.count)", vector: vector)
    }

    /// Who put it.
    var replica: UUID? { UUID(String(id.prefix(UUID.textLength))) }
}

struct Pulled {
    var lines: [TransportLine] = []
    /// The last record of each replica that is there.
    var last = Vector()
    /// Whether there are more.
    var hasMore = false
}
