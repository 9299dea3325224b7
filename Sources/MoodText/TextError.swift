/// The reason why a text could not be made.
public enum TextError: Error, Equatable, Sendable {
    /// `Locales.canonical` knows no such locale.
    case unknownLocale
    /// `TimeZones.isKnown` is false for the name.
    case unknownTimeZone
    /// A time outside the years 0001-9999.
    case timeOutOfRange
}
