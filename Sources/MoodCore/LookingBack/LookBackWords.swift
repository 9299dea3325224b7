/// The words of look backs in one language. In a sentence `{name}` is a placeholder.
///
/// A class, because every part of a drawing holds it.
@dynamicMemberLookup
final class LookBackWords: Sendable {
    struct Texts: Sendable {
        /// The language in HTML's form.
        let language: String
        let decimalSign: String
        /// Names with a space between them; of weekdays, from Monday on.
        let months, shortMonths, weekdays, shortWeekdays: String
        /// The parts of the day, from midnight.
        let parts: [String]
        /// The bands from very unpleasant to very pleasant.
        let bands: [String]
        let unknown, gap: String
        let titles: Titles
        let sentences: Sentences
        let table: Table
        let mood, day, favorite: Counted
    }

    private let texts: Texts
    let months, shortMonths, weekdays, shortWeekdays: [String]

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

    init(_ texts: Texts) {
        func list(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        self.texts = texts
        months = list(texts.months)
        shortMonths = list(texts.shortMonths)
        weekdays = list(texts.weekdays)
        shortWeekdays = list(texts.shortWeekdays)
    }

    subscript<Text>(dynamicMember path: KeyPath<Texts, Text>) -> Text { texts[keyPath: path] }

    /// The words of a locale's language; English if we have none.
    static func of(_ locale: String) -> LookBackWords {
        Words.choose(locale, english, german, spanish, finnish, french)
    }

    // MARK: Numbers

    func name(_ band: ValenceBand) -> String { texts.bands[band.rawValue] }

    /// `+0.35`, `−0.20`, `0.00`.
    func signed(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return (hundredths > 0 ? "+" : "") + plain(Double(hundredths) / 100)
    }

    /// `0.35`, with two digits after the locale's decimal sign.
    func plain(_ value: Double) -> String {
        let hundredths = Int((abs(value) * 100).rounded())
        let rest = hundredths % 100
        return (value < 0 && hundredths > 0 ? "\u{2212}" : "") + "\(hundredths / 100)\(texts.decimalSign)"
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
