import Seeds
import Testing

@testable import MoodCore

@Suite struct MoodIDTests {
    private static let text = "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b"

    @Test func readsAndWritesTheFormOfRFC9562() throws {
        let id = try #require(MoodID(Self.text))
        #expect(id.high == 0x0190_b5a0_7c5e_7000)
        #expect(id.low == 0x8000_3f2a_9c1d_4e5b)
        #expect(id.text == Self.text)
    }

    @Test func readsUpperCaseAndWritesLowerCase() throws {
        let id = try #require(MoodID(Self.text.uppercased()))
        #expect(id == MoodID(Self.text))
        #expect(id.text == Self.text)
    }

    /// Every version, the nil UUID and the largest one: ids may come from other programs.
    @Test(arguments: [
        "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "919108f7-52d1-4320-9bac-f847db4148a8",
    ])
    func readsAnyUUID(text: String) {
        #expect(MoodID(text)?.text == text)
    }

    @Test(arguments: [
        "", "0190b5a0", "0190b5a07c5e700080003f2a9c1d4e5b", "{0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b}",
        "urn:uuid:0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b", "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5",
        "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b0", " 190b5a0-7c5e-7000-8000-3f2a9c1d4e5b",
        "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5g", "0190b5a0_7c5e_7000_8000_3f2a9c1d4e5b",
        "0190b5a07-c5e-7000-8000-3f2a9c1d4e5b", "0190b5a0-7c5e-7000-80003-f2a9c1d4e5b",
        "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5é", "-190b5a0-7c5e-7000-8000-3f2a9c1d4e5b",
        "0x90b5a0-7c5e-7000-8000-3f2a9c1d4e5b", "0190b5a0-7c5e-7000-8000-3f2a9c1d4e5\u{0}",
    ])
    func refusesOtherForms(text: String) {
        #expect(MoodID(text) == nil)
    }

    @Test func refusesEveryByteThatIsNoHexDigit() {
        let hex = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min ... .max {
            var bytes = Array(Self.text.utf8)
            bytes[35] = byte
            let id = bytes.withUnsafeBytes { MoodID($0) }
            #expect((id != nil) == hex.contains(byte), "byte \(byte)")
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func anyIDReadsBackAndSortsAsItsText(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var previous = MoodID(high: 0, low: 0)
        for _ in 0..<2_000 {
            // Half of them share the high word, so that the low one decides.
            let high = Bool.random(using: &random) ? previous.high : random.next()
            let id = MoodID(high: high, low: random.next())
            #expect(MoodID(id.text) == id)
            #expect((id < previous) == (id.text < previous.text))
            previous = id
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func version7HoldsTheTimeThenVersionAndVariant(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: 0...Timestamp.maximum.milliseconds, using: &random)
            let time = try #require(Timestamp(milliseconds: milliseconds))
            let bits = (random.next(), random.next())
            let id = MoodID(version7At: time, random: bits)
            #expect(Int64(id.high >> 16) == milliseconds)
            #expect(id.high >> 12 & 0xf == 7)
            #expect(id.high & 0xfff == bits.0 & 0xfff)
            #expect(id.low >> 62 == 0b10)
            #expect(id.low & 0x3fff_ffff_ffff_ffff == bits.1 & 0x3fff_ffff_ffff_ffff)
        }
    }

    @Test func version7OfALaterMillisecondSortsBehind() throws {
        let time = try #require(Timestamp("2026-01-02T03:04:05.678Z"))
        let next = try #require(Timestamp(milliseconds: time.milliseconds + 1))
        let highest = MoodID(version7At: time, random: (.max, .max))
        let lowest = MoodID(version7At: next, random: (0, 0))
        #expect(highest < lowest)
        #expect(highest.text < lowest.text)
    }

    @Test func version7BeforeTheEpochHasTimeZero() throws {
        let id = MoodID(version7At: .minimum, random: (0, 0))
        #expect(id.text == "00000000-0000-7000-8000-000000000000")
    }
}
