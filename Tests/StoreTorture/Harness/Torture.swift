import Platform
import Seeds
import SimulatedDisk
import Storage

/// One store on a simulated disk, through several processes that are killed, cut off from power and failed by their
/// calls, also while they mend what the one before them left. The seed says everything.
///
/// Promises, checked after every opening and at the end:
/// 1. What was acknowledged (a flush returned) or shown by an opening to write is there.
/// 2. What is there is the state after a commit: an acknowledged one, or one that was made behind it and whose end
///    nobody was told, with all before it. Commits that were taken back do not return.
/// 3. Records, orders, counts and revision are those of that state.
/// 4. A store is refused, or can only be read, only in a process in which a call failed.
/// 5. Opened again, it is the same.
public struct Torture: ~Copyable {
    private(set) var figures = TortureFigures()
    public let disk: Disk
    let seed: UInt64
    let identifiers: Identifiers
    private let unsyncedParents = Note()
    var random: SeededRandom
    var model: TortureModel
    /// The bytes of each version ever written, from 1.
    var written: [[UInt8]] = [[]]
    /// How many records there can be.
    let slots: Int
    /// Whether single commits are as large as to become snapshots.
    let hasLargeCommits: Bool
    /// The process of the present life.
    var process: SimulatedProcess
    /// Whether the disk may be full in it.
    var hasLittleSpace = false
    /// Whether an opening to write has shown a store.
    var hasStore = false

    public init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        let settings = DiskSettings(
            blockBytes: random.isOne(in: 2) ? 512 : 4096, leavesRubbish: random.isOne(in: 2),
            forgetsFailedPages: random.isOne(in: 2), descriptorsMax: 64)
        slots = 4 + random.below(20)
        hasLargeCommits = random.isOne(in: 200)
        disk = Disk(settings, seed: random.next())
        process = disk.startProcess()
        model = TortureModel(slots: slots)
        identifiers = Identifiers(seed: random.next())
        self.random = random
    }

    /// - Throws: the first promise that was not kept. The figures are whole in any case.
    public mutating func run(_ figures: inout TortureFigures) throws(TortureFailure) {
        defer { figures.add(self.figures) }
        self.figures.seeds = 1
        do throws(TortureFailure) {
            for _ in 0..<1 + random.below(5) { try live(faults: planFaults()) }
            try finish()
        } catch {
            // Whose parents may not be read has a directory whose name nobody can sync.
            if error.kind != .wrongRead && unsyncedParents.isNoted { return }
            switch error.kind {
            case .lost: self.figures.lost += 1
            case .wrongRead: self.figures.wrongReads += 1
            case .refused: self.figures.refusedStores += 1
            }
            throw error
        }
    }

    /// Without any fault: opened twice, written, then again behind a power cut.
    private mutating func finish() throws(TortureFailure) {
        try live(faults: [], steps: 0)
        try live(faults: [], steps: 1)
        disk.restorePower(.everythingLost)
        figures.powerCuts += 1
        try live(faults: [], steps: 0)
    }

    // MARK: One process

    private mutating func live(faults: [Fault]) throws(TortureFailure) {
        try live(faults: faults, steps: random.below(16))
        end()
    }

    private mutating func live(faults: [Fault], steps: Int) throws(TortureFailure) {
        if hasStore && random.isOne(in: 6) { try readAlone() }
        process = disk.startProcess()
        process.plan(faults)
        figures.openings += 1
        disk.note("process \(figures.openings): \(faults)")
        var store: RecordStore
        do throws(StorageError) {
            store = try RecordStore.open(settings(process.fileSystem, isReadOnly: false), TortureRecord.extractor)
        } catch {
            guard isExcused else { throw failure(.refused, "a store without a fault is refused: \(error)") }
            figures.refusals += 1
            return
        }
        guard process.isAlive else { return }
        try checkOpened(&store)
        guard store.refusal == nil else { return }
        for _ in 0..<steps where process.isAlive && store.refusal == nil { try step(&store) }
    }

    /// What becomes of the process in the end, and of the disk.
    private mutating func end() {
        figures.faults += process.failures
        disk.setFreeBytes(nil)
        hasLittleSpace = false
        if disk.isPowerless || random.isOne(in: 4) {
            figures.powerCuts += 1
            disk.restorePower(random.pick([.everythingLost, .everythingKept, .anything, .anything, .anything]))
        } else {
            if !process.isAlive { figures.kills += 1 }
            process.kill()
        }
        disk.note("process \(figures.openings) has ended")
    }

    mutating func refusedByFault() { figures.refusals += 1 }
    mutating func countCompaction() { figures.compactions += 1 }
    mutating func countCommits(_ count: Int, areAcknowledged: Bool) {
        if areAcknowledged { figures.acknowledged += count } else { figures.unacknowledged += count }
    }

    func settings(_ fileSystem: FileSystem, isReadOnly: Bool) -> StoreSettings {
        let disk = disk
        let identifiers = identifiers
        let unsyncedParents = unsyncedParents
        var watched = fileSystem
        watched.open = { path, access throws(SystemError) in
            do throws(SystemError) {
                return try fileSystem.open(path, access)
            } catch {
                if access == .directoryThroughLink && error.code == EACCES { unsyncedParents.set() }
                throw error
            }
        }
        var settings = StoreSettings(
            directory: "/home/moods/board", durability: .sync, isReadOnly: isReadOnly, trustsDirectory: false,
            lockTimeoutMilliseconds: 0, schemaVersion: 3, fileSystem: watched, log: { disk.note("log: \($0)") },
            makeIdentifier: { identifiers.next() }, timestamp: { "2026-01-02T03:04:05.678Z" })
        // Groups are small here; two of three runs write them in pieces.
        settings.aheadBytes = [StoreSettings.aheadBytesUsual, 1, 700][Int(seed % 3)]
        return settings
    }

    func failure(_ kind: TortureFailure.Kind, _ reason: String) -> TortureFailure {
        TortureFailure(kind: kind, seed: seed, reason: reason)
    }
}
