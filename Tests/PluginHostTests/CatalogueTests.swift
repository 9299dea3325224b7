import JSONCodec
import Platform
import Testing

@testable import PluginHost

@Suite struct CatalogueTests {
    private static func scan(_ folder: TestFolder, _ places: [String] = ["store/plugins"]) -> [FoundPlugin] {
        var digests = DigestCache()
        return scan(folder, places, &digests)
    }

    private static func scan(
        _ folder: TestFolder, _ places: [String] = ["store/plugins"], _ digests: inout DigestCache
    ) -> [FoundPlugin] {
        Catalogue.scan(
            places: places.map { folder.path + "/" + $0 }, storeDirectory: folder.path + "/store",
            builtIn: BuiltInNames(
                shareFormats: ["text", "html"], importers: ["csv"], exporters: ["markdown"], cells: ["hero"]),
            digests: &digests)
    }

    private static func first(_ folder: TestFolder) throws -> FoundPlugin { try #require(scan(folder).first) }

    @Test func pluginsAreFoundInOrderAndTheFirstOfAnIDCounts() throws {
        let folder = try TestFolder()
        try folder.add("org.b.two", below: "store/plugins")
        try folder.add("org.a.one", below: "store/plugins")
        try folder.add("org.b.two", [.init("name", "Other")], below: "more")
        try folder.add("org.c.three", below: "more")
        try folder.write("x", to: "more/notes.txt")
        try folder.write("x", to: "more/.hidden/plugin.json")
        try folder.write("x", to: "more/node_modules/a.js")
        let found = Self.scan(folder, ["store/plugins", "none", "more"])
        #expect(found.map(\.id) == ["org.a.one", "org.b.two", "org.b.two", "org.c.three"])
        #expect(found.map(\.isShadowed) == [false, false, true, false] && found.allSatisfy { $0.problem == nil })
        #expect(found[1].manifest?.name == "Poem card" && found[2].path == folder.path + "/more/org.b.two")
        #expect(found.map { $0.digest != nil } == [true, true, false, true])
        #expect(found[1].digest == (try PluginFolder(found[1].path, .system).digest()))
    }

    /// Each breaks one rule of an otherwise valid folder.
    static let faults: [(name: String, pointer: String, words: String, change: @Sendable (String) -> Void)] = [
        ("link", "", "is a link", { symlink("main.sh", $0 + "/other.sh") }),
        ("fifo", "", "is neither a file nor a folder", { mkfifo($0 + "/fifo", 0o600) }),
        ("file of others", "", "belongs to another user", { chown($0 + "/main.sh", 12345, 0) }),
        ("writable file", "", "can be written by other users", { chmod($0 + "/main.sh", 0o775) }),
        ("writable folder", "", "can be written by other users", { chmod($0, 0o757) }),
        (
            "deep link", "", "is a link",
            {
                mkdir($0 + "/a", 0o755)
                symlink("/etc", $0 + "/a/b")
            }
        ),
        ("no manifest", "", "is missing", { unlink($0 + "/plugin.json") }),
        ("no program", "/exec/0", "is no file in the folder", { unlink($0 + "/main.sh") }),
        ("no right to execute", "/exec/0", "chmod u+x", { chmod($0 + "/main.sh", 0o644) }),
        (
            "too large", "", "has more than 64 MiB",
            { path in
                close(open(path + "/large", O_CREAT | O_WRONLY, 0o600))
                truncate(path + "/large", 64 << 20)
            }
        ),
        ("large manifest", "", "is too large", { truncate($0 + "/plugin.json", 262_145) }),
        ("broken manifest", "", "is not JSON", { truncate($0 + "/plugin.json", 20) }),
        (
            "too many files", "", "is one file too many",
            { path in
                for number in 0..<4096 { close(open(path + "/\(number)", O_CREAT | O_WRONLY, 0o600)) }
            }
        ),
        (
            "too deep", "", "one too deep",
            { path in
                for level in 1...33 { mkdir(path + String(repeating: "/a", count: level), 0o755) }
            }
        ),
    ]

    @Test(arguments: faults.map(\.name))
    func aFolderThatBreaksARuleIsInvalid(name: String) throws {
        let fault = try #require(Self.faults.first { $0.name == name })
        // Only root can give a file away.
        if name == "file of others", geteuid() != 0 { return }
        let folder = try TestFolder()
        try folder.add("org.a.one", below: "store/plugins")
        try folder.add("org.b.two", below: "store/plugins")
        fault.change(folder.path + "/store/plugins/org.a.one")
        let found = Self.scan(folder)
        let problem = try #require(found.first?.problem)
        #expect(problem.pointer == fault.pointer && problem.description.contains(fault.words), "\(problem)")
        #expect(found[0].digest == nil)
        // The other plugins are not affected.
        #expect(found.count == 2 && found[1].problem == nil)
    }

    @Test func aLinkInPlaceOfAFolderIsInvalid() throws {
        let folder = try TestFolder()
        try folder.add("org.a.one", below: "elsewhere")
        mkdir(folder.path + "/store", 0o755)
        mkdir(folder.path + "/store/plugins", 0o755)
        #expect(symlink(folder.path + "/elsewhere/org.a.one", folder.path + "/store/plugins/org.a.one") == 0)
        #expect(try Self.first(folder).problem?.description.contains("link") == true)
    }

    @Test func aFolderWithAWrongNameIsInvalidIfItHasAManifest() throws {
        let folder = try TestFolder()
        try folder.add("Poem", below: "store/plugins")
        #expect(try Self.first(folder).problem?.pointer == "/id")
    }

    @Test(
        arguments: [
            (
                "shareFormats", ["name": "html", "title": "A", "mediaType": "text/html"],
                "/provides/shareFormats/0/name"
            ),
            ("cells", ["type": "hero"], "/provides/cells/0/type"),
            ("importers", ["format": "csv", "title": "A", "extensions": ["a"]], "/provides/importers/0/format"),
            (
                "exporters", ["format": "markdown", "title": "A", "extension": "a", "mediaType": "text/plain"],
                "/provides/exporters/0/format"
            ),
        ] as [(String, JSONValue, String)])
    func whatTheHostHasIsNotReplaced(kind: String, element: JSONValue, pointer: String) throws {
        let folder = try TestFolder()
        try folder.add("org.a.one", [.init("provides", .object([.init(kind, [element])]))], below: "store/plugins")
        #expect(try Self.first(folder).problem?.pointer == pointer)
    }

    @Test func pathsThatReachTheStoreAreInvalid() throws {
        let folder = try TestFolder()
        mkdir(folder.path + "/notes", 0o755)
        #expect(symlink(folder.path + "/store", folder.path + "/link") == 0)
        func pointer(_ path: String) throws -> String? {
            try folder.add(
                "org.a.one", [.init("permissions", ["files": ["write": [.string(path)]]])], below: "store/plugins")
            return try Self.first(folder).problem?.pointer
        }
        let refused = "/permissions/files/write/0"
        for path in [
            "/store", "/store/plugins", "/store/new/file", "", "/link", "/link/moods.json", "//store/./plugins/",
            "/link/none/a",
        ] {
            #expect(try pointer(folder.path + path) == refused, "\(path)")
        }
        #expect(try pointer("/") == refused)
        for path in ["/notes", "/notes/new", "/store-other", "/stor"] {
            #expect(try pointer(folder.path + path) == nil, "\(path)")
        }
    }

    @Test func aStoreThatIsNotThereYetIsProtectedToo() throws {
        let folder = try TestFolder()
        let protected = ProtectedFolders(places: [], storeDirectory: folder.path + "/new/store")
        for (path, isTouched) in [
            ("/new/store", true), ("/new/store/a", true), ("/new", true), ("", true), ("/new/stores", false),
            ("/other", false),
        ] {
            #expect(protected.touches(folder.path + path) == isTouched, "\(path)")
            #expect((protected.problem(of: folder.path + path) != nil) == isTouched, "\(path)")
        }
    }

    @Test(arguments: ["", "a", "./a", "/a/../b", "~a", "/a\0b", "/" + String(repeating: "a", count: 4096)])
    func aPathThatIsNotWrittenInFullIsNotGranted(path: String) {
        #expect(ProtectedFolders(places: [], storeDirectory: "/none/store").problem(of: path) != nil)
    }

    @Test func ofSeveralTheFirstByIDHasAName() throws {
        func manifest(_ id: String, _ cells: [String]) throws -> Manifest {
            let cells = JSONValue.array(cells.map { ["type": .string($0)] })
            return try Manifest.read(TestManifest.json(id, [.init("provides", ["cells": cells])]), id: id)
        }
        let owners = Catalogue.owners(
            of: { $0.cells.map(\.type) }, among: [try manifest("b.b", ["x", "y"]), try manifest("a.a", ["y"])])
        #expect(owners.mapValues(\.text) == ["x": "b.b", "y": "a.a"])
    }

    @Test func aProgramIsFoundWhereItMayBe() throws {
        let folder = try TestFolder()
        try folder.write("#!/bin/sh\n", to: "bin/main.sh", mode: 0o755)
        try folder.write("#!/bin/sh\n", to: "venv/bin/sh", mode: 0o755)
        try folder.write("", to: "none/bin/sh")
        func find(_ program: String, _ runtimes: [String] = []) -> ExecSearch.Found? {
            ExecSearch.find(program, folder: folder.path, runtimes: runtimes.map { folder.path + $0 })
        }
        #expect(find("./bin/main.sh")?.path == folder.path + "/bin/main.sh")
        #expect(
            find("./bin/none.sh") == nil && find("./bin") == nil && find("./../sh") == nil && find("/bin/sh") == nil)
        let shell = try #require(find("sh"))
        #expect(["/usr/bin/sh", "/bin/sh"].contains(shell.path) && shell.realPath == FolderCalls.realPath(shell.path))
        #expect(find("sh", ["/none", "/venv"])?.path == folder.path + "/venv/bin/sh")
        #expect(find("a-program-that-nobody-has") == nil)
    }
}
