/// The commits to undo or redo.
public struct UndoRequest: Sendable {
    public var isRedo: Bool
    /// Number of commits, newest first.
    public var steps = 1
    /// The only commit to undo or redo.
    public var revision: Int?
    /// The only origin of commits to undo or redo.
    public var origin: String?
    /// Whether to take only commits of this process, which without an origin are its client's, and those that no other
    /// process has touched since. In memory all are.
    public var isOfSession = false

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

    init(_ step: Trail.Step) {
        seq = step.revision
        (origin, reversed, isRedo) = (step.note.origin, step.note.reversed, step.note.isRedo)
    }

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

    mutating func look(at note: CommitNote) {
        for revision in note.reversed where isUndone[revision] == nil { isUndone[revision] = !note.isRedo }
    }

    func isUndone(_ revision: Int) -> Bool { isUndone[revision] ?? false }
}

/// The commits of this process that its session can undo.
struct OwnCommits {
    private static let rangesMax = 4096

    /// Ascending, without the last one.
    private var ranges: [ClosedRange<Int>] = []
    /// The last one; empty if it ends before it begins.
    private var (first, last) = (0, -1)
    /// The bytes of their lines.
    private(set) var byteCount = 0
    /// The generation in which the first of them was made, or an earlier one.
    let generation: Int

    init(generation: Int) { self.generation = generation }

    @inline(__always)
    mutating func insert(_ revision: Int, byteCount: Int = 0) {
        self.byteCount += byteCount
        if last &+ 1 != revision || first > last { begin(revision) }
        last = revision
    }

    @inline(never)
    private mutating func begin(_ revision: Int) {
        if first <= last { ranges.append(first...last) }
        if ranges.count == Self.rangesMax { ranges.removeFirst(Self.rangesMax / 2) }
        first = revision
    }

    /// Drops the commits after `revision`, which were taken back.
    mutating func drop(after revision: Int) {
        last = min(last, revision)
        while first > last, let range = ranges.popLast() {
            (first, last) = (range.lowerBound, min(range.upperBound, revision))
        }
    }

    func contains(_ revision: Int) -> Bool {
        revision >= first && revision <= last || ranges.contains { $0.contains(revision) }
    }
}

/// The commits to undo or redo, in order.
struct UndoChoice {
    private let request: UndoRequest
    /// The only commits to take; nil for those of any process.
    private let own: OwnCommits?
    /// Newest first.
    private var notes: [CommitNote] = []
    private var reversals = Reversals()
    private(set) var undoable: [Int] = []
    /// Whether no older commit can matter.
    private(set) var isComplete = false

    init(_ request: UndoRequest, _ own: OwnCommits?) { (self.request, self.own) = (request, own) }

    private func isWanted(_ note: CommitNote) -> Bool {
        let isOfOne = request.isOfSession || request.origin != nil
        return (!isOfOne || note.origin == request.origin) && own?.contains(note.seq) ?? true
    }

    /// Whether fewer commits were found than wanted, so that older ones would be taken too.
    var isShort: Bool { request.revision == nil && !request.isRedo && !isComplete }

    mutating func look(at note: CommitNote) {
        guard !isComplete else { return }
        notes.append(note)
        reversals.look(at: note)
        if let revision = request.revision {
            isComplete = note.seq <= revision
        } else if request.isRedo {
            // Only commits after a client's change can be redone.
            isComplete = note.isOwnChange && isWanted(note)
        } else if note.isOwnChange, isWanted(note), !reversals.isUndone(note.seq) {
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
        guard note.isOwnChange, isWanted(note) else { throw .refused(.foreign(revision: revision)) }
        guard reversals.isUndone(revision) == request.isRedo else {
            throw .refused(.already(revision: revision, isRedo: request.isRedo))
        }
        return [revision]
    }

    private var redoable: [Int] {
        var stack: [Int] = []
        for note in notes.reversed() where !note.reversed.isEmpty && isWanted(note) {
            if note.isRedo { stack.removeAll { note.reversed.contains($0) } } else { stack += note.reversed }
        }
        return Array(stack.suffix(request.steps).reversed())
    }
}

/// A commit that was undone or redone.
public struct UndoneCommit: Sendable {
    public enum Kind: String, Sendable { case created, updated, deleted }

    public let revision: Int
    /// The kind of the commit's changes; `updated` if they are of several kinds.
    public let kind: Kind
    /// Some of the records that it changed.
    public let ids: [RecordID]
    /// Number of all of them.
    public let count: Int

    /// Number of records that are named.
    public static let idsMax = 1000
}

/// The reason why nothing was undone.
public enum UndoFailure: Error, Sendable {
    case refused(UndoRefusal)
    case storage(StorageError)
}

/// The reason why a commit is not undone or redone; nothing was done.
public enum UndoRefusal: Error, Sendable {
    /// Another commit has changed the same record since.
    case touched(RecordID, revision: Int)
    /// The values before the commit are no longer stored.
    case forgotten(revision: Int, isLarge: Bool)
    /// There is no such commit.
    case unknown(revision: Int)
    /// It is an undo or redo itself.
    case reversal(revision: Int)
    /// It came by sync, or from another origin than the request.
    case foreign(revision: Int)
    /// It is already undone, or already redone.
    case already(revision: Int, isRedo: Bool)
}
