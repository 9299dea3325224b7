/// Which commits are to be undone or redone, whoever made them.
public struct UndoRequest: Sendable {
    public var isRedo: Bool
    /// How many, the newest first.
    public var steps = 1
    /// That one alone.
    public var revision: Int?
    /// Only commits that are marked with this.
    public var origin: String?

    public init(isRedo: Bool) { self.isRedo = isRedo }

    /// What marks commits that came from other stores: they are nobody's to undo here.
    public static let syncOrigin = "sync"
}

/// What a commit says of itself and of others.
struct CommitNote {
    let seq: Int
    let origin: String?
    /// The commits that it took back, or made again, in the order in which it did.
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

    /// Whether somebody changed something, here.
    var isOwnChange: Bool { reversed.isEmpty && origin != UndoRequest.syncOrigin }
}

/// Which commits are undone, as commits are looked at from the newest back.
struct Reversals {
    /// What the newest undo or redo of a commit has made of it.
    private var isUndone: [Int: Bool] = [:]

    mutating func look(at note: CommitNote) {
        for revision in note.reversed where isUndone[revision] == nil { isUndone[revision] = !note.isRedo }
    }

    func isUndone(_ revision: Int) -> Bool { isUndone[revision] ?? false }
}

/// The commits that can be undone or redone, in the order in which they are.
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
            // What came after a change of somebody's is all that can be made again.
            isComplete = note.isOwnChange && isWanted(note.origin)
        } else if note.isOwnChange, isWanted(note.origin), !reversals.isUndone(note.seq) {
            undoable.append(note.seq)
            isComplete = undoable.count == request.steps
        }
    }

    /// - Throws: where the one commit that is asked for is not one of them.
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
