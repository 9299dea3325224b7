/// The figures of some runs.
public struct TortureFigures: Sendable {
    public var seeds = 0
    /// Killed processes.
    public var kills = 0
    public var powerCuts = 0
    /// Calls that failed by plan.
    public var faults = 0
    public var openings = 0
    /// Openings that failed or gave only a readable store, each with a fault in that very process.
    public var refusals = 0
    public var compactions = 0
    /// Commits whose flush returned.
    public var acknowledged = 0
    /// Commits without an acknowledgement.
    public var unacknowledged = 0
    /// Runs that lost acknowledged commits.
    public var lost = 0
    /// Runs that read something other than the written records.
    public var wrongReads = 0
    /// Runs in which the store refused to open or write on a faultless disk.
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

/// A broken promise.
public struct TortureFailure: Error, CustomStringConvertible {
    public enum Kind: Sendable { case lost, wrongRead, refused }

    public let kind: Kind
    public let seed: UInt64
    public let reason: String

    public var description: String { "seed \(seed): \(reason)" }
}
