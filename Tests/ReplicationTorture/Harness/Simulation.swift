import JSONCodec
import MoodCore
import Replication
import Seeds

/// The possible events of a run, as letters: p snapshots and purges, k clocks off by minutes to a year, s settled
/// conflicts, u undone deletes, l long absences, b moods put back alone, or a lost end of the journal, y `sync/` put
/// back alone, w both, to different times, r a restored backup, c a copied store, m a machine put back with all ids, g
/// one cloned with all ids, f in 6 of 10 runs another program carries the files between copies of the place, e a place
/// that is emptied or put back, or loses a file or a record, n a snapshot that cannot be read, t a place that loses
/// records at its end, a a setup that comes again, x crashes inside each step.
///
/// Planted mistakes, which the checks must find: K the store's position is a count (with b), W only own records are
/// compared (with m, g, f), D a store that was put back takes a random id, and records do not name their commits (with b,
/// w, c, g), F an emptied place is never filled again (with p, e), V numbers without checksums (with m, g, f), O records
/// are applied without waiting for those they saw, N only the newest snapshot is read, S commits before a setup count as
/// recorded wherever the store was put back to (with a, b).
public struct SimulationFeatures: Sendable {
    private let letters: Set<Character>

    public init(_ letters: String) { self.letters = Set(letters) }
    /// All but a, which came after the long runs: so a seed means the same as there.
    public static let all = SimulationFeatures("pklrcsutbywmgfenx")

    func without(_ letter: Character) -> SimulationFeatures {
        SimulationFeatures(String(letters.subtracting([letter])))
    }
    func has(_ letter: Character) -> Bool { letters.contains(letter) }
    func crashes(_ random: inout SeededRandom) -> Bool { has("x") && random.isOne(in: 40) }
}

/// Two to six replicas, some dozens of changes, and all possible trouble; at the end all replicas exchange everything.
///
/// Findings: *diverged*: replicas show different moods · *lost*: a value that was not replaced or deleted knowingly is
/// neither shown nor in conflict · *false*: a conflict with a value that was replaced knowingly or settled · *gone*: a
/// mood with a change that no deletion saw does not exist · *zombie*: a deleted mood exists · *stuck*: a record waits
/// for one that some replica has · *clobbered*: the shown value was replaced knowingly · *unfolded*: a store shows
/// something else than its records · *broken*: the run could not go on. Changes that trouble removed from all stores
/// and places are not counted.
public struct Simulation {
    private static let day = 86_400

    private let ledger = SimulatedReplica.Ledger()
    var truth: SimulatedTruth { ledger.truth }
    private let features: SimulationFeatures
    private var random: SeededRandom
    private let shared = SimulatedPlace()
    private var isCarried = false
    private(set) var replicas: [SimulatedReplica] = []
    private var backups: [(replica: SimulatedReplica, place: SimulatedPlace)] = []
    private var oldPlaces: [[SimulatedPlace.Name: SimulatedPlace.File]] = []
    /// Changes that trouble has removed everywhere.
    private var excused: Set<Int> = []
    private var now = 0
    private var moodCount = 0
    private var valueCount = 0

    public init(seed: UInt64, _ features: SimulationFeatures) {
        random = SeededRandom(seed: seed)
        self.features = features
    }

    /// - Returns: the findings, in the terms above.
    public mutating func run() -> Set<String> {
        do throws(SimulationFailure) {
            try live()
            try exchange()
            return check()
        } catch {
            return ["broken"]
        }
    }

    private mutating func live() throws(SimulationFailure) {
        isCarried = features.has("f") && random.below(10) < 6
        for number in 0..<(2 + random.below(3)) {
            let place = isCarried ? SimulatedPlace(owner: number + 1) : shared
            var replica = SimulatedReplica(id: SimulatedMoods.replica(ledger.next()), ledger, features, place)
            replica.home = ledger.next()
            if features.has("k") {
                replica.skew = random.pick([0, 0, -300, 300, 3600, -Self.day * 365, Self.day * 365])
            }
            replicas.append(replica)
        }
        for _ in 0..<(20 + random.below(51)) { try step() }
    }

    private mutating func step() throws(SimulationFailure) {
        now += random.pick([1, 5, 3600, features.has("l") ? Self.day * 20 : Self.day])
        let place = random.below(replicas.count)
        if features.has("l"), replicas[place].awayUntil > now { return }
        let chance = random.below(1000)
        if chance < 490 {
            var fold: Fold?
            if chance >= 460 { fold = try current(place) }
            replicas[place].beginCommit()
            if let fold { settle(place, fold) } else { change(place, chance) }
            if random.isOne(in: 4) { change(place, random.below(440)) }
            replicas[place].endCommit()
        } else if chance < 530 {
            guard features.has("p") else { return }
            let drops = random.below(10) < 7
            try perform(place) { (process, random) throws(SimulationFailure) in
                guard try process.open(&random) else { return }
                try process.pull(&random, isWhole: true)
                try process.push(&random)
                try process.putSnapshot(&random, drops: drops)
            }
        } else if chance < 570 {
            backups.append((replicas[place], replicas[place].place.copy()))
        } else if chance < 600 {
            oldPlaces.append(shared.files)
        } else if chance < 660 {
            try trouble(place)
        } else if chance < 680 {
            if features.has("l") { replicas[place].awayUntil = now + Self.day * 300 }
        } else if chance < 760, isCarried {
            replicas[place].place.carry(random.pick(replicas).place, &random)
            excuse()
        } else {
            let isWhole = random.below(10) < 6
            try perform(place) { (process, random) throws(SimulationFailure) in
                try process.round(&random, isWhole: isWhole)
            }
        }
    }

    /// Runs a process, which may die; its disk stays.
    private mutating func perform(
        _ place: Int, _ body: (inout SimulatedProcess, inout SeededRandom) throws(SimulationFailure) -> Void
    ) throws(SimulationFailure) {
        var process = SimulatedProcess(replicas[place], now: now)
        do throws(SimulationFailure) { try body(&process, &random) } catch {
            if case .broken = error { throw error }
        }
        replicas[place] = process.here
    }

    /// The fold of the records, with all local changes; nil if the process dies.
    private mutating func current(_ place: Int) throws(SimulationFailure) -> Fold? {
        var fold: Fold?
        try perform(place) { (process, random) throws(SimulationFailure) in
            if try process.open(&random, makesAgain: true) { fold = process.fold }
        }
        return fold
    }

    private func everything() -> Set<Int> {
        var all: Set<Int> = []
        for replica in replicas {
            all.formUnion(replica.everything)
            for records in replica.place.records.values {
                for record in records.values { all.formUnion(ledger.changes(of: record)) }
            }
            for snapshot in replica.place.snapshots.values where snapshot.isReadable { all.formUnion(snapshot.known) }
        }
        return all
    }

    private mutating func excuse() { excused.formUnion(Set(truth.all.indices).subtracting(everything())) }

    private mutating func trouble(_ place: Int) throws(SimulationFailure) {
        let kinds = "rcmgbywenta".filter { features.has($0) }
        guard let kind = kinds.randomElement(using: &random) else { return }
        defer {
            replicas[place].forgetBeforeSetup()
            excuse()
        }
        let home = replicas[place].home
        let mine = backups.filter { $0.replica.home == home }
        switch kind {
        case "r", "m":
            guard let backup = mine.randomElement(using: &random) else { return }
            var restored = backup.replica
            restored.place = replicas[place].place
            if kind == "r" { restored.isMoved = true } else if isCarried { restored.place = backup.place.copy() }
            replicas[place] = restored
        case "c", "g":
            guard replicas.count < 6 else { return }
            var copy = replicas[place]
            if kind == "c" { copy.isMoved = true }
            if isCarried { copy.place = copy.place.copy(owner: ledger.next()) }
            copy.home = ledger.next()
            replicas.append(copy)
        case "b":
            replicas[place].loseCommits(random.pick([1, 1, 2, 3, 5, 8]))
            if random.below(10) < 2, !mine.isEmpty { replicas[place].isMoved = true }
        case "y":
            // With `sync/` of an earlier setup, commits since the later one see more than the truth knows; that is not judged.
            let same = mine.filter { $0.replica.sync.setups == replicas[place].sync.setups }
            guard let backup = same.randomElement(using: &random) else { return }
            replicas[place].sync = backup.replica.sync
            replicas[place].isMoved = random.isOne(in: 2)
        case "w":
            guard mine.count > 1 else { return }
            let (a, b) = (random.pick(mine), random.pick(mine))
            if a.replica.sync.setups > b.replica.sync.setups { return }
            replicas[place].moods = a.replica.moods
            replicas[place].sync = b.replica.sync
            replicas[place].isMoved = random.isOne(in: 2)
            if isCarried, random.isOne(in: 2) { replicas[place].place = b.place.copy() }
        case "e": empty(replicas[place].place)
        case "a":
            let setups = replicas[place].sync.setups
            replicas[place].sync = .init(id: SimulatedMoods.replica(ledger.next()), setups: setups + 1)
            replicas[place].sync.from = replicas[place].revision
            replicas[place].isMoved = false
            _ = try current(place)
        case "n":
            let there = replicas[place].place
            guard let id = there.snapshots.keys.sorted().randomElement(using: &random),
                var snapshot = there.snapshots[id]
            else { return }
            snapshot.isReadable = false
            there.put(.snapshot(snapshot), id, at: now, serial: ledger.next())
        default:
            let there = replicas[place].place
            guard let id = there.records.keys.sorted().randomElement(using: &random), var records = there.records[id],
                let last = records.keys.max()
            else { return }
            records[last] = nil
            there.put(.records(records), id, at: now, serial: ledger.next())
        }
    }

    private mutating func empty(_ place: SimulatedPlace) {
        let chance = random.below(10)
        func remove(_ name: SimulatedPlace.Name) {
            place.put(
                name.isSnapshot ? .snapshot(nil) : .records([:]), name.replica, at: now, serial: ledger.next())
        }
        if chance < 3 {
            for name in place.files.keys.sorted() { remove(name) }
        } else if chance < 6, !isCarried, !oldPlaces.isEmpty {
            place.files = random.pick(oldPlaces)
        } else if let name = place.files.keys.sorted().randomElement(using: &random) {
            if name.isSnapshot || random.below(10) < 4 { return remove(name) }
            guard var records = place.records[name.replica],
                let number = records.keys.sorted().randomElement(using: &random)
            else { return }
            records[number] = nil
            place.put(.records(records), name.replica, at: now, serial: ledger.next())
        }
    }

    private mutating func change(_ place: Int, _ chance: Int) {
        let ids = replicas[place].moods.moods.keys.sorted()
        if chance < 280, let mood = ids.randomElement(using: &random), var values = replicas[place].shown(mood) {
            let member = random.pick(SimulatedMoods.members)
            values[member] = SimulatedMoods.isTag(member) ? (values[member] == nil ? "true" : nil) : newValue()
            put(place, mood, values, [member: values[member]], .usual)
        } else if chance < 380 {
            moodCount += 1
            let values: SimulatedMood = ["label": newValue(), "emoji": "e", "notes": ""]
            put(place, SimulatedMoods.id(moodCount), values, values.mapValues { $0 }, .usual)
        } else if chance < 430 {
            guard let mood = ids.randomElement(using: &random) else { return }
            replicas[place].bin[mood] = replicas[place].shown(mood)
            add(place, .delete, mood, [:], .delete(at: time(place), [mood]))
        } else if chance < 435 {
            add(place, .clear, nil, [:], .clear(at: time(place)))
        } else {
            guard features.has("u"), let mood = replicas[place].bin.keys.sorted().randomElement(using: &random),
                let values = replicas[place].bin.removeValue(forKey: mood), replicas[place].moods.moods[mood] == nil
            else { return }
            put(place, mood, values, [:], .restored)
        }
    }

    private mutating func settle(_ place: Int, _ fold: Fold) {
        guard features.has("s"), let conflict = fold.conflicts.randomElement(using: &random),
            let mood = fold.settled(conflict, takesOther: random.isOne(in: 2))
        else { return }
        let values = SimulatedMoods.mood(mood)
        let member = conflict.id.member
        put(place, conflict.id.mood, values, [member.text: values[member.text]], .settling(member))
    }

    private mutating func put(
        _ place: Int, _ mood: UUID, _ values: SimulatedMood, _ set: [String: String?], _ put: LocalChange.Put
    ) {
        guard let document = SimulatedMoods.document(mood, values, seconds: now + replicas[place].skew) else { return }
        add(place, .put, mood, set, .put(at: time(place), document, put))
    }

    private mutating func add(
        _ place: Int, _ kind: SimulatedTruth.Kind, _ mood: UUID?, _ set: [String: String?], _ change: LocalChange
    ) {
        let replica = replicas[place]
        var settles = false
        if case .put(_, _, .settling) = change { settles = true }
        let number = truth.add(
            .init(
                kind: kind, mood: mood, values: set, known: replica.known,
                before: mood.flatMap { replica.shown($0) } ?? [:], settles: settles))
        replicas[place].change(change, number)
    }

    private mutating func newValue() -> String {
        valueCount += 1
        return "v\(valueCount)"
    }

    private func time(_ place: Int) -> Timestamp { SimulatedMoods.time(now + replicas[place].skew) }

    private mutating func exchange() throws(SimulationFailure) {
        for place in replicas.indices { replicas[place].features = features.without("x") }
        for _ in 0..<10 {
            now += 600
            for place in replicas.indices {
                try perform(place) { (process, random) throws(SimulationFailure) in
                    try process.round(&random, isWhole: true)
                }
            }
            guard isCarried else { continue }
            for _ in 0..<2 {
                for a in replicas.indices {
                    for b in replicas.indices where b > a { replicas[a].place.carry(replicas[b].place, &random) }
                }
            }
            excuse()
        }
    }

    /// The fold of each replica; nil where records are missing that its store has seen.
    mutating func replicasFolds() throws(SimulationFailure) -> [Fold?] {
        var folds: [Fold?] = []
        for place in replicas.indices { folds.append(try current(place)) }
        return folds
    }

    func ledgerChanges(_ id: UUID, _ head: Vector.Head) -> Set<Int> { ledger.changes(of: id, head) }

    /// Changes that nothing remaining has, and records that saw such ones, if a status reports them missing.
    func excusedNow() -> Set<Int> {
        var all = excused.subtracting(everything())
        guard replicas.contains(where: \.isIncomplete) else { return all }
        var seen: Set<Int> = []
        for replica in replicas { seen.formUnion(replica.known) }
        for replica in replicas {
            let waiting = replica.place.records.values.flatMap(\.values) + replica.sync.others
            for record in waiting { all.formUnion(Set(ledger.changes(of: record)).subtracting(seen)) }
        }
        return all
    }
}
