import Foundation
import Testing

/// Each planted bug can still be planted, and the test that catches it still exists. `Tests/Scripts/planted.py` shows
/// that it does catch it.
@Suite struct PlantedTests {
    private static let bugs = Project.files("Tests/Scripts/planted", ".txt").flatMap { file in
        PlantedBug.read(Project.text(file) ?? "", file)
    }

    @Test func thereAreManyAndNoTwoHaveOneName() {
        #expect(Self.bugs.count >= 24)
        #expect(Set(Self.bugs.map(\.name)).count == Self.bugs.count)
        for bug in Self.bugs { #expect(!bug.what.isEmpty && !bug.changes.isEmpty, "\(bug.name)") }
    }

    /// Applies changes in order, because one change of a bug may follow another in the same file.
    @Test func eachChangeFindsItsTextExactlyOnce() throws {
        for bug in Self.bugs {
            var texts: [String: String] = [:]
            for change in bug.changes {
                let text = try #require(texts[change.path] ?? Project.text(change.path), "\(bug.name): \(change.path)")
                let parts = text.components(separatedBy: change.before)
                #expect(parts.count == 2, "\(bug.name), \(change.path): \(parts.count - 1) times \(change.before)")
                #expect(change.before != change.after, "\(bug.name)")
                texts[change.path] = parts.joined(separator: change.after)
            }
        }
    }

    @Test func eachIsOfTheSourcesAndNamesATestThatThereIs() throws {
        for bug in Self.bugs {
            #expect(bug.changes.allSatisfy { $0.path.hasPrefix("Sources/") }, "\(bug.name)")
            if bug.test.hasSuffix(".transcript") {
                #expect(Project.text(bug.test) != nil, "\(bug.name): there is no \(bug.test)")
                continue
            }
            let parts = bug.test.split { $0 == "." || $0 == "/" }.map(String.init)
            try #require(parts.count == 3, "\(bug.name): \(bug.test)")
            let isThere = Project.files("Tests/" + parts[0], ".swift").contains { file in
                let text = Project.text(file) ?? ""
                return text.contains("@Suite struct \(parts[1]) {") && text.contains("func \(parts[2])(")
            }
            #expect(isThere, "\(bug.name): there is no \(bug.test)")
        }
    }
}

/// One entry of the list; `Tests/Scripts/planted/README.md` describes the form.
private struct PlantedBug {
    struct Change {
        let path: String
        let before: String
        let after: String
    }

    let name: String
    let what: String
    var test = ""
    var changes: [Change] = []

    static func read(_ text: String, _ file: String) -> [PlantedBug] {
        var bugs: [PlantedBug] = []
        var path = ""
        var before: [Substring] = []
        var after: [Substring] = []
        func endChange() {
            guard !before.isEmpty, !bugs.isEmpty else { return }
            bugs[bugs.count - 1].changes.append(
                Change(
                    path: path, before: before.joined(separator: "\n"), after: after.joined(separator: "\n")))
            before = []
            after = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let rest = line.dropFirst()
            let value = rest.trimmingCharacters(in: .whitespaces)
            switch line.first {
            case "@":
                endChange()
                let parts = value.components(separatedBy: ": ")
                bugs.append(PlantedBug(name: parts[0], what: parts.dropFirst().joined(separator: ": ")))
            case "!" where !bugs.isEmpty: bugs[bugs.count - 1].test = value
            case "=":
                endChange()
                path = value
            case "-":
                if !after.isEmpty { endChange() }
                before.append(rest)
            case "+": after.append(rest)
            case "#", nil: break
            default: Issue.record("\(file): a line of no known form: \(line)")
            }
        }
        endChange()
        return bugs
    }
}
