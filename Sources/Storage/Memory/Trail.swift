import JSONCodec

/// The last commits of a store in memory, oldest first: what the journals are to a store on disk.
///
/// They are at least 100 and at most 200, as long as the values that they replaced have at most 32 MiB; undos and redos
/// between them do not count.
struct Trail {
    struct Change {
        let id: RecordID
        /// The bytes before the commit; nil if there was no record.
        let before: [UInt8]?
        /// Whether the record exists after it.
        var isThere: Bool
    }

    struct Step {
        let revision: Int
        /// The time of the commit: 24 bytes of RFC 3339.
        let at: [UInt8]
        let changes: [Change]
        let note: Note
        let byteCount: Int

        var isClear: Bool { note.newestCleared != nil }
    }

    /// Facts that few commits have, so that the undo log notes less of each.
    struct Note {
        /// The author, if no client made the commit.
        var origin: String?
        /// The newest records of all that it first removed; nil if it did not.
        var newestCleared: [RecordID]?
        /// The commits that it undid or redid, in order.
        var reversed: [Int] = []
        var isRedo = false
    }

    static let commitsMin = 100
    static let bytesMax = 32 << 20

    private(set) var steps: [Step] = []
    /// The last commit that is no longer kept, and whether its size is the reason.
    private(set) var forgotten: (revision: Int, isLarge: Bool)?
    private var byteCount = 0
    /// Number of steps that undid or redid nothing.
    private var ownCount = 0
    /// The notes of commits in no step yet.
    private var notes: [Int: Note] = [:]

    mutating func note(_ revision: Int, _ change: (inout Note) -> Void) { change(&notes[revision, default: Note()]) }

    /// Drops the note of a commit that was taken back.
    mutating func dropNote(_ revision: Int) {
        if !notes.isEmpty { notes[revision] = nil }
    }

    mutating func append(_ revision: Int, at time: [UInt8], _ changes: [Change]) {
        let step = Step(
            revision: revision, at: time, changes: changes, note: notes.removeValue(forKey: revision) ?? Note(),
            byteCount: changes.reduce(64) { $0 + 128 + ($1.before?.count ?? 0) })
        steps.append(step)
        byteCount += step.byteCount
        if step.note.reversed.isEmpty { ownCount += 1 }
        let ownMax = ownCount > 2 * Self.commitsMin ? Self.commitsMin : ownCount
        var dropped = 0
        while dropped < steps.count, ownCount > ownMax || byteCount > Self.bytesMax {
            forgotten = (steps[dropped].revision, ownCount <= ownMax)
            byteCount -= steps[dropped].byteCount
            if steps[dropped].note.reversed.isEmpty { ownCount -= 1 }
            dropped += 1
        }
        steps.removeFirst(dropped)
    }

    /// Forgets the commits up to `revision`, and all steps, which are older.
    mutating func drop(upTo revision: Int, isLarge: Bool) {
        (steps, byteCount, ownCount) = ([], 0, 0)
        forgotten = (revision, isLarge)
        notes = notes.filter { $0.key > revision }
    }

    /// The records before a commit that differ from the present ones; nil if that is not known.
    func records(before revision: Int) -> [RecordID: [UInt8]?]? {
        guard let first = steps.first?.revision, first <= revision else { return nil }
        var records: [RecordID: [UInt8]?] = [:]
        for step in steps.reversed() where step.revision >= revision {
            for change in step.changes { records.updateValue(change.before, forKey: change.id) }
        }
        return records
    }
}

/// The past of a store in memory.
extension RecordStore {
    mutating func trail() -> Trail {
        undo.settle()
        return undo.trail ?? Trail()
    }

    /// The present record, in memory.
    private mutating func copy(_ id: RecordID) -> [UInt8]? {
        layers.table.find(id).map { Array(layers.table[$0].bytes) }
    }

    /// Passes on the commits after `revision` up to `last`, as they are read from journals.
    mutating func commitsOfTrail(after revision: Int, upTo last: Int, _ body: (Commit) -> Bool) -> Bool {
        let steps = trail().steps.drop { $0.revision <= revision }
        guard steps.first?.revision == revision + 1 else { return false }
        // A commit left what the next one of that record replaced.
        var replaced: [RecordID: [UInt8]?] = [:]
        var left: [[[UInt8]?]] = []
        for step in steps.reversed() {
            var records: [[UInt8]?] = []
            for change in step.changes {
                if !change.isThere {
                    records.append(nil)
                } else if let known = replaced[change.id] {
                    records.append(known)
                } else {
                    records.append(copy(change.id))
                }
                replaced.updateValue(change.before, forKey: change.id)
            }
            left.append(records)
        }
        var buffer = ByteBuffer(capacity: 1024)
        for (step, records) in zip(steps, left.reversed()) where step.revision <= last {
            guard body(Commit(step, leaving: records, &buffer)) else { return true }
        }
        return true
    }

    /// The records before a commit, as far as they are wanted; nil if that is not known.
    mutating func recordsOfTrail(before revision: Int, of wanted: Set<RecordID>?) -> [RecordID: [UInt8]]? {
        guard var records = trail().records(before: revision) else { return nil }
        if let wanted {
            for id in wanted where records[id] == nil { records.updateValue(copy(id), forKey: id) }
            return records.filter { wanted.contains($0.key) }.compactMapValues { $0 }
        }
        layers.table.walk(.time, isDescending: false, after: nil) { slot in
            if records[slot.head.id] == nil { records.updateValue(Array(slot.bytes), forKey: slot.head.id) }
            return true
        }
        return records.compactMapValues { $0 }
    }

    mutating func readTrail(_ history: inout RecordHistory, of id: RecordID) {
        var present = copy(id)
        for step in trail().steps.reversed() {
            guard let change = step.changes.first(where: { $0.id == id }) else { continue }
            history.add(step, change, leaving: present)
            present = change.before
        }
        present?.withUnsafeBytes { history.add($0) }
    }
}

extension Commit {
    /// A commit in memory.
    /// - Parameters:
    ///   - records: the records after it, one for each change.
    ///   - buffer: holds its bytes.
    fileprivate init(_ step: Trail.Step, leaving records: [[UInt8]?], _ buffer: inout ByteBuffer) {
        buffer.truncate(to: 0)
        step.at.withUnsafeBytes { buffer.append($0) }
        var ranges: [Range<Int>?] = []
        for record in records {
            record?.withUnsafeBytes { buffer.append($0) }
            ranges.append(record.map { buffer.count - $0.count..<buffer.count })
        }
        // The order of a line: what a clear removed, then puts, then deletions.
        var changes = (step.note.newestCleared ?? []).map { Change(kind: .deleted, id: $0, record: nil) }
        for (change, range) in zip(step.changes, ranges) {
            guard let range else { continue }
            changes.append(
                Change(
                    kind: change.before == nil || step.isClear ? .created : .updated, id: change.id,
                    record: UnsafeRawBufferPointer(rebasing: buffer.bytes[range])))
        }
        let named = changes.count
        if !step.isClear {
            for change in step.changes where !change.isThere {
                changes.append(Change(kind: .deleted, id: change.id, record: nil))
            }
        }
        let unnamed = step.changes.count { $0.before != nil } - (step.note.newestCleared?.count ?? 0)
        seq = step.revision
        at = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<step.at.count])
        origin = step.note.origin
        reversed = step.note.reversed
        isRedo = step.note.isRedo
        (saw, marks, crc, settles) = (nil, nil, 0, nil)
        isClear = step.isClear
        count = step.isClear ? named + unnamed : changes.count
        self.changes = changes
    }
}
