import Foundation
import Testing

/// The steps of `.ci/list`: six fields, tiers and scripts that exist, no name twice in a run.
@Suite struct StepTests {
    private static let lines = (Project.text(".ci/list") ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }

    private static func fields(_ line: Substring) -> [String] {
        line.split(separator: "|", maxSplits: 5).map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func eachLineHasSixFieldsAndATier() {
        #expect(Self.lines.count > 100)
        for line in Self.lines {
            let fields = Self.fields(line)
            guard fields.count == 6 else {
                Issue.record("not six fields: \(line)")
                continue
            }
            let tiers = fields[0].replacingOccurrences(of: "!", with: "").split(separator: ",")
            #expect(Set(tiers).isSubset(of: ["quick", "full", "long"]) && !tiers.isEmpty, "\(line)")
            #expect(fields[1] == "-" || Int(fields[1]) != nil, "seconds: \(line)")
            #expect(Int(fields[2]) != nil && !fields[3].isEmpty && !fields[4].isEmpty, "\(line)")
        }
    }

    @Test func eachTierNamesAStepOnce() {
        for tier in ["quick", "full", "long"] {
            let names = Self.lines.map(Self.fields).filter { $0[0].contains(tier) }.map { $0[4] }
            let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
            #expect(twice == [])
        }
    }

    @Test func eachScriptOfAStepExists() {
        for line in Self.lines {
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "script") else { continue }
            #expect(Project.exists("Tests/Scripts/\(words[place + 1]).py"), "\(line)")
        }
    }
}
