import MoodText

/// The times of an event, in words.
enum OccurrenceText {
    /// A line for each day on which an occurrence begins: `January 2, 2026, 3:04 PM – 4:00 PM, 6:00 PM – 7:00 PM`. An
    /// occurrence that ends on another day names that day.
    static func days(
        of occurrences: [Attachment.Occurrence], _ context: ReadingContext, _ phrases: inout Phrases
    ) throws(TextError) -> [String] {
        var days: [(day: String, times: [String])] = []
        for occurrence in occurrences.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            let (start, end) = (occurrence.start.milliseconds, occurrence.end.milliseconds)
            let day = try phrases.date(start, locale: context.locale, timeZone: context.timeZone)
            let lastDay = try phrases.date(end, locale: context.locale, timeZone: context.timeZone)
            var text = try phrases.time(start, locale: context.locale, timeZone: context.timeZone)
            if lastDay != day {
                text += " – " + (try phrases.moment(end, locale: context.locale, timeZone: context.timeZone))
            } else if start != end {
                text += " – " + (try phrases.time(end, locale: context.locale, timeZone: context.timeZone))
            }
            if days.last?.day == day { days[days.count - 1].times.append(text) } else { days.append((day, [text])) }
        }
        return days.map { ([$0.day] + $0.times).joined(separator: ", ") }
    }

    /// The first occurrence that has not ended, else the last.
    static func next(of occurrences: [Attachment.Occurrence], at now: Timestamp) -> Attachment.Occurrence? {
        let sorted = occurrences.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        return sorted.first { $0.end >= now } ?? sorted.last
    }
}
