import JSONCodec
import JSONRPC
import Seeds

/// Properties for any bytes of a connection.
///
/// 1. The frames are those of `PlainFrame.read`, whatever the pieces: nothing is lost after a fault, nothing is
///    doubled; going back to a mark gives equal frames again.
/// 2. Nothing is kept of a message over the limit.
/// 3. A message has the envelope of `PlainEnvelope`, or an equal fault; and the answer to it is JSON with the id of the
///    request.
///
/// The input's first byte chooses the limit, its second the cuts, the rest is the stream. If the second is 0xf0 or
/// more, 0xff and a number repeat the byte before them, 64 times the number (up to 144), so that short inputs reach the
/// limits too, but long streams do not take most of the time.
public struct FrameTarget: ~Copyable {
    private var validator = JSONValidator(depthLimit: 64)
    private var answer = JSONWriter()

    public init() {}

    public mutating func check(_ input: [UInt8]) throws(Violation) {
        guard input.count >= 2 else { return }
        let messageBytesMax = input[0] < 128 ? Int(input[0]) : Int(input[0] - 127) * 127
        let stream = input[1] < 0xf0 ? Array(input[2...]) : Self.expand(input[2...])
        let expected = PlainFrame.read(stream, messageBytesMax: messageBytesMax)

        var whole = FrameFeed(messageBytesMax: messageBytesMax)
        whole.end(stream[...])
        try compare(whole.frames, expected, "at once")
        try pieces(stream, expected, messageBytesMax, largest: 1, seed: UInt64(input[1]))
        try pieces(stream, expected, messageBytesMax, largest: 2 + Int(input[1] & 63), seed: UInt64(input[1]))
        try pieces(stream, expected, messageBytesMax, largest: stream.count + 1, seed: UInt64(input[1]))
        for frame in expected {
            switch frame {
            case .line(let bytes), .body(let bytes): try envelope(bytes)
            default: break
            }
        }
    }

    private static func expand(_ input: ArraySlice<UInt8>) -> [UInt8] {
        var stream: [UInt8] = []
        var at = input.startIndex
        while at < input.endIndex {
            if input[at] == 0xff, at + 1 < input.endIndex, let last = stream.last, stream.count < 10 * 1024 {
                stream += [UInt8](repeating: last, count: 64 * min(Int(input[at + 1]), 144))
                at += 2
            } else {
                stream.append(input[at])
                at += 1
            }
        }
        return stream
    }

    private func pieces(
        _ stream: [UInt8], _ expected: [PlainFrame], _ messageBytesMax: Int, largest: Int, seed: UInt64
    ) throws(Violation) {
        // A long stream byte by byte costs the most and shows the least.
        if largest == 1, stream.count > 2048 { return }
        var random = SeededRandom(seed: seed)
        var feed = FrameFeed(messageBytesMax: messageBytesMax)
        var at = 0
        while at < stream.count {
            let end = min(stream.count, at + 1 + random.below(largest))
            if random.below(8) == 0 { feed.giveTwice(stream[at..<end]) } else { feed.give(stream[at..<end]) }
            at = end
        }
        feed.end()
        try compare(feed.frames, expected, "in pieces of up to \(largest)")
        let bound = max(messageBytesMax + 1, PlainFrame.headerBytesMax)
        try require(feed.heldBytesMax <= bound, "\(feed.heldBytesMax) bytes held at a limit of \(messageBytesMax)")
        let room = 2 * (bound + largest)
        try require(feed.capacityMax <= max(room, 4096), "\(feed.capacityMax) bytes of memory in use")
    }

    private func compare(_ frames: [PlainFrame], _ expected: [PlainFrame], _ manner: String) throws(Violation) {
        try require(frames == expected, "\(manner): \(frames), but it is \(expected)")
    }

    /// Checks property 3.
    private mutating func envelope(_ message: [UInt8]) throws(Violation) {
        let (found, fault, idBytes): (PlainEnvelope?, JSONError?, Int) = message.withUnsafeBytes { bytes in
            guard let envelope = Envelope.read(bytes, &validator) else { return (nil, validator.fault(of: bytes), 0) }
            answer.rewind(to: 0)
            answer.errorResponse(id: envelope.id, envelope.fault ?? RPCError(.internalError, "none"))
            return (PlainEnvelope(envelope, &validator), nil, envelope.id?.count ?? 0)
        }
        switch PlainEnvelope.read(message, &validator) {
        case .success(let plain):
            try require(found == plain, "\(String(describing: found)), but it is \(String(describing: plain))")
        case .failure(let error):
            try require(fault == error, "\(String(describing: fault)), but it is \(error)")
        }
        guard found != nil else { return }
        try require(idBytes <= Envelope.idBytesMax * 6 + 2, "an id of \(idBytes) bytes")
        try require(validator.accepts(answer.buffer.bytes), "the answer is not JSON")
    }
}
