import JSONCodec
import Replication

/// What carries records and snapshots between replicas, and understands neither. All may be asked again.
protocol Transport {
    /// Reaches the other side, and brings what is there.
    /// - Returns: the journals that are there.
    mutating func open() throws(SyncError) -> [UUID]

    /// Begins the journal, so that others find it before there are records.
    mutating func begin() throws(SyncError)

    /// Sends records of one replica, which follow each other.
    /// - Returns: the last one that is there now. One that is not sent, because there would be a gap, is sent again.
    mutating func push(_ records: [Record], of replica: UUID) throws(SyncError) -> Int

    /// - Parameter have: the last records that are known.
    mutating func pull(_ have: Vector) throws(SyncError) -> Pulled

    /// The snapshots that are there.
    mutating func snapshots() throws(SyncError) -> [(replica: UUID, vector: Vector)]

    /// The text of a snapshot; nil where it is not whole.
    mutating func snapshot(of replica: UUID) throws(SyncError) -> [UInt8]?

    mutating func putSnapshot(_ text: [UInt8], of replica: UUID) throws(SyncError)

    /// Removes records that a snapshot covers.
    mutating func drop(_ replica: UUID, upTo number: Int) throws(SyncError)

    /// Sees to it that what was sent is on the other side.
    mutating func finish() throws(SyncError)
}

struct Pulled {
    var records: [Record] = []
    /// The last record of each replica that is there.
    var last = Vector()
    /// Lines that cannot be read, and why; what comes after one waits.
    var problems: [String] = []
}
