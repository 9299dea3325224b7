/// The reason why a list is empty, with advice: for a screen in its language, and for programmers in English, with the
/// names of methods.
public struct EmptyList: Sendable {
    public let title: String
    public let hint: String

    /// No mood exists.
    public static func noMoods(locale: String) -> EmptyList {
        let words = ScreenWords.of(locale).noMoods
        guard Words.of(locale) === Words.english else { return EmptyList(title: words.title, hint: words.text) }
        return EmptyList(
            title: words.title, hint: "Record the first one with mood.create, or add samples with store.insertSamples.")
    }

    /// None of `count` moods matches a filter.
    public static func noMatch(of count: Int, locale: String) -> EmptyList {
        let words = ScreenWords.of(locale)
        return EmptyList(
            title: words.noMatch.title, hint: words.noMatch.text.replacing("#", with: words.moods(count)))
    }

    /// The moods could not be read, with the reason.
    public static func unreadable(reason: String, locale: String) -> EmptyList {
        EmptyList(title: ScreenWords.of(locale).unreadable.title, hint: reason)
    }
}
