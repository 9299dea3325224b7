import JSONCodec

/// The exact value of a JSON number: its digits without zeros at either end, and the power of ten of the last one.
///
/// A `Double` rounds, so 0.0075 would be no multiple of 0.0001, and 9007199254740993 would be equal to its neighbor.
struct DecimalNumber: Sendable, Comparable {
    let isNegative: Bool
    /// Values 0-9, the highest first; empty for zero.
    let digits: [UInt8]
    /// The power of ten of the last digit. It saturates far beyond any use.
    let exponent: Int

    init(_ number: JSONNumber) { self.init(number.raw) }

    /// - Parameter text: the text of a JSON number.
    init(_ text: UnsafeRawBufferPointer) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        var exponent = 0
        var isFraction = false
        var at = text.first == UInt8(ascii: "-") ? 1 : 0
        while at < text.count, text[at] | 0x20 != UInt8(ascii: "e") {
            let digit = text[at] &- 48
            if digit < 10 {
                if digit != 0 || !digits.isEmpty { digits.append(digit) }
                if isFraction { exponent -= 1 }
            } else {
                isFraction = true
            }
            at += 1
        }
        exponent += Self.power(text, from: at + 1)
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
        isNegative = text.first == UInt8(ascii: "-") && !digits.isEmpty
    }

    private static func power(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard start < text.count else { return 0 }
        var value = 0
        for at in start..<text.count where text[at] &- 48 < 10 && value < 1 << 50 {
            value = value * 10 + Int(text[at] &- 48)
        }
        return text[start] == UInt8(ascii: "-") ? -value : value
    }

    var isInteger: Bool { exponent >= 0 }

    /// One text for all numbers of equal value.
    var canonicalText: String {
        let text = String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
        return digits.isEmpty ? "0" : "\(isNegative ? "-" : "")\(text)e\(exponent)"
    }

    /// A text for users, in usual notation if that is short.
    var text: String {
        guard isInteger ? digits.count + exponent <= 20 : exponent >= -20 else { return canonicalText }
        var text = digits.map { $0 + 48 }
        if exponent >= 0 {
            text += [UInt8](repeating: 48, count: text.isEmpty ? 1 : exponent)
        } else {
            while text.count <= -exponent { text.insert(48, at: 0) }
            text.insert(UInt8(ascii: "."), at: text.count + exponent)
        }
        return (isNegative ? "-" : "") + String(decoding: text, as: UTF8.self)
    }

    static func < (a: DecimalNumber, b: DecimalNumber) -> Bool {
        if a.isNegative != b.isNegative { return a.isNegative }
        return a.isNegative ? magnitude(b, isBelow: a) : magnitude(a, isBelow: b)
    }

    private static func magnitude(_ a: DecimalNumber, isBelow b: DecimalNumber) -> Bool {
        if a.digits.isEmpty || b.digits.isEmpty { return a.digits.isEmpty && !b.digits.isEmpty }
        let (top, otherTop) = (a.digits.count + a.exponent, b.digits.count + b.exponent)
        return top != otherTop ? top < otherTop : a.digits.lexicographicallyPrecedes(b.digits)
    }

    /// The most digits of a divisor: their value fits 60 bits.
    static let divisorDigitsMax = 18

    /// Whether this is an integer multiple of `divisor`, which is more than zero and has at most `divisorDigitsMax`
    /// digits.
    ///
    /// With the divisor as D times ten to the power d, D must divide these digits times ten to the power (exponent -
    /// d). If that power is negative, ten would divide the digits, but their last one is not 0.
    func isMultiple(of divisor: DecimalNumber) -> Bool {
        if digits.isEmpty { return true }
        let power = exponent - divisor.exponent
        let modulus = divisor.digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
        guard power >= 0, modulus > 0 else { return false }
        var rest: UInt64 = 0
        for digit in digits { rest = Self.remainder(rest, 10, plus: UInt64(digit), modulus) }
        // Ten to the power, by squaring.
        var (factor, left) = (10 % modulus, power)
        while left > 0 {
            if left & 1 == 1 { rest = Self.remainder(rest, factor, plus: 0, modulus) }
            factor = Self.remainder(factor, factor, plus: 0, modulus)
            left >>= 1
        }
        return rest == 0
    }

    /// (a × b + c) mod m, where a, c and the result are below 2⁶⁰.
    private static func remainder(_ a: UInt64, _ b: UInt64, plus c: UInt64, _ modulus: UInt64) -> UInt64 {
        let product = (a % modulus).multipliedFullWidth(by: b % modulus)
        return (modulus.dividingFullWidth(product).remainder + c) % modulus
    }
}
