import JSONCodec
import MoodCore
import Replication
import Seeds

/// Receiving and sending.
extension SimulatedProcess {
    /// Gets missing records again, and the contents of snapshots.
    mutating func restore() {
        for records in here.place.records.values {
            for record in records.values.sorted(by: { $0.number < $1.number }) {
                if fold.known.contains(record.replica, record.number, record.crc) { continue }
                let last = here.sync.own[record.replica]?.last
                let maker = here.sync.former.first { record.upTo.revision <= $0.upTo }?.id ?? here.sync.id
                let follows =
                    last.map { $0.number + 1 == record.number && $0.crc == record.before } ?? (record.number == 1)
                let isOwn =
                    ids.contains(record.replica) && follows
                    && (record.upTo.revision == 0
                        || maker == record.replica && here.crc(of: record.upTo.revision) == record.upTo.crc)
                if isOwn {
                    here.sync.own[record.replica, default: []].append(record)
                } else {
                    here.sync.add(others: [record])
                }
            }
        }
        var isMore = false
        var fold = fold
        for (_, snapshot) in here.place.snapshots.sorted(by: { $0.key < $1.key }) where snapshot.isReadable {
            guard let other = SnapshotText.fold(snapshot.text)?.fold, !fold.known.covers(other.vector) else { continue }
            _ = fold.join(other)
            isMore = true
        }
        if isMore { (here.sync.base, here.sync.baseCommit, here.sync.hasBase) = (fold, (.max, 0), true) }
    }

    mutating func pull(_ random: inout SeededRandom, isWhole: Bool) throws(SimulationFailure) {
        let snapshots = here.place.snapshots.sorted { $0.key < $1.key }.map(\.value)
        for snapshot in here.features.has("N") ? snapshots.suffix(1) : snapshots[...] {
            if here.features.has("V"), fold.vector.covers(snapshot.vector) { continue }
            guard snapshot.isReadable, !fold.known.covers(snapshot.vector), isWhole || random.below(10) < 7 else {
                continue
            }
            try join(snapshot, &random)
        }
        tips = [:]
        var came: [Record] = []
        for (id, records) in here.place.records.sorted(by: { $0.key < $1.key }) {
            let tip = fold.vector.heads(of: id).first
            let there = tip.flatMap { records[$0.number] }
            var isOther = there == nil || !fold.known.contains(id, there?.number ?? 0, there?.crc ?? 0)
            if here.features.has("W"), id != here.sync.id { isOther = false }
            if here.features.has("V") { isOther = false }
            for (number, record) in records.sorted(by: { $0.key < $1.key }) {
                if fold.known.contains(id, number, record.crc) { continue }
                if number <= tip?.number ?? 0, !isOther { continue }
                if isWhole || random.below(10) < 7 { came.append(record) }
            }
        }
        came.shuffle(using: &random)
        came += came.prefix(came.count / 3)
        for record in came { inbox.add(record) }
        inbox.drop(knownTo: fold)
        while try apply(&random) { try takeLocal(&random) }
    }

    mutating func apply(_ random: inout SeededRandom) throws(SimulationFailure) -> Bool {
        var touched: Set<UUID> = []
        var records: [Record] = []
        while records.count < 4,
            let record = here.features.has("O") ? inbox.nextOfReplica(after: fold) : inbox.next(after: fold)
        {
            records.append(record)
            touched.formUnion(fold.perform(record))
        }
        if records.isEmpty { return false }
        here.sync.add(others: records)
        try step(&random)
        try commit(touched, &random)
        return true
    }

    mutating func join(
        _ snapshot: SimulatedPlace.Snapshot, _ random: inout SeededRandom
    ) throws(SimulationFailure) {
        guard let other = SnapshotText.fold(snapshot.text)?.fold else { throw .broken("a snapshot") }
        let touched = fold.join(other)
        here.sync.joined = fold
        try step(&random)
        if here.features.crashes(&random) {
            // A part of a join that is too large for one commit.
            let puts = put(Set(touched.sorted().prefix(touched.count / 2)))
            here.moods.journal.append(
                .init(revision: here.revision + 1, crc: UInt32(here.ledger.next()), puts: puts, isSync: true))
            here.moods.known.append(here.known)
            throw .crash
        }
        try commit(touched, &random)
        try step(&random)
        keepBase()
    }

    var isShared: Bool {
        let branches = fold.known.branches[here.sync.id] ?? []
        var mine: [Known.Entry] = []
        if let last = here.sync.own[here.sync.id]?.last {
            let branch = branches.first { $0.count >= last.number && $0[last.number - 1].crc == last.crc }
            guard let branch else { return false }
            mine = Array(branch[..<last.number])
        }
        for branch in branches {
            let same = zip(branch, mine).prefix { $0.crc == $1.crc }.count
            if branch[same...].contains(where: { here.crc(of: $0.revision) != $0.commit }) { return true }
        }
        return false
    }

    // MARK: Sending

    mutating func push(_ random: inout SeededRandom) throws(SimulationFailure) {
        for id in here.sync.own.keys.sorted() {
            guard let mine = here.sync.own[id], let end = mine.last else { continue }
            let there = here.place.last(of: id)
            guard end.number > there else { continue }
            let branch = fold.known.branches[id]?.first { $0.count >= end.number && $0[end.number - 1].crc == end.crc }
            let records = here.place.records[id] ?? [:]
            guard let branch else { continue }
            // The last record there is an own one, and what comes before the next one is there.
            let tip = records.keys.max() ?? 0
            if tip > 0, records[tip]?.crc != branch[tip - 1].crc { continue }
            if tip < there {
                guard let snapshot = here.place.snapshots[id],
                    fold.known.covered(of: branch, id, by: snapshot.vector) >= there
                else { continue }
            }
            var out = records
            var next = there + 1
            for record in mine where record.number == next {
                out[next] = record
                next += 1
            }
            if out.count == records.count { continue }
            try step(&random)
            here.place.put(.records(out), id, at: now, serial: here.ledger.next())
            try step(&random)
        }
    }

    /// Whether the place lacks known records.
    var isLacking: Bool {
        var covering = here.place.snapshots.values.filter(\.isReadable).map(\.vector)
        covering = covering.map { fold.known.resolved($0) }
        var wanted: [(UUID, Int, [Known.Entry])] = []
        for (id, branches) in fold.known.branches {
            for branch in branches {
                let covered = covering.map { fold.known.covered(of: branch, id, by: $0) }.max() ?? 0
                if covered < branch.count { wanted.append((id, covered, branch)) }
            }
        }
        return wanted.contains { id, covered, branch in
            let records = here.place.records[id] ?? [:]
            return (covered + 1...branch.count).contains { records[$0]?.crc != branch[$0 - 1].crc }
        }
    }

    mutating func putSnapshot(_ random: inout SeededRandom, drops: Bool) throws(SimulationFailure) {
        let snapshot = SimulatedPlace.Snapshot(
            text: SnapshotText.text(fold, journal: SimulatedReplica.journalID), vector: fold.vector,
            known: here.ledger.changes(knownTo: fold.known), serial: here.ledger.next())
        here.place.put(.snapshot(snapshot), here.sync.id, at: now, serial: snapshot.serial)
        try step(&random)
        guard drops else { return }
        keepBase()
        for id in here.sync.own.keys.sorted() {
            guard let mine = here.sync.own[id], let last = mine.last else { continue }
            if let there = here.place.records[id] {
                let top = there.keys.max()
                let rest = there.filter { $0.key == top || !fold.known.contains(id, $0.key, $0.value.crc) }
                here.place.put(.records(rest), id, at: now, serial: here.ledger.next())
                try step(&random)
            }
            if id != here.sync.id, let old = here.place.snapshots[id], old.isReadable, fold.known.covers(old.vector) {
                here.place.put(.snapshot(nil), id, at: now, serial: here.ledger.next())
            }
            here.sync.own[id] = [last]
        }
    }

    /// One exchange.
    mutating func round(_ random: inout SeededRandom, isWhole: Bool) throws(SimulationFailure) {
        var isOpen = try open(&random)
        if !isOpen {
            restore()
            try step(&random)
            isOpen = try open(&random, makesAgain: true)
        }
        guard isOpen else {
            here.isIncomplete = true
            return try push(&random)
        }
        try pull(&random, isWhole: isWhole)
        try step(&random)
        try push(&random)
        guard isWhole else { return }
        here.sync.lackingRounds = isLacking ? here.sync.lackingRounds + 1 : 0
        if here.sync.lackingRounds >= 2, !here.features.has("F") {
            try putSnapshot(&random, drops: false)
            here.sync.lackingRounds = 0
        }
        tellMissing()
    }

    mutating func tellMissing() {
        var missing = Vector()
        func add(_ id: UUID, _ head: Vector.Head) {
            if !fold.known.contains(id, head.number, head.crc) { missing.add(head, of: id) }
        }
        for (id, records) in here.place.records {
            for (number, record) in records { add(id, .init(number: number, crc: record.crc)) }
        }
        for snapshot in here.place.snapshots.values {
            for id in snapshot.vector.last.keys { for head in snapshot.vector.heads(of: id) { add(id, head) } }
        }
        inbox.forEach { record in
            for id in record.needs.last.keys { for head in record.needs.heads(of: id) { add(id, head) } }
        }
        here.missing = missing
        here.isIncomplete = !missing.last.isEmpty
    }
}
