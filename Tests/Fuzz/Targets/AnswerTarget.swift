import JSONCodec
import PluginHost
import Seeds

/// Properties for any bytes that a plugin prints.
///
/// 1. The lines of a stream do not depend on its pieces.
/// 2. An answer is a JSON object without `method`, with the number as its `id` and with one of `result` and `error`,
///    which are unchanged; every such object is an answer.
/// 3. Nothing is kept of a line over the limit.
///
/// The first byte chooses the limit, the second the cuts; the rest is the stream.
public struct AnswerTarget: Sendable {
    private static let lines: [String] = [
        #"{"jsonrpc":"2.0","id":0,"result":{"protocol":1}}"#,
        #"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"a"}}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"mood.get","params":{"id":"b"}}"#,
        #"{"jsonrpc":"2.0","method":"plugin.log","params":{"level":"info","message":"c"}}"#, "Traceback:",
        #"{"result":1,"error":2,"id":3}"#, #"{"id":1,"id":2,"result":[]}"#,
    ]

    static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = []
        for line in lines {
            let bytes = Array((line + "\n").utf8)
            seeds.append([250, 3] + bytes + bytes)
            seeds.append([9, 200] + bytes)
        }
        return seeds
    }

    /// A line in a comparable form.
    private enum Line: Equatable {
        case answer(Int, result: [UInt8]?, error: [UInt8]?)
        case request([UInt8], isNotification: Bool)
        case rubbish, tooLong
    }

    public init() {}

    public func check(_ input: [UInt8]) throws(Violation) {
        guard input.count > 2 else { return }
        let (limit, stream) = (64 + Int(input[0]) * 4, input[2...])
        let whole = read(stream, limit, largest: stream.count, seed: 0)
        for largest in [1, 2 + Int(input[1] & 31)] {
            let pieces = read(stream, limit, largest: largest, seed: UInt64(input[1]))
            try require(pieces == whole, "in pieces of up to \(largest): \(pieces), but it is \(whole)")
        }
        for case .answer(let number, let result, let error) in whole {
            try require((result == nil) != (error == nil), "both or neither")
            for part in [result, error].compactMap({ $0 }) {
                try require((try? JSONValue.parse(part)) != nil, "an answer to \(number) is no JSON")
            }
        }
        try compare(stream, limit, whole)
    }

    private func read(_ stream: ArraySlice<UInt8>, _ limit: Int, largest: Int, seed: UInt64) -> [Line] {
        var wire = PluginWire(answerBytesMax: limit)
        var random = SeededRandom(seed: seed)
        var lines: [Line] = []
        var at = stream.startIndex
        while at < stream.endIndex {
            let end = min(stream.endIndex, at + 1 + random.below(max(largest, 1)))
            stream[at..<end].withUnsafeBytes { wire.frames.buffer.append($0) }
            at = end
            take(&wire, isAtEnd: at == stream.endIndex, &lines)
        }
        return lines
    }

    private func take(_ wire: inout PluginWire, isAtEnd: Bool, _ lines: inout [Line]) {
        while let line = wire.next(isAtEnd: isAtEnd) {
            switch line {
            case .answer(let number, let result, let error):
                lines.append(.answer(number, result: result.map(Array.init), error: error.map(Array.init)))
            case .request(let message, _, let isNotification, _):
                lines.append(.request(Array(message), isNotification: isNotification))
            case .rubbish, .unreadable, .refused: lines.append(.rubbish)
            case .tooLong: lines.append(.tooLong)
            }
        }
        wire.frames.discardTaken()
    }

    /// Checks property 2 for streams without a header block, in which line ends alone separate lines.
    private func compare(_ stream: ArraySlice<UInt8>, _ limit: Int, _ lines: [Line]) throws(Violation) {
        if stream.contains(UInt8(ascii: ":")), String(decoding: stream, as: UTF8.self).lowercased().contains("content-")
        {
            return
        }
        var answers = lines.compactMap { line -> Int? in
            if case .answer(let number, _, _) = line { number } else { nil }
        }[...]
        for line in stream.split(separator: UInt8(ascii: "\n")) where line.count <= limit {
            guard let number = plainAnswer(Array(line)) else { continue }
            // Earlier answers may be unclear, for example with two ids.
            answers = answers.drop { $0 != number }
            try require(answers.popFirst() == number, "the answer to \(number) is not seen as one")
        }
    }

    /// The number of a line that is clearly an answer; nil for all others.
    private func plainAnswer(_ line: [UInt8]) -> Int? {
        guard let value = try? JSONValue.parse(line), let members = value.object,
            Set(members.map(\.name)).count == members.count, value["method"] == nil,
            case .number(let text)? = value["id"], let number = Int(text), String(number) == text,
            (value["result"] == nil) != (value["error"] == nil)
        else { return nil }
        return number
    }
}
