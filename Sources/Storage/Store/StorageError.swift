/// Why the store on disk could not do what it was asked to: one case for each kind of the protocol.
///
/// Reasons are sentences for people: they name the file and, where somebody can do something, say what.
public enum StorageError: Error, Sendable, Equatable {
    /// Another process held the lock for the whole time-out; nothing was done.
    case busy(reason: String)
    /// The store can be read but not written, until it is opened again.
    case readOnly(reason: String)
    /// No space, quota or file size limit: nothing was changed, and writing works again when there is space.
    case full(reason: String)
    /// A write or sync failed, and nobody knows how much of it is on the disk.
    case outcomeUnknown(reason: String)
    /// The store cannot be opened; nothing was touched.
    case unavailable(reason: String, advice: String)
    /// Data that was acknowledged is damaged, at `offset` bytes in `file`; nothing was touched.
    case corrupt(file: String, offset: Int, reason: String)
    /// The snapshot is of a later schema than this program's and could not be read: to whoever reads the store is
    /// unavailable, to whoever writes it is read-only. It was not touched.
    case newerSchema(version: Int, reason: String)
    /// The snapshot is of an earlier schema than this program's, and nobody has said how it is migrated. It was not
    /// touched.
    case olderSchema(version: Int, reason: String)
    /// The record is longer than `RecordStore.recordBytesMax`. Nothing was changed.
    case recordTooLarge(byteCount: Int)
    /// The caller did not want it any more. Nothing was changed.
    case cancelled

    /// The sentence for people.
    public var reason: String {
        switch self {
        case .busy(let reason), .readOnly(let reason), .full(let reason), .outcomeUnknown(let reason): reason
        case .unavailable(let reason, _), .corrupt(_, _, let reason), .newerSchema(_, let reason): reason
        case .olderSchema(_, let reason): reason
        case .recordTooLarge(let byteCount):
            "The record has \(byteCount) bytes, and at most \(RecordStore.recordBytesMax) can be kept."
        case .cancelled: "The request was cancelled."
        }
    }

    /// Whether it is only the right to write that is missing.
    var isReadOnly: Bool {
        if case .readOnly = self { true } else { false }
    }
}
