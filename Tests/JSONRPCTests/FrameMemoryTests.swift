import FuzzTargets
import JSONCodec
import JSONRPC
import Testing

/// Endless input of a peer must not stay in memory, nor be read again with every piece.
@Suite struct FrameMemoryTests {
    private static let messageBytesMax = 1 << 20
    private static let piece = 64 * 1024

    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var mebibytes = 8
        let start: String
        let filler: UInt8
        let end: String
        let frames: [PlainFrame]
    }

    @Test(arguments: [
        Flood(
            testDescription: "a line", mebibytes: 64, start: "{", filler: 0x78, end: "\n{}\n",
            frames: [.lineTooLarge, .line("{}")]),
        Flood(testDescription: "blanks", start: "", filler: 0x20, end: "\n{}\n", frames: [.line("{}")]),
        Flood(
            testDescription: "blanks, then a text", start: "", filler: 0x20, end: "1\n{}\n",
            frames: [.lineTooLarge, .line("{}")]),
        Flood(testDescription: "blank lines", start: "", filler: 0x0a, end: "{}\n", frames: [.line("{}")]),
        Flood(testDescription: "carriage returns", start: "", filler: 0x0d, end: "\n{}\n", frames: [.line("{}")]),
        Flood(
            testDescription: "a header block", start: "Content-", filler: 0x0d, end: "\r\n\r\n{}\n",
            frames: [.headerTooLarge, .line("{}")]),
        Flood(
            testDescription: "a body", mebibytes: 64, start: "Content-Length: 67108864\r\n\r\n", filler: 0x0a,
            end: "{}\n",
            frames: [.bodyTooLarge, .line("{}")]),
    ])
    func holdsLittleMoreThanTheLimitWhileMuchMoreStreamsThrough(_ flood: Flood) {
        var feed = FrameFeed(messageBytesMax: Self.messageBytesMax)
        feed.give(Array(flood.start.utf8)[...])
        let piece = [UInt8](repeating: flood.filler, count: Self.piece)
        for _ in 0..<(flood.mebibytes << 20) / Self.piece { feed.give(piece[...]) }
        feed.end(Array(flood.end.utf8)[...])
        #expect(feed.frames == flood.frames)
        #expect(feed.heldBytesMax <= Self.messageBytesMax + 1)
        #expect(feed.capacityMax <= 2 * (Self.messageBytesMax + Self.piece))
    }

    /// A megabyte that comes a few bytes at a time: reading all of it with every piece would take 10^10 steps.
    @Test(arguments: ["x", " ", " x", "Content-Length: 1000000\r\n\r\n", "Content-X: 1"])
    func looksAtEveryByteABoundedNumberOfTimes(_ start: String) {
        var feed = FrameFeed(messageBytesMax: Self.messageBytesMax)
        if start == " x" { feed.give([UInt8](repeating: 0x20, count: 500_000)[...]) }
        feed.give(Array(start.utf8)[...])
        let piece: [UInt8] = start == " " ? [0x20, 0x20, 0x20, 0x20] : [0x61, 0x61, 0x0d, 0x61]
        for _ in 0..<100_000 { feed.give(piece[...]) }
        feed.end()
        #expect(feed.frames.count == (start == " " ? 0 : 1))
    }

    @Test func givesMemoryBackAfterALargeMessage() {
        var reader = FrameReader(messageBytesMax: 16 << 20)
        let line = [UInt8](repeating: 0x78, count: 8 << 20) + [0x0a]
        line.withUnsafeBytes { reader.buffer.append($0) }
        guard case .message(let range, .line)? = reader.next(isAtEnd: false) else {
            Issue.record("no message")
            return
        }
        #expect(range.count == 8 << 20)
        reader.discardTaken()
        let capacity = reader.buffer.capacity
        #expect(capacity <= 256 * 1024)
    }
}
