import Platform

/// Turns a time as people type it into RFC 3339, as the protocol wants it.
///
///     now · today · yesterday (at this hour) · 14:30 · 2h · "3 days ago" · 2026-01-02 · "2026-01-02 14:30"
///
/// Wall clock times are in the local zone. Any other text goes to the host unchanged: the host knows the full form and
/// says what is wrong.
enum TimeInput {
    /// In one line, for help.
    static let forms = "2026-01-02T14:30:00Z, '2026-01-02 14:30', 2026-01-02, 14:30, yesterday, 2h (ago)"

    static func protocolText(_ text: String, console: Console) -> String {
        let words = text.lowercased().split(separator: " ").map(String.init)
        guard let seconds = seconds(words, console) else { return text }
        return Moment(secondsSince1970: seconds).rfc3339
    }

    private static func seconds(_ words: [String], _ console: Console) -> Int? {
        let now = console.now()
        guard let today = console.localTime(now) else { return nil }
        switch words {
        case ["now"], ["today"]: return now
        case ["yesterday"]: return now - 86_400
        default: break
        }
        if let ago = secondsAgo(words) { return now - ago }
        guard let first = words.first, words.count <= 2 else { return nil }
        if words.count == 1, let time = clock(first) { return wall(today.year, today.month, today.day, time, console) }
        guard let day = date(first) else {
            return words.count == 2 ? day(named: first, clock: words[1], today, now, console) : nil
        }
        if words.count == 1 { return wall(day[0], day[1], day[2], [0, 0, 0], console) }
        return clock(words[1]).flatMap { wall(day[0], day[1], day[2], $0, console) }
    }

    /// `yesterday 14:30`.
    private static func day(
        named name: String, clock text: String, _ today: LocalTime, _ now: Int, _ console: Console
    ) -> Int? {
        guard let time = clock(text) else { return nil }
        let day: LocalTime? =
            switch name {
            case "today": today
            case "yesterday": console.localTime(now - 86_400)
            default: nil
            }
        return day.flatMap { wall($0.year, $0.month, $0.day, time, console) }
    }

    private static func wall(
        _ year: Int, _ month: Int, _ day: Int, _ clock: [Int], _ console: Console
    ) -> Int? {
        console.secondsSince1970(
            LocalTime(
                year: year, month: month, day: day, hour: clock[0], minute: clock[1], second: clock[2], zone: ""))
    }

    /// `2h`, `2h ago`, `2 hours ago`.
    private static func secondsAgo(_ words: [String]) -> Int? {
        var words = words
        if words.last == "ago" { words.removeLast() }
        let joined = words.joined()
        let digits = joined.prefix { $0.isASCII && $0.isNumber }
        guard words.count <= 2, !digits.isEmpty, digits.count <= 6, let count = Int(digits) else { return nil }
        switch joined.dropFirst(digits.count) {
        case "m", "min", "minute", "minutes": return count * 60
        case "h", "hour", "hours": return count * 3_600
        case "d", "day", "days": return count * 86_400
        case "w", "week", "weeks": return count * 604_800
        default: return nil
        }
    }

    private static func date(_ text: String) -> [Int]? {
        let parts = numbers(text, separator: "-")
        guard parts.count == 3, text.utf8.count == 10 else { return nil }
        return parts
    }

    private static func clock(_ text: String) -> [Int]? {
        let parts = numbers(text, separator: ":")
        guard parts.count == 2 || parts.count == 3, parts[0] < 24, parts[1] < 60 else { return nil }
        guard parts.count == 3 else { return parts + [0] }
        return parts[2] < 60 ? parts : nil
    }

    /// The numbers between separators; empty if one of them is not a number.
    private static func numbers(_ text: String, separator: Character) -> [Int] {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.utf8.allSatisfy { $0 &- 48 < 10 } ? Int(part) : nil }
        return numbers.count == parts.count ? numbers : []
    }
}
