import JSONCodec
import MoodText

/// The members of a mood that scans read, as views of its record.
public struct MoodFacts {
    public private(set) var emoji = JSONText("")
    public private(set) var label = JSONText("")
    public private(set) var time: Int64 = 0
    public private(set) var isFavorite = false
    /// The mood's own valence; nil if it has none.
    public private(set) var valence: Double?
    public private(set) var timeZone: JSONText?
    public private(set) var notes = JSONText("")
    public private(set) var tags: ValidJSON?
    public private(set) var scales: ValidJSON?

    /// - Parameter record: a stored mood, in any layout.
    public init(_ record: UnsafeRawBufferPointer) {
        if readCanonical(record) { return }
        self = MoodFacts()
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
            } else if key.equals("notes") {
                notes = reader.text() ?? notes
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

    private init() {}

    /// Whether the label, the notes or a tag of a stored mood contains the folded needle.
    /// - Parameter isExact: whether the needle was folded by case alone.
    public static func contains(
        foldedNeedle needle: UnsafeRawBufferPointer, isExact: Bool, in record: UnsafeRawBufferPointer
    ) -> Bool {
        var cursor = CanonicalCursor(record, isKnown: true)
        // A scan of the bytes excludes nearly all moods of a rare needle. It skips the emoji, which is not searched.
        if cursor.skipID(), cursor.skip(",\"emoji\":"), cursor.text() != nil,
            !CaseFolding.mayContain(foldedNeedle: needle, in: cursor.rest)
        {
            return false
        }
        let facts = MoodFacts(record)
        return contains(foldedNeedle: needle, isExact: isExact, facts.notes)
            || contains(foldedNeedle: needle, isExact: isExact, facts.label)
            || facts.tags.map { contains(foldedNeedle: needle, isExact: isExact, tags: $0) } ?? false
    }

    /// Whether a text contains the needle.
    @inline(__always)
    public static func contains(
        foldedNeedle needle: UnsafeRawBufferPointer, isExact: Bool, _ text: JSONText
    ) -> Bool {
        text.withDecoded {
            isExact
                ? CaseFolding.contains(foldedNeedle: needle, in: $0)
                : SearchFolding.contains(foldedNeedle: needle, in: $0)
        }
    }

    /// Whether one of the tags does.
    public static func contains(foldedNeedle needle: UnsafeRawBufferPointer, isExact: Bool, tags: ValidJSON) -> Bool {
        // No needle without a quote goes from one into the next.
        let isPlain = !tags.bytes.contains(UInt8(ascii: "\\")) && !needle.contains(UInt8(ascii: "\""))
        let all = JSONText(raw: tags.bytes, isEscaped: false)
        if isPlain, !contains(foldedNeedle: needle, isExact: isExact, all) { return false }
        var reader = JSONReader(tags)
        guard reader.enterArray() else { return false }
        while reader.nextElement() {
            if let tag = reader.text() {
                if contains(foldedNeedle: needle, isExact: isExact, tag) { return true }
            } else {
                reader.skip()
            }
        }
        return false
    }

    /// Takes the members of a record in the canonical layout.
    @inline(__always)
    public init(_ mood: CanonicalMood) {
        emoji = mood.emoji
        label = mood.label
        time = mood.timestamp.milliseconds
        isFavorite = mood.isFavorite
        notes = mood.notes
        if mood.tags.count > 2 { tags = ValidJSON(trusting: mood.tags) }
        if let number = mood.optional.valence { valence = JSONNumber(raw: number).double }
        if let object = mood.optional.scales { scales = ValidJSON(trusting: object) }
        if let text = mood.optional.timeZone {
            timeZone = JSONText(column: UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast()))
        }
    }

    /// Reads a record in the canonical layout, which is less work.
    /// - Returns: false for another layout.
    @inline(__always)
    private mutating func readCanonical(_ record: UnsafeRawBufferPointer) -> Bool {
        var cursor = CanonicalCursor(record, isKnown: true)
        guard cursor.skipID(), cursor.skip(",\"emoji\":"), let emoji = cursor.text(), cursor.skip(",\"label\":"),
            let label = cursor.text(), cursor.skip(",\"timestamp\":\""), let time = cursor.time(),
            cursor.skip(",\"isFavorite\":"), let isFavorite = cursor.boolean(), cursor.skip(",\"notes\":"),
            let notes = cursor.text(), cursor.skip(",\"tags\":["), let tags = cursor.list()
        else { return false }
        self.emoji = emoji
        self.label = label
        self.time = time.milliseconds
        self.isFavorite = isFavorite
        self.notes = notes
        if tags.count > 2 { self.tags = ValidJSON(trusting: tags) }
        while !cursor.skip(",\"attachments\":[") {
            guard let member = cursor.member() else { return false }
            if Self.equals(member.name, "valence") {
                valence = JSONNumber(raw: member.value).double
            } else if Self.equals(member.name, "scales") {
                scales = ValidJSON(trusting: member.value)
            } else if Self.equals(member.name, "timeZone") {
                timeZone = JSONText(raw: member.value, isEscaped: member.value.contains(UInt8(ascii: "\\")))
            }
        }
        return true
    }

    @inline(__always)
    private static func equals(_ name: UnsafeRawBufferPointer, _ literal: StaticString) -> Bool {
        JSONText.sameBytes(
            name, UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}

/// The days and valences of moods, for all statistics.
///
/// A mood's day is that in its own zone, else in the usual one; it begins at `dayStartsAt`.
public struct LookBack: Sendable {
    private var clocks: ZoneClocks
    /// The number of a clock by the number of the zone's text.
    private var clockNumbers: [Int: Int] = [:]
    private var latestClock = (text: 0, number: 0)
    /// The latest stretch of the present clock. `stretches` has those of the other clocks, by number.
    private var stretch = DayClock.Stretch.none
    private var stretches: [DayClock.Stretch] = [.none]
    public let palette: Palette
    /// The end of the statistics: later moods are left out.
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

    /// The day of a mood, and its clock's milliseconds after midnight.
    @inline(__always)
    mutating func reading(_ mood: MoodTraits, _ texts: MoodTraits.Texts) -> (day: Int, timeOfDay: Int) {
        if mood.timeZone != latestClock.text { findClock(mood.timeZone, texts) }
        if !stretch.contains(mood.time) { stretch = clocks.stretch(around: mood.time, clock: latestClock.number) }
        return (stretch.day, stretch.timeOfDay(mood.time))
    }

    /// The day of a moment by the clock of a zone, and the moment until which that day lasts for certain.
    /// - Parameter timeZone: the number of the zone's text, as in a mood.
    @inline(__always)
    public mutating func day(at time: Int64, timeZone: Int, _ texts: MoodTraits.Texts) -> (day: Int, end: Int64) {
        if timeZone != latestClock.text { findClock(timeZone, texts) }
        if !stretch.contains(time) { stretch = clocks.stretch(around: time, clock: latestClock.number) }
        return (stretch.day, stretch.end)
    }

    /// The day of a mood.
    public mutating func day(of mood: MoodTraits, _ texts: MoodTraits.Texts) -> Int { reading(mood, texts).day }

    @inline(never)
    private mutating func findClock(_ text: Int, _ texts: MoodTraits.Texts) {
        let number: Int
        if text == 0 {
            number = 0
        } else if let known = clockNumbers[text] {
            number = known
        } else {
            number = JSONText(column: texts(text)).withDecoded { clocks.clock(of: $0) }
            clockNumbers[text] = number
        }
        stretches[latestClock.number] = stretch
        while stretches.count <= number { stretches.append(.none) }
        stretch = stretches[number]
        latestClock = (text, number)
    }

    /// The reading of the usual clock.
    public mutating func usualReading(_ time: Int64) -> DayClock.Reading { clocks.reading(time, in: nil) }

    /// The beginning of a day by the usual clock.
    public mutating func start(ofDay day: Int) -> Int64 {
        var clock = clocks.usual
        return clock.start(ofDay: day)
    }
}

/// The span of statistics: days, both ends included, or moments, the end excluded. An end that is nil is open.
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

    /// The previous week, month or year for a whole one, else as many days before; nil if an end is open.
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
