/// What was done in some runs.
public struct TortureFigures: Sendable {
    public var seeds = 0
    /// Processes that were killed.
    public var kills = 0
    public var powerCuts = 0
    /// Calls that failed because it was planned.
    public var faults = 0
    public var openings = 0
    /// Openings that failed or gave a store to be read only, all of them with a fault in that very process.
    public var refusals = 0
    public var compactions = 0
    /// Commits whose flush returned.
    public var acknowledged = 0
    /// Commits that were made and not acknowledged.
    public var unacknowledged = 0
    /// Runs in which acknowledged commits were gone.
    public var lost = 0
    /// Runs in which something else was read than was written.
    public var wrongReads = 0
    /// Runs in which a store could not be opened or written though nothing was wrong with the disk any more.
    public var refusedStores = 0

    public init() {}

    public mutating func add(_ other: TortureFigures) {
        seeds += other.seeds
        kills += other.kills
        powerCuts += other.powerCuts
        faults += other.faults
        openings += other.openings
        refusals += other.refusals
        compactions += other.compactions
        acknowledged += other.acknowledged
        unacknowledged += other.unacknowledged
        lost += other.lost
        wrongReads += other.wrongReads
        refusedStores += other.refusedStores
    }
}

extension TortureFigures: CustomStringConvertible {
    public var description: String {
        """
        seeds \(seeds), crashes \(kills + powerCuts) (kills \(kills), power cuts \(powerCuts)), faults \(faults), \
        openings \(openings) (\(refusals) refused by a fault), compactions \(compactions)
        commits acknowledged \(acknowledged), not acknowledged \(unacknowledged)
        lost \(lost), wrong reads \(wrongReads), refused stores \(refusedStores)
        """
    }
}

/// A promise that was not kept.
public struct TortureFailure: Error, CustomStringConvertible {
    public enum Kind: Sendable { case lost, wrongRead, refused }

    public let kind: Kind
    public let seed: UInt64
    public let reason: String

    public var description: String { "seed \(seed): \(reason)" }
}
