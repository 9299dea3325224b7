import Foundation

extension Phrases {
    /// A number with its sign and at most two digits after the point, in the digits of the locale: "+0.75", "−0,5".
    /// Zero has no sign. The minus is the sign of that name (U+2212), which is as wide as the plus.
    public mutating func signed(hundredths: Int, locale: String, timeZone: String?) throws(TextError) -> String {
        let number = try context(locale: locale, timeZone: timeZone)
        let locale = contexts[number].locale
        return try part(of: number, hundredths, \.signedNumbers) { (_) throws(TextError) in
            (Double(hundredths) / 100).formatted(
                .number.precision(.fractionLength(0...2)).sign(strategy: .always(includingZero: false)).locale(locale)
            ).replacing("-", with: "\u{2212}")
        }
    }

    /// A number in the locale's form, with up to ten significant digits: "1,234.5", "−0,5".
    public mutating func number(_ value: Double, locale: String, timeZone: String?) throws(TextError) -> String {
        let number = try context(locale: locale, timeZone: timeZone)
        return value.formatted(
            .number.precision(.significantDigits(1...10)).locale(contexts[number].locale)
        ).replacing("-", with: "\u{2212}")
    }
}
