import JSONCodec
import MoodStore
import Platform
import Storage

/// Why a sync was not done, or not to its end. Nothing is lost by any of them: what was not sent is sent the next time.
public enum SyncError: Error, Sendable {
    /// The other side cannot be reached now.
    case offline(reason: String)
    /// It cannot be done as it was asked, or as things are.
    case refused(reason: String)
    /// What was asked for is not there.
    case notFound(String, reason: String)
    /// Several journals are there.
    case ambiguous(journals: [String])
    /// Both sides have moods.
    case needsConfirmation(reason: String)
    /// Another process is at it.
    case busy
    case cancelled
    case store(MoodStoreError)
    /// Records that the store has taken in are neither in `sync/` nor on the other side: nothing is recorded or brought in.
    case missing([(replica: UUID, numbers: ClosedRange<Int>)])

    /// A sentence for people.
    public var reason: String {
        switch self {
        case .offline(let reason), .refused(let reason), .notFound(_, let reason),
            .needsConfirmation(let reason):
            reason
        case .ambiguous(let journals):
            "Several journals are there: \(journals.joined(separator: ", ")). Name one of them with journal."
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
