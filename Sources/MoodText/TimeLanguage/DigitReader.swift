/// A date in digits, in another order or with other separators than in ISO 8601.
struct NumericDate {
    let year: Int
    let month: Int
    let day: Int
    /// The two possible days, if the date is ambiguous.
    let days: (String, String)?

    /// Reads the beginning of a text: `20.11.2026`, `2026/11/20`, `20261120`, `29/08/2024`.
    init?(_ text: inout DigitReader) {
        if let year = text.number(4), year > 0 {
            let isSeparated = text.take("/")
            guard let month = isSeparated ? text.upToTwoDigits() : text.number(2), !isSeparated || text.take("/"),
                let day = isSeparated ? text.upToTwoDigits() : text.number(2)
            else { return nil }
            self.init(year, month, day)
            return
        }
        guard let first = text.upToTwoDigits() else { return nil }
        let hasDots = text.take(".")
        guard hasDots || text.take("/"), let second = text.upToTwoDigits(), text.take(hasDots ? "." : "/"),
            let year = text.number(4), year > 0
        else { return nil }
        if hasDots || first > 12 || first == 0 || second == 0 {
            self.init(year, second, first)
        } else if second > 12 || first == second {
            self.init(year, first, second)
        } else {
            func text(_ month: Int, _ day: Int) -> String {
                CivilDate(year: year, month: month, day: day).text
            }
            self.init(year, second, first, (text(second, first), text(first, second)))
        }
    }

    private init(_ year: Int, _ month: Int, _ day: Int, _ days: (String, String)? = nil) {
        (self.year, self.month, self.day, self.days) = (year, month, day, days)
    }
}

/// Common abbreviations of zones after a time, with an offset that each may mean.
enum ZoneAbbreviations {
    private static let offsets = [
        "wet": "+00:00", "bst": "+01:00", "west": "+01:00", "cet": "+01:00", "cest": "+02:00", "mez": "+01:00",
        "mesz": "+02:00", "eet": "+02:00", "eest": "+03:00", "msk": "+03:00", "ist": "+05:30", "jst": "+09:00",
        "kst": "+09:00", "hkt": "+08:00", "sgt": "+08:00", "awst": "+08:00", "acst": "+09:30", "aest": "+10:00",
        "aedt": "+11:00", "nzst": "+12:00", "nzdt": "+13:00", "brt": "-03:00", "art": "-03:00", "nst": "-03:30",
        "ast": "-04:00", "adt": "-03:00", "est": "-05:00", "edt": "-04:00", "cst": "-06:00", "cdt": "-05:00",
        "mst": "-07:00", "mdt": "-06:00", "pst": "-08:00", "pdt": "-07:00", "akst": "-09:00", "akdt": "-08:00",
        "hst": "-10:00", "sast": "+02:00", "cat": "+02:00", "eat": "+03:00", "wat": "+01:00", "pkt": "+05:00",
    ]

    static func offset(_ word: String) -> String? { offsets[word] }
}

/// Reads ASCII digits and the marks between them.
struct DigitReader {
    private var bytes: ArraySlice<UInt8>

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    var isAtEnd: Bool { bytes.isEmpty }
    var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        let digits = bytes.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        bytes = bytes.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func upToTwoDigits() -> Int? {
        let two = number(2)
        return two ?? number(1)
    }

    /// Reads the digits after a point; ignores those after the third.
    mutating func thousandths() -> Int? {
        let digits = bytes.prefix { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty else { return nil }
        bytes = bytes.dropFirst(digits.count)
        var value = 0
        for place in 0..<3 {
            value = value * 10 + (place < digits.count ? Int(digits[digits.startIndex + place] - 0x30) : 0)
        }
        return value
    }

    mutating func take(_ mark: String) -> Bool {
        guard bytes.starts(with: mark.utf8) else { return false }
        bytes = bytes.dropFirst(mark.utf8.count)
        return true
    }
}
