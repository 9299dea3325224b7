import FuzzTargets
import JSONCodec
import Testing

/// Every case of the RFC 8259 corpus is accepted or refused rightly, in any split of its bytes.
@Suite struct CorpusTests {
    let cases: [Corpus.Case]

    init() throws { cases = try Corpus.cases() }

    @Test func holdsAtLeast300CasesOfBothKindsWithDifferentNames() {
        #expect(cases.count >= 300)
        #expect(cases.count { $0.isAccepted } >= 100 && cases.count { !$0.isAccepted } >= 100)
        #expect(Set(cases.map(\.name)).count == cases.count)
    }

    @Test func isAcceptedAndRefusedRightly() {
        var validator = JSONValidator(depthLimit: 64)
        for one in cases {
            #expect((Verdict(one.text, &validator) == .accepted) == one.isAccepted, "\(one.testDescription)")
        }
    }

    /// A value inside a text ends where the rest is valid after it.
    @Test func isAcceptedAndRefusedRightlyInTheMidstOfAText() {
        var validator = JSONValidator(depthLimit: 64)
        let space = Array(" \t\n\r".utf8)
        for one in cases {
            let blanks = one.text.prefix { space.contains($0) }.count
            let end = (Array("[[".utf8) + one.text).withUnsafeBytes { bytes in
                validator.endOfValue(bytes, from: 2 + blanks, depth: 0)
            }
            let rest = end.map { one.text[($0 - 2)...] }
            #expect((rest?.allSatisfy { space.contains($0) } == true) == one.isAccepted, "\(one.testDescription)")
        }
    }

    @Test func countsTheContainersAroundAValue() {
        var validator = JSONValidator(depthLimit: 4)
        let text = Array("[[[]]]".utf8)
        text.withUnsafeBytes { bytes in
            #expect(validator.endOfValue(bytes, from: 0, depth: 1) == 6)
            #expect(validator.endOfValue(bytes, from: 0, depth: 2) == nil)
            #expect(validator.endOfValue(bytes, from: 6, depth: 0) == nil)
        }
    }

    /// The second reader, on which fuzzing relies, must pass the same cases.
    @Test func isReadRightlyByThePlainReaderToo() {
        for one in cases {
            let reading = PlainJSON.read(one.text)
            #expect((reading != nil && reading?.duplicate == nil) == one.isAccepted, "\(one.testDescription)")
        }
    }

    /// Bytes after the end of a text must not matter, as they would if a look ahead passed it.
    @Test func doesNotLookBehindTheEndOfTheText() {
        let endings: [[UInt8]] = [
            Array("\"}]}]0123456789".utf8), Array("e truefalsenull".utf8), [0x80, 0xbf, 0xbf, 0xbf],
        ]
        var validator = JSONValidator(depthLimit: 64)
        for one in cases where !one.text.isEmpty {
            for ending in endings {
                let isAccepted = (one.text + ending).withUnsafeBytes { bytes in
                    validator.accepts(UnsafeRawBufferPointer(rebasing: bytes[..<one.text.count]))
                }
                #expect(isAccepted == one.isAccepted, "\(one.testDescription)")
            }
        }
    }

    @Test func isReadTheSameWhenSplitIntoTwoReadsAnywhere() {
        var validator = JSONValidator(depthLimit: 64)
        for one in cases {
            let stream = Array("Content-Length: \(one.text.count)\r\n\r\n".utf8) + one.text
            // For the few long texts not every position: their middles are all alike.
            for cut in stride(from: 0, through: stream.count, by: max(1, stream.count / 512)) {
                var feed = FrameFeed(messageBytesMax: 1 << 20)
                feed.give(stream[..<cut])
                feed.give(stream[cut...])
                guard feed.frames.count == 1, case .body(let body) = feed.frames[0] else {
                    Issue.record("\(one.testDescription), cut at \(cut): \(feed.frames)")
                    continue
                }
                let isSame = body == one.text && (Verdict(body, &validator) == .accepted) == one.isAccepted
                if !isSame { Issue.record("\(one.testDescription), cut at \(cut)") }
            }
        }
    }

    /// No prefix of an array or object is JSON, and none makes the validator read further than it has.
    @Test func refusesEveryPrefixOfAnAcceptedContainer() {
        var validator = JSONValidator(depthLimit: 64)
        for one in cases where one.isAccepted && one.text.count < 512 {
            guard let last = one.text.lastIndex(where: { $0 > 0x20 }), [0x5d, 0x7d].contains(one.text[last]) else {
                continue
            }
            for count in 0...last {
                let verdict = Verdict(Array(one.text[..<count]), &validator)
                guard case .refused(let offset, _) = verdict, offset <= count else {
                    Issue.record("\(one.testDescription), the first \(count) bytes: \(verdict)")
                    continue
                }
            }
        }
    }
}
