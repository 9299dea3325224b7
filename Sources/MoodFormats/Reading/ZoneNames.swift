import MoodText

/// Spellings of a zone: an IANA name, a Windows name, a name that Windows shows, or an offset.
enum ZoneNames {
    enum Meaning: Equatable {
        case zone(String)
        /// Milliseconds from UTC to local time.
        case offset(Int64)
    }

    /// Nil if the name is not known.
    static func meaning(_ name: String) -> Meaning? {
        let plain = name.replacing("\"", with: "").trimmedSpaces
        if let zone = zone(plain) { return .zone(zone) }
        if let offset = offset(plain) { return .offset(offset) }
        return shown(plain)
    }

    /// An IANA name, the zone of a Windows name, or an IANA name at the end of a longer one.
    private static func zone(_ name: String) -> String? {
        if TimeZones.isKnown(name) { return name }
        if let zone = WindowsZones.zone(name) { return zone }
        let parts = name.split(separator: "/")
        guard parts.count > 1 else { return nil }
        for count in stride(from: min(parts.count, 3), through: 1, by: -1) {
            let end = parts.suffix(count).joined(separator: "/").replacing(" ", with: "_")
            if TimeZones.isKnown(end) { return end }
            if let zone = WindowsZones.zone(end) { return zone }
        }
        return nil
    }

    /// Reads `GMT+0100`, `UTC-3`, `(UTC-05.00)`, `+02:00` and `Z`, with nothing behind.
    private static func offset(_ name: String) -> Int64? {
        var text = name.uppercased()[...]
        if text.first == "(", text.last == ")" { text = text.dropFirst().dropLast() }
        if text == "Z" { return 0 }
        let hasName = text.hasPrefix("GMT") || text.hasPrefix("UTC")
        if hasName { text = text.dropFirst(3) }
        if hasName, text.isEmpty { return 0 }
        guard let first = text.first else { return nil }
        let sign = first == "\u{2212}" ? "-" : first
        let parts = text.dropFirst().split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "." }
        guard parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }), parts.count <= 2,
            parts.count < 2 || parts[1].count == 2
        else { return nil }
        var digits = parts.joined()
        if digits.count == 1 || digits.count == 3 { digits = "0" + digits }
        if digits.count == 2 { digits += "00" }
        return CalendarDates.offset(String(sign) + digits).flatMap { abs($0) <= offsetMax ? $0 : nil }
    }

    private static let offsetMax: Int64 = 18 * 3_600_000

    // MARK: Names that Windows shows

    private static let areas = [
        "Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian", "America/Argentina", "US",
        "Canada",
    ]

    /// Places that no zone is named after.
    private static let places = [
        "Brasilia": "America/Sao_Paulo", "Indiana (East)": "America/Indiana/Indianapolis",
        "West Central Africa": "Africa/Lagos", "Sri Jayawardenepura": "Asia/Colombo",
        "Nuku'alofa": "Pacific/Tongatapu", "Port Louis": "Indian/Mauritius", "Abu Dhabi": "Asia/Dubai",
        "Solomon Is.": "Pacific/Guadalcanal", "Petropavlovsk-Kamchatsky": "Asia/Kamchatka",
        "Kyiv": "Europe/Kiev", "Islamabad": "Asia/Karachi", "Beijing": "Asia/Shanghai",
    ]

    /// Reads `(UTC+01:00) Amsterdam, Berlin, Rome`: the first place with a zone that has this offset in winter or summer.
    private static func shown(_ name: String) -> Meaning? {
        guard name.first == "(", let end = name.firstIndex(of: ")"), let offset = offset(String(name[...end])) else {
            return nil
        }
        let text = String(name[name.index(after: end)...]).trimmedSpaces
        if text.lowercased().hasPrefix("coordinated universal time") { return .offset(offset) }
        for part in text.split(separator: ",") {
            let place = String(part).trimmedSpaces
            if let zone = zones(ofPlace: place).first(where: { has($0, offset) }) { return .zone(zone) }
        }
        return nil
    }

    private static func zones(ofPlace place: String) -> [String] {
        var name = String(place.prefix { $0 != "(" }).trimmedSpaces
        if name.hasPrefix("City of ") { name = String(name.dropFirst(8)) }
        var zones = [places[place], places[name]].compactMap(\.self)
        // "Eastern Time (US & Canada)" is "Eastern Standard Time".
        let stem = name.hasSuffix(" Time") ? String(name.dropLast(5)) : name
        if let zone = WindowsZones.zone(stem + " Standard Time") { zones.append(zone) }
        let last = name.replacing(" ", with: "_")
        return zones + areas.map { "\($0)/\(last)" }.filter(TimeZones.isKnown)
    }

    /// January 15 and July 15 of 2024.
    private static let seasons: [Int64] = [1_705_276_800_000, 1_721_001_600_000]

    private static func has(_ zone: String, _ offset: Int64) -> Bool {
        guard var clock = ZoneClock(zone) else { return false }
        return seasons.contains { clock.local(at: $0) - $0 == offset }
    }
}
