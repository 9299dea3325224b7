import JSONCodec

/// One commit as shown to people.
public struct CommitLogItem: Sendable {
    public let revision: Int
    /// 24 bytes of RFC 3339; empty if unknown.
    public let at: [UInt8]
    /// The kind of its changes; `updated` if they are of several kinds.
    public let kind: UndoneCommit.Kind
    /// The author, if no client made the commit.
    public let origin: String?
    /// The commits that it undid or redid.
    public let reversed: [Int]
    public let isRedo: Bool
    /// Whether it first removed all records.
    public let isClear: Bool
    /// Number of records that it changed.
    public let count: Int
    /// At most `CommitLogItem.idsMax` of them.
    public let ids: [RecordID]
    /// The first of them after the commit; if it was deleted, before the commit. Empty if that is not stored.
    public var record: [UInt8]
    /// Whether it has been undone since.
    public var isUndone = false

    /// Number of records that a commit names.
    public static let idsMax = 100

    init(_ commit: Commit) {
        revision = commit.seq
        at = Array(commit.at)
        let kinds = Set(commit.changes.map(\.kind))
        kind = kinds.count == 1 ? kinds.first ?? .updated : .updated
        origin = commit.origin
        reversed = commit.reversed
        isRedo = commit.isRedo
        isClear = commit.isClear
        count = commit.count
        ids = commit.changes.prefix(Self.idsMax).map(\.id)
        record = commit.changes.first?.record.map { Array($0) } ?? []
    }
}

/// A deleted record.
public struct DeletedRecord: Sendable {
    public let id: RecordID
    /// The commit that deleted it.
    public let revision: Int
    /// The time: 24 bytes of RFC 3339; empty if unknown.
    public var at: [UInt8]
    public var origin: String?
    /// Its last value; empty if that is not stored.
    public var record: [UInt8]
}

extension RecordStore {
    /// The commits before `end`, newest first: at most `limit`, and the `end` of the next page. All must be durable,
    /// and can be read again without a gap.
    public mutating func log(
        before end: Int, limit: Int
    ) throws(StorageError) -> (items: [CommitLogItem], next: Int?) {
        var reversals = Reversals()
        var revisions: [Int] = []
        try forEachNote { note in
            reversals.look(at: note)
            if note.seq < end { revisions.append(note.seq) }
            return revisions.count <= limit
        }
        let next = revisions.count > limit ? revisions[limit - 1] : nil
        revisions = Array(revisions.prefix(limit))
        guard let last = revisions.first, let first = revisions.last else { return ([], nil) }
        var items: [CommitLogItem] = []
        _ = try commits(after: first - 1, upTo: last, .beginning) {
            items.append(CommitLogItem($0))
            return true
        }
        for place in items.indices { items[place].isUndone = reversals.isUndone(items[place].revision) }
        let gone = items.indices.filter { items[$0].record.isEmpty && !items[$0].ids.isEmpty }
        let before = try recordsBefore(gone.map { (items[$0].revision, items[$0].ids[0]) })
        for (place, record) in zip(gone, before) { items[place].record = record }
        return (items.reversed(), next)
    }

    /// The values of records before commits that removed them; empty if not stored.
    /// - Parameter wanted: in ascending order of the commits.
    private mutating func recordsBefore(_ wanted: [(revision: Int, id: RecordID)]) throws(StorageError) -> [[UInt8]] {
        guard let first = wanted.first?.revision, let last = wanted.last?.revision else { return [] }
        let ids = Set(wanted.map(\.id))
        guard var present = try records(before: first, of: ids) else { return wanted.map { _ in [] } }
        var found: [[UInt8]] = []
        _ = try commits(after: first - 1, upTo: last, .inPieces) { commit in
            while found.count < wanted.count, wanted[found.count].revision == commit.seq {
                found.append(present[wanted[found.count].id] ?? [])
            }
            present.follow(commit, ids)
            return true
        }
        while found.count < wanted.count { found.append([]) }
        return found
    }

    /// The deleted records, the last deleted first: at most `limit` after a place, and whether there are more. All
    /// commits must be durable.
    ///
    /// Complexity: linear in the history, and in the snapshots before the commits that removed all records, as far as
    /// the page needs them; in memory for the ids that were removed one by one, and for `candidatesMax` others.
    /// - Parameter isCancelled: called from time to time.
    /// - Throws: `cancelled`; errors of reading.
    public mutating func deletedRecords(
        after place: (revision: Int, id: RecordID)?, limit: Int, isCancelled: () -> Bool = { false }
    ) throws(StorageError) -> (items: [DeletedRecord], hasMore: Bool) {
        var page = FirstDeleted(after: place, limit: limit + 1)
        try findDeleted(&page, isCancelled)
        var found = page.found.map { DeletedRecord(id: $0.id, revision: $0.revision, at: [], record: []) }
        let hasMore = found.count > limit
        found = Array(found.prefix(limit))
        try describe(&found)
        return (found, hasMore)
    }

    private mutating func findDeleted(
        _ page: inout FirstDeleted, _ isCancelled: () -> Bool
    ) throws(StorageError) {
        guard let start = try historyStart(), start < flushedRevision else { return }
        var found: [RecordID: Int] = [:]
        var clears: [Int] = []
        _ = try commits(after: start, upTo: flushedRevision, .inPieces) { commit in
            if commit.isClear { clears.append(commit.seq) }
            for change in commit.changes { found[change.id] = change.record == nil ? commit.seq : nil }
            return !isCancelled()
        }
        for (id, revision) in found where try !contains(id) { page.add(id, revision) }
        // A commit that removed all records names only the newest of them. Those of later commits come first.
        for revision in clears.reversed() where page.takes(revision) {
            if isCancelled() { throw .cancelled }
            try findCleared(by: revision, isLast: revision == clears.last, found, &page, isCancelled)
        }
        if isCancelled() { throw .cancelled }
    }

    /// Number of ids removed by a commit that are checked in one pass.
    private static var candidatesMax: Int { 1 << 14 }

    /// Adds the records of a commit that removed all.
    /// - Parameter isLast: whether no later commit did so: then `found` has every record that was removed again since.
    private mutating func findCleared(
        by revision: Int, isLast: Bool, _ found: [RecordID: Int], _ page: inout FirstDeleted,
        _ isCancelled: () -> Bool
    ) throws(StorageError) {
        var place = page.place.flatMap { $0.revision == revision ? $0 : nil }
        while true {
            // With later ones, some of these may belong to them.
            let count = isLast ? page.limit : max(page.limit, Self.candidatesMax)
            var candidates = FirstDeleted(after: place, limit: count)
            var fault: StorageError?
            let isKept = try forEachID(before: revision) { layers, id in
                // Checks for cancellation only now and then in a walk over a million records.
                if id.low & 0xFFF == 0, isCancelled() { fault = .cancelled }
                guard fault == nil, (found[id] ?? 0) < revision, candidates.takes(id, revision) else { return }
                do throws(IndexFault) {
                    if try !layers.contains(id) { candidates.add(id, revision) }
                } catch {
                    fault = error.asStorageError
                }
            }
            if let fault { throw fault }
            guard isKept, let last = candidates.found.last else { return }
            let isFull = candidates.found.count == count
            var ids = Set(candidates.found.map(\.id))
            if !isLast {
                _ = try commits(after: revision, upTo: flushedRevision, .inPieces) { commit in
                    for change in commit.changes { ids.remove(change.id) }
                    return !ids.isEmpty
                }
            }
            for id in ids { page.add(id, revision) }
            guard isFull, page.takes(last.id, revision) else { return }
            place = last
        }
    }

    /// Adds the time, the author and the last value of deleted records.
    private mutating func describe(_ found: inout [DeletedRecord]) throws(StorageError) {
        guard let last = found.first?.revision, let first = found.last?.revision else { return }
        let order = found.indices.sorted { found[$0].revision < found[$1].revision }
        let before = try recordsBefore(order.map { (found[$0].revision, found[$0].id) })
        for (place, record) in zip(order, before) { found[place].record = record }
        var times: [Int: (at: [UInt8], origin: String?)] = [:]
        let wanted = Set(found.map(\.revision))
        _ = try commits(after: first - 1, upTo: last, .inPieces) { commit in
            if wanted.contains(commit.seq), times[commit.seq] == nil {
                times[commit.seq] = (Array(commit.at), commit.origin)
            }
            return true
        }
        for place in found.indices {
            guard let time = times[found[place].revision] else { continue }
            (found[place].at, found[place].origin) = time
        }
    }
}

/// The first of the deleted records after a place: the last deleted first, those of one commit by id.
private struct FirstDeleted {
    typealias Place = (revision: Int, id: RecordID)

    let place: Place?
    /// Number of records to keep.
    let limit: Int
    private var entries: [Place] = []
    private var isSorted = true

    init(after place: Place?, limit: Int) {
        self.place = place
        self.limit = limit
    }

    /// In order.
    var found: [Place] {
        mutating get {
            settle()
            return entries
        }
    }

    /// Whether records of a commit may be among them.
    func takes(_ revision: Int) -> Bool {
        if let place, revision > place.revision { return false }
        return !isSorted || entries.count < limit || entries.last.map { revision >= $0.revision } ?? true
    }

    /// Whether a record may be among them; cheap for one that may not.
    func takes(_ id: RecordID, _ revision: Int) -> Bool {
        if let place, !Self.precedes(place, (revision, id)) { return false }
        return entries.count < limit || entries.last.map { !isSorted || Self.precedes((revision, id), $0) } ?? true
    }

    mutating func add(_ id: RecordID, _ revision: Int) {
        guard takes(id, revision) else { return }
        entries.append((revision, id))
        isSorted = false
        if entries.count >= 2 * limit + 64 { settle() }
    }

    private mutating func settle() {
        if isSorted { return }
        entries.sort(by: Self.precedes)
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        isSorted = true
    }

    private static func precedes(_ a: Place, _ b: Place) -> Bool {
        a.revision != b.revision ? a.revision > b.revision : a.id < b.id
    }
}
