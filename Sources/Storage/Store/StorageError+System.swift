import Platform

extension StorageError {
    /// What a failed read means. Input that the disk cannot give back is damage, anything else a matter of access.
    static func reading(_ error: SystemError, _ file: String, at offset: Int = 0) -> StorageError {
        switch error.code {
        case EIO:
            return .corrupt(file: file, offset: offset, reason: "The file \(file) cannot be read: \(error).")
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

    /// What a failed call means that changes something, where nothing that was acknowledged depended on it.
    static func writing(_ error: SystemError, _ file: String) -> StorageError {
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
    /// No space on the disk, in the quota, or below the limit of a file's size.
    var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    var isNoPermission: Bool { code == EROFS || code == EACCES || code == EPERM }
}
