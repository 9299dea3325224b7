import JSONCodec
import Platform
import Testing

/// The archives name existing files and working commands.
@Suite struct ArchiveTests {
    private static let members = ["feature", "title", "date", "status", "files", "docs", "tests", "commands"]

    private func metadata(_ path: String) throws -> JSONValue { try JSONValue(parsing: Repository.text(path)) }

    private func texts(_ member: String, of metadata: JSONValue) -> [String] {
        (metadata[member]?.array ?? []).compactMap(\.string)
    }

    @Test func thereAreArchives() { #expect(!Repository.archives.isEmpty) }

    @Test(arguments: Repository.archives) func hasEveryMemberAndNoOther(archive: String) throws {
        let metadata = try metadata(archive)
        #expect(metadata.object?.map(\.name) == Self.members)
        for member in ["feature", "title", "date", "status"] { #expect(metadata[member]?.string?.isEmpty == false) }
        for member in ["files", "docs", "tests", "commands"] {
            let given = texts(member, of: metadata)
            #expect(!given.isEmpty && given.count == metadata[member]?.array?.count, "\(archive): \(member)")
        }
        let folder = Repository.ancestor(of: archive, levels: 2)
        #expect(metadata["feature"]?.string == folder.split(separator: "/").last.map(String.init))
        for name in ["PROMPT.md", "feature-notes.md"] { #expect(Repository.exists(folder + "/" + name)) }
    }

    @Test(arguments: Repository.archives) func namesFilesThatAreThere(archive: String) throws {
        let metadata = try metadata(archive)
        for path in ["files", "docs", "tests"].flatMap({ texts($0, of: metadata) }) {
            #expect(Repository.exists(path), "\(archive): \(path)")
        }
    }

    /// `swift …` would wait for the build that runs these tests, so only its form is checked; a program of the project
    /// must exist; everything else is run and must succeed.
    @Test(arguments: Repository.archives) func namesCommandsThatWork(archive: String) throws {
        for command in texts("commands", of: try metadata(archive)) where !command.hasPrefix("swift ") {
            let program = String(command.prefix { $0 != " " })
            if program.hasPrefix(".ci/") {
                #expect(Terminal.isExecutable(Repository.root + "/" + program), "\(archive): \(command)")
                continue
            }
            let (output, status) = try Sandbox().run(command)
            #expect(status == .exited(0), "\(archive): \(command)\n\(output)")
        }
    }
}
