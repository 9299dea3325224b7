import JSONCodec
import Platform

/// A conversation with a host as a text: a transcript as in Tests/Conformance, with bytes instead of patterns.
///
///     @start --in-memory --test-clock 2026-01-02T03:04:05.678Z --test-seed 1
///     --> {"jsonrpc":"2.0","id":1,"method":"host.ping"}
///     <-- {"jsonrpc":"2.0","id":1,"result":{}}
///
/// `-->` and `<--` are lines, sent and received. `-->hex` and `<--hex` are other bytes, two digits each.
struct RecordedConversation {
    enum Side: String { case sent = "-->", received = "<--" }

    struct Piece {
        let side: Side
        let bytes: [UInt8]
        /// The line in the text, from 1.
        let line: Int
    }

    /// The host's command line.
    var arguments: [String] = []
    private(set) var pieces: [Piece] = []
    /// The text since the last `take`, and the unfinished line of each side.
    private var text: [UInt8] = []
    private var unended: [Side: [UInt8]] = [:]

    /// Begins a recording.
    init(arguments: [String]) {
        self.arguments = arguments
        text = Array("@start \(arguments.joined(separator: " "))\n".utf8)
    }

    // MARK: Writing

    mutating func add(_ bytes: some Sequence<UInt8>, _ side: Side) {
        var rest = unended.removeValue(forKey: side) ?? []
        for byte in bytes {
            rest.append(byte)
            guard byte == 0x0a else { continue }
            write(rest, side)
            rest.removeAll(keepingCapacity: true)
        }
        unended[side] = rest
    }

    /// Writes the unfinished line of a side, of which no more will come.
    mutating func end(_ side: Side) {
        if let rest = unended.removeValue(forKey: side), !rest.isEmpty { write(rest, side) }
    }

    /// The text that was added since the last call.
    /// - Parameter isAtEnd: whether to write unfinished lines too.
    mutating func take(isAtEnd: Bool) -> [UInt8] {
        if isAtEnd { for side in [Side.sent, .received] { end(side) } }
        defer { text.removeAll(keepingCapacity: true) }
        return text
    }

    private mutating func write(_ bytes: [UInt8], _ side: Side) {
        text += side.rawValue.utf8
        if bytes.last == 0x0a, String(validating: bytes, as: UTF8.self) != nil, bytes.dropLast().last != 0x0d {
            text += [0x20] + bytes
        } else {
            let digits = Array("0123456789abcdef".utf8)
            text += "hex ".utf8
            for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            text.append(0x0a)
        }
    }

    // MARK: Reading

    /// - Throws: the number of the first line that is no step of a recording.
    init(reading text: [UInt8]) throws(BadLine) {
        var number = 0
        for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let (marker, rest) = Self.split(line)
            switch marker {
            case "@start": arguments = String(decoding: rest, as: UTF8.self).split(separator: " ").map(String.init)
            case "-->", "<--":
                let side: Side = marker == "-->" ? .sent : .received
                pieces.append(Piece(side: side, bytes: rest + [0x0a], line: number))
            case "-->hex", "<--hex":
                guard let bytes = Self.bytes(rest) else { throw BadLine(number: number) }
                pieces.append(Piece(side: marker == "-->hex" ? .sent : .received, bytes: bytes, line: number))
            default: throw BadLine(number: number)
            }
        }
    }

    struct BadLine: Error { let number: Int }

    private static func split(_ line: ArraySlice<UInt8>) -> (marker: String, rest: [UInt8]) {
        let end = line.firstIndex(of: 0x20) ?? line.endIndex
        return (String(decoding: line[..<end], as: UTF8.self), Array(line[end...].dropFirst()))
    }

    private static func bytes(_ digits: [UInt8]) -> [UInt8]? {
        let digits = digits.filter { $0 != 0x20 }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
