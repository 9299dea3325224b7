import Platform
import Seeds

/// How a simulated disk behaves, apart from the faults that are asked of it.
public struct DiskSettings: Sendable {
    /// What is written back, lost or torn as one: 512 or 4096.
    public var blockBytes: Int
    /// Whether blocks that belong to a file but were never written may hold anything, and not only zeros.
    public var leavesRubbish: Bool
    /// Whether pages that a failed sync gave up are read from the medium again, and not from the cache.
    public var forgetsFailedPages: Bool
    /// How many descriptors a process may have open.
    public var descriptorsMax: Int

    public init(blockBytes: Int, leavesRubbish: Bool, forgetsFailedPages: Bool, descriptorsMax: Int) {
        self.blockBytes = blockBytes
        self.leavesRubbish = leavesRubbish
        self.forgetsFailedPages = forgetsFailedPages
        self.descriptorsMax = descriptorsMax
    }
}

/// A disk in memory that keeps what was synced and what was not apart, and loses the latter when the power is cut.
///
///     let disk = Disk(settings, seed: 7)
///     let process = disk.startProcess()
///     process.plan([Fault(.kind(.fdatasync, 3), .powerCut(.midway))])
///     … a store is opened with process.fileSystem, and commits …
///     disk.restorePower(.anything)
///     … a store is opened with another process, and must hold all that was acknowledged …
///
/// The same seed and the same calls give the same disk, bit by bit, as long as one thread calls at a time.
///
/// What a power cut leaves:
/// 1. Everything that a successful sync covered: fsync and fdatasync of a file its bytes and size, fsync of a directory
///    its names.
/// 2. Of each other block that was written: the new bytes, the old bytes, or a mixture by sectors or torn at a byte,
///    whatever becomes of the others. A block written twice may be there as it was in between.
/// 3. Of each size: the old one, the new one or one in between, whatever becomes of the blocks; blocks that are in the
///    file and were not written hold zeros or, by the settings, rubbish.
/// 4. Each other change of a name or not, whatever becomes of the others. A rename is whole or not at all. A synced
///    file without a synced name is gone.
public final class Disk: Sendable {
    /// What becomes of everything that was not synced.
    public enum Fate: Sendable { case everythingLost, everythingKept, anything }

    struct State {
        var random: SeededRandom
        var tree: DiskTree
        var processes: [ProcessState] = []
        var isPowerless = false
        /// What files are stamped with, in nanoseconds. It goes on in steps, as a kernel's does: several writes in a row
        /// may bear the same time.
        var clock: Int64 = 1_800_000_000_000_000_000
        /// How many bytes files may still grow; nil: as many as one likes.
        var freeBytes: Int?
        /// The calls so far, where they are kept.
        var trace: [String]?
    }

    struct ProcessState {
        var isAlive = true
        var plan = FaultPlan()
        var descriptors: [Int32: OpenFile] = [:]
        /// Never used twice, so that whoever uses a closed one is told.
        var lastDescriptor: Int32 = 2
    }

    let settings: DiskSettings
    let monitor: Monitor<State>

    public init(_ settings: DiskSettings, seed: UInt64) {
        self.settings = settings
        monitor = Monitor(State(random: SeededRandom(seed: seed), tree: DiskTree(blockBytes: settings.blockBytes)))
    }

    public func startProcess() -> SimulatedProcess {
        monitor.withLock { state in
            state.processes.append(ProcessState())
            return SimulatedProcess(self, number: state.processes.count - 1)
        }
    }

    /// From now on files may grow by so many bytes altogether; nil: as much as one likes.
    public func setFreeBytes(_ count: Int?) { monitor.withLock { $0.freeBytes = count } }

    /// Cuts the power: every process ends, and nothing can be called until it is restored.
    public func cutPower() {
        monitor.withLock { $0.cutPower() }
        monitor.wakeAll()
    }

    /// The disk as it is found after the power was cut, which happens now if it has not yet.
    public func restorePower(_ fate: Fate) {
        monitor.withLock { state in
            if !state.isPowerless { state.cutPower() }
            state.isPowerless = false
            state.tree.cutPower(fate, leavesRubbish: settings.leavesRubbish, &state.random)
        }
        monitor.wakeAll()
    }

    public var isPowerless: Bool { monitor.withLock { $0.isPowerless } }

    /// Writes down every call from now on.
    public func keepTrace() { monitor.withLock { $0.trace = [] } }

    /// The calls since then, as `process call subject`.
    public var trace: [String] { monitor.withLock { $0.trace ?? [] } }

    /// Adds a line of the caller's own to the trace, where one is kept.
    public func note(_ line: String) { monitor.withLock { $0.trace?.append(line) } }
}

extension Disk.State {
    mutating func cutPower() {
        isPowerless = true
        for number in processes.indices { end(number) }
    }

    /// The process is gone, and with it its descriptors and locks.
    mutating func end(_ number: Int) {
        processes[number].isAlive = false
        processes[number].descriptors = [:]
    }
}
