import JSONCodec
import Testing

@testable import MoodCore

@Suite struct PaletteTests {
    @Test func theStandardOneObeysTheRules() throws {
        let palette = try Palette(Palette.standard.entries)
        #expect(palette == Palette.standard)
        #expect(palette.entries.count == 12 && palette.emojis.count == 12)
        for entry in palette.entries { #expect(-1...1 ~= entry.valence) }
        // It has the feelings of the samples.
        for label in ["Happy", "Excited", "Calm", "Sad", "Tired"] { #expect(palette.entry(saying: label) != nil) }
    }

    @Test func readsWhatItWrites() throws {
        var writer = JSONWriter(capacity: 64)
        Palette.standard.write(to: &writer)
        #expect(try Palette(JSONValue(parsing: writer.buffer.string())) == Palette.standard)
    }

    @Test(arguments: [
        ("happy", "Happy"), (" HAPPY ", "Happy"), ("Glad", "Happy"), ("so so", "Meh"), ("SO SO", "Meh"),
        ("all right", "Okay"), ("zestful", nil), ("", nil),
    ])
    func findsByLabelAndAlias(name: String, label: String?) {
        #expect(Palette.standard.entry(saying: name)?.label == label)
    }

    @Test func takesTheLongestName() {
        #expect(Palette.standard.longestMatch(["so", "so", "day"])?.words == 2)
        #expect(Palette.standard.longestMatch(["Calm", "slept", "well"])?.words == 1)
        #expect(Palette.standard.longestMatch(["slept", "well"]) == nil)
    }

    @Test func estimatesByLabelThenByEmoji() {
        #expect(Palette.standard.valence(label: "awful", emoji: "😊") == -1)
        #expect(Palette.standard.valence(label: "Proud", emoji: "😊") == 0.8)
        #expect(Palette.standard.valence(label: "Proud", emoji: "🐝") == nil)
    }

    @Test(arguments: [
        ("[]", ""), ("{}", ""), (#"[{"label":"A","valence":0}]"#, "/0/emoji"),
        (#"[{"emoji":"a","label":"A","valence":0}]"#, "/0/emoji"),
        (#"[{"emoji":"😊","label":"A","valence":2}]"#, "/0/valence"), (#"[{"emoji":"😊","label":"A"}]"#, "/0/valence"),
        (#"[{"emoji":"😊","label":"A","valence":0,"color":"red"}]"#, "/0/color"),
        (#"[{"emoji":"😊","label":"A","valence":0,"aliases":["a"]}]"#, "/0/aliases/0"),
        (#"[{"emoji":"😊","label":"É","valence":0},{"emoji":"😌","label":"é","valence":0}]"#, "/1/label"),
        (#"[{"emoji":"😊","label":" ","valence":0}]"#, "/0/label"),
    ])
    func refuses(text: String, path: String) throws {
        let value = try JSONValue(parsing: text)
        do throws(Palette.Problem) {
            _ = try Palette(value)
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.path == path, "\(error.reason)")
        }
    }
}
