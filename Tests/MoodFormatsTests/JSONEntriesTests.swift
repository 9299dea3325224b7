import Synchronization
import Testing

@testable import MoodFormats

@Suite struct JSONEntriesTests {
    private static let notes = String(repeating: "slept well, \\\"tea\\\" {[ and } ] ", count: 8)

    private static func entry(_ number: Int) -> String {
        "{\"title\":\"Calm \(number)\",\"body\":\"\(notes)\",\n \"date\":\"2024-08-29\",\"time\":\"21:10\"}"
    }

    private static func entries(_ text: String, in member: StaticString? = "entries") throws -> [(
        line: Int, title: String
    )] {
        var entries = try JSONEntries(ImportBytes(Array(text.utf8)), in: member, "a program")
        var found: [(Int, String)] = []
        while let entry = entries.next() { found.append((entry.line, entry.value["title"]?.string ?? "?")) }
        return found
    }

    /// Memory grows with the largest entry, not with the file.
    @Test func largeFilesAreReadPieceByPiece() throws {
        let count = 12_000
        let text = "{\"tags\":{\"a\":1},\n\"entries\":[" + (0..<count).map(Self.entry).joined(separator: ",\n") + "]}"
        let bytes = Array(text.utf8)
        #expect(bytes.count > 3 * FilePieces.pieceBytes)
        let largest = Mutex(0)
        let file = ImportBytes(count: bytes.count) { range in
            largest.withLock { $0 = max($0, range.count) }
            return Array(bytes[range])
        }
        var entries = try JSONEntries(file, in: "entries", "a program")
        var found = 0
        while let entry = entries.next() {
            #expect(entry.value["title"]?.string == "Calm \(found)" && entry.line == 2 + 2 * found)
            found += 1
        }
        #expect(found == count && entries.at == bytes.count)
        #expect(largest.withLock { $0 } == FilePieces.pieceBytes)
    }

    @Test func entriesStandBesideOtherMembers() throws {
        let found = try Self.entries(
            "{\"a\":[{\"title\":1}],\"entries\" : [ {\"title\":\"x\"} ,\n 5],\"b\":\"]}\\\"\"}\r\n")
        #expect(found.map(\.title) == ["x", "?"] && found.map(\.line) == [1, 2])
        #expect(try Self.entries("[{\"title\":\"x\"}]", in: nil).count == 1)
        #expect(try Self.entries("{\"entries\":[]}").isEmpty)
    }

    /// A file that is not all JSON is refused as a whole.
    @Test(arguments: [
        ("{\"entries\":[{\"title\":\"x\"},\n]}", 2), ("{\"entries\":[{\"title\":\"x\"} {}]}", 1),
        ("{\"entries\":[1,\n\ntru]}", 3),
        ("{\"entries\":[1]", 1), ("{\"entries\":[1]}\n{}", 2), ("{\"entries\":[1],}", 1), ("{\"entries\" [1]}", 1),
        ("", 1),
        ("{\"entries\":[\"\\x\"]}", 1), ("{\"entries\":[[[1]}]}", 1),
    ])
    func brokenFilesAreRefusedWithTheLine(text: String, line: Int) {
        let fault = #expect(throws: UnreadableFile.self) { try Self.entries(text) }
        #expect(fault.map { "\($0)".contains("line \(line)") } == true, "\(text): \(String(describing: fault))")
    }

    @Test(arguments: ["[]", "{}", "5", "{\"entries\":{}}"]) func filesWithoutTheArrayAreNamed(text: String) {
        let fault = #expect(throws: UnreadableFile.self) { try Self.entries(text) }
        #expect(fault.map { "\($0)".contains("has no entries") } == true)
    }
}
