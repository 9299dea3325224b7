import JSONCodec

/// A year in pixels as text: a line for each month, a sign for each day.
public enum YearText {
    static let legend = "# very pleasant, + pleasant, o even, - unpleasant, = very unpleasant, ? no valence, . no mood"

    /// - Parameter days: the result of `stats.year`.
    public static func text(of days: JSONValue, year: Int) -> String {
        let lines = months(of: days).map { "\($0.name) \($0.value.string ?? "")" }
        return ([String(year)] + lines + [legend]).joined(separator: "\n")
    }

    /// The months by their names, each with a sign for each day.
    public static func months(of days: JSONValue) -> [JSONValue.Member] {
        var months: [(name: String, signs: String)] = []
        for day in days["days"]?.array ?? [] {
            let name = String((day["date"]?.string ?? "").prefix(7))
            if months.last?.name != name { months.append((name, "")) }
            months[months.count - 1].signs += sign(day)
        }
        return months.map { JSONValue.Member($0.name, .string($0.signs)) }
    }

    /// The days that have a mood, in few bytes.
    public static func marked(_ days: JSONValue) -> [JSONValue] {
        (days["days"]?.array ?? []).filter { ($0["count"]?.integer ?? 0) > 0 }.map { day in
            var members = (day.object ?? []).filter { $0.name != "average" && $0.name != "label" }
            if let average = day["average"]?.double {
                members.append(JSONValue.Member("average", .double((average * 100).rounded() / 100)))
            }
            return .object(members)
        }
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
