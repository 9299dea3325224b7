import Foundation
import Testing

/// Imports go down only. The table is the one of `Docs/Architecture.md`; a target that is not in it fails.
@Suite struct ImportTests {
    struct Row: Sendable {
        let target: String
        let level: Int
        let mayImport: Set<String>
    }

    static let rows = [
        Row(target: "CPlatform", level: 0, mayImport: []),
        // The only Swift target that imports the C library, and the only one that needs a lock.
        Row(target: "Platform", level: 0, mayImport: ["CPlatform", "Glibc", "Darwin", "Synchronization"]),
        Row(target: "JSONCodec", level: 0, mayImport: ["CPlatform"]),
        Row(target: "Versions", level: 0, mayImport: []),
        Row(target: "JSONRPC", level: 1, mayImport: ["JSONCodec"]),
        Row(target: "Storage", level: 1, mayImport: ["CPlatform", "Platform", "JSONCodec"]),
        // The only importer of Foundation.
        Row(target: "MoodText", level: 1, mayImport: ["Foundation"]),
        Row(target: "MoodCore", level: 2, mayImport: ["JSONCodec", "MoodText"]),
        Row(
            target: "MoodStore", level: 3,
            mayImport: ["Storage", "MoodCore", "MoodText", "JSONCodec", "Platform", "Versions", "Synchronization"]),
        Row(target: "MoodFormats", level: 3, mayImport: ["MoodCore", "MoodText", "JSONCodec", "Platform"]),
        Row(target: "MoodProtocol", level: 3, mayImport: ["JSONRPC", "MoodCore", "JSONCodec", "Versions"]),
        Row(target: "Replication", level: 3, mayImport: ["MoodCore", "JSONCodec", "Platform"]),
        Row(
            target: "MoodSync", level: 4,
            mayImport: ["Replication", "MoodStore", "MoodCore", "Storage", "JSONCodec", "Platform"]),
        Row(target: "MoodClient", level: 4, mayImport: ["JSONRPC", "JSONCodec", "Platform", "Versions"]),
        Row(
            target: "PluginHost", level: 4,
            mayImport: ["MoodProtocol", "MoodCore", "JSONRPC", "JSONCodec", "Platform"]),
        Row(target: "MCP", level: 4, mayImport: ["MoodProtocol", "MoodCore", "JSONRPC", "JSONCodec"]),
        Row(
            target: "MoodHost", level: 5,
            mayImport: [
                "MCP", "MoodSync", "Replication", "PluginHost", "MoodProtocol", "MoodStore", "MoodFormats", "MoodCore",
                "MoodText", "Storage", "JSONRPC", "JSONCodec", "Platform", "Versions", "Synchronization",
            ]),
        Row(target: "moodboard", level: 6, mayImport: ["MoodHost", "Platform"]),
        Row(target: "mood", level: 6, mayImport: ["MoodClient", "Platform"]),
    ]

    /// What only tests use: they stand below `Tests`, and no source imports them.
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

    /// What comes with the system or the compiler.
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

    /// A module never bears the name of a type that it declares: nobody could name the module any more.
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
