import JSONCodec
import Platform
import Testing

@testable import PluginHost

/// The fixture files of these tests.
enum Fixtures {
    static let path: String = {
        let pointer = realpath(#filePath, nil)
        defer { free(pointer) }
        let file = pointer.map { String(cString: $0) } ?? #filePath
        return "/" + file.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures"
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        let file = try File(path + "/" + name, .read, in: .system)
        var bytes = [UInt8](repeating: 0, count: try file.status().size)
        let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
        return Array(bytes[..<count])
    }
}

/// A folder for one test, removed with the value.
final class TestFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/moodboard-plugins-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        chmod(path, 0o700)
        for name in (try? FileSystem.system.list(path)) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }

    /// Writes a file, with its parent folders.
    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        let file = fopen(path + "/" + name, "w")
        defer { fclose(file) }
        try #require(file != nil && fwrite(bytes, 1, bytes.count, file) == bytes.count)
        #expect(chmod(path + "/" + name, mode) == 0)
    }

    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    /// Adds a plugin with a program, and members of its manifest in place of the defaults.
    func add(_ id: String, _ members: [JSONValue.Member] = [], below place: String = "") throws {
        let folder = (place.isEmpty ? "" : place + "/") + id
        try write(TestManifest.json(id, members).text, to: folder + "/plugin.json")
        try write("#!/bin/sh\n", to: folder + "/main.sh", mode: 0o755)
    }
}

enum TestManifest {
    static func json(_ id: String = "org.example.poem", _ members: [JSONValue.Member] = []) -> JSONValue {
        var all: [JSONValue.Member] = [
            .init("manifestVersion", 1), .init("id", .string(id)), .init("name", "Poem card"),
            .init("version", "1.2.0"),
            .init("protocol", [1]), .init("exec", ["./main.sh"]),
        ]
        for member in members {
            all.removeAll { $0.name == member.name }
            all.append(member)
        }
        return .object(all)
    }

    static func read(_ members: [JSONValue.Member] = []) throws -> Manifest {
        try Manifest.read(json(members: members), id: "org.example.poem")
    }

    private static func json(members: [JSONValue.Member]) -> JSONValue { json("org.example.poem", members) }
}
