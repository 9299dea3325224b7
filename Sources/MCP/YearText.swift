import JSONCodec

/// A year in pixels as text: a line for each month, a sign for each day.
public enum YearText {
    /// - Parameter days: what `stats.year` answers.
    public static func text(of days: JSONValue, year: Int) -> String {
        var lines = [String(year)]
        var month = ""
        for day in days["days"]?.array ?? [] {
            let date = day["date"]?.string ?? ""
            if String(date.prefix(7)) != month {
                month = String(date.prefix(7))
                lines.append(month + " ")
            }
            lines[lines.count - 1] += sign(day)
        }
        return lines.joined(separator: "\n")
            + "\n# very pleasant, + pleasant, o even, - unpleasant, = very unpleasant, ? no valence, . no mood"
    }

    private static func sign(_ day: JSONValue) -> String {
        guard (day["count"]?.integer ?? 0) > 0 else { return "." }
        guard let average = day["average"]?.double else { return "?" }
        if average >= 0.6 { return "#" }
        if average >= 0.2 { return "+" }
        if average >= -0.2 { return "o" }
        return average >= -0.6 ? "-" : "="
    }
}
