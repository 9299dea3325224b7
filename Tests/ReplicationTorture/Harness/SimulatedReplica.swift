import JSONCodec
import MoodCore
import Replication
import Seeds

/// A store that takes part, and the process that syncs it: what is on its disk, and what that process has in memory. It goes
/// the way of the real one, step by step, and any step may be the last before a crash.
struct SimulatedReplica {
    /// A commit of the store's journal.
    struct Commit {
        let revision: Int
        var changes: [LocalChange] = []
        /// What a sync did to moods.
        var puts: [UUID: MoodDocument?] = [:]
        let isSync: Bool
        /// What is in the store from here on.
        let saw: Vector?
        /// The changes of the simulation that its operations are; none for a sync.
        var numbers: [Int] = []
    }

    struct Disk {
        var moods: [UUID: MoodDocument] = [:]
        var journal: [Commit] = []
        /// What the store has seen.
        var known: Set<Int> = []
        /// What the store was before, and the last commit that it made as that.
        var former: [(id: UUID, upTo: Int)] = []
        /// Records that this replica made, under all its ids.
        var own: [Record] = []
        /// Those of others, as they came.
        var others: [Record] = []
        var base = Fold()
        var baseRevision = 0
        /// What a snapshot has made of the base; it counts once the journal says so.
        var joined: Fold?
        var joinedKnown: Set<Int> = []
    }

    struct Memory {
        var fold: Fold
        var inbox = Inbox()
        /// Moods of own records, whose coming into the store the journal does not tell of yet.
        var unsettled: Set<UUID> = []
        /// A join that was broken off.
        var unfinished: Fold?
        /// Whether a join is in the store and not in the base.
        var isJoined = false
        /// What the store shows where the fold may show something else.
        var shownBefore: [UUID: MoodDocument?] = [:]
    }

    /// Which changes of the simulation a record's are; shared by all, like the truth.
    final class Ledger {
        var changes: [OperationID: Int] = [:]
    }

    var id: UUID
    var skew = 0
    var awayUntil = 0
    var bin: [UUID: SimulatedMood] = [:]
    var disk = Disk()
    private var memory: Memory?
    let ledger: Ledger
    var features: SimulationFeatures

    static let journalID = UUID(high: 0x4000, low: 0x8000_0000_0000_0000)

    init(id: UUID, _ ledger: Ledger, _ features: SimulationFeatures) {
        self.id = id
        self.ledger = ledger
        self.features = features
    }

    var revision: Int { disk.journal.last?.revision ?? 0 }
    var view: [UUID: SimulatedMood] { disk.moods.mapValues(SimulatedMoods.mood) }
    func shown(_ mood: UUID) -> SimulatedMood? { disk.moods[mood].map(SimulatedMoods.mood) }
    var isWaiting: Bool { memory.map { !$0.inbox.isEmpty } ?? false }

    /// The process dies.
    mutating func crash() { memory = nil }

    // MARK: A user

    /// What a request does is one commit.
    mutating func beginCommit() {
        disk.journal.append(Commit(revision: revision + 1, isSync: false, saw: nil))
    }

    mutating func endCommit() {
        if disk.journal.last?.changes.isEmpty == true { disk.journal.removeLast() }
    }

    mutating func change(_ change: LocalChange, _ number: Int) {
        switch change {
        case .put(_, let document, _): if let mood = document.id { disk.moods[mood] = document }
        case .delete(_, let ids): for mood in ids { disk.moods[mood] = nil }
        case .clear: disk.moods = [:]
        }
        disk.known.insert(number)
        disk.journal[disk.journal.count - 1].changes.append(change)
        disk.journal[disk.journal.count - 1].numbers.append(number)
    }

    // MARK: The process

    private mutating func load() -> Memory {
        if let memory { return memory }
        var isPart = false
        var saw = disk.base.vector
        var memory = Memory(fold: disk.base)
        for commit in disk.journal where commit.revision > disk.baseRevision {
            if !commit.isSync {
                if commit.revision <= recorded { for change in commit.changes { change.show(in: &memory.shownBefore) } }
            } else if let vector = commit.saw {
                (saw, isPart) = (vector, false)
                memory.shownBefore = [:]
            } else {
                isPart = true
                memory.shownBefore.merge(commit.puts) { $1 }
            }
        }
        if let joined = disk.joined, saw.covers(joined.vector) {
            memory.fold = joined
            memory.isJoined = true
        } else if isPart {
            memory.unfinished = disk.joined
        }
        for record in disk.own { memory.inbox.add(record) }
        for record in disk.others where record.number <= saw[record.replica] { memory.inbox.add(record) }
        let own = Set(disk.own.map(\.replica))
        while let record = memory.inbox.next(after: memory.fold.vector) {
            let touched = memory.fold.apply(record) ?? []
            if own.contains(record.replica), record.number > saw[record.replica] { memory.unsettled.formUnion(touched) }
        }
        memory.inbox = Inbox()
        return memory
    }

    /// The last commit that is among the records.
    private var recorded: Int { disk.own.map(\.upTo.revision).max() ?? 0 }

    /// The lock is held: each commit of the store becomes a record, of the replica that the store was then.
    /// - Parameter crashes: whether the process dies before the store shows what the records say.
    private mutating func takeLocal(_ memory: inout Memory, crashes: Bool = false) {
        let upTo = recorded
        var touched = exchange(&memory.unsettled, with: [])
        for commit in disk.journal where commit.revision > upTo && !commit.isSync {
            let maker = disk.former.first { commit.revision <= $0.upTo }?.id ?? id
            let (record, changed) = memory.fold.record(
                commit.changes, of: maker, in: Self.journalID,
                upTo: .init(storeID: "s", revision: commit.revision), shownBefore: &memory.shownBefore)
            for (place, number) in commit.numbers.enumerated() {
                ledger.changes[OperationID(replica: maker, record: record.number, place: place)] = number
            }
            disk.own.append(record)
            touched.formUnion(changed)
        }
        if crashes { return }
        touched.formUnion(memory.shownBefore.keys)
        var known: Set<Int> = []
        if let unfinished = memory.unfinished.take() {
            touched.formUnion(memory.fold.join(unfinished))
            known = disk.joinedKnown
            memory.isJoined = true
        }
        if !touched.isEmpty { commit(touched, &memory, changes: known) }
        memory.shownBefore = [:]
        // Before another join takes its place.
        if exchange(&memory.isJoined, with: false) { keepBase(memory) }
    }

    /// Brings what the fold shows into the store, as one commit.
    private mutating func commit(_ touched: Set<UUID>, _ memory: inout Memory, changes known: Set<Int>) {
        var commit = Commit(revision: revision + 1, isSync: true, saw: memory.fold.vector)
        commit.puts = put(touched, memory)
        disk.known.formUnion(known)
        disk.journal.append(commit)
    }

    private mutating func put(_ touched: Set<UUID>, _ memory: Memory) -> [UUID: MoodDocument?] {
        var puts: [UUID: MoodDocument?] = [:]
        for mood in touched {
            let shown = memory.fold.shown(mood)
            if shown?.bytes == disk.moods[mood]?.bytes { continue }
            disk.moods[mood] = shown
            puts.updateValue(shown, forKey: mood)
        }
        return puts
    }

    /// Records what was done here, and sends it.
    mutating func push(_ transport: inout SimulatedTransport, _ random: inout SeededRandom) throws(SimulationFailure) {
        var memory = load()
        if features.crashes(&random) {
            takeLocal(&memory, crashes: true)
            return crash()
        }
        takeLocal(&memory)
        if features.crashes(&random) { return crash() }
        for record in disk.own.sorted(by: { ($0.replica, $0.number) < ($1.replica, $1.number) }) {
            try transport.push(record, isCopyPlanted: features.has("C"))
        }
        self.memory = memory
        if features.crashes(&random) { crash() }
    }

    /// Takes in what others did.
    mutating func pull(_ transport: SimulatedTransport, _ random: inout SeededRandom, isWhole: Bool) {
        var memory = load()
        takeLocal(&memory)
        if features.crashes(&random) { return crash() }
        let snapshots = features.has("N") ? transport.snapshots.suffix(1) : transport.snapshots[...]
        for snapshot in snapshots where !memory.fold.vector.covers(snapshot.vector) {
            guard join(snapshot, &memory, &random) else { return crash() }
        }
        var came: [Record] = []
        for (_, records) in transport.records.sorted(by: { $0.key < $1.key }) {
            for (_, record) in records.sorted(by: { $0.key < $1.key }) {
                if record.number <= memory.fold.vector[record.replica] { continue }
                if isWhole || random.below(10) < 7 { came.append(record) }
            }
        }
        came.sort { ($0.replica, $0.number) < ($1.replica, $1.number) }
        came.shuffle(using: &random)
        came += came.prefix(came.count / 3)
        for record in came { memory.inbox.add(record) }
        memory.inbox.drop(upTo: memory.fold.vector)
        while apply(&memory, &random) {
            if features.crashes(&random) { return crash() }
            // Others commit between two holds of the lock; here nobody does.
            takeLocal(&memory)
        }
        self.memory = memory
        if features.crashes(&random) { crash() }
    }

    /// Applies some records as one commit.
    /// - Returns: whether there may be more.
    private mutating func apply(_ memory: inout Memory, _ random: inout SeededRandom) -> Bool {
        var touched: Set<UUID> = []
        var known: Set<Int> = []
        var records: [Record] = []
        while records.count < 4, let record = next(&memory) {
            records.append(record)
            touched.formUnion(memory.fold.perform(record))
            for place in record.operations.indices {
                let operation = OperationID(replica: record.replica, record: record.number, place: place)
                if let number = ledger.changes[operation] { known.insert(number) }
            }
        }
        if records.isEmpty { return false }
        disk.others += records
        if features.crashes(&random) {
            crash()
            memory = load()
            return false
        }
        commit(touched, &memory, changes: known)
        return true
    }

    private func next(_ memory: inout Memory) -> Record? {
        if features.has("O") { return memory.inbox.nextOfReplica(after: memory.fold.vector) }
        return memory.inbox.next(after: memory.fold.vector)
    }

    private mutating func join(
        _ snapshot: SimulatedTransport.Kept, _ memory: inout Memory, _ random: inout SeededRandom
    ) -> Bool {
        guard let other = Self.fold(snapshot.lines) else { return false }
        let touched = memory.fold.join(other)
        disk.joined = memory.fold
        disk.joinedKnown = snapshot.known
        if features.crashes(&random) { return false }
        if features.crashes(&random) {
            // A part of a join that is too large for one commit.
            let some = Set(touched.sorted().prefix(touched.count / 2))
            var commit = Commit(revision: revision + 1, isSync: true, saw: nil)
            commit.puts = put(some, memory)
            disk.journal.append(commit)
            return false
        }
        commit(touched, &memory, changes: snapshot.known)
        if features.crashes(&random) { return false }
        keepBase(memory)
        return true
    }

    private mutating func keepBase(_ memory: Memory) {
        disk.base = memory.fold
        disk.baseRevision = revision
        disk.joined = nil
        disk.others = []
    }

    static func fold(_ lines: [[UInt8]]) -> Fold? {
        SnapshotText.fold(lines.flatMap { $0 + [UInt8(ascii: "\n")] })?.fold
    }

    /// Puts a snapshot, after all that was done here is sent.
    mutating func putSnapshot(_ transport: inout SimulatedTransport, _ random: inout SeededRandom)
        throws(SimulationFailure)
    {
        try push(&transport, &random)
        guard let memory else { return }
        var lines: [[UInt8]] = []
        Snapshot.write(memory.fold, journal: Self.journalID) { lines.append($0) }
        transport.put(.init(lines: lines, vector: memory.fold.vector, known: disk.known), of: id)
        if random.isOne(in: 2) { keepBase(memory) }
    }

    /// The store was copied, or is a restored backup: a new replica. What its former self did stays what it is.
    mutating func becomeAnother(_ id: UUID) {
        crash()
        if features.has("C") { return }
        disk.former.append((self.id, revision))
        self.id = id
    }

    /// The fold, with all that was done here.
    mutating func current() -> Fold {
        var memory = load()
        takeLocal(&memory)
        self.memory = memory
        return memory.fold
    }
}
