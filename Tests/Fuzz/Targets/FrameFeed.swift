import JSONCodec
import JSONRPC

/// Gives a stream to a `FrameReader` in pieces and collects the frames, like a connection's loop.
public struct FrameFeed: ~Copyable {
    private let messageBytesMax: Int
    private var reader: FrameReader
    public private(set) var frames: [PlainFrame] = []
    /// The most bytes in the buffer after frames were taken and freed.
    public private(set) var heldBytesMax = 0
    public private(set) var capacityMax = 0

    public init(messageBytesMax: Int) {
        self.messageBytesMax = messageBytesMax
        reader = FrameReader(messageBytesMax: messageBytesMax)
    }

    /// Adds a piece of the stream, and takes all frames that it completes.
    public mutating func give(_ piece: ArraySlice<UInt8>) {
        piece.withUnsafeBytes { reader.buffer.append($0) }
        take(isAtEnd: false)
    }

    /// Adds a piece, and takes all frames twice: the second time after going back.
    public mutating func giveTwice(_ piece: ArraySlice<UInt8>) {
        let before = frames
        let mark = reader.mark
        piece.withUnsafeBytes { reader.buffer.append($0) }
        while let frame = reader.next(isAtEnd: false) { frames.append(plain(frame)) }
        reader.rewind(to: mark)
        frames = before
        take(isAtEnd: false)
    }

    /// Ends the stream; `piece` has its last bytes.
    public mutating func end(_ piece: ArraySlice<UInt8> = []) {
        piece.withUnsafeBytes { reader.buffer.append($0) }
        take(isAtEnd: true)
    }

    private mutating func take(isAtEnd: Bool) {
        while let frame = reader.next(isAtEnd: isAtEnd) { frames.append(plain(frame)) }
        capacityMax = max(capacityMax, reader.buffer.capacity)
        reader.discardTaken()
        heldBytesMax = max(heldBytesMax, reader.buffer.count)
    }

    private func plain(_ frame: FrameReader.Frame) -> PlainFrame {
        switch frame {
        case .message(let range, .line): .line(Array(reader.buffer.bytes[range]))
        case .message(let range, .header): .body(Array(reader.buffer.bytes[range]))
        case .fault(.tooLarge, .line): .lineTooLarge
        case .fault(.tooLarge, .header): .bodyTooLarge
        case .fault(.headerTooLarge, _): .headerTooLarge
        case .fault(.brokenHeader, _): .brokenHeader
        case .fault(.noLength, _): .noLength
        case .fault(.cutShort, _): .cutShort
        }
    }
}
