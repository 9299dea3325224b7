import Platform
import Seeds
import SimulatedDisk
import Storage

/// One store on a simulated disk, through several processes that the torture kills, cuts off from power or fails in
/// their calls, also while they repair the files of the process before them. The seed decides everything.
///
/// Promises, checked after every opening and at the end:
/// 1. Acknowledged commits (their flush returned) and those that an opening to write showed are there.
/// 2. The store holds the state after one commit, with all before it: an acknowledged commit, or one behind it with an
///    open outcome. Commits that were taken back do not return.
/// 3. Records, orders, counts and revision belong to that state.
/// 4. A store fails to open, or opens only to read, in no process without a failed call.
/// 5. A second opening shows the same store.
public struct Torture: ~Copyable {
    private(set) var figures = TortureFigures()
    public let disk: Disk
    let seed: UInt64
    let identifiers: Identifiers
    private let unsyncedParents = Note()
    var random: SeededRandom
    var model: TortureModel
    /// The bytes of each version that the run wrote, from version 1.
    var written: [[UInt8]] = [[]]
    /// The most records in the store.
    let slots: Int
    /// Whether single commits are large enough to become snapshots.
    let hasLargeCommits: Bool
    /// The present process.
    var process: SimulatedProcess
    /// Whether the disk may be full in the present process.
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

    /// - Throws: the first broken promise. The figures are whole in any case.
    public mutating func run(_ figures: inout TortureFigures) throws(TortureFailure) {
        defer { figures.add(self.figures) }
        self.figures.seeds = 1
        do throws(TortureFailure) {
            for _ in 0..<1 + random.below(5) { try live(faults: planFaults()) }
            try finish()
        } catch {
            // A process without the right to read the parent directory cannot sync the name of the directory.
            if error.kind != .wrongRead && unsyncedParents.isNoted { return }
            switch error.kind {
            case .lost: self.figures.lost += 1
            case .wrongRead: self.figures.wrongReads += 1
            case .refused: self.figures.refusedStores += 1
            }
            throw error
        }
    }

    /// Ends without faults: opens twice, writes, and opens again after a power cut.
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

    /// Ends the process, and perhaps the power, in one of several ways.
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
        // The groups are small here; two of three runs write them in pieces.
        settings.aheadBytes = [StoreSettings.aheadBytesUsual, 1, 700][Int(seed % 3)]
        // In one of seven a commit of a few records is too long for memory.
        if seed % 7 == 0 { settings.commitBytesInMemory = 2_000 }
        return settings
    }

    func failure(_ kind: TortureFailure.Kind, _ reason: String) -> TortureFailure {
        TortureFailure(kind: kind, seed: seed, reason: reason)
    }
}
