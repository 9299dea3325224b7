import Platform
import Seeds
import SimulatedDisk
import Storage
import StoreTorture
import Synchronization
import Testing

/// A process that commits once beside another.
private final class Others: Sendable {
    private let settings: StoreSettings
    private let hasCommitted = Mutex(false)

    init(_ settings: StoreSettings) { self.settings = settings }

    func commitOnce() {
        let isDue = hasCommitted.withLock { hasCommitted in
            defer { hasCommitted = true }
            return !hasCommitted
        }
        guard isDue else { return }
        do throws(StorageError) {
            var store = try RecordStore.open(settings, TortureRecord.extractor)
            try store.commit(5)
        } catch {
            Issue.record("\(error)")
        }
    }
}

/// Two crashes in a row: a process dies at some call, a second one continues from its files and acknowledges commits,
/// then the power fails. The acknowledged commits rest on files that the first process did not live to sync.
@Suite struct StoreCrashTests {
    /// Opens, commits, begins a new generation, and one that is itself a commit.
    private static func live(_ process: SimulatedProcess, hasLargeCommit: Bool) {
        do throws(StorageError) {
            var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
            try store.commit(1)
            if hasLargeCommit {
                try store.commit(2, fill: RecordStore.lineBytesMax)
            } else {
                _ = try store.compact()
                try store.commit(2)
            }
        } catch {
            // The process is dead.
        }
    }

    private static func calls(hasLargeCommit: Bool) -> Int {
        let process = makeDisk().startProcess()
        live(process, hasLargeCommit: hasLargeCommit)
        return process.calls
    }

    /// Covers three former faults: a directory with an unsynced name, and a blank journal and a snapshot of one commit,
    /// whose names existed unsynced when the next process appended behind them.
    @Test(arguments: [Fault.Moment.before, .after], [false, true])
    func whatASecondProcessAcknowledgesSurvives(moment: Fault.Moment, hasLargeCommit: Bool) throws {
        let total = Self.calls(hasLargeCommit: hasLargeCommit)
        #expect(total > 60)
        for number in stride(from: 1, through: total, by: SeededRandom.step(3)) {
            let disk = makeDisk(seed: UInt64(number))
            let first = disk.startProcess()
            first.plan([Fault(.call(number), .killed(moment))])
            Self.live(first, hasLargeCommit: hasLargeCommit)
            #expect(!first.isAlive)
            let revision: Int
            do {
                var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
                try store.commit(9)
                revision = store.revision
            }
            disk.restorePower(.everythingLost)
            var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            let isThere = try store.holds(9) && store.revision == revision
            #expect(store.refusal == nil, "killed at call \(number)")
            #expect(isThere, "killed at call \(number)")
        }
    }

    /// Makes a long commit and compacts after it.
    private static func liveLong(_ process: SimulatedProcess) {
        do throws(StorageError) {
            var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
            try store.commit(1, fill: RecordStore.lineBytesMax)
            for slot in 3...4 {
                try store.commit(slot)
                _ = try store.compact()
            }
        } catch {
            // The process is dead.
        }
    }

    /// Undo of a commit that became a snapshot needs the replaced snapshot: nothing else holds the record before it,
    /// because the history begins later. All calls take minutes, so a run takes one in 22 of them, a long one by seed one in eleven.
    @Test(arguments: [(Fault.Moment.before, Disk.Fate.everythingLost), (.after, .anything)])
    func aLongCommitThatIsThereCanBeUndone(moment: Fault.Moment, fate: Disk.Fate) throws {
        let before = TortureRecord.bytes(slot: 1, time: 1, version: 2, text: 1, fill: 10)
        let stride = SeededRandom.some(22, of: 11)
        var number = Int((SeededRandom.further.first ?? 0) % UInt64(stride)) + 1 - stride
        var undone = 0
        var isOver = false
        while !isOver {
            number += stride
            let disk = makeDisk(seed: UInt64(number), blockBytes: 4096)
            do {
                var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
                try store.commit(1)
                try store.commit(2)
                _ = try store.compact()
                #expect(try store.shortenHistory(to: 3) == 3)
            }
            let process = disk.startProcess()
            process.plan([Fault(.call(number), .killed(moment))])
            Self.liveLong(process)
            isOver = process.isAlive
            disk.restorePower(fate)
            var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            #expect(store.refusal == nil, "killed at call \(number)")
            guard store.revision >= 3 else { continue }
            var request = UndoRequest(isRedo: false)
            request.revision = 3
            let plan = try store.planUndo(request)
            #expect(plan.targets.map(\.bytes) == [before], "killed at call \(number)")
            store.abandonCommit()
            undone += 1
        }
        #expect(number > 100 && undone > 3)
    }

    /// Covers a former fault: lines that arrived during a compaction stood synced in the new journal behind a commit
    /// that the old journal had never synced, and the store was refused. The store may lose unsynced commits, but only
    /// from the end.
    @Test(arguments: [Disk.Fate.everythingLost, .anything])
    func aPowerCutDuringACompactionWithoutSyncLosesTheTailAlone(fate: Disk.Fate) throws {
        func settings(_ disk: Disk) -> (StoreSettings, SimulatedProcess) {
            let process = disk.startProcess()
            var settings = storeSettings(process)
            settings.durability = .none
            return (settings, process)
        }
        var number = 0
        var isOver = false
        while !isOver {
            number += 1
            let disk = makeDisk(seed: UInt64(number))
            do {
                var store = try RecordStore.open(settings(disk).0, TortureRecord.extractor)
                for slot in 0..<5 { try store.commit(slot) }
            }
            var (compacting, process) = settings(disk)
            let makeIdentifier = compacting.makeIdentifier
            let others = Others(settings(disk).0)
            compacting.makeIdentifier = {
                others.commitOnce()
                return makeIdentifier()
            }
            process.plan([Fault(.call(number), .killed(.after))])
            do throws(StorageError) { _ = try Compaction.run(compacting, TortureRecord.extractor) } catch {
                // The process is dead.
            }
            isOver = process.isAlive
            disk.restorePower(fate)
            var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            #expect(store.refusal == nil, "killed at call \(number)")
            let slots = try (0..<7).filter { (slot) throws(StorageError) in try store.holds(slot) }
            #expect(slots == Array(0..<store.count), "killed at call \(number)")
        }
        #expect(number > 60)
    }

    /// Covers a former fault: the store could not publish the durable seq and took the commit back by a new generation;
    /// after a power cut the lock file called it acknowledged again, and the store was refused.
    @Test func aPublicationThatFailedIsNoEvidenceAgainstALaterGeneration() throws {
        var generations = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            let disk = makeDisk(seed: seed)
            let process = disk.startProcess()
            do {
                var store = try RecordStore.open(storeSettings(process), TortureRecord.extractor)
                try store.commit(1)
                // A host too holds the lock until the group ends, with any outcome.
                try store.lock()
                // The first write is the line, the second the publication.
                process.plan([Fault(.kind(.pwrite, 2), .fails(EIO))])
                #expect(throws: StorageError.self) { try store.commit(2) }
                if store.refusal == nil, store.revision == 1 { generations += 1 }
            }
            disk.restorePower(.anything)
            var store = try RecordStore.open(storeSettings(disk.startProcess()), TortureRecord.extractor)
            let isRight = try store.revision == 1 && store.holds(1) && !store.holds(2)
            #expect(store.refusal == nil && isRight, "seed \(seed)")
        }
        #expect(generations == 200)
    }
}
