import Foundation
import Testing

/// Imports go down only. The table of `Docs/Architecture.md` names the level of each target and its imports.
@Suite struct ImportTests {
    struct Row: Sendable {
        let target: String
        let level: Int
        let mayImport: Set<String>
    }

    /// The rows of the table: `| level | target | purpose | imports |`, names in backticks.
    static let rows: [Row] = (Project.text("Docs/Architecture.md") ?? "").split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(names)
        guard cells.count == 6, let target = cells[2].first,
            let level = Int(line.dropFirst().filter { $0 != " " }.prefix { $0 != "|" })
        else { return nil }
        return Row(target: target, level: level, mayImport: Set(cells[4]))
    }

    /// The texts between backticks of a table cell.
    private static func names(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Targets only for tests: they are in `Tests`, and no source imports them.
    static let supports: [(folder: String, mayImport: Set<String>)] = [
        ("Tests/Seeds", ["Platform"]),
        ("Tests/SimulatedDisk", ["Platform", "Seeds"]),
        (
            "Tests/StoreTorture/Harness",
            ["SimulatedDisk", "Storage", "JSONCodec", "Platform", "Seeds", "Synchronization"]
        ),
        ("Tests/StoreTorture/Program", ["StoreTorture", "SimulatedDisk", "Platform"]),
        ("Tests/ReplicationTorture/Harness", ["Replication", "MoodCore", "JSONCodec", "Seeds"]),
        ("Tests/ReplicationTorture/Program", ["ReplicationTorture", "Platform"]),
    ]

    /// Modules of the system or the compiler.
    private static let outside: Set = ["CPlatform", "Glibc", "Darwin", "Musl", "Foundation", "Synchronization"]

    @Test func theTableNamesEveryTargetAndGoesDown() {
        #expect(Set(Self.rows.map(\.target)) == Set(Project.targets))
        for row in Self.rows {
            for name in row.mayImport.subtracting(Self.outside) {
                let level = Self.rows.first { $0.target == name }?.level
                #expect(level.map { $0 < row.level } == true, "\(row.target) may not import \(name)")
            }
        }
    }

    @Test(arguments: rows.map(\.target))
    func aTargetImportsOnlyWhatItMay(target: String) throws {
        let row = try #require(Self.rows.first { $0.target == target })
        for file in Project.files("Sources/" + target, ".swift") {
            for (line, module) in Project.imports(try #require(Project.text(file))) {
                #expect(row.mayImport.contains(module), "\(file):\(line): \(target) may not import \(module)")
            }
        }
    }

    @Test func supportsOfTestsImportOnlyWhatTheyMay() throws {
        for (folder, mayImport) in Self.supports {
            let files = Project.files(folder, ".swift")
            #expect(!files.isEmpty, "\(folder)")
            for file in files {
                for (line, module) in Project.imports(try #require(Project.text(file))) {
                    #expect(mayImport.contains(module), "\(file):\(line): \(folder) may not import \(module)")
                }
            }
        }
    }

    @Test func nobodyImportsWhatTheManifestDoesNotName() throws {
        let manifest = try #require(Project.text("Package.swift"))
        #expect(!manifest.contains(".package("), "there are no package dependencies")
        for row in Self.rows where row.target != "CPlatform" {
            var used: Set<String> = []
            for file in Project.files("Sources/" + row.target, ".swift") {
                used.formUnion(Project.imports(try #require(Project.text(file))).map(\.module))
            }
            let start = try #require(
                manifest.range(of: "\\(\\s*\"\(row.target)\"", options: .regularExpression))
            let declaration = manifest[start.lowerBound...].prefix { $0 != ")" }
            for name in used.subtracting(Self.outside) {
                #expect(declaration.contains("\"\(name)\""), "\(row.target) does not declare \(name)")
            }
        }
    }

    /// A module never has the name of a type that it declares: code could not name the module any more.
    @Test func noTargetDeclaresATypeOfItsOwnName() throws {
        for target in Project.targets {
            var files: [String] = []
            for file in Project.files("Sources/" + target, ".swift") {
                let text = try #require(Project.text(file))
                let declarations = ["struct", "class", "enum", "protocol", "actor"].map { "\($0) \(target)" }
                if declarations.contains(where: { text.contains($0 + " ") || text.contains($0 + ":") }) {
                    files.append(file)
                }
            }
            #expect(files.isEmpty, "\(files)")
        }
    }
}
