import JSONCodec
import Testing

@testable import Storage

/// The small files beside the records have checksums.
@Suite struct SideFileTests {
    private let directory = TestDirectory()
    private static let text = "{\"states\":{\n\"a\":{\"path\":[]}\n}}\n"

    private func replace(_ text: String) throws -> TestRecords {
        let store = try TestRecords(settings(directory))
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        let bytes = ByteBuffer(copying: Array(text.utf8))
        try store.with { try $0.replace(.navigation, with: bytes.bytes) }
        return store
    }

    private static func read(_ store: TestRecords) throws -> String? {
        try store.with { try $0.read(.navigation, bytesMax: 1 << 10) }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let store = try replace(Self.text)
        #expect(try Self.read(store) == Self.text)
        #expect(directory.text("navigation.json").hasSuffix("}\n},\"crc\":\"\(checksum)\"}\n"))
        // Files of an earlier version, or written by hand.
        for text in [Self.text, "{}", "[1]\n", "{\"crc\":\"00000000\",\"states\":{}}\n"] {
            directory.write("navigation.json", text)
            #expect(try Self.read(store) == text)
        }
    }

    private var checksum: String { String(directory.text("navigation.json").dropLast(3).suffix(8)) }

    @Test func aFlippedBitIsFound() throws {
        let store = try replace(Self.text)
        let whole = directory.read("navigation.json")
        for offset in 0..<whole.count - 1 {
            for bit in 0..<8 {
                var rotten = whole
                rotten[offset] ^= 1 << bit
                directory.overwrite("navigation.json", rotten)
                do {
                    let text = try #require(try Self.read(store))
                    #expect(throws: JSONError.self, "\(offset), \(bit)") { try JSONValue(parsing: text) }
                } catch StorageError.corrupt(let file, _, _) {
                    #expect(file == "navigation.json")
                }
            }
        }
    }
}
