import FuzzTargets
import JSONCodec
import JSONRPC
import Testing

@Suite struct FrameReaderTests {
    private func frames(_ one: FrameCase, cuts: [Int]) -> [PlainFrame] {
        var feed = FrameFeed(messageBytesMax: one.messageBytesMax)
        var start = 0
        for cut in cuts {
            feed.give(one.stream[start..<cut])
            start = cut
        }
        feed.end(one.stream[start...])
        return feed.frames
    }

    @Test(arguments: FrameCase.all)
    func readsAStreamThatComesAtOnce(_ one: FrameCase) {
        #expect(frames(one, cuts: []) == one.frames)
        #expect(frames(one, cuts: [one.stream.count]) == one.frames)
    }

    @Test(arguments: FrameCase.all)
    func readsAStreamByteByByte(_ one: FrameCase) {
        #expect(frames(one, cuts: Array(one.stream.indices)) == one.frames)
    }

    @Test(arguments: FrameCase.all)
    func readsAStreamThatIsCutAnywhere(_ one: FrameCase) {
        for cut in one.stream.indices {
            let frames = frames(one, cuts: [cut])
            if frames != one.frames { Issue.record("\(one.name), cut at \(cut): \(frames)") }
        }
    }

    /// The second reader, on which fuzzing relies, must pass the same cases.
    @Test(arguments: FrameCase.all)
    func agreesWithThePlainReader(_ one: FrameCase) {
        #expect(PlainFrame.read(one.stream, messageBytesMax: one.messageBytesMax) == one.frames)
    }

    @Test(arguments: FrameCase.all)
    func readsTheSameAgainAfterGoingBack(_ one: FrameCase) {
        for step in [1, 3, 7, one.stream.count + 1] {
            var feed = FrameFeed(messageBytesMax: one.messageBytesMax)
            for start in stride(from: 0, to: one.stream.count, by: step) {
                feed.giveTwice(one.stream[start..<min(start + step, one.stream.count)])
            }
            feed.end()
            if feed.frames != one.frames { Issue.record("\(one.name), in steps of \(step): \(feed.frames)") }
        }
    }

    @Test func keepsTheBytesOfFramesUntilTheyAreDiscarded() throws {
        var reader = FrameReader(messageBytesMax: 64)
        Array("{}\nContent-Length: 3\r\n\r\n[1]7\n".utf8).withUnsafeBytes { reader.buffer.append($0) }
        var ranges: [Range<Int>] = []
        while let frame = reader.next(isAtEnd: false) {
            if case .message(let range, _) = frame { ranges.append(range) }
        }
        let texts = ranges.map { String(decoding: reader.buffer.bytes[$0], as: UTF8.self) }
        #expect(texts == ["{}", "[1]", "7"])
        reader.discardTaken()
        #expect(reader.buffer.bytes.isEmpty)
    }

    @Test func goesBackOverFaultsAndIntoTheMiddleOfABody() {
        var reader = FrameReader(messageBytesMax: 8)
        func append(_ text: String) { Array(text.utf8).withUnsafeBytes { reader.buffer.append($0) } }
        append("Content-Length: 3\r\n\r\n[1")
        #expect(describe(reader.next(isAtEnd: false)) == "nothing")
        let mark = reader.mark
        for _ in 0..<2 {
            #expect(describe(reader.next(isAtEnd: false)) == "nothing")
            reader.rewind(to: mark)
        }
        append("]123456789")
        for _ in 0..<3 {
            #expect(describe(reader.next(isAtEnd: false)) == "message header")
            #expect(describe(reader.next(isAtEnd: false)) == "nothing")
            append("x")
            #expect(describe(reader.next(isAtEnd: false)) == "tooLarge(limit: 8) line")
            reader.rewind(to: mark)
            reader.buffer.truncate(to: reader.buffer.count - 1)
        }
        append("0\n1\n")
        var seen: [String] = []
        while let frame = reader.next(isAtEnd: false) { seen.append(describe(frame)) }
        #expect(seen == ["message header", "tooLarge(limit: 8) line", "message line"])
    }

    private func describe(_ frame: FrameReader.Frame?) -> String {
        switch frame {
        case nil: "nothing"
        case .message(_, let framing)?: "message \(framing)"
        case .fault(let fault, let framing)?: "\(fault) \(framing)"
        }
    }

    @Test func saysTheLimitAndTheFramingOfAFault() {
        var reader = FrameReader(messageBytesMax: 4)
        let header = "Content-Length: 5\r\n\r\n12345Content-X: 1\r\n\r\nContent-" + String(repeating: "x", count: 9_000)
        Array(("12345\n" + header).utf8).withUnsafeBytes { reader.buffer.append($0) }
        var seen: [String] = []
        while let frame = reader.next(isAtEnd: true) { seen.append(describe(frame)) }
        #expect(
            seen == [
                "tooLarge(limit: 4) line", "tooLarge(limit: 4) header", "noLength header",
                "headerTooLarge(limit: 8192) header",
            ])
    }
}
