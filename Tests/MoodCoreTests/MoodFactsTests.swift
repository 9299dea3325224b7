import JSONCodec
import Testing

@testable import MoodCore

/// The facts of a mood do not depend on the layout of its record.
@Suite struct MoodFactsTests {
    private static let written =
        #"{"id":"00000000-0000-7000-8000-000000000001","emoji":"😊","label":"Hap\"py","timestamp":"2026-01-02T03:04:05.006Z","#
        + #""isFavorite":true,"notes":"a \"tags\":[\"x\"]","tags":["sea","\u00e9"],"valence":-0.25,"scales":{"sleep":7.5},"#
        + #""timeZone":"Asia/Tokyo","attachments":[{"type":"link","url":"https://a/","valence":1}],"createdAt":"2026-01-02T03:04:05.006Z","#
        + #""updatedAt":"2026-01-02T03:04:05.006Z","revision":4}"#

    private static func described(_ text: String) -> String {
        Array(text.utf8).withUnsafeBytes { bytes in
            let facts = MoodFacts(bytes)
            // The canonical reader finds equal facts.
            if let mood = CanonicalMood(bytes) { #expect(described(MoodFacts(mood)) == described(facts)) }
            return described(facts)
        }
    }

    private static func described(_ facts: MoodFacts) -> String {
        let tags = facts.tags.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "none"
        let scales = facts.scales.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "none"
        return "\(facts.emoji.string) \(facts.label.string) \(facts.time) \(facts.isFavorite) \(facts.valence ?? 9)"
            + " \(facts.timeZone?.string ?? "none") \(tags) \(scales)"
    }

    private static let expected = #"😊 Hap"py 1767323045006 true -0.25 Asia/Tokyo ["sea","\u00e9"] {"sleep":7.5}"#

    @Test func isReadAsItIsWritten() {
        #expect(Self.described(Self.written) == Self.expected)
        #expect(Array(Self.written.utf8).withUnsafeBytes { CanonicalMood($0) != nil })
    }

    @Test(arguments: [
        (#""valence":-0.25,"scales""#, #""scales""#, "9.0 Asia/Tokyo", "-0.25 Asia/Tokyo"),
        (#""timeZone":"Asia/Tokyo","#, "", "none [", "Asia/Tokyo ["),
        (#","scales":{"sleep":7.5}"#, "", "none", #"{"sleep":7.5}"#),
        (#""tags":["sea","\u00e9"],"#, #""tags":[],"#, "none {", #"["sea","\u00e9"] {"#),
    ])
    func whatIsNotThereIsNot(_ member: String, _ rest: String, _ found: String, _ usual: String) {
        let text = Self.written.replacing(member, with: rest)
        #expect(text != Self.written && Self.described(text) == Self.expected.replacing(usual, with: found))
    }

    /// A record that a person has edited.
    @Test func isReadInAnotherOrder() {
        let label = #""label":"Hap\"py","#
        let moved = Self.written.replacing(label, with: "").replacing(#"{"id":"#, with: "{ " + label + #""id" :"#)
        #expect(moved != Self.written && Self.described(moved) == Self.expected)
    }

    @Test func anEmojiAndALabelAreTakenApart() {
        Array(#"😊","label":"Hap\"py"#.utf8).withUnsafeBytes { text in
            let feeling = FeelingText(text)
            #expect(feeling.emoji.string == "😊" && feeling.label.string == #"Hap"py"#)
        }
    }
}
