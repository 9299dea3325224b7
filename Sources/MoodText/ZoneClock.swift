import Foundation

/// What the clocks of a zone show, and when they show it.
///
/// Local times are milliseconds since 1970 as if the clock were in UTC. A time that the clocks leap over is as much later as
/// they leap; of one that they show twice it is the earlier.
public struct ZoneClock {
    private let zone: TimeZone
    private var offsets: ZoneOffsets

    /// Nil where there is no such zone.
    public init?(_ name: String) {
        guard TimeZones.isKnown(name), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
        offsets = ZoneOffsets(zone)
    }

    /// The moment at which the clocks show a time first.
    public mutating func moment(ofLocal local: Int64) -> Int64 {
        let (before, after) = (offset(at: local - WallTime.dayLength), offset(at: local + WallTime.dayLength))
        let first = local - max(before, after)
        if offset(at: first) == local - first { return first }
        let second = local - min(before, after)
        if offset(at: second) == local - second { return second }
        return local - before
    }

    /// What the clocks show at a moment.
    public mutating func local(at moment: Int64) -> Int64 { moment + offset(at: moment) }

    private mutating func offset(at moment: Int64) -> Int64 {
        offsets.span(at: moment)?.offset ?? Int64(zone.secondsFromGMT(for: Date(milliseconds: moment))) * 1000
    }
}
