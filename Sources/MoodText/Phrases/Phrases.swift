import Foundation

/// Relative and absolute times in words, in any locale and zone, as Foundation words them.
///
/// The counterpart of SwiftUI's `Text(date, format:)`, without a view. Foundation takes tens of microseconds for a
/// phrase; this type computes unit and count in integers and stores the phrase, so that a repeated one costs about a
/// tenth of a microsecond:
///
/// ```swift
/// var phrases = Phrases()
/// try phrases.relative(from: mood, to: now, locale: "fi_FI", timeZone: "Europe/Helsinki")  // "2 tuntia sitten"
/// ```
///
/// Times are milliseconds since 1970 UTC in the years 0001-9999. A locale is any form that `Locales.canonical` accepts,
/// a zone any name accepted by `TimeZones.isKnown`; nil is the system's zone. The calendar is the locale's own.
///
/// Invariant: locales and zones come from peers, so memory is bounded. At most `contextsMax` pairs of locale and zone
/// and `phrasesMax` phrases are kept; all are dropped together before one more is added.
public struct Phrases: ~Copyable {
    /// 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
    public static let timeRange: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    /// Number of stored phrases: about 30 bytes each.
    public static let phrasesMax = 4_096
    /// Number of stored pairs of locale and zone: a zone's offsets take some kilobytes.
    public static let contextsMax = 64

    /// The meaning of a spelling of locale and zone.
    struct Context {
        /// The locale's number, independent of the zone: zones share phrases.
        var localeNumber: UInt64
        var locale: Locale
        var calendar: Calendar
        var rule: RelativeRule
        var offsets: ZoneOffsets
        var dateStyle: Date.FormatStyle?
        var timeStyle: Date.FormatStyle?
        var momentStyle: Date.FormatStyle?
        /// Days and minutes of the day in words, by their number.
        var days: [Int: String] = [:]
        var minutes: [Int: String] = [:]
        /// Signed numbers in words, by their hundredths.
        var signedNumbers: [Int: String] = [:]
        /// Nil before the search; then nil inside if there is none.
        var knownMomentForm: MomentForm??
    }

    private struct ContextName: Hashable {
        var locale: String
        var timeZone: String?
    }

    var contexts: [Context] = []
    private var contextNumbers: [ContextName: Int] = [:]
    private var localeNumbers: [String: UInt64] = [:]
    /// The context of the latest call, often that of the next call too.
    private var latest = (name: ContextName(locale: "", timeZone: nil), number: -1)
    /// The range of each phrase in `text`, by locale, unit and count.
    private var phrases: [UInt64: Range<Int>] = [:]
    private var text: [UInt8] = []

    public init() {}

    /// `time` in words, as seen from `now`: "2 hours ago", "yesterday", "now", "next month".
    public mutating func relative(
        from time: Int64, to now: Int64, locale: String, timeZone: String?
    ) throws(TextError) -> String {
        var phrase = ""
        try withRelative(from: time, to: now, locale: locale, timeZone: timeZone) {
            phrase = String(decoding: $0, as: UTF8.self)
        }
        return phrase
    }

    /// Passes the UTF-8 of `relative` to `body`, without making a string if the phrase is known.
    ///
    /// No locale's phrases contain a control character, a quotation mark (U+0022) or a reverse solidus, so the bytes
    /// need no escapes in a JSON string.
    public mutating func withRelative(
        from time: Int64, to now: Int64, locale: String, timeZone: String?, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(TextError) {
        guard Self.timeRange.contains(time), Self.timeRange.contains(now) else { throw .timeOutOfRange }
        let number = try context(locale: locale, timeZone: timeZone)
        guard let distance = contexts[number].distance(from: time, to: now) else {
            var phrase = contexts[number].phrase(from: time, to: now)
            phrase.withUTF8 { body(UnsafeRawBufferPointer($0)) }
            return
        }
        let key = Self.key(of: distance, localeNumber: contexts[number].localeNumber)
        let place: Range<Int>
        if let known = phrases[key] {
            place = known
        } else {
            place = keep(contexts[number].phrase(from: time, to: now), for: key)
        }
        text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[place])) }
    }

    /// The number in `contexts` for a spelling of locale and zone.
    mutating func context(locale: String, timeZone: String?) throws(TextError) -> Int {
        // Long text from a peer is neither compared nor hashed.
        guard locale.utf8.count <= Locales.identifierBytesMax else { throw .unknownLocale }
        guard timeZone.map({ $0.utf8.count <= TimeZones.nameBytesMax }) ?? true else { throw .unknownTimeZone }
        if latest.number >= 0, latest.name.locale == locale, latest.name.timeZone == timeZone { return latest.number }
        let name = ContextName(locale: locale, timeZone: timeZone)
        let number: Int
        if let known = contextNumbers[name] { number = known } else { number = try addContext(name) }
        latest = (name, number)
        return number
    }

    private mutating func addContext(_ name: ContextName) throws(TextError) -> Int {
        guard let identifier = Locales.canonical(name.locale) else { throw .unknownLocale }
        let zoneName = name.timeZone ?? TimeZones.system
        guard TimeZones.isKnown(zoneName), let zone = TimeZone(identifier: zoneName) else { throw .unknownTimeZone }
        if contexts.count >= Self.contextsMax { removeAll() }
        let locale = Locale(identifier: identifier)
        var calendar = locale.calendar
        calendar.timeZone = zone
        let localeNumber = localeNumbers[identifier] ?? UInt64(localeNumbers.count)
        localeNumbers[identifier] = localeNumber
        let rule = RelativeRule(
            isGregorian: calendar.identifier == .gregorian, firstWeekday: calendar.firstWeekday)
        contexts.append(
            Context(
                localeNumber: localeNumber, locale: locale, calendar: calendar, rule: rule, offsets: ZoneOffsets(zone)))
        contextNumbers[name] = contexts.count - 1
        return contexts.count - 1
    }

    /// Drops everything: used phrases come back at once, and the fast path keeps no list of recent use.
    private mutating func removeAll() {
        contexts.removeAll()
        contextNumbers.removeAll()
        localeNumbers.removeAll()
        latest.number = -1
        removePhrases()
    }

    private mutating func removePhrases() {
        phrases.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
    }

    private mutating func keep(_ phrase: String, for key: UInt64) -> Range<Int> {
        if phrases.count >= Self.phrasesMax { removePhrases() }
        let start = text.count
        text.append(contentsOf: phrase.utf8)
        phrases[key] = start..<text.count
        return start..<text.count
    }

    /// Counts are below 2^32 in magnitude: the years 1902-2099 have fewer seconds.
    private static func key(of distance: RelativeDistance, localeNumber: UInt64) -> UInt64 {
        localeNumber << 40 | UInt64(distance.unit.rawValue) << 32
            | UInt64(UInt32(truncatingIfNeeded: distance.count))
    }

    /// Number of phrases and contexts stored now.
    var keptCounts: (phrases: Int, contexts: Int) { (phrases.count, contexts.count) }
}

extension Phrases.Context {
    mutating func distance(from time: Int64, to now: Int64) -> RelativeDistance? {
        rule.distance(from: time, to: now, in: &offsets)
    }

    /// Foundation's own text.
    func phrase(from time: Int64, to now: Int64) -> String {
        Date.AnchoredRelativeFormatStyle(
            anchor: Date(milliseconds: time), presentation: .named, locale: locale, calendar: calendar
        ).format(Date(milliseconds: now))
    }
}
