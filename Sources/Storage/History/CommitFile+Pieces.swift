import JSONCodec
import Platform

extension CommitFile {
    /// About so long is a piece, in bytes.
    private static let pieceBytes = 1 << 20

    /// Hands over the commit in pieces, each of which is a line of that commit with some of its records; one of them is in memory.
    /// What comes before the records is in the first piece, what comes after them in the last, so `created` has no places there.
    /// - Throws: `corrupt` where the file is not as it was written; what was handed over is not to be used then.
    static func forEachPiece(
        _ revision: Int, _ files: borrowing StoreFiles, _ body: (JournalLine) throws(StorageError) -> Void
    ) throws(StorageError) {
        let name = name(revision)
        let file: File
        do throws(SystemError) {
            guard try files.place.hasHistory() else { return }
            file = try files.place.open(name, .read)
        } catch {
            if error.code == ENOENT { return }
            throw .reading(error, name)
        }
        var lines = LineReader(file.descriptor, from: 0, in: files.settings.fileSystem)
        var piece = ByteBuffer(capacity: pieceBytes + 4096)
        var checksum: UInt32 = 0
        var (isFirst, isWhole) = (true, false)
        while let line = try next(&lines, name) {
            // So long is what comes after the records where very many were removed.
            if line.isOverlong {
                return try withLine(revision, files) { (line, _, _) throws(StorageError) in try body(line) }
            }
            guard !isWhole, line.isTerminated else { throw damaged(name) }
            if isFirst ? line.bytes.ends(with: "\"put\":[") : line.bytes.first == UInt8(ascii: "{") {
                let text = UnsafeRawBufferPointer(start: line.bytes.baseAddress, count: line.bytes.count + 1)
                checksum = CRC32C.checksum(text, seed: checksum)
                if !isFirst, piece.count > pieceBytes { try cut(&piece, name, revision, body) }
                piece.append(line.bytes)
            } else {
                try end(&piece, with: line.bytes, checksum, name, revision, body)
                isWhole = true
            }
            isFirst = false
        }
        guard isWhole else { throw damaged(name) }
    }

    private static func next(_ lines: inout LineReader, _ name: String) throws(StorageError) -> LineReader.Line? {
        do throws(SystemError) { return try lines.next() } catch { throw .reading(error, name, at: lines.offset) }
    }

    /// Hands over a piece that ends with a record and a comma, and begins the next one.
    private static func cut(
        _ piece: inout ByteBuffer, _ name: String, _ revision: Int, _ body: (JournalLine) throws(StorageError) -> Void
    ) throws(StorageError) {
        piece.truncate(to: piece.count - 1)
        piece.append("],")
        var opening = ByteBuffer(capacity: 128)
        try hand(piece, name, revision) { (line) throws(StorageError) in
            opening.append("{\"seq\":")
            opening.append(integer: line.seq)
            opening.append(",\"at\":\"")
            opening.append(line.time)
            opening.append("\",\"durable\":")
            opening.append(integer: line.durable)
            opening.append(",\"put\":[")
            try body(line)
        }
        piece.truncate(to: 0)
        piece.append(opening.bytes)
    }

    private static func end(
        _ piece: inout ByteBuffer, with last: UnsafeRawBufferPointer, _ checksum: UInt32, _ name: String,
        _ revision: Int, _ body: (JournalLine) throws(StorageError) -> Void
    ) throws(StorageError) {
        let count = last.count - Seal.byteCount
        guard count > 0 else { throw damaged(name) }
        let content = UnsafeRawBufferPointer(rebasing: last[..<count])
        let seal = UnsafeRawBufferPointer(rebasing: last[count...])
        guard Seal.matches(seal, CRC32C.checksum(content, seed: checksum)) else { throw damaged(name) }
        piece.append(content)
        try hand(piece, name, revision, body)
    }

    private static func hand(
        _ piece: borrowing ByteBuffer, _ name: String, _ revision: Int,
        _ body: (JournalLine) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let line = JournalLine(content: piece.bytes), line.seq == revision else { throw damaged(name) }
        try body(line)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length, let start = baseAddress else { return false }
        return memcmp(start + count - length, text.utf8Start, length) == 0
    }
}
