import Testing

@testable import MoodProtocol

@Suite struct LimitsTests {
    @Test func everyLimitHasTheDefaultOfTheContract() {
        let defaults: [String: Int] = [
            "messageBytes": 4 << 20, "headerBytes": 8192, "depth": 64, "batch": 128, "idBytes": 256, "label": 200,
            "notesBytes": 65_536,
            "tags": 32, "attachments": 32, "listPage": 1000, "queuedOutputBytes": 8 << 20, "pluginAnswerBytes": 4 << 20,
            "pluginHelloMs": 15000, "pluginBackOffMs": 1000, "mcpAnswerBytes": 32_768,
        ]
        #expect(Dictionary(uniqueKeysWithValues: Limits.Name.allCases.map { ($0.rawValue, Limits()[$0]) }) == defaults)
    }

    @Test(arguments: Limits.Name.allCases)
    func aLimitIsSetWithinItsRangeOnly(name: Limits.Name) {
        var limits = Limits()
        #expect(name.range.contains(name.defaultValue))
        for value in [name.range.lowerBound, name.range.upperBound] {
            let problem = limits.set(name, to: value)
            #expect(problem == nil)
            #expect(limits[name] == value)
        }
        for value in [name.range.lowerBound - 1, name.range.upperBound + 1, .min, .max] {
            let problem = limits.set(name, to: value)
            #expect(problem?.contains(name.rawValue) == true)
            #expect(limits[name] == name.range.upperBound, "a refused value changes nothing")
        }
        for other in Limits.Name.allCases where other != name { #expect(limits[other] == other.defaultValue) }
    }
}
