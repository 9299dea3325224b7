import MoodCore
import Storage

/// Why the store did not do what it was asked.
public enum MoodStoreError: Error, Sendable {
    case notFound(MoodID)
    /// Another mood has this id already.
    case idTaken(MoodID, revision: Int)
    /// The mood has changed since the revision that the caller knows.
    case revisionConflict(MoodID, current: Int)
    /// The `opId` belongs to a request with another method or other params. `current` is the store's revision.
    case operationTaken(current: Int)
    /// The `opId` was carried out, but what it was answered with went with files that something else has changed.
    case operationLost(current: Int)
    /// What cannot be undone or redone, because of what has happened since.
    case undoRefused(UndoRefusal)
    /// A cursor that is none, or that belongs to another sort, order, filter or mood.
    case invalidCursor
    /// A change would make a mood that no answer could show.
    case moodTooLarge(bytesMax: Int)
    case storage(StorageError)
}
