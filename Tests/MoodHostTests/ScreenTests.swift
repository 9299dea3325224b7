import Foundation
import JSONCodec
import Seeds
import Testing

@testable import MoodHost

/// Screens of any mood, for any locale, fit the published schema.
@Suite struct ScreenTests {
    /// Every language, and a sample of the regions.
    private static func locales(_ random: inout SeededRandom) -> [String] {
        let all = Locale.availableIdentifiers.sorted()
        let usual = ["en_US", "de_DE", "fi_FI", "ja_JP", "ar_EG", "th_TH", "he_IL", "fa_IR", "zh_Hant_TW", "hi_IN"]
        return usual + (0..<25).compactMap { _ in all.randomElement(using: &random) }
    }

    @Test(arguments: SeededRandom.seeds)
    func everyDetailIsAsItsSchemaSays(seed: UInt64) throws {
        let session = TestSession()
        let checker = SchemaChecker(root: try SchemaChecker.published("openrpc.json"))
        let schema = try #require(checker.root.result(of: "mood.detail"))
        var requests = RandomRequests(seed: seed)
        var kinds: Set<String> = []
        for locale in Self.locales(&requests.random) {
            let mood = requests.mood()
            let id = try #require(mood["id"]?.string)
            _ = try session.result("mood.create", mood.text)
            let now = requests.time().text
            let zone = #""timeZone":"Asia/Kathmandu""#
            let detail = try session.result(
                "mood.detail",
                #"{"id":"\#(id)","locale":"\#(locale)",\#(zone),"now":"\#(now)","location":{"latitude":-9.5,"longitude":0}}"#
            )
            let problems = checker.problems(of: detail, by: schema)
            #expect(problems.isEmpty, "seed \(seed), \(locale): \(problems) in \(detail.text)")
            try expectToBeAScreen(detail, "seed \(seed), \(locale)")
            kinds.formUnion(detail["cells"]?.array?.compactMap { $0["type"]?.string } ?? [])
        }
        let all: Set = [
            "hero", "text", "relativeTime", "info", "notes", "image", "audio", "link", "email", "coordinates",
            "address", "distance", "relationship", "event", "schedule", "date", "eventRelationship", "hint",
        ]
        #expect(kinds == all, "seed \(seed)")
    }

    private static let colors: Set = ["red", "gray", "secondary", "green", "blue"]

    /// Rules beyond the schema: ids are unique, everything has an accessibility label, texts are not empty, and colors
    /// are semantic.
    private func expectToBeAScreen(_ screen: JSONValue, _ comment: Comment) throws {
        let cells = try #require(screen["cells"]?.array)
        let ids = cells.compactMap { $0["id"]?.string }
        #expect(Set(ids).count == cells.count, comment)
        for thing in cells + (screen["toolbar"]?.array ?? []) {
            #expect(thing["accessibility"]?["label"]?.string?.isEmpty == false, comment)
            #expect(thing["accessibility"]?["traits"]?.array?.isEmpty == false, comment)
            for name in ["text", "title", "value"] { #expect(thing[name]?.string?.isEmpty != true, comment) }
            if let color = thing["color"]?.string { #expect(Self.colors.contains(color), comment) }
        }
        for offer in screen["actions"]?.array ?? [] {
            #expect(offer["label"]?.string?.isEmpty == false, comment)
            if let color = offer["color"]?.string { #expect(Self.colors.contains(color), comment) }
        }
    }

    // MARK: Colors

    /// The pairs of colors anywhere in a value.
    private static func pairs(in value: JSONValue) -> [(light: [String], dark: [String])] {
        switch value {
        case .array(let elements): return elements.flatMap { pairs(in: $0) }
        case .object(let members):
            let below = members.flatMap { pairs(in: $0.value) }
            guard let light = value["light"], let dark = value["dark"] else { return below }
            return below + [(colors(light), colors(dark))]
        default: return []
        }
    }

    /// One color, or several of a gradient.
    private static func colors(_ value: JSONValue) -> [String] {
        value.array?.compactMap(\.string) ?? [value.string].compactMap(\.self)
    }

    /// WCAG 2.2, "relative luminance".
    private func luminance(_ color: String) throws -> Double {
        let bits = try #require(Int(color.dropFirst(), radix: 16), "\(color)")
        let parts = [16, 8, 0].map { shift in
            let part = Double(bits >> shift & 255) / 255
            return part <= 0.040_45 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// WCAG 2.2, "contrast ratio".
    private func contrast(_ one: String, _ other: String) throws -> Double {
        let values = [try luminance(one), try luminance(other)].sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    /// Text on them is black on the light ones, white on the dark ones. WCAG 2.2, success criterion 1.4.3.
    @Test func textCanBeReadOnEveryPairOfColors() throws {
        #expect(try contrast("#000000", "#FFFFFF") == 21)
        #expect(try contrast("#777777", "#FFFFFF") < 4.5)
        let session = TestSession()
        var emojis: [String] = []
        for scalar in (0x1F600...0x1F64F).compactMap(Unicode.Scalar.init) { emojis.append(String(scalar)) }
        var seen: Set<String> = []
        for (number, emoji) in emojis.enumerated() {
            // Every other one has a valence.
            let valence = number % 2 == 0 ? "" : #","valence":\#(Double(number) / 40 - 1)"#
            let id = testID(number)
            _ = try session.result("mood.create", #"{"id":"\#(id)","emoji":"\#(emoji)","label":"A"\#(valence)}"#)
            let detail = try session.result("mood.detail", #"{"id":"\#(id)"}"#)
            let pairs = Self.pairs(in: detail)
            #expect(!pairs.isEmpty)
            for pair in pairs {
                for color in pair.light { #expect(try contrast(color, "#000000") >= 4.5, "\(color)") }
                for color in pair.dark { #expect(try contrast(color, "#FFFFFF") >= 4.5, "\(color)") }
                seen.formUnion(pair.light + pair.dark)
            }
        }
        #expect(seen.count > 40, "all gradients have been seen: \(seen.count) colours")
    }
}
