import JSONCodec
import MoodCore
import Replication
import Seeds

/// The memory of a round's process, like `StoreReplica` and `SyncRound`.
struct SimulatedProcess {
    var here: SimulatedReplica
    let now: Int
    var fold = Fold()
    var inbox = Inbox()
    var recorder = LocalRecorder(
        journal: SimulatedReplica.journalID, storeID: "s", ids: [], seen: Vector(), own: [:], names: [:])
    var unsettled: Set<UUID> = []
    var isAllUnsettled = false
    var unfinished: Fold?
    var isJoined = false
    var shownBefore: [UUID: MoodDocument?] = [:]
    var saw = Vector()
    var marked: UUID?
    var looked = 0
    var steps: [LocalRecorder.Step] = []
    var numbers: [Int: [Int]] = [:]
    var tips: [UUID: (number: Int, crc: UInt32)] = [:]

    init(_ here: SimulatedReplica, now: Int) { (self.here, self.now) = (here, now) }

    func step(_ random: inout SeededRandom) throws(SimulationFailure) {
        if here.features.crashes(&random) { throw .crash }
    }

    // MARK: Opening

    func has(_ revision: Int, _ crc: UInt32) -> Bool {
        revision <= here.revision && (revision == 0 || crc == 0 || here.crc(of: revision) == crc)
    }

    var ids: [UUID] { [here.sync.id] + here.sync.former.map(\.id) }

    var lastRecorded: (revision: Int, crc: UInt32)? {
        for id in [here.sync.id] + here.sync.former.reversed().map(\.id) {
            let last = here.sync.own[id]?.last?.upTo
            let isAtAnchor = last?.revision ?? 0 == 0
            if let anchor = here.sync.anchor, anchor.id == id, isAtAnchor { return (anchor.revision, anchor.crc) }
            if let last { return (last.revision == 0 ? .max : last.revision, last.crc) }
        }
        return nil
    }

    mutating func becomeAnother(_ id: UUID, after revision: Int, isCopy: Bool = false) {
        here.sync.former = here.sync.former.map { ($0.id, min($0.upTo, revision)) }
        here.sync.former.append((here.sync.id, revision))
        if !isCopy { here.sync.anchor = (id, revision, here.crc(of: revision) ?? 0) }
        here.sync.id = id
    }

    /// The replica that the store was when it made a commit, according to `sync/`.
    func maker(of revision: Int) -> UUID {
        here.sync.former.first { revision <= $0.upTo }?.id ?? here.sync.id
    }

    func freshID() -> UUID { SimulatedMoods.replica(here.ledger.next()) }

    /// - Returns: false if records are missing that the store has.
    mutating func open(_ random: inout SeededRandom, makesAgain: Bool = false) throws(SimulationFailure) -> Bool {
        if here.isMoved {
            becomeAnother(freshID(), after: here.revision, isCopy: true)
            here.isMoved = false
        }
        (fold, saw, steps, shownBefore, unsettled, marked, unfinished) = (
            here.sync.base, Vector(), [], [:], [], nil, nil
        )
        let isBaseHere = has(here.sync.baseCommit.revision, here.sync.baseCommit.crc)
        var isPutBack = !(lastRecorded.map { has($0.revision, $0.crc) } ?? true)
        if here.features.has("K") { isPutBack = false }
        isAllUnsettled = isPutBack || !isBaseHere
        if isBaseHere { saw = fold.vector }
        let start = isBaseHere && here.sync.hasBase ? here.sync.baseCommit.revision : startOfHistory(isPutBack)
        let heads = here.sync.own.compactMapValues { $0.last.map { Vector.Head(number: $0.number, crc: $0.crc) } }
        recorder = LocalRecorder(
            journal: SimulatedReplica.journalID, storeID: "s", ids: Set(ids), seen: saw, own: heads, names: [:])
        recorder.isPutBack = isPutBack
        if here.features.has("D") { recorder.planted = UInt32(here.ledger.next()) }
        looked = start
        marked = maker(of: start)
        let isPart = readSteps()
        isJoined =
            here.sync.joined.map { joined in steps.contains { $0.vector?.names(joined.vector) ?? false } } ?? false
        if isJoined, let joined = here.sync.joined { unsettled.formUnion(fold.join(joined)) }
        if !isJoined, isPart { unfinished = here.sync.joined }
        let before = fold
        let known = applyKnown()
        guard makesAgain || hasAll else { return false }
        if here.sync.isBegun, fold.known.branches.isEmpty, saw.last.isEmpty { try recordSetup(&random) }
        let process = self
        let maker = { (revision: Int) in process.maker(of: revision) }
        if !isAllUnsettled, !isJoined, unfinished == nil,
            recorder.makesAgain(steps, known, fold.known, maker: maker)
        {
            fold = before
            recorder.waiting = known
            isAllUnsettled = true
        }
        let (isNew, id) = (isAllUnsettled, here.sync.id)
        try takeLocal(&random)
        guard isWhole else { return false }
        if recorder.isPutBack {
            if here.sync.id == id {
                becomeAnother(freshID(), after: here.revision)
                try step(&random)
                try commit([], &random)
            }
            recorder.isPutBack = false
        }
        if exchange(&isJoined, with: false) || isNew { keepBase() }
        for record in here.sync.others { inbox.add(record) }
        return true
    }

    mutating func startOfHistory(_ isPutBack: Bool) -> Int {
        if !isPutBack || here.features.has("S") { return here.sync.from }
        let same = zip(here.sync.earlier, here.moods.journal).map { $0 == $1.crc }
        here.sync.from = min(here.sync.from, same.lastIndex(of: true).map { $0 + 1 } ?? 0)
        return here.sync.from
    }

    mutating func recordSetup(_ random: inout SeededRandom) throws(SimulationFailure) {
        let revision = here.revision
        here.sync.earlier = here.moods.journal.map(\.crc)
        looked = revision
        let ids = here.moods.moods.keys.sorted()
        // Its record saw nothing.
        let made = ids.map { id in
            let values = here.shown(id) ?? [:]
            return here.ledger.truth.add(
                .init(kind: .put, mood: id, values: values.mapValues { $0 }, known: [], before: [:], settles: false))
        }
        here.moods.known[here.moods.known.count - 1] = Set(made)
        if !ids.isEmpty {
            numbers[0] = made
            let changes = ids.compactMap { id in
                here.moods.moods[id].map { LocalChange.put(at: $0.updatedAt ?? .minimum, $0, .usual) }
            }
            steps = [.state(revision: revision, changes)]
            try takeLocal(&random)
        }
        here.sync.from = revision
        here.sync.anchor = (here.sync.id, revision, here.crc(of: revision) ?? 0)
    }

    mutating func readSteps() -> Bool {
        var isPart = false
        for commit in here.moods.journal[min(looked, here.moods.journal.count)...] {
            if !commit.isSync {
                steps.append(.local(revision: commit.revision, crc: commit.crc, commit.changes))
                numbers[commit.revision] = commit.numbers
                continue
            }
            steps.append(.shown(commit.puts))
            isPart = commit.saw == nil
            if let vector = commit.saw {
                saw = vector
                if let replica = commit.replica { marked = replica }
                steps.append(.seen(vector, commit.replica, after: commit.revision))
            }
        }
        looked = here.revision
        return isPart
    }

    var needed: Vector {
        var needed = saw
        for id in ids { for record in here.sync.own[id] ?? [] { needed = needed.joined(with: record.saw) } }
        return needed
    }

    mutating func applyKnown() -> Inbox {
        var known = Inbox()
        for id in ids { for record in here.sync.own[id] ?? [] { known.add(record) } }
        let needed = needed
        for record in here.sync.others where isAllUnsettled || record.number <= needed[record.replica] {
            known.add(record)
        }
        known.drop(knownTo: fold)
        let all = known
        defer { recorder.waiting = known }
        var applied: [(record: Record, touched: Set<UUID>)] = []
        while let record = known.next(after: fold) { applied.append((record, fold.apply(record) ?? [])) }
        for one in applied where !fold.known.covers(one.record, by: saw) { unsettled.formUnion(one.touched) }
        return all
    }

    /// Whether every record is known that the journal and the own records name.
    var hasAll: Bool { hasOwn && fold.known.covers(saw) && fold.known.covers(needed) }

    var hasOwn: Bool {
        ids.allSatisfy { id in here.sync.own[id]?.last.map { fold.known.contains(id, $0.number, $0.crc) } ?? true }
    }

    /// Whether the fold has everything that the store has.
    var isWhole: Bool { recorder.awaited == nil && hasOwn }

    // MARK: Local commits

    mutating func takeLocal(_ random: inout SeededRandom) throws(SimulationFailure) {
        var touched = exchange(&unsettled, with: [])
        if looked < here.revision { _ = readSteps() }
        let steps = exchange(&steps, with: [])
        if isAllUnsettled { showHistory(steps) }
        recorder.add(ids: Set(steps.compactMap(\.replica)))
        let recorded = lastRecorded?.revision ?? 0
        for step in steps {
            if case .local(let revision, _, let changes) = step, here.features.has("K"), revision <= recorded {
                for change in changes { change.show(in: &shownBefore) }
                continue
            }
            if case .seen = step, !isAllUnsettled { shownBefore = [:] }
            let process = self
            touched.formUnion(recorder.take(step, in: &fold, shown: &shownBefore) { process.maker(of: $0) })
        }
        while let record = recorder.waiting.next(after: fold) { touched.formUnion(fold.apply(record) ?? []) }
        var taken = 0
        for one in recorder.taken where !ids.contains(one.replica) {
            becomeAnother(one.replica, after: one.after)
            taken += 1
        }
        for _ in 0..<taken { try step(&random) }
        for (id, records) in recorder.takeMade() {
            for record in records {
                for number in numbers[record.upTo.revision] ?? [] { here.ledger.note(record, number) }
            }
            here.sync.own[id, default: []] += records
        }
        try step(&random)
        guard isWhole else { return }
        touched.formUnion(shownBefore.keys)
        if let unfinished = unfinished.take() {
            touched.formUnion(fold.join(unfinished))
            isJoined = true
        }
        if exchange(&isAllUnsettled, with: false) {
            fold.forEachID { touched.insert($0) }
            touched.formUnion(here.moods.moods.keys)
        }
        try commit(touched, &random)
        shownBefore = [:]
    }

    mutating func showHistory(_ steps: [LocalRecorder.Step]) {
        var first: Int?
        var ids: Set<UUID> = []
        for case .local(let revision, _, let changes) in steps {
            if first == nil { first = revision }
            for change in changes {
                if case .put(_, let document, _) = change, let id = document.id { ids.insert(id) }
                if case .delete(_, let gone) = change { ids.formUnion(gone) }
            }
        }
        guard let first else { return }
        let before = SimulatedReplica.moods(after: here.moods.journal.prefix { $0.revision < first })
        for id in ids { shownBefore.updateValue(before[id], forKey: id) }
    }

    mutating func commit(_ touched: Set<UUID>, _ random: inout SeededRandom) throws(SimulationFailure) {
        if isShared {
            becomeAnother(freshID(), after: here.revision)
            try step(&random)
        }
        let puts = put(touched)
        let isSeen =
            (fold.vector.last.isEmpty || marked == nil || marked == here.sync.id)
            && fold.vector.last.keys.allSatisfy { id in
                let seen = recorder.seen.heads(of: id)
                return fold.vector.heads(of: id).allSatisfy { seen.contains($0) }
            }
        if puts.isEmpty, isSeen { return }
        here.moods.journal.append(
            .init(
                revision: here.revision + 1, crc: UInt32(here.ledger.next()), puts: puts, isSync: true,
                saw: fold.vector,
                replica: here.sync.id))
        here.moods.known.append(here.known.union(here.ledger.changes(knownTo: fold.known)))
        saw = fold.vector
        marked = here.sync.id
        recorder.see(saw)
        looked = here.revision
    }

    mutating func put(_ touched: Set<UUID>) -> [UUID: MoodDocument?] {
        var puts: [UUID: MoodDocument?] = [:]
        for mood in touched {
            let shown = fold.shown(mood)
            if shown?.bytes == here.moods.moods[mood]?.bytes { continue }
            here.moods.moods[mood] = shown
            puts.updateValue(shown, forKey: mood)
        }
        return puts
    }

    mutating func keepBase() {
        here.sync.base = fold
        here.sync.baseCommit = (here.revision, here.crc(of: here.revision) ?? 0)
        here.sync.hasBase = true
        here.sync.joined = nil
        here.sync.others = here.sync.others.filter { !fold.known.contains($0.replica, $0.number, $0.crc) }
    }
}
