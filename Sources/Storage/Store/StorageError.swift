import Platform

/// The failures of a store on disk: one case for each kind of the protocol.
///
/// Reasons are sentences for people: they name the file and, if the user can do something, say what.
public enum StorageError: Error, Sendable, Equatable {
    /// Another process held the lock for the whole time-out; the store is unchanged.
    case busy(reason: String)
    /// The store can be read but not written, until it is opened again.
    case readOnly(reason: String)
    /// No space, quota or file size limit: the store is unchanged, and writing works again when there is space.
    case full(reason: String)
    /// A write or sync failed, and it is unknown how much of it is on the disk.
    case outcomeUnknown(reason: String)
    /// The store does not open; its files are untouched.
    case unavailable(reason: String, advice: String)
    /// Data that was acknowledged is damaged, at `offset` bytes in `file`; nothing was touched.
    case corrupt(file: String, offset: Int, reason: String)
    /// The snapshot has a later schema than this program's and could not be read. Readers report it as unavailable,
    /// writers as read-only. It was not touched.
    case newerSchema(version: Int, reason: String)
    /// The snapshot has an earlier schema than this program's, and there is no migration for it. It was not touched.
    case olderSchema(version: Int, reason: String)
    /// The record is longer than `RecordStore.recordBytesMax`. The store is unchanged.
    case recordTooLarge(byteCount: Int)
    /// The caller cancelled the request. The store is unchanged.
    case cancelled

    /// There was no store when the request began, and another process has made one before the first commit.
    public static let bornElsewhere = StorageError.busy(reason: "Another process has just made the store. Try again.")

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

    /// Whether only permission to write, or space, is missing.
    public var isOnlyOfWriting: Bool {
        switch self {
        case .readOnly, .full: true
        default: false
        }
    }

    /// The error for later changes: no space stays no space, everything else becomes `readOnly`.
    func refusing(_ reason: String) -> StorageError {
        if case .full = self { .full(reason: reason) } else { .readOnly(reason: reason) }
    }
}

extension StorageError {
    /// The meaning of a failed read: input that the disk cannot return is damage, anything else a matter of access.
    static func reading(_ error: SystemError, _ file: String, at offset: Int = 0) -> StorageError {
        switch error.code {
        case EIO:
            return .corrupt(file: file, offset: offset, reason: "The file \(file) cannot be read: \(error).")
        case ECANCELED: return .cancelled
        case ELOOP:
            return .unavailable(
                reason: "\(file) is a symbolic link.", advice: "Put the file itself into the store's directory.")
        case EINVAL where error.call == "open":
            return .unavailable(reason: "\(file) is not a regular file.", advice: "Put the file back into its place.")
        default:
            return .unavailable(
                reason: "The file \(file) cannot be read: \(error).", advice: "Check who may read it, then try again.")
        }
    }

    /// The meaning of a failed write on which no acknowledged data depended.
    public static func writing(_ error: SystemError, _ file: String) -> StorageError {
        if error.isNoSpace {
            return .full(reason: "There is no space to write \(file): \(error). Free some and try again.")
        }
        if error.isNoPermission {
            return .readOnly(reason: "\(file) cannot be written: \(error).")
        }
        return .outcomeUnknown(reason: "Writing \(file) failed: \(error).")
    }
}

extension SystemError {
    /// The error for later changes, after this call failed.
    func refusing(_ reason: String) -> StorageError { isNoSpace ? .full(reason: reason) : .readOnly(reason: reason) }

    /// No space on the disk, in the quota, or below the limit of a file's size.
    var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    var isNoPermission: Bool { code == EROFS || code == EACCES || code == EPERM }
}
