import JSONCodec
import Platform

/// A copy of a store, as 'mood backup' writes it. The first line names its store and revision; the last one has a
/// checksum of every byte before it.
struct BackupFile {
    /// The name of the file.
    let name: String
    let storeID: String
    /// The revision of the last commit in it.
    let revision: Int
    /// The time at which it was made, in RFC 3339.
    let time: String

    private static let format = "moodboard-backup"
    private static let endFormat = "moodboard-backup-end"
    /// The longest last line.
    private static let endBytesMax = 512
    /// The longest first line.
    private static let headBytesMax = 16 << 20
    private static let chunkBytes = 1 << 20

    /// Reads the first line of a file; nil if it is not a copy's, or the file is not regular.
    init?(_ directory: String, _ name: String) throws(SystemError) {
        let path = "\(directory)/\(name)"
        guard try FileSystem.system.statusOfPath(path).kind == .regular else { return nil }
        let file = try File(path, .read, in: .system)
        var line = ByteBuffer(capacity: Self.chunkBytes)
        var end: Int?
        while end == nil, line.count < Self.headBytesMax {
            let start = line.count
            try line.append(upTo: 64 << 10) { (room) throws(SystemError) in try file.read(room, at: start) }
            if line.count == start { return nil }
            end = line.bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        }
        guard let end else { return nil }
        self.init(line: UnsafeRawBufferPointer(rebasing: line.bytes[..<end]), name)
    }

    private init?(line: UnsafeRawBufferPointer, _ name: String) {
        guard let head = try? JSONValue.parse(Array(line)), head["format"]?.string == Self.format,
            Seal.content(of: line) != nil, let storeID = head["storeId"]?.string,
            let revision = head["revision"]?.integer, let time = head["at"]?.string
        else { return nil }
        (self.name, self.storeID, self.revision, self.time) = (name, storeID, revision, time)
    }

    /// Whether a file ends in the last line of a copy. It does not check the bytes.
    static func hasEnd(_ path: String) throws(SystemError) -> Bool {
        let file = try File(path, .read, in: .system)
        return try end(of: file, size: file.status().size) != nil
    }

    /// The last line of a copy: its offset, and the number of moods that it states.
    private static func end(of file: borrowing File, size: Int) throws(SystemError) -> (start: Int, count: Int)? {
        let from = max(size - endBytesMax, 0)
        var tail = ByteBuffer(capacity: endBytesMax)
        try tail.append(upTo: size - from) { (room) throws(SystemError) in try file.read(room, at: from) }
        guard tail.bytes.last == UInt8(ascii: "\n") else { return nil }
        let start = (tail.bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        guard let line = try? JSONValue.parse(Array(tail.bytes[start...])), line["format"]?.string == endFormat,
            let count = line["count"]?.integer
        else { return nil }
        return (from + start, count)
    }

    /// Reads a copy back from the disk and checks it.
    /// - Returns: a clause that says what is wrong with it; nil if it is whole.
    static func problem(_ path: String, moods: Int) throws(SystemError) -> String? {
        let file = try File(path, .read, in: .system)
        let size = try file.status().size
        guard let end = try end(of: file, size: size) else { return "its last line is missing" }
        guard end.count == moods else { return "it counts \(end.count) moods, and \(moods) were written" }
        var checksum: UInt32 = 0
        var at = 0
        var isSealed = false
        while at < size {
            var chunk = ByteBuffer(capacity: chunkBytes)
            // Read the last line in one piece.
            let room = at < end.start ? min(end.start - at, chunkBytes) : size - at
            let place = at
            try chunk.append(upTo: room) { (bytes) throws(SystemError) in try file.read(bytes, at: place) }
            guard chunk.count == room else { return "it became shorter while it was read" }
            if at >= end.start {
                let line = UnsafeRawBufferPointer(rebasing: chunk.bytes.dropLast())
                isSealed = Seal.content(of: line, seed: checksum) != nil
            } else {
                checksum = CRC32C.checksum(chunk.bytes, seed: checksum)
            }
            at += room
        }
        return isSealed ? nil : "its checksum is wrong"
    }
}
