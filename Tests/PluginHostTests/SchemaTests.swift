import JSONCodec
import Seeds
import Testing

@testable import PluginHost

@Suite struct SchemaTests {
    private static func schema(_ text: String) throws -> JSONSchema {
        try JSONSchema.compile(try JSONValue(parsing: text))
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "1", "", "must be a string, not a number"),
        (#"{"type":["integer","null"]}"#, "1.5", "", "must be null or an integer, not a number with a fraction"),
        (#"{"enum":["a",1]}"#, #""b""#, "", #"must be one of "a", 1"#),
        (#"{"properties":{"a":{"items":{"minimum":3}}}}"#, #"{"a":[3,2]}"#, "/a/1", "must be at least 3"),
        (#"{"required":["a/b"]}"#, "{}", "/a~1b", "is required"),
        (
            #"{"properties":{"city":{}},"additionalProperties":false}"#, #"{"citty":1}"#, "/citty",
            #"is not a known member; did you mean "city"?"#
        ),
        (#"{"anyOf":[{"type":"string"},{"type":"integer","maximum":5}]}"#, "7", "", "must be at most 5"),
        (#"{"propertyNames":{"maxLength":2}}"#, #"{"abc":1}"#, "/abc", "has a name that may have at most 2 characters"),
        (#"{"pattern":"^a"}"#, #""b""#, "", "must match ^a"),
        (#"{"uniqueItems":true}"#, "[1,2,1.0]", "/2", "must not repeat an earlier one"),
    ])
    func aFaultSaysWhereAndWhat(schema: String, value: String, path: String, reason: String) throws {
        let fault = try #require(try Self.schema(schema).check(try JSONValue(parsing: value)))
        #expect(fault.path == path && fault.reason == reason, "\(fault)")
    }

    @Test(arguments: [
        (#"{"typ":"string"}"#, "/typ", #"did you mean "type"?"#),
        (#"{"unevaluatedItems":false}"#, "/unevaluatedItems", "leave it out"),
        (#"{"properties":{"a":{"minimum":"1"}}}"#, "/properties/a/minimum", "number"),
        ("7", "", "object, true or false"),
        (##"{"$ref":"#/$defs/a"}"##, "/$ref", "leads to no schema"),
        (##"{"$ref":"http://a/b"}"##, "/$ref", "not fetched"),
        (
            ##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##, "/$defs/b",
            "refers to itself"
        ),
        (#"{"multipleOf":0}"#, "/multipleOf", "more than 0"), (#"{"pattern":"(?=a)"}"#, "/pattern", "looks ahead"),
        (#"{"patternProperties":{"(":{}}}"#, "/patternProperties/(", "without its )"),
        (#"{"type":[]}"#, "/type", "must be null"),
        (#"{"items":[{}]}"#, "/items", "must be a schema"), (#"{"anyOf":[]}"#, "/anyOf", "at least one"),
    ])
    func whatIsNoSchemaIsNamedByItsPointer(text: String, pointer: String, words: String) throws {
        let problem = #expect(throws: SchemaProblem.self) { try Self.schema(text) }
        #expect(problem?.reason.contains(words) == true, "\(String(describing: problem))")
        // The error may name any part of a circle.
        if !words.hasPrefix("refers") { #expect(problem?.pointer == pointer) }
    }

    @Test func whatOthersAddWithTheirPrefixIsLeftAlone() throws {
        #expect(try Self.schema(#"{"x-order":1,"type":"integer"}"#).check(1) == nil)
    }

    /// 2⁴⁰ ways through the schema end after a bounded number of steps.
    @Test func aSchemaThatTriesAllWaysEnds() throws {
        let levels = (0..<40).map {
            ##""l\##($0)":{"anyOf":[{"$ref":"#/$defs/l\##($0 + 1)"},{"$ref":"#/$defs/l\##($0 + 1)"}]}"##
        }
        let schema = try Self.schema(
            ##"{"$ref":"#/$defs/l0","$defs":{\##(levels.prefix(30).joined(separator: ",")),"l30":{"type":"string"}}}"##)
        #expect(schema.check(1)?.reason.hasPrefix("takes too long") == true)
        let not = try Self.schema(
            ##"{"not":{"$ref":"#/$defs/l0"},"$defs":{\##(levels.prefix(30).joined(separator: ",")),"l30":{"type":"string"}}}"##
        )
        #expect(not.check(1)?.reason.hasPrefix("takes too long") == true)
    }

    @Test func aDeepValueEndsWithoutUsingUpTheStack() throws {
        let chain = (0..<60).map { ##""l\##($0)":{"$ref":"#/$defs/l\##($0 + 1)"}"## }.joined(separator: ",")
        let schema = try Self.schema(##"{"$ref":"#/$defs/l0","$defs":{\##(chain),"l60":{"items":{"$ref":"#"}}}}"##)
        let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        #expect(schema.check(try JSONValue(parsing: deep))?.reason.hasPrefix("takes too long") == true)
        #expect(schema.check([[]]) == nil)
    }

    @Test func longNamesAreNoTrouble() throws {
        let marks = String(repeating: "\u{301}\u{327}", count: 20_000)
        let schema = try Self.schema(#"{"properties":{"type":{"type":"string"}}}"#)
        #expect(schema.check(.object([.init("type" + marks, 1)])) == nil)
        #expect(throws: SchemaProblem.self) { try Self.schema(#"{"type\#(marks)":1}"#) }
        #expect(throws: SchemaProblem.self) { try Self.schema(#"{"properties":{"a\#(marks)":{}}}"#) }
    }

    @Test func everyKeywordIsSupported() throws {
        for keyword in SchemaKeyword.allCases {
            do {
                _ = try JSONSchema.compile(.object([.init(keyword.rawValue, "#")]))
            } catch {
                #expect(!error.reason.contains("not a keyword"), "\(keyword)")
            }
        }
    }

    // MARK: Numbers

    @Test(arguments: [
        ("1", "1.0", "="), ("1e2", "100", "="), ("-0", "0", "="), ("0.1", "0.10000000000000001", "<"), ("-2", "1", "<"),
        ("-2", "-1", "<"), ("9007199254740992", "9007199254740993", "<"), ("1e400", "1e401", "<"),
        ("-1e400", "1e-400", "<"),
        ("0", "1e-999999999999999999999", "<"), ("0.5", "0.49", ">"), ("12", "2", ">"),
    ])
    func numbersAreComparedByTheirExactValue(a: String, b: String, order: String) {
        let (x, y) = (Self.decimal(a), Self.decimal(b))
        #expect(
            (x < y) == (order == "<") && (y < x) == (order == ">")
                && (x.canonicalText == y.canonicalText) == (order == "="))
    }

    @Test(arguments: [
        ("0.0075", "0.0001", true), ("0.00751", "0.0001", false), ("1e308", "0.123456789", false),
        ("1e308", "0.5", true),
        ("1e3", "8", true), ("1e2", "8", false), ("35", "0.5", true), ("0", "7", true), ("-21", "7", true),
        ("10", "3", false),
        ("123456789012345678901234567890", "3", true),
        ("999999999999999999", "999999999999999999", true),
    ])
    func multiplesAreExact(value: String, divisor: String, isMultiple: Bool) {
        #expect(Self.decimal(value).isMultiple(of: Self.decimal(divisor)) == isMultiple)
    }

    @Test(arguments: ["0", "7", "-120", "0.05", "-12.5", "1e30"])
    func aNumberIsToldAsPeopleWriteIt(text: String) { #expect(Self.decimal(text).text == text) }

    private static func decimal(_ text: String) -> DecimalNumber {
        Array(text.utf8).withUnsafeBytes { DecimalNumber($0) }
    }

    // MARK: Patterns

    private static func isFound(_ pattern: String, _ text: String) throws -> Bool? {
        let pattern = try Pattern(pattern)
        var steps = 0
        return Array(text.utf8).withUnsafeBytes { pattern.isFound(in: $0, steps: &steps, stepsMax: 10_000_000) }
    }

    /// Patterns that the engine of the standard library supports too give equal results.
    @Test(arguments: SeededRandom.seeds)
    func randomPatternsAreMatchedAsElsewhere(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<2000 {
            let text = Self.randomPattern(&random, depth: 3)
            let pattern = try Pattern(text)
            let other = try Regex(text).asciiOnlyWordCharacters().asciiOnlyDigits()
            for _ in 0..<5 {
                let subject = String(
                    (0..<random.below(8)).map { _ in random.pick(["a", "b", "c", " ", "é"]) }.joined())
                var steps = 0
                let isFound = Array(subject.utf8).withUnsafeBytes {
                    pattern.isFound(in: $0, steps: &steps, stepsMax: 1 << 20)
                }
                let expected = subject.firstMatch(of: other) != nil
                #expect(isFound == expected, "seed \(seed): \(text) in '\(subject)'")
                if expected { found += 1 }
            }
        }
        #expect(found > 100)
    }

    private static func randomPattern(_ random: inout SeededRandom, depth: Int) -> String {
        let atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\s", "\\d", "é"]
        var text = ""
        for _ in 0..<1 + random.below(3) {
            switch random.below(depth > 0 ? 10 : 7) {
            case 0: text += "^"
            case 1: text += "$"
            case 2...6: text += random.pick(atoms) + random.pick(["", "", "*", "+", "?", "{2}", "{0,2}", "{1,}"])
            case 7:
                // The other engine takes hours or forever if the repeated part may repeat or be empty itself.
                let words = (0..<1 + random.below(2)).map { _ in random.pick(atoms) + random.pick(atoms + [""]) }
                text += "(?:" + words.joined(separator: "|") + ")" + random.pick(["*", "+", "?"])
            case 8: text += random.pick(["(", "(?:"]) + randomPattern(&random, depth: depth - 1) + ")"
            default: text += randomPattern(&random, depth: 0) + "|" + randomPattern(&random, depth: depth - 1)
            }
        }
        return text
    }

    @Test(arguments: ["(a*)*b", "(a|a)*b", "(a+)+$", "(.*a){20}", "^(([a-z])+.)+[A-Z]([a-z])+$"])
    func noTextMakesAPatternSlow(pattern: String) throws {
        let compiled = try Pattern(pattern)
        var steps = 0
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000)
        _ = text.withUnsafeBytes { compiled.isFound(in: $0, steps: &steps, stepsMax: .max) }
        #expect(steps < 20_000 * 200)
    }

    @Test(arguments: [
        "(", ")", "[", "a**", "*", "\\", "\\1", "\\k<a>", "(?=a)", "(?<!a)", "[b-a]", "a{2,1}", "a{1001}",
        "(a{1000}){1000}", "\\a",
        "\\x1", "\\u{110000}", "\\p{Greek}", "(?<a", "^*",
        String(repeating: "(", count: 65) + String(repeating: ")", count: 65),
        "((((){1000}){1000}){1000}){1000}",
    ])
    func whatIsNoPatternOrTooMuchIsRefused(text: String) { #expect(throws: Pattern.Problem.self) { try Pattern(text) } }

    @Test(arguments: [
        ("^\\p{L}+$", "ñandú", true), ("\\p{Nd}", "a٣", true), ("\\bcat\\b", "a cat sat", true),
        ("\\bcat\\b", "concat", false),
        ("^.$", "😊", true), ("^\\ud83d\\ude0a$", "😊", true), ("\\u{1f60a}", "😊", true), ("^a{2,3}$", "aaaa", false),
        ("a{,2}", "a{,2}", true), ("^[^]$", "\n", true), ("[]", "a", false), ("^$", "", true), ("a|", "b", true),
        ("[\\w-]+", "-", true),
        ("^.$", "\n", false), ("\\cJ", "\n", true), ("\\x41", "A", true), ("(?<year>\\d{4})", "2026", true),
    ])
    func patternsAreThoseOfECMAScript(pattern: String, text: String, isFound: Bool) throws {
        #expect(try Self.isFound(pattern, text) == isFound)
    }
}
