import Foundation

/// The known time zones: the names of the IANA time zone database, including links.
public enum TimeZones {
    /// Longer names are refused unread.
    public static let nameBytesMax = 64

    /// Whether `name` is a name of the time zone database (`Europe/Helsinki`, `UTC`, `Asia/Calcutta`), in exactly that
    /// case.
    ///
    /// Foundation and ICU accept more (`GMT+2`, `PST` for Los Angeles, `SystemV/PST8`); this refuses them, because no
    /// other program would read them the same way. Names are never used as paths.
    public static func isKnown(_ name: String) -> Bool {
        isWellFormed(name) && (isLink(name) || identifiers.contains(name))
    }

    /// The name of the system's zone; `UTC` if it has none.
    public static var system: String {
        let name = TimeZone.current.identifier
        return isKnown(name) && name != "GMT" ? name : "UTC"
    }

    private static let identifiers = Set(TimeZone.knownTimeZoneIdentifiers)

    /// Letters, digits and `_ + - /`, beginning with a letter.
    private static func isWellFormed(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count <= nameBytesMax, let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy {
            isLetter($0) || 0x30...0x39 ~= $0 || $0 == 0x2F || $0 == 0x5F || $0 == 0x2B || $0 == 0x2D
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20
    }

    /// Called before the list, which takes longer to make than a zone takes to find; the list lacks some names.
    private static func isLink(_ name: String) -> Bool {
        if foreign.contains(name) || name.hasPrefix("SystemV/") { return false }
        // Foundation computes "GMT" and "UTC" with any offset without a look-up.
        if name.hasPrefix("GMT") || name.hasPrefix("UTC") { return offsetless.contains(name) }
        return TimeZone(identifier: name) != nil
    }

    private static let offsetless: Set<String> = ["GMT", "GMT0", "GMT+0", "GMT-0", "UTC"]

    /// The three-letter names of old Java versions, which ICU keeps, without those that the database has too.
    private static let foreign: Set<String> = [
        "ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT", "IET", "IST", "JST",
        "MIT", "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST",
    ]
}
