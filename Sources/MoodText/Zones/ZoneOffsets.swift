import Foundation

/// A span of time in which a zone's offset does not change: `start` inclusive, `end` exclusive, in milliseconds since
/// 1970.
struct OffsetSpan: Equatable {
    var start: Int64
    var end: Int64
    /// Local time minus UTC, in milliseconds.
    var offset: Int64

    /// Whether no transition lies within `margin` of `time`.
    func isSteady(around time: Int64, margin: Int64) -> Bool {
        start <= time - margin && time + margin < end
    }
}

/// A zone's offsets, read from Foundation once per span and then found by binary search.
///
/// It stores at most one span per transition of the zone: about 400 in the worst zone.
struct ZoneOffsets {
    /// 1902-2099: Foundation looks for transitions from 1901 to 2100 only and treats the times outside
    /// inconsistently, so those are left to Foundation.
    static let range: Range<Int64> = -2_145_916_800_000..<4_102_444_800_000

    /// Longer than a year, so that a zone with summer time has a transition in it.
    private static let lookBack: Int64 = 400 * WallTime.dayLength

    private let zone: TimeZone
    /// Ascending and disjoint.
    private var spans: [OffsetSpan] = []
    private var latest = 0

    init(_ zone: TimeZone) {
        self.zone = zone
    }

    /// The span around `time`, nil outside `range`.
    mutating func span(at time: Int64) -> OffsetSpan? {
        guard Self.range.contains(time) else { return nil }
        if latest < spans.count, spans[latest].start <= time, time < spans[latest].end { return spans[latest] }
        var low = 0
        var high = spans.count
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].end <= time { low = middle + 1 } else { high = middle }
        }
        if low == spans.count || spans[low].start > time {
            let found = findSpan(at: time)
            spans.insert(found, at: low)
        }
        latest = low
        return spans[low]
    }

    /// Local time minus UTC, in milliseconds, at any time.
    mutating func offset(at time: Int64) -> Int64 {
        if let span = span(at: time) { return span.offset }
        return Int64(zone.secondsFromGMT(for: Date(milliseconds: time))) * 1_000
    }

    /// Foundation only tells the transition after a time, so this begins early enough to pass the one before.
    private func findSpan(at time: Int64) -> OffsetSpan {
        var start = max(time - Self.lookBack, Self.range.lowerBound)
        var end = transition(after: start)
        if end > time { start = Self.range.lowerBound }
        end = transition(after: start)
        while end <= time {
            start = end
            end = transition(after: start)
        }
        let offset = Int64(zone.secondsFromGMT(for: Date(milliseconds: time))) * 1_000
        return OffsetSpan(start: start, end: end, offset: offset)
    }

    private func transition(after time: Int64) -> Int64 {
        guard let next = zone.nextDaylightSavingTimeTransition(after: Date(milliseconds: time)) else {
            return Self.range.upperBound
        }
        let milliseconds = (next.timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds > Double(time), milliseconds < Double(Self.range.upperBound) else {
            return Self.range.upperBound
        }
        return Int64(milliseconds)
    }
}

extension Date {
    /// The only initializer of dates in this module, so that rounding is the same everywhere.
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
