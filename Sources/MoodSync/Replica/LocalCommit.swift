import JSONCodec
import MoodCore
import MoodStore
import Replication
import Storage

/// A commit of the store in the form for records.
struct LocalCommit {
    /// The most ids of a deletion.
    static let idsMax = 1000

    let revision: Int
    var changes: [LocalChange] = []

    init(revision: Int, changes: [LocalChange]) { (self.revision, self.changes) = (revision, changes) }

    init(_ commit: Commit) {
        revision = commit.seq
        let at = Timestamp(rfc3339: commit.at) ?? .minimum
        if commit.isClear { changes.append(.clear(at: at)) }
        var deleted: [UUID] = []
        for change in commit.changes {
            if let bytes = change.record {
                guard let document = MoodDocument(ValidJSON(trusting: bytes)) else { continue }
                var put = commit.settles.map { LocalChange.Put.settling(Member(name: Array($0.utf8))) } ?? .usual
                if change.kind == .created, !commit.reversed.isEmpty { put = .restored }
                changes.append(.put(at: at, document, put))
            } else if !commit.isClear {
                deleted.append(change.id)
            }
        }
        for start in stride(from: 0, to: deleted.count, by: Self.idsMax) {
            changes.append(.delete(at: at, Array(deleted[start..<min(start + Self.idsMax, deleted.count)])))
        }
    }
}
