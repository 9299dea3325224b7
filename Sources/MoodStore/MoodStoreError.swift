import MoodCore
import Storage

/// The reason why the store did not carry out a request.
public enum MoodStoreError: Error, Sendable {
    case notFound(MoodID)
    /// Another mood has this id already.
    case idTaken(MoodID, revision: Int)
    /// The mood has changed since the revision that the caller knows.
    case revisionConflict(MoodID, current: Int)
    /// The `opId` belongs to a request with another method or other params. `current` is the store's revision.
    case operationTaken(current: Int)
    /// The `opId` was carried out, but its answer was lost with files that another program has changed.
    case operationLost(current: Int)
    /// The commits cannot be undone or redone, because of later changes.
    case undoRefused(UndoRefusal)
    /// The cursor is invalid, or belongs to another sort, order, filter or mood.
    case invalidCursor
    /// A change would make a mood that no answer could show.
    case moodTooLarge(bytesMax: Int)
    case storage(StorageError)

    /// Whether the request can be carried out on the store that another process has made meanwhile.
    public var isBornElsewhere: Bool { if case .storage(.bornElsewhere) = self { true } else { false } }
}
