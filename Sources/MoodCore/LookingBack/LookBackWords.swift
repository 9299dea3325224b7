/// The words of look backs in one language. In a sentence `{name}` is a placeholder.
///
/// A class, because every part of a drawing holds it.
final class LookBackWords: Sendable {
    /// The language in HTML's form.
    let language: String
    let decimalSign: String
    let months, shortMonths: [String]
    /// The names from Monday on.
    let weekdays, shortWeekdays: [String]
    /// The parts of the day, from midnight.
    let parts: [String]
    /// The bands from very unpleasant to very pleasant.
    let bands: [String]
    let unknown, gap: String
    let titles: Titles
    let sentences: Sentences
    let table: Table
    let mood, day, favorite: Counted

    /// The singular and the plural of a thing.
    struct Counted: Sendable {
        let one, many: String
        /// Whether zero takes the singular.
        var isNoneSingular = false

        func callAsFunction(_ number: Int) -> String {
            "\(number) \(number == 1 || number == 0 && isNoneSingular ? one : many)"
        }
    }

    struct Titles: Sendable {
        let summary, report, moods, course, feelings, tags, weekdays, parts, onThisDay: String
        /// `{year}`
        let pixels: String
    }

    struct Sentences: Sendable {
        let none: String
        /// `{first}`, `{last}`, `{moods}`, `{days}`, `{favorites}`
        let overview: String
        /// `{average}`, `{band}`, `{spread}`, `{estimated}`
        let pleasant: String
        /// `{count}`
        let estimated: String
        /// `{first}`, `{last}`, `{moods}`, `{average}`
        let before: String
        /// `{average}`
        let beforeAverage: String
        /// `{number}`
        let swings: String
        /// `{now}`, `{most}`, `{first}`, `{last}`
        let row: String
        let warning, counted, course: String
        /// `{days}`
        let year, month: String
        /// `{with}`, `{without}`
        let compared: String
    }

    struct Table: Sendable {
        let asTable, day, moods, average, mood, with, without, difference: String
        /// `{count}`
        let show: String
    }

    init(
        language: String, decimalSign: String, months: String, shortMonths: String, weekdays: String,
        shortWeekdays: String, parts: [String], bands: [String], unknown: String, gap: String, titles: Titles,
        sentences: Sentences, table: Table, mood: Counted, day: Counted, favorite: Counted
    ) {
        func list(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        self.language = language
        self.decimalSign = decimalSign
        self.months = list(months)
        self.shortMonths = list(shortMonths)
        self.weekdays = list(weekdays)
        self.shortWeekdays = list(shortWeekdays)
        self.parts = parts
        self.bands = bands
        self.unknown = unknown
        self.gap = gap
        self.titles = titles
        self.sentences = sentences
        self.table = table
        self.mood = mood
        self.day = day
        self.favorite = favorite
    }

    /// The words of a locale's language; English if we have none.
    static func of(_ locale: String) -> LookBackWords {
        let words = Words.of(locale)
        if words === Words.german { return german }
        if words === Words.spanish { return spanish }
        if words === Words.finnish { return finnish }
        if words === Words.french { return french }
        return english
    }

    // MARK: Numbers

    func name(_ band: ValenceBand) -> String { bands[band.rawValue] }

    /// `+0.35`, `−0.20`, `0.00`.
    func signed(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return (hundredths > 0 ? "+" : "") + plain(Double(hundredths) / 100)
    }

    /// `0.35`, with two digits after the locale's decimal sign.
    func plain(_ value: Double) -> String {
        let hundredths = Int((abs(value) * 100).rounded())
        let rest = hundredths % 100
        return (value < 0 && hundredths > 0 ? "\u{2212}" : "") + "\(hundredths / 100)\(decimalSign)"
            + (rest < 10 ? "0" : "") + "\(rest)"
    }

    /// Replaces placeholders by values.
    static func fill(_ sentence: String, _ values: [(name: String, value: String)]) -> String {
        var result = ""
        var rest = Substring(sentence)
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = rest[rest.index(after: start)..<end]
            result += rest[..<start] + (values.first { $0.name == name }?.value ?? "")
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
