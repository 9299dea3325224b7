/// The bytes of a file that is read from its beginning to its end.
public struct ImportBytes: Sendable {
    public let count: Int
    private let read: @Sendable (_ range: Range<Int>) -> [UInt8]

    /// All of them.
    public init(_ bytes: [UInt8]) {
        count = bytes.count
        read = { Array(bytes[$0]) }
    }

    /// - Parameter read: gives these bytes; fewer where the file has become shorter or cannot be read, which its caller has to see.
    public init(count: Int, read: @escaping @Sendable (_ range: Range<Int>) -> [UInt8]) {
        self.count = count
        self.read = read
    }

    func bytes(_ range: Range<Int>) -> [UInt8] { read(range.clamped(to: 0..<count)) }

    public var whole: [UInt8] { bytes(0..<count) }
}

/// Takes a file piece by piece, so that memory does not grow with it.
struct FilePieces {
    static let pieceBytes = 1 << 20

    private let file: ImportBytes
    /// How far the file was taken.
    private(set) var end = 0
    /// Whether that is all of it.
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

    /// Takes the next piece behind the rest of what was taken before; as much as that rest, where it is longer than a piece.
    mutating func append(to bytes: inout [UInt8], keeping place: Int) {
        bytes.removeFirst(place)
        bytes += next(max(Self.pieceBytes, bytes.count))
    }
}

/// The lines of a file, without their ends.
struct FileLines {
    private var pieces: FilePieces
    private var bytes: [UInt8]
    private var place = 0
    /// How far the file has been read.
    var at: Int { pieces.end - (bytes.count - place) }

    init(_ file: ImportBytes) {
        pieces = FilePieces(file)
        bytes = pieces.first()
    }

    /// The byte that comes next; nil at the end.
    var first: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// The beginning of what comes next, as far as it was taken.
    var head: ArraySlice<UInt8> { bytes[place...] }

    mutating func next() -> [UInt8]? {
        while true {
            var end = place
            while end < bytes.count, bytes[end] != 10 { end += 1 }
            // The next byte must be there too, for whoever asks how the next line begins.
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

    /// Passes over the next byte.
    mutating func skip() { place = min(place + 1, bytes.count) }
}
