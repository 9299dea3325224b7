/// The framing once more, for a stream that is there whole: what `FrameReader` is compared with, however it was fed.
public enum PlainFrame: Equatable, Sendable, CustomStringConvertible {
    case line([UInt8])
    case body([UInt8])
    case lineTooLarge
    case bodyTooLarge
    case headerTooLarge
    case noLength
    case cutShort

    public var description: String {
        switch self {
        case .line(let bytes): "line(\(String(decoding: bytes, as: UTF8.self).debugDescription))"
        case .body(let bytes): "body(\(String(decoding: bytes, as: UTF8.self).debugDescription))"
        case .lineTooLarge: "lineTooLarge"
        case .bodyTooLarge: "bodyTooLarge"
        case .headerTooLarge: "headerTooLarge"
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

    private static func takeBlock(_ rest: inout ArraySlice<UInt8>, _ messageBytesMax: Int) -> PlainFrame {
        guard let block = blockBytes(rest) else {
            let isLong = rest.count > headerBytesMax
            rest = []
            return isLong ? .headerTooLarge : .cutShort
        }
        let head = rest.prefix(block)
        rest = rest.dropFirst(block)
        if block > headerBytesMax { return .headerTooLarge }
        guard let length = length(Array(head)) else { return .noLength }
        let body = rest.prefix(length)
        rest = rest.dropFirst(length)
        if length > messageBytesMax { return .bodyTooLarge }
        return body.count == length ? .body(Array(body)) : .cutShort
    }

    /// The length of a header block with its empty line.
    private static func blockBytes(_ rest: ArraySlice<UInt8>) -> Int? {
        let end: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]
        var at = rest.startIndex
        while at + 4 <= rest.endIndex {
            if rest[at] == 0x0d, Array(rest[at..<at + 4]) == end { return at + 4 - rest.startIndex }
            at += 1
        }
        return nil
    }

    private static func length(_ block: [UInt8]) -> Int? {
        var lines: [[UInt8]] = [[]]
        var at = 0
        while at < block.count {
            if block[at] == 0x0d, at + 1 < block.count, block[at + 1] == 0x0a {
                lines.append([])
                at += 2
            } else {
                lines[lines.count - 1].append(block[at])
                at += 1
            }
        }
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
