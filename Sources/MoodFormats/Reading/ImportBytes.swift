/// The bytes of a file for reading from beginning to end.
public struct ImportBytes: Sendable {
    public let count: Int
    private let read: @Sendable (_ range: Range<Int>) -> [UInt8]

    /// Takes bytes in memory.
    public init(_ bytes: [UInt8]) {
        count = bytes.count
        read = { Array(bytes[$0]) }
    }

    /// - Parameter read: returns these bytes; fewer if the file became shorter or unreadable, a check for the caller.
    public init(count: Int, read: @escaping @Sendable (_ range: Range<Int>) -> [UInt8]) {
        self.count = count
        self.read = read
    }

    func bytes(_ range: Range<Int>) -> [UInt8] { read(range.clamped(to: 0..<count)) }

    public func head(_ length: Int) -> [UInt8] { bytes(0..<length) }
    public func tail(_ length: Int) -> [UInt8] { bytes(max(count - length, 0)..<count) }
    public var whole: [UInt8] { bytes(0..<count) }
}

/// Reads a file in pieces, so that memory does not grow with it.
struct FilePieces {
    static let pieceBytes = 1 << 20

    private let file: ImportBytes
    /// The number of bytes read.
    private(set) var end = 0
    /// Whether the file is read to its end.
    private(set) var isAtEnd = false

    init(_ file: ImportBytes) { self.file = file }

    /// The first piece, without a byte order mark.
    mutating func first() -> [UInt8] {
        let bytes = next()
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
    }

    private mutating func next(_ count: Int = pieceBytes) -> [UInt8] {
        let bytes = file.bytes(end..<min(end + count, file.count))
        end += bytes.count
        isAtEnd = end >= file.count || bytes.isEmpty
        return bytes
    }

    /// Appends the next piece to the unread rest; one of the rest's length if that is longer than a piece.
    mutating func append(to bytes: inout [UInt8], keeping place: Int) {
        bytes.removeFirst(place)
        bytes += next(max(Self.pieceBytes, bytes.count))
    }
}

/// The lines of a file, without line ends.
struct FileLines {
    private var pieces: FilePieces
    private var bytes: [UInt8]
    private var place = 0
    /// The number of bytes read.
    var at: Int { pieces.end - (bytes.count - place) }

    init(_ file: ImportBytes) {
        pieces = FilePieces(file)
        bytes = pieces.first()
    }

    /// The next byte; nil at the end.
    var first: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// The beginning of the next line, as far as it was read.
    var head: ArraySlice<UInt8> { bytes[place...] }

    mutating func next() -> [UInt8]? {
        while true {
            var end = place
            while end < bytes.count, bytes[end] != 10 { end += 1 }
            // Read one byte further, so that `first` knows how the next line begins.
            if end + 1 >= bytes.count, !pieces.isAtEnd {
                pieces.append(to: &bytes, keeping: place)
                place = 0
                continue
            }
            guard place < bytes.count else { return nil }
            let start = place
            place = min(end + 1, bytes.count)
            if end > start, bytes[end - 1] == 13 { end -= 1 }
            return Array(bytes[start..<end])
        }
    }

    /// Skips the next byte.
    mutating func skip() { place = min(place + 1, bytes.count) }
}
