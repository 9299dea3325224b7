import MoodCore
import Storage

/// The days with a mood, without a scan of all moods: from the hours with a mood, and from single moods if an hour
/// belongs to two days.
extension RecordStore {
    /// The number of hours at which one scan of all moods is faster.
    private static let hoursMax = 2_000

    /// The days of all moods up to a moment, in no order.
    /// - Throws: `cancelled`
    public mutating func days(
        through last: Int64, _ lookBack: LookBack, _ watch: WalkWatch
    ) throws(StorageError) -> Set<Int> {
        do throws(StorageError) { return try daysOnce(last, lookBack, watch) } catch {
            // The store rebuilt its index: restart.
            guard case .busy = error else { throw error }
        }
        return try daysOnce(last, lookBack, watch)
    }

    private mutating func daysOnce(
        _ last: Int64, _ lookBack: LookBack, _ watch: WalkWatch
    ) throws(StorageError) -> Set<Int> {
        // Numbers of texts are valid for one reading, so each reading has its own look back.
        var reading = lookBack
        let hours = try hours()
        let texts: MoodTraits.Texts = { hours.texts[UInt32(truncatingIfNeeded: $0)] }
        var days: Set<Int> = []
        var unclear: Set<Int64> = []
        for mark in hours.marks {
            var bits = mark.bits
            while bits != 0 {
                let place = bits.trailingZeroBitCount
                bits &= bits - 1
                let hour = mark.firstHour + Int64(place)
                let moments = Self.moments(of: hour)
                if moments.lowerBound > last { break }
                let (day, end) = reading.day(at: moments.lowerBound, timeZone: Int(mark.text), texts)
                guard moments.upperBound <= min(end, last + 1), !hours.doubted.contains(hour) else {
                    unclear.insert(hour)
                    continue
                }
                days.insert(day)
                // Skip the other hours of that day.
                let next = place + Int((end - moments.lowerBound) / HourMark.millisecondsOfHour)
                bits = next < 64 ? bits & ~0 << UInt64(next) : 0
            }
        }
        unclear = unclear.filter { !Self.isKnown($0, days) }
        if unclear.count > Self.hoursMax {
            return try gather(from: nil, through: last, MoodFilter(), watch, { DaySet(lookBack) }) { $0.add($1, $2) }
                .days
        }
        for hour in unclear.sorted() where !Self.isKnown(hour, days) {
            let moments = Self.moments(of: hour)
            let found = try gather(
                from: moments.lowerBound, through: min(moments.upperBound - 1, last), MoodFilter(), watch,
                { DaySet(lookBack) }, { $0.add($1, $2) })
            days.formUnion(found.days)
        }
        return days
    }

    private static func moments(of hour: Int64) -> Range<Int64> {
        let start = hour * HourMark.millisecondsOfHour
        return start..<start + HourMark.millisecondsOfHour
    }

    /// Whether every day that an hour can belong to, in any zone, is one of these.
    private static func isKnown(_ hour: Int64, _ days: Set<Int>) -> Bool {
        let day = Int(hour >= 0 ? hour / 24 : (hour - 23) / 24)
        return (day - 2...day + 1).allSatisfy(days.contains)
    }
}

/// The days of moods that come in order of time.
private struct DaySet {
    private var lookBack: LookBack
    private(set) var days: Set<Int> = []
    private var latest: Int?

    init(_ lookBack: LookBack) { self.lookBack = lookBack }

    mutating func add(_ mood: MoodTraits, _ texts: MoodTraits.Texts) {
        let day = lookBack.day(of: mood, texts)
        if day != latest { days.insert(day) }
        latest = day
    }
}
