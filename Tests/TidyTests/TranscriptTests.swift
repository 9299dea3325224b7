import Foundation
import MCP
import Testing

@testable import MoodHost

/// The first lines of a transcript name the methods and other things that a host needs for it, so that a host with few
/// of them can be held to these.
@Suite struct TranscriptTests {
    static let transcripts = Project.files("Tests/Conformance", ".transcript").filter { !$0.contains("/plugins/") }

    @Test(arguments: transcripts)
    func itsFirstLinesNameWhatItNeeds(file: String) throws {
        let lines = try #require(Project.text(file)).components(separatedBy: "\n")
        let known = Set(MethodTable().all.map { "\($0.name)" } + ModelMethod.allCases.map { "\($0.name)" })
        let sent = try Self.found(#""method"\s*:\s*"([^"\\]*)""#, in: Self.sent(lines))
        // A suggested method exists in the host.
        let suggested = try Self.found(#""suggestions":\[([^\]]*)\]"#, in: lines.joined(separator: "\n"))
        let named = try Self.found(#""([^"]*)""#, in: suggested.joined(separator: " "))
        var names = Set(sent + named).intersection(known)
        // That step sends this request.
        if lines.contains(where: { $0.hasPrefix("<--none") }) { names.insert("host.ping") }
        let wanted = "# needs: " + (names.isEmpty ? "nothing" : names.sorted().joined(separator: ", "))
        #expect(lines[0] == wanted, "Tests/Conformance/needs.py --write writes it")
        let starts = lines.filter { $0.hasPrefix("@start ") }.flatMap { $0.split(separator: " ").map(String.init) }
        var also = Set(starts.filter { $0.hasPrefix("--") && $0 != "--store" })
        if lines.contains(where: { $0.hasPrefix("-->header") || $0.hasPrefix("<--header") }) {
            also.insert("Content-Length")
        }
        let second = also.isEmpty ? nil : "# also: " + also.sorted().joined(separator: ", ")
        #expect(lines.first { $0.hasPrefix("# also:") } == second)
    }

    private static func found(_ pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    /// Joins the texts that a transcript sends.
    private static func sent(_ lines: [String]) -> String {
        lines.map { line in
            let marker = line.prefix { $0 != " " }
            let rest = String(line.dropFirst(marker.count + 1))
            if marker == "-->hex" { return text(hexadecimal: rest) }
            return marker.hasPrefix("-->") ? rest + (marker == "-->part" ? "" : "\n") : ""
        }.joined()
    }

    private static func text(hexadecimal: String) -> String {
        var bytes: [UInt8] = []
        var digits = hexadecimal.filter { $0 != " " }[...]
        while digits.count > 1 {
            bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        return bytes.map { String(UnicodeScalar($0)) }.joined()
    }
}
