import Foundation

/// The clocks of a zone: local times of moments, and moments of local times.
///
/// Local times are milliseconds since 1970 as if the clock were in UTC. A local time in a gap of the zone counts as
/// later by the gap; of a repeated local time, the earlier moment counts.
public struct ZoneClock {
    private let zone: TimeZone
    private var offsets: ZoneOffsets

    /// Nil if there is no such zone.
    public init?(_ name: String) {
        guard TimeZones.isKnown(name), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
        offsets = ZoneOffsets(zone)
    }

    /// The first moment with a local time.
    public mutating func moment(ofLocal local: Int64) -> Int64 {
        let (before, after) = (offset(at: local - WallTime.dayLength), offset(at: local + WallTime.dayLength))
        let first = local - max(before, after)
        if offset(at: first) == local - first { return first }
        let second = local - min(before, after)
        if offset(at: second) == local - second { return second }
        return local - before
    }

    /// The local time at a moment.
    public mutating func local(at moment: Int64) -> Int64 { moment + offset(at: moment) }

    private mutating func offset(at moment: Int64) -> Int64 {
        offsets.span(at: moment)?.offset ?? Int64(zone.secondsFromGMT(for: Date(milliseconds: moment))) * 1000
    }
}
