/// The commits to undo or redo, of any client.
public struct UndoRequest: Sendable {
    public var isRedo: Bool
    /// Number of commits, newest first.
    public var steps = 1
    /// The only commit to undo or redo.
    public var revision: Int?
    /// The only origin of commits to undo or redo.
    public var origin: String?

    public init(isRedo: Bool) { self.isRedo = isRedo }

    /// The origin of commits that came from other stores: they cannot be undone here.
    public static let syncOrigin = "sync"
}

/// The facts of a commit that undo needs.
struct CommitNote {
    let seq: Int
    let origin: String?
    /// The commits that it undid or redid, in order.
    var reversed: [Int] = []
    var isRedo = false

    init(_ line: JournalLine) {
        seq = line.seq
        origin = line.origin.map { String(decoding: $0, as: UTF8.self) }
        var reversed: [Int] = []
        var isRedo = false
        _ = line.forEachPart { part in
            switch part {
            case .undoes(let revisions): reversed = revisions
            case .redoes(let revisions): (reversed, isRedo) = (revisions, true)
            default: break
            }
        }
        self.reversed = reversed
        self.isRedo = isRedo
    }

    /// Whether it changed records itself, in this store.
    var isOwnChange: Bool { reversed.isEmpty && origin != UndoRequest.syncOrigin }
}

/// The undo state of commits, read from the newest back.
struct Reversals {
    /// Whether the newest undo or redo of a commit undid it.
    private var isUndone: [Int: Bool] = [:]

    mutating func look(at note: CommitNote) { look(atReversalOf: note.reversed, isRedo: note.isRedo) }

    mutating func look(atReversalOf revisions: [Int], isRedo: Bool) {
        for revision in revisions where isUndone[revision] == nil { isUndone[revision] = !isRedo }
    }

    func isUndone(_ revision: Int) -> Bool { isUndone[revision] ?? false }
}

/// The commits to undo or redo, in order.
struct UndoChoice {
    private let request: UndoRequest
    /// Newest first.
    private var notes: [CommitNote] = []
    private var reversals = Reversals()
    private(set) var undoable: [Int] = []
    /// Whether no older commit can matter.
    private(set) var isComplete = false

    init(_ request: UndoRequest) { self.request = request }

    private func isWanted(_ origin: String?) -> Bool { request.origin.map { $0 == origin } ?? true }

    mutating func look(at note: CommitNote) {
        guard !isComplete else { return }
        notes.append(note)
        reversals.look(at: note)
        if let revision = request.revision {
            isComplete = note.seq <= revision
        } else if request.isRedo {
            // Only commits after a client's change can be redone.
            isComplete = note.isOwnChange && isWanted(note.origin)
        } else if note.isOwnChange, isWanted(note.origin), !reversals.isUndone(note.seq) {
            undoable.append(note.seq)
            isComplete = undoable.count == request.steps
        }
    }

    /// - Throws: if the one commit asked for cannot be undone or redone.
    func targets() throws(UndoFailure) -> [Int] {
        guard let revision = request.revision else { return request.isRedo ? redoable : undoable }
        guard let note = notes.last, note.seq == revision else {
            throw .refused(.forgotten(revision: revision, isLarge: false))
        }
        guard note.reversed.isEmpty else { throw .refused(.reversal(revision: revision)) }
        guard note.isOwnChange, isWanted(note.origin) else { throw .refused(.foreign(revision: revision)) }
        guard reversals.isUndone(revision) == request.isRedo else {
            throw .refused(.already(revision: revision, isRedo: request.isRedo))
        }
        return [revision]
    }

    private var redoable: [Int] {
        var stack: [Int] = []
        for note in notes.reversed() where !note.reversed.isEmpty && isWanted(note.origin) {
            if note.isRedo { stack.removeAll { note.reversed.contains($0) } } else { stack += note.reversed }
        }
        return Array(stack.suffix(request.steps).reversed())
    }
}
