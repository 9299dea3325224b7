import JSONCodec
import MoodCore
import Replication
import Seeds

/// A machine with a store that takes part. Its disk has two parts, which may be put back separately: the moods with
/// their journal, and `sync/`. A round follows the real one step by step, and any step may be the last.
struct SimulatedReplica {
    /// A commit of the store's journal.
    struct Commit {
        let revision: Int
        /// The checksum that ends its line.
        let crc: UInt32
        var changes: [LocalChange] = []
        /// The changes that a sync made to moods.
        var puts: [UUID: MoodDocument?] = [:]
        let isSync: Bool
        /// The records in the store from here on, and its replica.
        var saw: Vector?
        var replica: UUID?
        /// The changes of the simulation that its operations are; none for a sync.
        var numbers: [Int] = []
    }

    struct Moods {
        var moods: [UUID: MoodDocument] = [:]
        var journal: [Commit] = []
        /// The changes seen after each commit.
        var known: [Set<Int>] = [[]]
    }

    struct Sync {
        var id: UUID
        /// The former ids, and the last commit under each.
        var former: [(id: UUID, upTo: Int)] = []
        var anchor: (id: UUID, revision: Int, crc: UInt32)?
        /// The number of setups before.
        var setups = 0
        /// The commit of the setup.
        var from = 0
        /// The checksums of the commits up to it.
        var earlier: [UInt32] = []
        /// Records that were made here, under all ids.
        var own: [UUID: [Record]] = [:]
        /// The records of others, in order of arrival.
        var others: [Record] = []
        var base = Fold()
        var baseCommit: (revision: Int, crc: UInt32) = (0, 0)
        var hasBase = false
        /// The base joined with a snapshot; it counts once the journal refers to it.
        var joined: Fold?
        var lackingRounds = 0

        /// Whether no setup has ended.
        var isBegun: Bool { anchor == nil && former.isEmpty }

        /// Keeps records of others that are not there yet.
        mutating func add(others more: [Record]) {
            for record in more
            where !others.contains(where: {
                $0.crc == record.crc && $0.number == record.number && $0.replica == record.replica
            }) { others.append(record) }
        }
    }

    /// The shared state of all replicas: the changes, those of records, and numbers that are never used again.
    final class Ledger {
        let truth = SimulatedTruth()
        private var changes: [(replica: UUID, number: Int, crc: UInt32, change: Int)] = []
        private var serial = 0

        func next() -> Int {
            serial += 1
            return serial
        }

        func note(_ record: Record, _ change: Int) {
            changes.append((record.replica, record.number, record.crc, change))
        }

        func changes(knownTo known: Known) -> Set<Int> {
            Set(changes.filter { known.contains($0.replica, $0.number, $0.crc) }.map(\.change))
        }

        func changes(of record: Record) -> [Int] {
            Array(changes(of: record.replica, .init(number: record.number, crc: record.crc)))
        }

        func changes(of id: UUID, _ head: Vector.Head) -> Set<Int> {
            Set(
                changes.filter { $0.replica == id && $0.crc == head.crc && $0.number == head.number }.map(\.change))
        }
    }

    var moods = Moods()
    var sync: Sync
    /// Whether the device or inode has changed.
    var isMoved = false
    var skew = 0
    var awayUntil = 0
    var bin: [UUID: SimulatedMood] = [:]
    /// The number of the machine.
    var home = 0
    var place: SimulatedPlace
    let ledger: Ledger
    var features: SimulationFeatures
    /// Records that are known of and could not be fetched.
    var missing = Vector()
    var isIncomplete = false

    static let journalID = UUID(high: 0x4000, low: 0x8000_0000_0000_0000)

    init(id: UUID, _ ledger: Ledger, _ features: SimulationFeatures, _ place: SimulatedPlace) {
        sync = Sync(id: id)
        sync.anchor = (id, 0, 0)
        self.ledger = ledger
        self.features = features
        self.place = place
    }

    var revision: Int { moods.journal.last?.revision ?? 0 }
    var known: Set<Int> { moods.known.last ?? [] }
    var view: [UUID: SimulatedMood] { moods.moods.mapValues(SimulatedMoods.mood) }
    func shown(_ mood: UUID) -> SimulatedMood? { moods.moods[mood].map(SimulatedMoods.mood) }

    // MARK: User

    /// Begins the commit of a request.
    mutating func beginCommit() {
        moods.journal.append(Commit(revision: revision + 1, crc: UInt32(ledger.next()), isSync: false))
        moods.known.append(known)
    }

    mutating func endCommit() {
        if moods.journal.last?.changes.isEmpty == true {
            moods.journal.removeLast()
            moods.known.removeLast()
        }
    }

    mutating func change(_ change: LocalChange, _ number: Int) {
        switch change {
        case .put(_, let document, _): if let mood = document.id { moods.moods[mood] = document }
        case .delete(_, let ids): for mood in ids { moods.moods[mood] = nil }
        case .clear: moods.moods = [:]
        }
        moods.known[moods.known.count - 1].insert(number)
        moods.journal[moods.journal.count - 1].changes.append(change)
        moods.journal[moods.journal.count - 1].numbers.append(number)
    }

    /// Puts the moods back to an earlier commit of this journal.
    mutating func loseCommits(_ count: Int) {
        let rest = max(moods.journal.count - count, 0)
        moods.journal.removeLast(moods.journal.count - rest)
        moods.known.removeLast(moods.known.count - 1 - rest)
        moods.moods = Self.moods(after: moods.journal)
    }

    /// No record has what a store knew before its setup: where it was put back to that time, its commits saw nothing.
    mutating func forgetBeforeSetup() {
        if sync.earlier.isEmpty || revision >= sync.from { return }
        moods.known[moods.known.count - 1] = []
    }

    /// The moods after applying a journal to an empty store.
    static func moods(after journal: some Sequence<Commit>) -> [UUID: MoodDocument] {
        var moods: [UUID: MoodDocument?] = [:]
        for commit in journal {
            for change in commit.changes { change.show(in: &moods) }
            moods.merge(commit.puts) { $1 }
        }
        return moods.compactMapValues { $0 }
    }

    func crc(of revision: Int) -> UInt32? {
        revision >= 1 && revision <= moods.journal.count ? moods.journal[revision - 1].crc : nil
    }

    /// All changes that any part of this machine knows.
    var everything: Set<Int> {
        var all = known.union(ledger.changes(knownTo: sync.base.known))
        for records in sync.own.values { for record in records { all.formUnion(ledger.changes(of: record)) } }
        for record in sync.others { all.formUnion(ledger.changes(of: record)) }
        return all
    }
}
