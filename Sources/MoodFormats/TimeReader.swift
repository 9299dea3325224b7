import MoodCore
import MoodText

/// Times as files have them.
struct TimeReader {
    private var clocks: [String: ZoneClock] = [:]
    private let zone: (name: String, isLivedIn: Bool)?

    init(_ zone: (name: String, isLivedIn: Bool)?) { self.zone = zone }

    enum Failure: Error, Equatable {
        case notATime
        case noZone
        case unknownZone(String)

        var reason: String {
            switch self {
            case .notATime: "is not a time such as 2026-11-20T21:30:00Z or 2026-11-20 21:30"
            case .noZone: "has no zone: say in which the times are (timeZone, such as Europe/Berlin)"
            case .unknownZone(let name): "names the zone \(name), which is not known"
            }
        }
    }

    /// A moment, and the zone that it was lived in, where that was told for it.
    struct Moment: Equatable {
        var time: Timestamp
        var zone: String?
    }

    /// Reads RFC 3339, or a date with a time of day and no zone.
    /// - Parameter own: the zone that the row names.
    mutating func read(_ text: String, own: String? = nil) throws(Failure) -> Moment {
        let text = text.trimmedSpaces
        if let time = Timestamp(text) { return Moment(time: time, zone: nil) }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "T" }
        guard let first = parts.first, let day = Self.day(String(first)) else { throw .notATime }
        var timeOfDay = 12 * 3_600_000
        if parts.count == 2 {
            guard let read = Self.timeOfDay(String(parts[1])) else { throw .notATime }
            timeOfDay = read
        }
        return try moment(day: day, timeOfDay: timeOfDay, own: own)
    }

    /// - Parameters:
    ///   - day: midnight, in milliseconds since 1970.
    ///   - timeOfDay: milliseconds since then.
    mutating func moment(day: Int64, timeOfDay: Int, own: String? = nil) throws(Failure) -> Moment {
        guard let name = own ?? zone?.name else { throw .noZone }
        if clocks[name] == nil { clocks[name] = ZoneClock(name) }
        guard let time = clocks[name]?.moment(ofLocal: day + Int64(timeOfDay)) else { throw .unknownZone(name) }
        guard let moment = Timestamp(milliseconds: time) else { throw .notATime }
        return Moment(time: moment, zone: own ?? (zone?.isLivedIn == true ? name : nil))
    }

    /// Midnight of `2026-11-20`, in milliseconds since 1970.
    static func day(_ text: String) -> Int64? {
        guard text.utf8.count == 10 else { return nil }
        return Timestamp(text + "T00:00:00Z")?.milliseconds
    }

    /// What follows the digits of a time after noon, and before it, in the languages that use such words.
    private static let afternoon = [
        "p", "午後", "下午", "오후", "م", "μμ", "μ.μ", "ch", "अपराह्न", "ptg", "หลังเที่ยง", "du", "em",
    ]
    private static let morning = ["a", "午前", "上午", "오전", "ص", "πμ", "π.μ", "sa", "पूर्वाह्न", "pg", "ก่อนเที่ยง", "de", "fm"]

    /// Milliseconds since midnight of `21:30`, `9:30 pm`, `21.30`, `21h30`, `午後9:30`, `٩:٣٠ م`, `10:11:12.5`.
    static func timeOfDay(_ text: String) -> Int? {
        var numbers: [Int] = []
        var fraction = 0
        var letters = ""
        var isInNumber = false
        var isFraction = false
        var scale = 100
        for character in text.lowercased() {
            if let digit = character.wholeNumberValue, digit < 10, character.unicodeScalars.count == 1 {
                if isFraction {
                    fraction += digit * scale
                    scale /= 10
                } else if isInNumber, let last = numbers.last {
                    guard last < 100 else { return nil }
                    numbers[numbers.count - 1] = last * 10 + digit
                } else {
                    numbers.append(digit)
                }
                isInNumber = true
            } else {
                isFraction = isInNumber && numbers.count == 3 && (character == "." || character == ",")
                isInNumber = false
                if !character.isWhitespace, ![":", "."].contains(character) { letters.append(character) }
            }
        }
        guard (2...3).contains(numbers.count), numbers[1] < 60, numbers.count < 3 || numbers[2] < 60 else { return nil }
        var hour = numbers[0]
        let marks = letters.filter { $0 != "h" && $0 != "m" || letters.count <= 2 }
        if let isAfternoon = half(marks) {
            guard (1...12).contains(hour) || hour == 0 else {
                return isAfternoon && hour < 24 ? milliseconds(hour, numbers, fraction) : nil
            }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        } else if !letters.isEmpty, !["h", "uhr", "u", "klo", "kl", "時", "时", "시"].contains(letters) {
            return nil
        }
        guard hour < 24 else { return nil }
        return milliseconds(hour, numbers, fraction)
    }

    private static func milliseconds(_ hour: Int, _ numbers: [Int], _ fraction: Int) -> Int {
        ((hour * 60 + numbers[1]) * 60 + (numbers.count > 2 ? numbers[2] : 0)) * 1000 + fraction
    }

    /// Whether a word says that it is after noon; nil where it says nothing of the kind.
    private static func half(_ word: String) -> Bool? {
        guard !word.isEmpty else { return nil }
        if ["p", "pm"].contains(word) || afternoon.dropFirst().contains(where: { word.hasPrefix($0) }) { return true }
        if ["a", "am"].contains(word) || morning.dropFirst().contains(where: { word.hasPrefix($0) }) { return false }
        return nil
    }

    /// The beginnings of the names of months, in some languages.
    private static let months: [[String]] = [
        ["jan", "ene", "gen", "янв", "tammi"], ["feb", "fév", "fev", "фев", "helmi"],
        ["mar", "mär", "mrt", "maa", "мар"], ["apr", "avr", "abr", "апр", "huhti"],
        ["may", "mai", "mei", "maj", "mag", "май", "мая", "touko"],
        ["jun", "juin", "giu", "июн", "kesä"], ["jul", "juil", "lug", "июл", "heinä"],
        ["aug", "aoû", "aou", "ago", "авг", "elo"], ["sep", "set", "сен", "syys"],
        ["oct", "okt", "ott", "out", "окт", "loka"], ["nov", "ноя", "marras"],
        ["dec", "dez", "déc", "dic", "дек", "joulu"],
    ]

    /// Midnight of a day as `January 5` or `5. Januar` of a year.
    static func day(_ text: String, year: Int) -> Int64? {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        guard let number = words.first(where: { Int($0) != nil }).flatMap({ Int($0) }) else { return nil }
        for word in words where Int(word) == nil {
            // The longest beginning decides: "juil" is no "jui".
            let found = months.indices.filter { month in months[month].contains { word.hasPrefix($0) } }
            guard let month = found.max(by: { longest($0, word) < longest($1, word) }) else { continue }
            return day("\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(number, 2))")
        }
        return nil
    }

    private static func longest(_ month: Int, _ word: Substring) -> Int {
        months[month].filter { word.hasPrefix($0) }.map(\.count).max() ?? 0
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(max(number, 0))
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}

extension String {
    var trimmedSpaces: String {
        func isPlain(_ byte: UInt8?) -> Bool { byte.map { $0 > 0x20 && $0 < 0x7F } ?? true }
        if isPlain(utf8.first), isPlain(utf8.last) { return self }
        // With these bytes the white space of Unicode begins; an emoji has seldom one of them.
        let mayHaveSpace = utf8.contains { $0 <= 0x20 || $0 == 0xC2 || 0xE1...0xE3 ~= $0 }
        if !mayHaveSpace { return self }
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
