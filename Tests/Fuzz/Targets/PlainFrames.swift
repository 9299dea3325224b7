/// The framing of a complete stream in the simplest form, for comparison with `FrameReader`, whatever pieces that gets.
public enum PlainFrame: Equatable, Sendable, CustomStringConvertible {
    case line([UInt8])
    case body([UInt8])
    case lineTooLarge
    case bodyTooLarge
    case headerTooLarge
    case brokenHeader
    case noLength
    case cutShort

    public var description: String {
        switch self {
        case .line(let bytes): "line(\(String(decoding: bytes, as: UTF8.self).debugDescription))"
        case .body(let bytes): "body(\(String(decoding: bytes, as: UTF8.self).debugDescription))"
        case .lineTooLarge: "lineTooLarge"
        case .bodyTooLarge: "bodyTooLarge"
        case .headerTooLarge: "headerTooLarge"
        case .brokenHeader: "brokenHeader"
        case .noLength: "noLength"
        case .cutShort: "cutShort"
        }
    }

    /// The longest header block.
    public static let headerBytesMax = 8192

    /// All frames of a stream.
    public static func read(_ stream: [UInt8], messageBytesMax: Int) -> [PlainFrame] {
        var frames: [PlainFrame] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0a }
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
                rest = rest.dropFirst(line.count + 1)
            } else if isHeader(rest) {
                frames.append(takeBlock(&rest, messageBytesMax))
            } else {
                let text = line.last == 0x0d ? line.dropLast() : line
                frames.append(text.count > messageBytesMax ? .lineTooLarge : .line(Array(text)))
                rest = rest.dropFirst(line.count + 1)
            }
        }
        return frames
    }

    private static func isHeader(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.prefix(8).map(lowerCase) == Array("content-".utf8)
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte }

    /// A line of a block, and the beginning of the next one.
    private struct Line {
        let text: [UInt8]
        let next: Int
        let isMessage: Bool
    }

    private static func takeBlock(_ rest: inout ArraySlice<UInt8>, _ messageBytesMax: Int) -> PlainFrame {
        let start = rest.startIndex
        var at = start
        var lines: [[UInt8]] = []
        // Past the limit, only search for the end of the block.
        var known: [[UInt8]]?
        while let line = line(rest, at) {
            if line.isMessage, at > start {
                rest = rest[at...]
                return known == nil ? .brokenHeader : .headerTooLarge
            }
            if line.next - start > headerBytesMax, known == nil { known = lines }
            at = line.next
            if line.text.isEmpty {
                rest = rest[at...]
                return takeBody(&rest, lines, known, messageBytesMax)
            }
            lines.append(line.text)
        }
        if at > start, at < rest.endIndex, rest[at] == 0x7b || rest[at] == 0x5b {
            rest = rest[at...]
            return known == nil ? .brokenHeader : .headerTooLarge
        }
        let isLong = rest.count > headerBytesMax
        rest = []
        return isLong ? .headerTooLarge : .cutShort
    }

    private static func takeBody(
        _ rest: inout ArraySlice<UInt8>, _ lines: [[UInt8]], _ known: [[UInt8]]?, _ messageBytesMax: Int
    ) -> PlainFrame {
        let length = length(known ?? lines)
        let body = rest.prefix(length ?? 0)
        rest = rest.dropFirst(length ?? 0)
        if known != nil { return .headerTooLarge }
        if !lines.allSatisfy({ $0.dropFirst().contains(0x3a) }) { return .brokenHeader }
        guard let length else { return .noLength }
        if length > messageBytesMax { return .bodyTooLarge }
        return body.count == length ? .body(Array(body)) : .cutShort
    }

    private static func line(_ rest: ArraySlice<UInt8>, _ at: Int) -> Line? {
        guard let end = rest[at...].firstIndex(of: 0x0a) else { return nil }
        var text = rest[at..<end]
        while text.last == 0x0d { text.removeLast() }
        return Line(text: Array(text), next: end + 1, isMessage: rest[at] == 0x7b || rest[at] == 0x5b)
    }

    private static func length(_ lines: [[UInt8]]) -> Int? {
        var lengths: [Int?] = []
        for line in lines {
            guard let colon = line.firstIndex(of: 0x3a) else { continue }
            guard line[..<colon].map(lowerCase) == Array("content-length".utf8) else { continue }
            let blanks: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            let value = Array(line[(colon + 1)...].drop(while: blanks).reversed().drop(while: blanks).reversed())
            let isPlain = !value.isEmpty && value.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            lengths.append(isPlain ? Int(String(decoding: value, as: UTF8.self)) ?? .max : nil)
        }
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
