import Testing

@testable import JSONCodec

@Suite struct ChecksumTests {
    private static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum($0) } }

    /// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
    @Test(
        arguments: [
            (Array("123456789".utf8), 0xE306_9283), ([], 0), ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
        ] as [([UInt8], UInt32)])
    func givesThePublishedValues(bytes: [UInt8], expected: UInt32) {
        #expect(Self.checksum(bytes) == expected)
        #expect(bytes.withUnsafeBytes { CRC32C.portable($0, seed: 0) } == expected)
    }

    @Test func instructionAndTablesAgreeAtEveryLength() {
        var state: UInt32 = 7
        let bytes = (0..<7000).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        bytes.withUnsafeBytes { all in
            for count in Array(0..<700) + [3071, 3072, 3073, 6143, 6144, 6991] {
                for start in [0, 1, 7] {
                    let part = UnsafeRawBufferPointer(rebasing: all[start..<min(start + count, all.count)])
                    #expect(CRC32C.checksum(part) == CRC32C.portable(part, seed: 0), "\(count) from \(start)")
                }
            }
        }
    }

    @Test func sumsInPieces() {
        let bytes = Array("the quick brown fox jumps over the lazy dog".utf8)
        for split in 0...bytes.count {
            let first = Self.checksum(Array(bytes[..<split]))
            let both = Array(bytes[split...]).withUnsafeBytes { CRC32C.checksum($0, seed: first) }
            #expect(both == Self.checksum(bytes))
        }
    }

    @Test(arguments: [(0, "00000000"), (0xE306_9283, "e3069283"), (0xFFFF_FFFF, "ffffffff"), (0x0A, "0000000a")])
    func writesEightLowerCaseDigits(checksum: UInt32, text: String) {
        let digits = CRC32C.hexDigits(of: checksum)
        #expect(withUnsafeBytes(of: digits) { String(decoding: $0, as: UTF8.self) } == text)
    }
}
