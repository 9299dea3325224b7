import MoodCore
import MoodText

/// Reads times in files.
struct ImportTimeParser {
    private var clocks: [String: ZoneClock] = [:]
    /// Names of zones in other spellings.
    private var meanings: [String: ZoneNames.Meaning] = [:]
    private let zone: (name: String, isLivedIn: Bool)?
    private let pattern: DatePattern?
    /// The order of days and months in dates with two readings.
    var order: DateText.Order?

    init(_ options: ImportOptions) {
        zone = options.timeZone
        pattern = options.dateFormat.flatMap { DatePattern($0) }
        order = pattern.map { $0.isDayFirst ? .dayFirst : .monthFirst }
    }

    enum Failure: Error, Equatable {
        case notATime
        case noZone
        case unknownZone(String)
        case ambiguous(String, String)
        /// A clause.
        case other(String)

        var reason: String {
            switch self {
            case .notATime: "is not a time such as 2026-11-20T21:30:00Z or 2026-11-20 21:30"
            case .noZone: "has no zone: say in which the times are (timeZone, such as Europe/Berlin)"
            case .unknownZone(let name): "names the zone \(name), which is not known"
            case .ambiguous(let first, let second):
                "could be \(first) or \(second): say how dates are written (dateFormat, such as %d/%m/%Y)"
            case .other(let reason): reason
            }
        }
    }

    /// A moment, and the zone of the place if the file has it.
    struct Moment: Equatable {
        var time: Timestamp
        var zone: String?
        /// Whether it is noon because the file has no time of day.
        var isNoon = false
        /// A time of day in another cell that says something else, and is not taken.
        var otherClock: String?
    }

    private static let noon = 12 * 3_600_000

    /// Reads RFC 3339, a number of seconds or milliseconds since 1970, or a date with or without a time of day.
    /// - Parameter own: the zone that the row names.
    mutating func read(_ text: String, own: String? = nil) throws(Failure) -> Moment {
        let text = text.trimmedSpaces
        if let time = Timestamp(text) { return Moment(time: time, zone: nil) }
        if let local = Self.local(text) { return try moment(day: local.day, timeOfDay: local.timeOfDay, own: own) }
        if let time = Self.sinceEpoch(text) { return Moment(time: time, zone: nil) }
        return try moment(of: try said(text), own: own)
    }

    /// Reads a date with its time of day, or hour and minute, in other cells.
    mutating func read(
        date: String, time: String?, hour: String?, minute: String?, own: String? = nil
    ) throws(Failure) -> Moment {
        if time == nil, hour == nil { return try read(date, own: own) }
        // A spreadsheet may give every date a midnight.
        var said = try self.said(date)
        if let first = said.timeOfDay, first != 0 {
            var moment = try read(date, own: own)
            if let other = time ?? hour, Self.clock(other, minute ?? "0")?.timeOfDay != first {
                moment.otherClock = other
            }
            return moment
        }
        if let time, let clock = Self.clock(time, minute) {
            (said.timeOfDay, said.offset) = (clock.timeOfDay, clock.offset ?? said.offset)
        } else if let hour, let clock = Self.clock(hour, minute ?? "0") {
            (said.timeOfDay, said.offset) = (clock.timeOfDay, clock.offset)
        } else {
            throw .notATime
        }
        return try moment(of: said, own: own)
    }

    /// Reads `21:30`; `1899-12-30 21:30:00`, a spreadsheet's time of day; `21` with a minute.
    private static func clock(_ text: String, _ minute: String?) -> (timeOfDay: Int, offset: Int?)? {
        if let clock = DateText.clock(text) { return clock }
        if let hour = Int(text), 0..<24 ~= hour, let minute = Int(minute ?? ""), 0..<60 ~= minute {
            return ((hour * 60 + minute) * 60_000, nil)
        }
        return (try? DateText(text))?.timeOfDay.map { ($0, nil) }
    }

    private struct Said {
        var day = 0
        var timeOfDay: Int?
        var offset: Int?
        var zone: String?
    }

    private func said(_ text: String) throws(Failure) -> Said {
        if let pattern, let match = pattern.match(text),
            let date = CivilDate(checkedYear: match.year, month: match.month, day: match.day)
        {
            var said = Said(day: date.daysSince1970, timeOfDay: match.timeOfDay.map { Int($0) })
            let rest = String(match.rest).trimmedSpaces
            if rest.isEmpty { return said }
            if said.timeOfDay == nil, let clock = DateText.clock(rest.first == "T" ? String(rest.dropFirst()) : rest) {
                (said.timeOfDay, said.offset) = (clock.timeOfDay, clock.offset)
                return said
            }
        }
        do throws(DateText.Failure) {
            let date = try DateText(text, order)
            return Said(day: date.day, timeOfDay: date.timeOfDay, offset: date.offset, zone: date.zone)
        } catch {
            switch error {
            case .notADate: throw .notATime
            case .ambiguous(let first, let second): throw .ambiguous(first, second)
            case .other(let reason): throw .other(reason)
            }
        }
    }

    private mutating func moment(of said: Said, own: String?) throws(Failure) -> Moment {
        let day = Int64(said.day) * 86_400_000
        let timeOfDay = said.timeOfDay ?? Self.noon
        if let offset = said.offset {
            guard let time = Timestamp(milliseconds: day + Int64(timeOfDay) - Int64(offset)) else { throw .notATime }
            return Moment(time: time, zone: said.zone)
        }
        var moment = try self.moment(day: day, timeOfDay: timeOfDay, own: said.zone ?? own)
        moment.isNoon = said.timeOfDay == nil
        return moment
    }

    /// - Parameters:
    ///   - day: midnight, in milliseconds since 1970.
    ///   - timeOfDay: milliseconds since then.
    mutating func moment(day: Int64, timeOfDay: Int, own: String? = nil) throws(Failure) -> Moment {
        guard let name = own ?? zone?.name else { throw .noZone }
        if clocks[name] == nil { clocks[name] = ZoneClock(name) }
        guard let time = clocks[name]?.moment(ofLocal: day + Int64(timeOfDay)) else {
            return try moment(day: day, timeOfDay: timeOfDay, spelled: name)
        }
        guard let moment = Timestamp(milliseconds: time) else { throw .notATime }
        return Moment(time: moment, zone: own ?? (zone?.isLivedIn == true ? name : nil))
    }

    /// A time in a zone that has another spelling than IANA's; an offset is no zone.
    private mutating func moment(
        day: Int64, timeOfDay: Int, spelled name: String
    ) throws(Failure) -> Moment {
        let meaning = meanings[name] ?? ZoneNames.meaning(name)
        meanings[name] = meaning
        switch meaning {
        case .zone(let zone) where zone != name: return try moment(day: day, timeOfDay: timeOfDay, own: zone)
        case .offset(let offset):
            guard let time = Timestamp(milliseconds: day + Int64(timeOfDay) - offset) else { throw .notATime }
            return Moment(time: time, zone: nil)
        default: throw .unknownZone(name)
        }
    }

    /// The offset of a zone at a moment; nil if the zone is not known.
    mutating func offset(at time: Timestamp, in zone: String) -> Int64? {
        if clocks[zone] == nil { clocks[zone] = ZoneClock(zone) }
        return clocks[zone]?.local(at: time.milliseconds).advanced(by: -Int(time.milliseconds))
    }

    /// Reads `2026-11-20 21:30` and `2026-11-20T21:30:15`, the forms of most tables, ten times as fast as `DateText`.
    private static func local(_ text: String) -> (day: Int64, timeOfDay: Int)? {
        let bytes = text.utf8
        guard bytes.count == 16 || bytes.count == 19 else { return nil }
        var numbers = (year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0)
        for (place, byte) in bytes.enumerated() {
            switch place {
            case 4, 7: guard byte == 45 else { return nil }
            case 10: guard byte == 32 || byte | 32 == 116 else { return nil }
            case 13, 16: guard byte == 58 else { return nil }
            default:
                guard 48...57 ~= byte else { return nil }
                let digit = Int(byte) - 48
                switch place {
                case ..<4: numbers.year = numbers.year * 10 + digit
                case ..<7: numbers.month = numbers.month * 10 + digit
                case ..<10: numbers.day = numbers.day * 10 + digit
                case ..<13: numbers.hour = numbers.hour * 10 + digit
                case ..<16: numbers.minute = numbers.minute * 10 + digit
                default: numbers.second = numbers.second * 10 + digit
                }
            }
        }
        guard numbers.hour < 24, numbers.minute < 60, numbers.second < 60,
            let date = CivilDate(checkedYear: numbers.year, month: numbers.month, day: numbers.day)
        else { return nil }
        let timeOfDay = ((numbers.hour * 60 + numbers.minute) * 60 + numbers.second) * 1000
        return (Int64(date.daysSince1970) * 86_400_000, timeOfDay)
    }

    /// Reads ten digits as seconds, thirteen as milliseconds; seconds may have a fraction.
    private static func sinceEpoch(_ text: String) -> Timestamp? {
        let parts = text.utf8.split(separator: 46, omittingEmptySubsequences: false)
        guard let first = parts.first, first.count == 10 || first.count == 13, parts.count <= 2,
            parts.joined().allSatisfy({ 48...57 ~= $0 }), let number = Int64(String(Substring(first)))
        else { return nil }
        if first.count == 13 { return parts.count == 1 ? Timestamp(milliseconds: number) : nil }
        let fraction = parts.count == 2 ? (String(Substring(parts[1])) + "000").prefix(3) : "0"
        return Int64(fraction).flatMap { Timestamp(milliseconds: number * 1000 + $0) }
    }

    /// The midnight of `2026-11-20`, in milliseconds since 1970.
    static func day(_ text: String) -> Int64? {
        guard text.utf8.count == 10 else { return nil }
        return Timestamp(text + "T00:00:00Z")?.milliseconds
    }
}
