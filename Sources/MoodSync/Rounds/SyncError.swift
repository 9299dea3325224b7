import JSONCodec
import MoodStore
import Platform
import Storage

/// The reason why a sync was not done or not finished. Nothing is lost: unsent records are sent the next time.
public enum SyncError: Error, Sendable {
    /// The other side cannot be reached now.
    case offline(reason: String)
    /// The request cannot be done as asked, or in the present state.
    case refused(reason: String)
    /// The filter could not open something that is there.
    case unopened(reason: String)
    /// The requested object does not exist.
    case notFound(String, reason: String)
    /// The place has several journals.
    case ambiguous(journals: [String])
    /// Both sides have moods.
    case needsConfirmation(reason: String)
    /// Another process is syncing.
    case busy
    case cancelled
    case store(MoodStoreError)
    /// Records that the store has taken in are neither in `sync/` nor on the other side: nothing is recorded or brought
    /// in.
    case missing([(replica: UUID, numbers: ClosedRange<Int>)])

    /// A sentence for users.
    public var reason: String {
        switch self {
        case .offline(let reason), .refused(let reason), .unopened(let reason), .notFound(_, let reason),
            .needsConfirmation(let reason):
            reason
        case .ambiguous(let journals):
            "Several journals are there: \(journals.joined(separator: ", ")). Say journal:ID to name one of them."
        case .busy: "Another process is syncing this store. Try again."
        case .cancelled: "The sync was cancelled."
        case .store(.storage(let error)): error.reason
        case .missing:
            "Records that this store has taken in are missing in sync/ and on the other side. They come once a device that has "
                + "them syncs twice. Else leave the sync (sync.leave) and set it up again; the moods stay."
        case .store: "The store refused a change."
        }
    }
}
