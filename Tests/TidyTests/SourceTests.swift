import Foundation
import Testing

@Suite struct SourceTests {
    private static let swift = Project.files("Sources", ".swift") + Project.files("Tests", ".swift")

    @Test func thereAreSources() {
        #expect(Self.swift.count > 100)
    }

    @Test func noFileIsLongerThan400Lines() throws {
        for file in Self.swift {
            let lines =
                try #require(Project.text(file)).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(lines <= 400, "\(file) has \(lines) lines")
        }
    }

    @Test func aMainFileHasAtMost80Lines() throws {
        let files = Self.swift.filter { $0.hasSuffix("/main.swift") && $0.hasPrefix("Sources/") }
        #expect(files.count == 2)
        for file in files {
            #expect(try #require(Project.text(file)).split(separator: "\n").count < 80, "\(file)")
        }
    }

    /// Files with several small types, or extensions of several: named after their subject.
    private static let namedAfterASubject: Set = [
        "ErrorMapping", "MoodExtractor", "SystemCalls", "StoreHeaders",
    ]

    /// `Type.swift` or `Type+Aspect.swift`: the file names the type somewhere.
    @Test func aFileIsNamedAfterWhatIsInIt() throws {
        for file in Self.swift where file.hasPrefix("Sources/") && !file.hasSuffix("/main.swift") {
            let name = try #require(file.split(separator: "/").last).dropLast(6)
            let type = String(name.split(separator: "+")[0])
            if Self.namedAfterASubject.contains(type) { continue }
            let text = try #require(Project.text(file))
            #expect(text.contains(type) || text.lowercased().contains(type.lowercased()), "\(file)")
        }
    }

    /// Names without a meaning.
    @Test func noTypeIsAManagerHelperUtilOrImpl() throws {
        let expression = try NSRegularExpression(
            pattern: "\\b(?:struct|class|enum|actor|protocol)\\s+\\w*(?:Manager|Helper|Utils?|Impl)\\b")
        for file in Self.swift {
            let text = try #require(Project.text(file))
            let found = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
            #expect(found == nil, "\(file)")
        }
    }

    /// A reader who knows a name of one target knows it in all.
    @Test func aTopLevelTypeHasANameOfItsOwn() throws {
        let expression = try NSRegularExpression(
            pattern:
                "^(?:@\\w+(?:\\([^)]*\\))?\\s)*(?:\\w+ )*?(?:struct|class|enum|actor|protocol|typealias) (\\w+)",
            options: .anchorsMatchLines)
        func names(in text: String) -> [String] {
            expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
                Range(match.range(at: 1), in: text).map { String(text[$0]) }
            }
        }
        #expect(names(in: "@A(b)\npublic final class C {\n    struct D {}\n}\nprivate enum E {}") == ["C", "E"])
        var places: [String: [String]] = [:]
        for file in Self.swift where file.hasPrefix("Sources/") {
            for name in names(in: try #require(Project.text(file))) { places[name, default: []].append(file) }
        }
        #expect(places.count > 500)
        for (name, files) in places where files.count > 1 { Issue.record("\(name): \(files)") }
    }

    /// `file?.name = []` leaks the old value if `file` cannot be copied (Swift 6.3.1). A mutating method does it
    /// instead.
    @Test func nothingIsAssignedThroughAnOptionalThatCannotBeCopied() throws {
        let texts = try Self.swift.map { (file: $0, text: try #require(Project.text($0))) }
        func expression(_ pattern: String) throws -> NSRegularExpression {
            try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        }
        func found(_ expression: NSRegularExpression, in text: String) -> [String] {
            expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
                Range(match.range(at: 1), in: text).map { String(text[$0]) }
            }
        }
        let type = try expression("\\b(?:struct|enum) (\\w+)\\b.*~Copyable")
        let types = texts.flatMap { found(type, in: $0.text) }.joined(separator: "|")
        let optional = try expression("\\b(\\w+): (?:inout |consuming )?(?:\\w+\\.)*(?:\(types))\\?")
        let names = Set(texts.flatMap { found(optional, in: $0.text) })
        #expect(names.contains("lockFile"))
        let assignment = try expression(
            "^(?! *//).*\\b((?:\(names.joined(separator: "|")))\\?(?:\\.\\w+)+) [-+*/|&^]?= ")
        // Written in two pieces, so that this file does not match.
        #expect(found(assignment, in: "if isLost { lockFile?.lines.last" + " = [] }") == ["lockFile?.lines.last"])
        for (file, text) in texts {
            for place in found(assignment, in: text) { Issue.record("\(file): an assignment to \(place)") }
        }
    }

    /// Words with which no comment begins: a clause then stands for the thing.
    private static let badFirstWords: Set = ["What", "Who", "Where", "Of", "As", "So", "Which", "Whose", "Whom"]
    /// Words for an actor that has a name.
    private static let badActors: Set = ["nobody", "somebody", "whoever", "someone"]

    /// Lines of comments that begin with a clause, or name no actor.
    private static func badComments(_ text: String) -> [String] {
        var bad: [String] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = line.drop { $0 == " " }
            guard code.hasPrefix("//") else {
                isInside = false
                continue
            }
            let words = code.drop { $0 == "/" }.split { !$0.isLetter && $0 != "'" }
            let isClause = words.first.map { badFirstWords.contains(String($0)) } ?? false
            let isRepeated = words.starts(with: ["The", "same"])
            let isNameless = words.contains { badActors.contains($0.lowercased()) }
            if isNameless || !isInside && (isClause || isRepeated) { bad.append(String(code)) }
            // An empty line begins another paragraph.
            isInside = !words.isEmpty
        }
        return bad
    }

    @Test func commentsBeginWithANounOrAVerbAndNameTheirActors() throws {
        for file in Self.swift {
            for line in Self.badComments(try #require(Project.text(file))) { Issue.record("\(file): \(line)") }
        }
        let bad = [
            "// What it is.", "/// The same for two.", "  // Waits for \u{73}omebody.", "/// Of a kind,\n/// or not.",
            "/// A thing.\n///\n/// As JSON: `{}`.",
        ]
        for comment in bad { #expect(Self.badComments(comment).count == 1, "\(comment)") }
        #expect(Self.badComments("/// A thing that is\n/// what it says.\nlet a = 1 // Where").isEmpty)
    }

    @Test func nothingIsLeftToBeDone() throws {
        // Written in two pieces, so that this file does not match.
        let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX:", "try" + "! ", "as" + "! "]
        for file in Self.swift where file.hasPrefix("Sources/") {
            let text = try #require(Project.text(file))
            for mark in marks { #expect(!text.contains(mark), "\(file) holds \(mark)") }
        }
    }

    /// Paths of one machine have no place in the project.
    @Test func nothingNamesAPrivateMachine() throws {
        let places = ["/wor" + "k/", "/tm" + "p/b", "/roo" + "t/"]
        let endings = [".swift", ".md", ".py", ".pl", ".sh", ".json", ".transcript", ".h", ".c", ".yml", ".tsv"]
        for file in Project.files("", "") where !file.hasPrefix(".git/") {
            let isRead = endings.contains(where: file.hasSuffix) || file.hasPrefix(".ci/")
            guard isRead, let text = Project.text(file) else { continue }
            for word in places {
                guard let range = text.range(of: word) else { continue }
                let line = text[..<range.lowerBound].count { $0 == "\n" } + 1
                Issue.record("\(file):\(line) holds \(word)")
            }
        }
    }

    @Test func sourcesAreTextWithUnixLineEnds() throws {
        for file in Self.swift {
            let text = try #require(Project.text(file), "\(file) is not UTF-8")
            #expect(!text.contains("\r\n") && !text.contains("\t\n") && text.hasSuffix("\n"), "\(file)")
            let byteOrderMark = text.unicodeScalars.first?.value == 0xfeff
            #expect(!byteOrderMark, "\(file)")
        }
    }
}
