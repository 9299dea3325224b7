import Seeds
import Testing

@testable import Storage

@Suite struct ByteMatcherTests {
    /// The length of the object at the beginning, byte by byte; nil if it does not end.
    private static func length(_ bytes: [UInt8]) -> Int? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var depth = 0
        var isString = false
        var isEscaped = false
        for (offset, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isString {
                isEscaped = byte == UInt8(ascii: "\\")
                if byte == UInt8(ascii: "\"") { isString = false }
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if "{[".utf8.contains(byte) {
                depth += 1
            } else if "}]".utf8.contains(byte) {
                depth -= 1
                if depth == 0 { return offset + 1 }
            }
        }
        return nil
    }

    /// Long and short, with and without backslashes, ended and not: the alphabet decides which are frequent.
    @Test(arguments: SeededRandom.seeds)
    func takesTheObjectThatBracketsAndStringsMake(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabets = [
            "{}[]\"\\a", "{{[]\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "{}\"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u{fd}\u{1f642}",
            "[[[[[{{{{]]]]}}}\"\"aaaa", "\"\\aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{}",
        ].map { Array($0.utf8) }
        var ended = 0
        for round in 0..<4_000 {
            let alphabet = alphabets[round % alphabets.count]
            var bytes = [UInt8(ascii: "{")]
            for _ in 0..<Int.random(in: 0..<400, using: &random) {
                bytes.append(alphabet.randomElement(using: &random) ?? 0)
            }
            if Bool.random(using: &random) { bytes += Array("\"}]}]}]}}}}}}".utf8) }
            // At any distance from a word boundary.
            let front = Int.random(in: 0..<16, using: &random)
            (Array(repeating: UInt8(ascii: "x"), count: front) + bytes).withUnsafeBytes { padded in
                var matcher = ByteMatcher(UnsafeRawBufferPointer(rebasing: padded[front...]))
                let object = matcher.takeObject()
                let expected = Self.length(bytes)
                #expect(object?.count == expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
                #expect(matcher.position == expected ?? 0)
                ended += object == nil ? 0 : 1
            }
        }
        #expect(ended > 500 && ended < 3_900)
    }

    @Test(arguments: ["", "x", "[]", "\"{}\"", " {}"])
    func takesNothingElse(text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            var matcher = ByteMatcher(bytes)
            #expect(matcher.takeObject() == nil && matcher.position == 0)
        }
    }
}
