import JSONCodec
import Platform
import Testing

@testable import MoodStore

/// The store of a published version, which never changes: `Fixtures/NAME/store` has its files, `moods.jsonl` its moods
/// (a mood a line, oldest first), `expected.json` the migrated `moods.json`.
struct Fixture: Sendable, CustomTestStringConvertible {
    /// The id of the store in `expected.json`.
    static let storeId = "01890000-0000-7000-8000-00000000abcd"
    static let older = ["v1-compact", "v1-pretty", "v2"].map { Fixture(name: $0) }
    static let current = ["v3", "v3-unknown"].map { Fixture(name: $0) }
    static let newer = Fixture(name: "v4")

    let name: String
    var testDescription: String { name }

    /// The name of the kept old file.
    var keptName: String { "moods.\(name.prefix { $0 != "-" }).json" }
    var path: String { #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Fixtures/" + name }
    var document: [UInt8] { readFile(path + "/store/moods.json") }
    var expected: [UInt8] { readFile(path + "/expected.json") }
    var moods: [String] {
        String(decoding: readFile(path + "/moods.jsonl"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A directory with the files of the store.
    func copy() throws -> TestDirectory {
        let directory = TestDirectory()
        try FileSystem.system.makeDirectory(directory.path)
        for name in try FileSystem.system.list(path + "/store") {
            try directory.write(name, readFile(path + "/store/" + name))
        }
        return directory
    }
}

func readFile(_ path: String) -> [UInt8] {
    guard let file = try? File(path, .read, in: .system), let size = try? file.status().size else { return [] }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = bytes.withUnsafeMutableBytes { (try? file.read($0, at: 0)) ?? 0 }
    return Array(bytes[..<count])
}

extension TestDirectory {
    var names: [String] { ((try? FileSystem.system.list(path)) ?? []).sorted() }

    func read(_ name: String) -> [UInt8] { readFile(path + "/" + name) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        unlink(path + "/" + name)
        let file = try File(path + "/" + name, .create, in: .system)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// Every file and its bytes.
    var contents: [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: names.filter { $0 != "history" }.map { ($0, read($0)) })
    }
}

/// The moods that a store shows, oldest first.
func shownMoods(_ store: inout MoodRecords) throws -> [String] {
    var query = MoodQuery()
    query.isDescending = false
    query.limit = 1000
    var writer = JSONWriter()
    try store.list(query, cursor: nil, to: &writer)
    var lines: [String] = []
    var reader = JSONReader(ValidJSON(trusting: writer.buffer.bytes))
    _ = reader.enterObject()
    while let key = reader.nextKey() {
        guard key.equals("items"), reader.enterArray() else {
            reader.skip()
            continue
        }
        while reader.nextElement() { lines.append(String(decoding: reader.skip().bytes, as: UTF8.self)) }
    }
    return lines
}
