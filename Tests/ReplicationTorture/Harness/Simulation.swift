import JSONCodec
import MoodCore
import Replication
import Seeds

/// What may happen in a run, as letters: p snapshots and purges, k clocks off by minutes to a year, r restored backups, c copied
/// stores, s settled conflicts, u undone deletes, l long absences, t a transport that loses acknowledged records at its end,
/// x crashes inside each step.
///
/// Planted mistakes, which have to be found: C a copy keeps its id, O records are applied without waiting for what they saw,
/// N only the newest snapshot is read.
public struct SimulationFeatures: Sendable {
    private let letters: Set<Character>

    public init(_ letters: String) { self.letters = Set(letters) }
    public static let all = SimulationFeatures("pklrcsutx")

    func without(_ letter: Character) -> SimulationFeatures {
        SimulationFeatures(String(letters.subtracting([letter])))
    }
    func has(_ letter: Character) -> Bool { letters.contains(letter) }
    func crashes(_ random: inout SeededRandom) -> Bool { has("x") && random.isOne(in: 40) }
}

/// Two to seven replicas, some dozens of changes, and all the trouble that there is; then everybody hears of everything.
///
/// What may be found: *diverged*: replicas show different moods · *lost*: a value that nobody replaced or deleted knowingly is
/// neither shown nor in conflict · *false*: a conflict with a value that was replaced knowingly or settled · *gone*: a mood with a change
/// that no deleter saw is not there · *zombie*: one is there that was deleted · *stuck*: a record waits for ever ·
/// *clobbered*: shown is a value that was replaced knowingly · *unfolded*: a store shows something else than its records say ·
/// *broken*: the run could not go on.
public struct Simulation {
    private static let day = 86_400

    let truth = SimulatedTruth()
    private let ledger = SimulatedReplica.Ledger()
    private let features: SimulationFeatures
    private var random: SeededRandom
    private var transport = SimulatedTransport()
    private(set) var replicas: [SimulatedReplica] = []
    private var backups: [(place: Int, replica: SimulatedReplica)] = []
    private var now = 0
    private var replicaCount = 0
    private var moodCount = 0
    private var valueCount = 0

    public init(seed: UInt64, _ features: SimulationFeatures) {
        random = SeededRandom(seed: seed)
        self.features = features
    }

    /// - Returns: what was found, in the words above.
    public mutating func run() -> Set<String> {
        do throws(SimulationFailure) {
            try live()
            try exchange()
            return check()
        } catch {
            return ["broken"]
        }
    }

    private mutating func newReplica() -> UUID {
        replicaCount += 1
        return SimulatedMoods.replica(replicaCount)
    }

    private mutating func live() throws(SimulationFailure) {
        for _ in 0..<(2 + random.below(4)) {
            var replica = SimulatedReplica(id: newReplica(), ledger, features)
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
        let chance = random.below(1000)
        if chance < 660 {
            let fold = chance < 630 ? nil : replicas[place].current()
            replicas[place].beginCommit()
            if let fold { settle(place, fold) } else { change(place, chance) }
            if random.isOne(in: 4) { change(place, random.below(600)) }
            replicas[place].endCommit()
        } else if chance < 680 {
            if features.has("p") { try replicas[place].putSnapshot(&transport, &random) }
        } else if chance < 690 {
            if features.has("r") { backups.append((place, replicas[place])) }
        } else if chance < 700 {
            guard let backup = backups.popLast() else { return }
            replicas[backup.place] = backup.replica
            replicas[backup.place].becomeAnother(newReplica())
        } else if chance < 705 {
            guard features.has("t"), let replica = transport.records.keys.sorted().randomElement(using: &random) else {
                return
            }
            transport.loseLast(of: replica)
        } else if chance < 710 {
            guard features.has("c"), replicas.count < 7 else { return }
            var copy = replicas[place]
            copy.becomeAnother(newReplica())
            replicas.append(copy)
        } else if features.has("l"), replicas[place].awayUntil > now {
            return
        } else if chance < 720, features.has("l") {
            replicas[place].awayUntil = now + Self.day * 300
        } else if chance < 850 {
            try replicas[place].push(&transport, &random)
        } else {
            replicas[place].pull(transport, &random, isWhole: random.isOne(in: 2))
        }
    }

    private mutating func change(_ place: Int, _ chance: Int) {
        let ids = replicas[place].disk.moods.keys.sorted()
        if chance < 400, let mood = ids.randomElement(using: &random), var values = replicas[place].shown(mood) {
            let member = random.pick(SimulatedMoods.members)
            values[member] = SimulatedMoods.isTag(member) ? (values[member] == nil ? "true" : nil) : newValue()
            put(place, mood, values, [member: values[member]], .usual)
        } else if chance < 500 {
            moodCount += 1
            let values: SimulatedMood = ["label": newValue(), "emoji": "e", "notes": ""]
            put(place, SimulatedMoods.id(moodCount), values, values.mapValues { $0 }, .usual)
        } else if chance < 580 {
            guard let mood = ids.randomElement(using: &random) else { return }
            replicas[place].bin[mood] = replicas[place].shown(mood)
            add(place, .delete, mood, [:], .delete(at: time(place), [mood]))
        } else if chance < 590 {
            add(place, .clear, nil, [:], .clear(at: time(place)))
        } else {
            guard features.has("u"), let mood = replicas[place].bin.keys.sorted().randomElement(using: &random),
                let values = replicas[place].bin.removeValue(forKey: mood), replicas[place].disk.moods[mood] == nil
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
                kind: kind, mood: mood, values: set, known: replica.disk.known,
                before: mood.flatMap { replica.shown($0) } ?? [:], settles: settles))
        replicas[place].change(change, number)
    }

    private mutating func newValue() -> String {
        valueCount += 1
        return "v\(valueCount)"
    }

    private func time(_ place: Int) -> Timestamp { SimulatedMoods.time(now + replicas[place].skew) }

    private mutating func exchange() throws(SimulationFailure) {
        now += 60
        for place in replicas.indices { replicas[place].features = features.without("x") }
        for _ in 0..<6 {
            for place in replicas.indices {
                replicas[place].pull(transport, &random, isWhole: true)
                try replicas[place].push(&transport, &random)
                // It has more than the transport shows.
                let vector = replicas[place].current().vector
                if vector.last.contains(where: { $0.value > transport.last[$0.key] ?? 0 }) {
                    try replicas[place].putSnapshot(&transport, &random)
                }
            }
        }
    }

    mutating func replicasFolds() -> [Fold] {
        var folds: [Fold] = []
        for place in replicas.indices { folds.append(replicas[place].current()) }
        return folds
    }
}
