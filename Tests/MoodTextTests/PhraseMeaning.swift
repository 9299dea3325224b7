import Foundation
import Testing

@testable import MoodText

/// The meaning of a row of `TimePhraseTable`, by Foundation's calendar.
struct PhraseMeaning {
    private let calendar: Calendar
    private let now: Date

    init(zone: String, now: Int64) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        self.calendar = calendar
        self.now = Date(milliseconds: now)
    }

    func meaning(_ text: String) throws -> TimeLanguage.Meaning {
        let parts = text.components(separatedBy: " @ ")
        let ends = parts[0].components(separatedBy: " .. ")
        let start = try moment(ends[0])
        guard ends.count == 2 else {
            return .init(start: start, end: start, at: start, isSpan: false, days: nil)
        }
        return .init(
            start: start, end: try moment(ends[1]), at: parts.count == 2 ? try moment(parts[1]) : nil, isSpan: true,
            days: nil)
    }

    private func moment(_ text: String) throws -> Int64 {
        var words = text.split(separator: " ").map(String.init)
        var date = try base(words.removeFirst())
        for word in words {
            if let step = word.wholeMatch(of: /([+-]\d+)([dwMyhms])/), let count = Int(step.1) {
                date = try self.step(date, count, step.2)
            } else {
                date = try clock(word, on: date)
            }
        }
        return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }

    private func base(_ word: String) throws -> Date {
        let today = calendar.startOfDay(for: now)
        switch word {
        case "now": return now
        case "day": return today
        case "week": return try #require(calendar.dateInterval(of: .weekOfYear, for: now)).start
        case "month": return try #require(calendar.dateInterval(of: .month, for: now)).start
        case "year": return try #require(calendar.dateInterval(of: .year, for: now)).start
        default: break
        }
        if let found = word.wholeMatch(of: /W(\d+)-(\d+)/) {
            return try #require(
                calendar.date(
                    from: DateComponents(
                        weekday: 2, weekOfYear: Int(found.2), yearForWeekOfYear: Int(found.1))))
        }
        if let found = word.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/) {
            return try #require(
                calendar.date(from: DateComponents(year: Int(found.1), month: Int(found.2), day: Int(found.3))))
        }
        if let found = word.wholeMatch(of: /\?(\d\d)-(\d\d)/) {
            return try latest { day in
                calendar.component(.month, from: day) == Int(found.1)
                    && calendar.component(.day, from: day) == Int(found.2)
            }
        }
        if word.hasPrefix("?") {
            let clock = String(word.dropFirst())
            let time = try self.clock(clock, on: today)
            return time <= now ? time : try self.clock(clock, on: try step(today, -1, "d"))
        }
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        let weekday = try #require(names.firstIndex { word.hasSuffix($0) }) + 1
        let isThat: (Date) -> Bool = { self.calendar.component(.weekday, from: $0) == weekday }
        if word.hasPrefix("<") { return try latest(from: -1, isThat) }
        if word.hasPrefix(">") { return try latest(from: 7, isThat) }
        return try latest(isThat)
    }

    private func latest(from first: Int = 0, _ isThat: (Date) -> Bool) throws -> Date {
        let today = calendar.startOfDay(for: now)
        for back in 0..<3_000 {
            let day = try step(today, first - back, "d")
            if isThat(day) { return day }
        }
        throw CocoaError(.formatting)
    }

    private func step(_ date: Date, _ count: Int, _ unit: Substring) throws -> Date {
        switch unit {
        case "h": return date.addingTimeInterval(Double(count) * 3_600)
        case "m": return date.addingTimeInterval(Double(count) * 60)
        case "s": return date.addingTimeInterval(Double(count))
        default: break
        }
        let component: Calendar.Component = ["d": .day, "w": .weekOfYear, "M": .month, "y": .year][unit] ?? .day
        return calendar.startOfDay(for: try #require(calendar.date(byAdding: component, value: count, to: date)))
    }

    private func clock(_ text: String, on date: Date) throws -> Date {
        var parts = calendar.dateComponents([.year, .month, .day], from: date)
        var fraction = 0.0
        if text == "~" {
            let time = calendar.dateComponents([.hour, .minute, .second], from: now)
            (parts.hour, parts.minute, parts.second) = (time.hour, time.minute, time.second)
            fraction = now.timeIntervalSince1970 - now.timeIntervalSince1970.rounded(.down)
        } else {
            let numbers = text.split(separator: ":")
            let second = numbers.count > 2 ? Double(numbers[2]) ?? 0 : 0
            (parts.hour, parts.minute, parts.second) = (Int(numbers[0]), Int(numbers[1]), Int(second))
            fraction = second - second.rounded(.down)
        }
        return try #require(calendar.date(from: parts)).addingTimeInterval(fraction)
    }
}
