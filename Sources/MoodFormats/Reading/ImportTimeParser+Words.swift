import MoodCore
import MoodText

/// Times of day and days in the forms of phones, in many languages.
extension ImportTimeParser {
    /// Texts beside a time after noon, in the languages that use some.
    private static let afternoon = [
        "p", "午後", "下午", "오후", "م", "μμ", "μ.μ", "ch", "अपराह्न", "ptg", "หลังเที่ยง", "du", "em",
    ]
    private static let morning = ["a", "午前", "上午", "오전", "ص", "πμ", "π.μ", "sa", "पूर्वाह्न", "pg", "ก่อนเที่ยง", "de", "fm"]

    /// Milliseconds since midnight of `21:30`, `9:30 pm`, `21.30`, `21h30`, `午後9:30`, `٩:٣٠ م`, `10:11:12.5`.
    static func timeOfDay(_ text: String) -> Int? {
        var numbers: [Int] = []
        // A spreadsheet writes 9.30 as 9.3, so minutes and seconds have two digits.
        var widths: [Int] = []
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
                    widths[numbers.count - 1] += 1
                } else {
                    numbers.append(digit)
                    widths.append(1)
                }
                isInNumber = true
            } else {
                isFraction = isInNumber && numbers.count == 3 && (character == "." || character == ",")
                isInNumber = false
                if !character.isWhitespace, ![":", "."].contains(character) { letters.append(character) }
            }
        }
        guard widths.dropFirst().allSatisfy({ $0 == 2 }) else { return nil }
        let marks = letters.filter { $0 != "h" && $0 != "m" || letters.count <= 2 }
        // "9 pm" and "21 Uhr" are times, "9" is none.
        if numbers.count == 1, !letters.isEmpty { numbers.append(0) }
        guard (2...3).contains(numbers.count), numbers[1] < 60, numbers.count < 3 || numbers[2] < 60 else { return nil }
        var hour = numbers[0]
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

    /// Whether a word means after noon; nil if it means neither half of the day.
    private static func half(_ word: String) -> Bool? {
        guard !word.isEmpty else { return nil }
        if ["p", "pm"].contains(word) || afternoon.dropFirst().contains(where: { word.hasPrefix($0) }) { return true }
        if ["a", "am"].contains(word) || morning.dropFirst().contains(where: { word.hasPrefix($0) }) { return false }
        return nil
    }

    /// Beginnings of month names, in some languages.
    private static let months: [[String]] = [
        ["jan", "ene", "gen", "янв", "tammi"], ["feb", "fév", "fev", "фев", "helmi"],
        ["mar", "mär", "mrt", "maa", "мар"], ["apr", "avr", "abr", "апр", "huhti"],
        ["may", "mai", "mei", "maj", "mag", "май", "мая", "touko"],
        ["jun", "juin", "giu", "июн", "kesä"], ["jul", "juil", "lug", "июл", "heinä"],
        ["aug", "aoû", "aou", "ago", "авг", "elo"], ["sep", "set", "сен", "syys"],
        ["oct", "okt", "ott", "out", "окт", "loka"], ["nov", "ноя", "marras"],
        ["dec", "dez", "déc", "dic", "дек", "joulu"],
    ]

    /// Reads a day such as `January 5` or `5. Januar` of a year: its midnight.
    static func day(_ text: String, year: Int) -> Int64? {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        guard let number = words.first(where: { Int($0) != nil }).flatMap({ Int($0) }) else { return nil }
        for word in words where Int(word) == nil {
            // The longest match decides: "juil" is not "jui".
            let found = months.indices.filter { month in months[month].contains { word.hasPrefix($0) } }
            guard let month = found.max(by: { longest($0, word) < longest($1, word) }) else { continue }
            return CivilDate(checkedYear: year, month: month + 1, day: number).map {
                Int64($0.daysSince1970) * 86_400_000
            }
        }
        return nil
    }

    private static func longest(_ month: Int, _ word: Substring) -> Int {
        months[month].filter { word.hasPrefix($0) }.map(\.count).max() ?? 0
    }
}

extension String {
    /// The text without white space around it.
    public var trimmedSpaces: String {
        func isPlain(_ byte: UInt8?) -> Bool { byte.map { $0 > 0x20 && $0 < 0x7F } ?? true }
        if isPlain(utf8.first), isPlain(utf8.last) { return self }
        // All other white space of Unicode begins with these bytes; few emoji have one of them.
        let mayHaveSpace = utf8.contains { $0 <= 0x20 || $0 == 0xC2 || 0xE1...0xE3 ~= $0 }
        if !mayHaveSpace { return self }
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
