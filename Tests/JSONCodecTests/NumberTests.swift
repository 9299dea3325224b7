import JSONCodec
import Seeds
import Testing

@Suite struct NumberTests {
    private func number<Result>(_ text: String, _ body: (JSONNumber) -> Result) -> Result {
        var copy = text
        return copy.withUTF8 { body(JSONNumber(raw: UnsafeRawBufferPointer($0))) }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("1e2", 100), ("1E+2", 100), ("5e1", 50), ("50.0", 50),
            ("500e-1", 50),
            ("0.5e1", 5), ("-1.50e2", -150), ("0e5", 0), ("0.000", 0), ("-0.0e-7", 0), ("0e999999999999999999999", 0),
            ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
            ("900719925474099.3e1", 9_007_199_254_740_993), ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("-9223372036854775807", -Int.max),
            ("9.223372036854775807e18", Int.max), ("-92233720368547758080e-1", Int.min),
            ("1e18", 1_000_000_000_000_000_000),
            ("1" + String(repeating: "0", count: 400) + "e-400", 1),
            ("0." + String(repeating: "0", count: 399) + "1e400", 1),
        ] as [(String, Int)])
    func isAnInteger(_ text: String, _ expected: Int) {
        #expect(number(text) { $0.integer } == expected)
        #expect(JSONValue.number(text).integer == expected)
    }

    /// The nearest double, at any length: the last digit decides half-way cases.
    @Test func isADoubleAtAnyLength() {
        let zeros = String(repeating: "0", count: 4_000)
        let half = "9007199254740993." + zeros
        for (text, expected) in [
            ("0." + zeros + "5e4000", 0.5), ("0.5" + zeros, 0.5), ("-0.5" + zeros + "1", -0.5), ("0." + zeros, 0),
            ("1" + zeros + "e-4000", 1), ("1" + zeros + "." + zeros + "E-4000", 1), (zeros.dropLast() + "", 0),
            (half + "0", 9_007_199_254_740_992), (half + "1", 9_007_199_254_740_994), ("1e-4" + zeros, 0),
            (String(repeating: "3", count: 5_000) + "e-5000", 0.333_333_333_333_333_3),
        ] as [(String, Double)] {
            #expect(number(text) { $0.double } == expected)
        }
        #expect(number("-0." + zeros) { $0.double }?.sign == .minus)
        #expect(number("1" + zeros) { $0.double } == nil, "beyond the largest one")
        var random = SeededRandom.fresh()
        for _ in 0..<2_000 {
            let value = Double(bitPattern: random.next() >> 2)
            let text = value.description
            let mantissa = text.prefix { $0 != "e" }
            let long = mantissa + (mantissa.contains(".") ? "" : ".") + zeros + text.dropFirst(mantissa.count)
            #expect(number(String(long)) { $0.double } == value, "\(text)")
        }
    }

    /// Numbers that do not fit, and numbers with a fraction, however small: none is rounded to an integer.
    @Test(arguments: [
        "0.5", "-1.25", "1e-1", "1e300", "-1e300", "1e400", "1e19", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "18446744073709551617", "36893488147419103232e0", "1e999999999999999999999999999",
        "1e-999999999999999999999999999", "1e-400", "50.00000000000000000000000000001", "4503599627370496.1",
        "1e20", "1e21", "1e64", "0.1e19999999999999999999", "123456789012345678901234567890",
    ])
    func isNoInteger(_ text: String) {
        #expect(number(text) { $0.integer } == nil)
    }

    @Test func isNoIntegerAt400Digits() {
        for text in [String(repeating: "9", count: 400), "-" + String(repeating: "1", count: 400)] {
            #expect(number(text) { $0.integer } == nil)
            #expect(number(text) { $0.double } == nil)
            #expect(number(text) { $0.text } == text)
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("1e300", 1e300), ("-1e300", -1e300), ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("9007199254740993", 9_007_199_254_740_992), ("0.1", 0.1), ("1e2", 100),
            ("5e-324", Double.leastNonzeroMagnitude), ("1e-400", 0),
            (String(repeating: "9", count: 300), 1e300), ("0." + String(repeating: "3", count: 400), 1.0 / 3),
        ] as [(String, Double)])
    func isTheNearestDouble(_ text: String, _ expected: Double) {
        #expect(number(text) { $0.double } == expected)
        #expect(JSONValue.number(text).double == expected)
    }

    @Test func keepsTheSignOfZero() {
        #expect(number("-0") { $0.double }?.sign == .minus)
    }

    @Test(arguments: ["1e309", "-1e309", "1e400", "1e999999999999999999999"])
    func isNoDoubleBeyondTheLargest(_ text: String) {
        #expect(number(text) { $0.double } == nil)
        #expect(JSONValue.number(text).double == nil)
    }

    @Test func isReadUpToWhereItEnds() throws {
        for ending in [",", "]", " ]", "\n]", "\r]", "\t]"] {
            let text = "[-12.5e1" + ending + (ending == "," ? "1]" : "")
            let value = try reading(text) { reader in
                _ = reader.enterArray()
                _ = reader.nextElement()
                return reader.number()?.text
            }
            #expect(value == "-12.5e1")
        }
    }

    /// Short ones are read without the library, with equal results.
    @Test func aShortNumberIsTheNearestDouble() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...17, using: &random)
            let point = Int.random(in: 0...count, using: &random)
            var text = Bool.random(using: &random) ? "-" : ""
            for place in 0..<count {
                if place == point, place > 0 { text += "." }
                text += String(Int.random(in: 0...9, using: &random))
            }
            let found = number(text) { $0.double }
            #expect(found?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }
}
