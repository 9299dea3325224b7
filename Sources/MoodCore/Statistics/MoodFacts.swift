import JSONCodec
import MoodText

/// What statistics look at in a mood, as views of its record.
public struct MoodFacts {
    public private(set) var emoji = JSONText("")
    public private(set) var label = JSONText("")
    public private(set) var time: Int64 = 0
    public private(set) var isFavorite = false
    /// Its own; nil if it has none.
    public private(set) var valence: Double?
    public private(set) var timeZone: JSONText?
    public private(set) var tags: ValidJSON?
    public private(set) var scales: ValidJSON?

    /// - Parameter record: a stored mood, in any layout.
    public init(_ record: UnsafeRawBufferPointer) {
        var reader = JSONReader(ValidJSON(trusting: record))
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            if key.equals("emoji") {
                emoji = reader.text() ?? emoji
            } else if key.equals("label") {
                label = reader.text() ?? label
            } else if key.equals("timestamp") {
                time = MoodTime(reader.text()).value?.milliseconds ?? 0
            } else if key.equals("isFavorite") {
                isFavorite = reader.boolean() ?? false
            } else if key.equals("tags") {
                tags = reader.skip()
            } else if key.equals("valence") {
                valence = reader.number()?.double
            } else if key.equals("scales") {
                scales = reader.skip()
            } else if key.equals("timeZone") {
                timeZone = reader.text()
            } else {
                reader.skip()
            }
        }
    }
}

/// Where moods lie in time, and how pleasant they are: what all statistics share.
///
/// The day of a mood is that of its own zone, else of the usual one; it begins at `dayStartsAt`.
public struct LookBack {
    private var clocks: ZoneClocks
    public let palette: Palette
    /// Moods after it are left out.
    public let now: Int64
    public let today: Int

    public init(_ clocks: consuming ZoneClocks, _ palette: Palette, now: Int64) {
        today = clocks.reading(now, in: nil).day
        self.clocks = clocks
        self.palette = palette
        self.now = now
    }

    public mutating func reading(_ facts: MoodFacts) -> DayClock.Reading {
        guard let zone = facts.timeZone else { return clocks.reading(facts.time, in: nil) }
        return zone.withDecoded { clocks.reading(facts.time, in: $0) }
    }

    /// What the usual clock shows.
    public mutating func usualReading(_ time: Int64) -> DayClock.Reading { clocks.reading(time, in: nil) }

    /// When a day begins by the usual clock.
    public mutating func start(ofDay day: Int) -> Int64 {
        var clock = clocks.usual
        return clock.start(ofDay: day)
    }
}

/// Which moods statistics are about: days, both ends included, or moments, the end excluded. An end that is nil is open.
public struct LookBackSpan: Equatable, Sendable {
    public var firstDay: Int?
    public var lastDay: Int?
    public var from: Int64?
    public var to: Int64?

    public init(firstDay: Int? = nil, lastDay: Int? = nil, from: Int64? = nil, to: Int64? = nil) {
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.from = from
        self.to = to
    }

    public func contains(day: Int, time: Int64) -> Bool {
        if let firstDay, day < firstDay { return false }
        if let lastDay, day > lastDay { return false }
        if let from, time < from { return false }
        if let to, time >= to { return false }
        return true
    }

    public var isOpen: Bool { firstDay == nil && lastDay == nil && from == nil && to == nil }

    /// The week, month or year before one that is whole, else as many days before; nil where an end is open.
    public func previous(today: Int) -> LookBackSpan? {
        if let from {
            guard let to else { return nil }
            return LookBackSpan(from: from - (to - from), to: from)
        }
        guard let first = firstDay, to == nil, case let last = lastDay ?? today, last >= first else { return nil }
        let (start, end) = (CivilDate(daysSince1970: first), CivilDate(daysSince1970: last))
        let isFromMonthStart = start.day == 1 && end.day == end.daysInMonth
        let isYear = isFromMonthStart && start.month == 1 && end.month == 12 && start.year == end.year
        let isMonth = isFromMonthStart && start.month == end.month && start.year == end.year
        guard isYear || isMonth else { return LookBackSpan(firstDay: first - (last - first + 1), lastDay: first - 1) }
        return LookBackSpan(
            firstDay: start.advanced(byMonths: isYear ? -12 : -1).daysSince1970, lastDay: first - 1)
    }
}
