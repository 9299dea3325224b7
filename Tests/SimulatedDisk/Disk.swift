import Platform
import Seeds

/// The behavior of a simulated disk without faults.
public struct DiskSettings: Sendable {
    /// The unit that the disk writes back, loses or tears: 512 or 4096.
    public var blockBytes: Int
    /// Whether blocks of a file that no call ever wrote may hold rubbish; else they hold zeros.
    public var leavesRubbish: Bool
    /// Whether reads take pages that a failed sync gave up from the medium again, and not from the cache.
    public var forgetsFailedPages: Bool
    /// The most descriptors that a process may have open.
    public var descriptorsMax: Int

    public init(blockBytes: Int, leavesRubbish: Bool, forgetsFailedPages: Bool, descriptorsMax: Int) {
        self.blockBytes = blockBytes
        self.leavesRubbish = leavesRubbish
        self.forgetsFailedPages = forgetsFailedPages
        self.descriptorsMax = descriptorsMax
    }
}

/// A disk in memory. It keeps synced and unsynced bytes apart and loses unsynced ones when the power fails.
///
///     let disk = Disk(settings, seed: 7)
///     let process = disk.startProcess()
///     process.plan([Fault(.kind(.fdatasync, 3), .powerCut(.midway))])
///     … a test opens a store with process.fileSystem and commits …
///     disk.restorePower(.anything)
///     … a test opens the store in another process; it must hold all acknowledged commits …
///
/// One seed and one sequence of calls give one disk, bit by bit, while one thread calls at a time.
///
/// After a power cut the disk holds:
/// 1. All that a successful sync covered: the bytes and size of a file after fsync or fdatasync, the names in a
///    directory after fsync.
/// 2. For each other written block, independent of all others: the new bytes, the old bytes, or a mixture by sectors or
///    torn at a byte. A block with two writes may hold the state between them.
/// 3. For each size, independent of the blocks: the old one, the new one or one in between. Blocks of the file that no
///    call wrote hold zeros or, by the settings, rubbish.
/// 4. Any selection of the other changes of names. A rename is whole or absent. A synced file without a synced name is
///    gone.
public final class Disk: Sendable {
    /// The treatment of everything unsynced.
    public enum Fate: Sendable { case everythingLost, everythingKept, anything }

    struct State {
        var random: SeededRandom
        var tree: DiskTree
        var processes: [ProcessState] = []
        var isPowerless = false
        /// The time stamp of changed files, in nanoseconds. It advances in steps, as a kernel's clock does: several
        /// writes in a row may bear one time.
        var clock: Int64 = 1_800_000_000_000_000_000
        /// The bytes by which files may still grow; nil for no limit.
        var freeBytes: Int?
        /// The calls so far, if the disk keeps a trace.
        var trace: [String]?
    }

    struct ProcessState {
        var isAlive = true
        var plan = FaultPlan()
        var descriptors: [Int32: OpenFile] = [:]
        /// The disk never reuses a number, so a call on a closed descriptor fails.
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

    /// Lets files grow by `count` bytes altogether from now on; nil for no limit.
    public func setFreeBytes(_ count: Int?) { monitor.withLock { $0.freeBytes = count } }

    /// Cuts the power: ends every process and refuses all calls until `restorePower`.
    public func cutPower() {
        monitor.withLock { $0.cutPower() }
        monitor.wakeAll()
    }

    /// Restores the power, after it cuts it if it is still on, and settles all unsynced bytes and names by `fate`.
    public func restorePower(_ fate: Fate) {
        monitor.withLock { state in
            if !state.isPowerless { state.cutPower() }
            state.isPowerless = false
            state.tree.cutPower(fate, leavesRubbish: settings.leavesRubbish, &state.random)
        }
        monitor.wakeAll()
    }

    public var isPowerless: Bool { monitor.withLock { $0.isPowerless } }

    /// Records every call from now on.
    public func keepTrace() { monitor.withLock { $0.trace = [] } }

    /// The recorded calls, as `process call subject`.
    public var trace: [String] { monitor.withLock { $0.trace ?? [] } }

    /// Adds a line of the caller to the trace, if the disk keeps one.
    public func note(_ line: String) { monitor.withLock { $0.trace?.append(line) } }
}

extension Disk.State {
    mutating func cutPower() {
        isPowerless = true
        for number in processes.indices { end(number) }
    }

    /// Ends a process and drops its descriptors and locks.
    mutating func end(_ number: Int) {
        processes[number].isAlive = false
        processes[number].descriptors = [:]
    }
}
