/// A file's format for dates, in the notation of strptime(3): `%d/%m/%Y`, `%m/%d/%y %I:%M %p`.
public struct DatePattern: Sendable {
    /// A text whose beginning matches the pattern.
    public struct Match {
        public var year = 0
        public var month = 0
        public var day = 0
        /// Milliseconds after midnight, if the pattern has an hour.
        public var timeOfDay: Int64?
        /// The text after the match.
        public var rest: Substring
    }

    private let parts: [Part]
    /// Whether the day comes before the month.
    public let isDayFirst: Bool

    private enum Part: Equatable {
        case text(Character)
        case year, shortYear, month, day, monthName, weekday, hour, halfDayHour, minute, second, half
    }

    private static let marks: [Character: [Part]] = [
        "Y": [.year], "y": [.shortYear], "m": [.month], "d": [.day], "e": [.day], "b": [.monthName],
        "B": [.monthName], "h": [.monthName], "a": [.weekday], "A": [.weekday], "H": [.hour], "k": [.hour],
        "I": [.halfDayHour], "l": [.halfDayHour], "M": [.minute], "S": [.second], "p": [.half], "P": [.half],
        "%": [.text("%")], "F": [.year, .text("-"), .month, .text("-"), .day],
        "D": [.month, .text("/"), .day, .text("/"), .shortYear],
        "T": [.hour, .text(":"), .minute, .text(":"), .second], "R": [.hour, .text(":"), .minute],
    ]

    /// Nil if it is no pattern of a date.
    public init?(_ text: String) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "%" else {
                parts.append(.text(character))
                continue
            }
            // GNU's flags define the padding of a number, which does not matter here.
            if let flag = rest.first, "-_0".contains(flag) { rest.removeFirst() }
            guard let mark = rest.popFirst(), let found = Self.marks[mark] else { return nil }
            parts += found
        }
        func place(_ kinds: Part...) -> Int? { parts.firstIndex { kinds.contains($0) } }
        guard place(.year, .shortYear) != nil, let month = place(.month, .monthName), let day = place(.day) else {
            return nil
        }
        self.parts = parts
        isDayFirst = day < month
    }

    /// The fault of a pattern, as a clause; nil if there is none.
    public static func problem(_ text: String) -> String? {
        DatePattern(text) == nil
            ? "must say where day, month and year stand, such as %d/%m/%Y; known are %Y %y %m %d %b %a %H %I %M %S %p"
            : nil
    }

    /// Matches the beginning of a text; nil if it does not fit.
    public func match(_ text: String) -> Match? {
        var match = Match(rest: Substring(text))
        var (hour, minute, second): (Int?, Int, Int) = (nil, 0, 0)
        var isAfternoon: Bool?
        for part in parts {
            switch part {
            case .text(let character):
                if character.isWhitespace {
                    match.rest = match.rest.drop(while: \.isWhitespace)
                } else {
                    guard match.rest.first == character else { return nil }
                    match.rest.removeFirst()
                }
            case .weekday: _ = Self.word(&match.rest)
            case .monthName:
                guard let month = DateWords.month(Self.word(&match.rest)) else { return nil }
                match.month = month
            case .half:
                let letters = Self.word(&match.rest).lowercased().filter(\.isLetter)
                guard letters.first == "a" || letters.first == "p" else { return nil }
                isAfternoon = letters.first == "p"
            default:
                guard let number = Self.number(&match.rest, part == .year ? 4 : 2) else { return nil }
                switch part {
                case .year: match.year = number
                case .shortYear: match.year = number < 70 ? 2000 + number : 1900 + number
                case .month: match.month = number
                case .day: match.day = number
                case .minute: minute = number
                case .second: second = number
                default: hour = number
                }
            }
        }
        guard CivilDate(checkedYear: match.year, month: match.month, day: match.day) != nil else { return nil }
        if var hour {
            if let isAfternoon {
                guard 1...12 ~= hour else { return nil }
                hour = hour % 12 + (isAfternoon ? 12 : 0)
            }
            guard hour < 24, minute < 60, second < 60 else { return nil }
            match.timeOfDay = Int64((hour * 60 + minute) * 60 + second) * 1000
        }
        return match
    }

    private static func number(_ text: inout Substring, _ digitsMax: Int) -> Int? {
        text = text.drop(while: \.isWhitespace)
        let digits = text.prefix { $0.isASCII && $0.isNumber }.prefix(digitsMax)
        text = text.dropFirst(digits.count)
        return Int(digits)
    }

    private static func word(_ text: inout Substring) -> Substring {
        let word = text.prefix { $0.isLetter || $0 == "." }
        text = text.dropFirst(word.count)
        return word
    }
}
