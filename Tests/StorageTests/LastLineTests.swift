import Testing

@testable import Storage

@Suite struct LastLineTests {
    private static let texts = ["", "\n", "a", "a\n", "a\n\n\n", "\n\na", "a\nb", "a\nbc\n\n", "\n\r\n", "ab\n\ncd"]

    @Test(arguments: texts) func findsTheLastLine(text: String) {
        let bytes = Array(text.utf8)
        let count = (bytes.lastIndex { $0 != 0x0A } ?? -1) + 1
        bytes.withUnsafeBytes { raw in
            #expect(raw.countWithoutLastLineFeeds == count)
            for end in 0...bytes.count {
                #expect(raw.lastLineStart(before: end) == (bytes[..<end].lastIndex(of: 0x0A) ?? -1) + 1, "\(end)")
            }
        }
    }
}
