import Foundation

/// Distances in words, in the units and digits of a locale: "850 m", "12.3 km", "7.6 mi".
public enum DistanceText {
    private static let metersInMile = 1_609.344
    private static let metersInFoot = 0.304_8

    /// - Parameter locale: any form that `Locales.canonical` accepts; an unknown one becomes English.
    public static func of(_ meters: Double, locale: String) -> String {
        let locale = Locale(identifier: Locales.canonical(locale) ?? "en")
        if locale.measurementSystem == .us || locale.measurementSystem == .uk {
            let miles = meters / metersInMile
            if miles >= 0.1 { return number(miles, locale) + " mi" }
            return number((meters / metersInFoot).rounded(), locale) + " ft"
        }
        let isNear = meters.rounded() < 1_000
        return isNear ? number(meters.rounded(), locale) + " m" : number(meters / 1_000, locale) + " km"
    }

    /// Formats with one digit after the point below 100.
    private static func number(_ value: Double, _ locale: Locale) -> String {
        let digits = value < 100 && value != value.rounded() ? 1 : 0
        return value.formatted(.number.precision(.fractionLength(0...digits)).locale(locale))
    }
}
