/// The records of a CSV file: RFC 4180, and forms that programs really write: CR LF, LF or CR, a byte order mark, other
/// separators, a quoted cell with more text behind it, `\"` for a quote inside of a cell (MySQL, Spark).
struct CSVRecords {
    /// The most cells: a table of moods has fewer, and shorter ones.
    static let cellsMax = 256
    static let recordBytesMax = 8 << 20

    struct Record {
        /// The line where the record begins, from 1.
        var line: Int
        var cells: [[UInt8]]
        /// The bytes of the record.
        var bytes: ArraySlice<UInt8>
        /// The reason why it is not a record.
        var fault: String?
        /// Whether there was text behind the quotes of a cell.
        var hasMore = false
    }

    private var pieces: FilePieces
    /// The bytes taken from the file that are not read yet.
    private var bytes: [UInt8]
    private var place = 0
    let separator: UInt8
    private var line = 1
    /// Whether the last quoted cell was not closed, and whether there was text behind its quotes.
    private var (isOpen, hasMore) = (false, false)
    /// Whether a backslash escapes a quote in the present record, and whether that is worth a try in the next one.
    private var (hasEscapes, mayHaveEscapes) = (false, true)
    /// The number of bytes read.
    var at: Int { pieces.end - (bytes.count - place) }

    init(_ file: ImportBytes) {
        pieces = FilePieces(file)
        bytes = pieces.first()
        if let told = Self.toldSeparator(of: bytes[...]) {
            separator = told
            while place < bytes.count, bytes[place] != 10, bytes[place] != 13 { place += 1 }
        } else {
            separator = Self.separator(of: bytes[...])
        }
    }

    /// The separator in a first line `sep=;`, which Excel writes and reads.
    private static func toldSeparator(of bytes: ArraySlice<UInt8>) -> UInt8? {
        let line = bytes.prefix(8).prefix { $0 != 10 && $0 != 13 }.filter { $0 != UInt8(ascii: "\"") }
        guard line.count == 5, line.starts(with: "sep=".utf8) else { return nil }
        return line[4]
    }

    /// Whether it is a table: more than one column, and as many cells in each row as in the first.
    var isTable: Bool {
        var rest = self
        guard let header = rest.next(), header.fault == nil, header.cells.count > 1,
            header.cells.allSatisfy({ $0.count <= 80 })
        else { return false }
        var hasRow = false
        while let record = rest.next() {
            guard record.fault == nil, record.cells.count == header.cells.count else { return false }
            hasRow = true
        }
        return hasRow
    }

    /// The most frequent separator in the first line, outside of quotes.
    private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
        var counts: [(UInt8, Int)] = [(UInt8(ascii: ","), 0), (UInt8(ascii: ";"), 0), (UInt8(ascii: "\t"), 0)]
        var isQuoted = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 10 || byte == 13 { break }
            for place in counts.indices where counts[place].0 == byte { counts[place].1 += 1 }
        }
        return counts.max { $0.1 < $1.1 }.flatMap { $0.1 > 0 ? $0.0 : nil } ?? UInt8(ascii: ",")
    }

    /// The next record that has anything in it; nil at the end. Spreadsheets write rows of empty cells.
    mutating func next() -> Record? {
        while let record = nextWithBlanks() {
            let isBlank = record.fault == nil && record.cells.allSatisfy { $0.allSatisfy { $0 == 32 || $0 == 9 } }
            if !isBlank { return record }
        }
        return nil
    }

    private mutating func nextWithBlanks() -> Record? {
        while true {
            let (start, startLine) = (place, line)
            let record = escaped(nextInPiece(), from: start, startLine)
            // At the end of a piece the record may continue.
            if place < bytes.count || pieces.isAtEnd { return record }
            (place, line) = (0, startLine)
            pieces.append(to: &bytes, keeping: start)
        }
    }

    /// Reads a record again with `\"` for a quote if it is no record of RFC 4180, where `"C:\"` is a whole cell.
    private mutating func escaped(_ record: Record?, from start: Int, _ startLine: Int) -> Record? {
        guard let record, mayHaveEscapes, record.fault != nil || record.hasMore,
            zip(record.bytes, record.bytes.dropFirst()).contains(where: { $0 == 92 && $1 == 34 })
        else { return record }
        let (end, endLine) = (place, line)
        (place, line, hasEscapes) = (start, startLine, true)
        defer { hasEscapes = false }
        let other = nextInPiece()
        mayHaveEscapes = other?.fault == nil
        if mayHaveEscapes, other?.hasMore == false { return other }
        (place, line) = (end, endLine)
        return record
    }

    private mutating func nextInPiece() -> Record? {
        while place < bytes.count, bytes[place] == 10 || bytes[place] == 13 { endLine() }
        guard place < bytes.count else { return nil }
        let start = place
        var record = Record(line: line, cells: [], bytes: bytes[start..<start])
        while true {
            let isQuoted = place < bytes.count && bytes[place] == UInt8(ascii: "\"")
            hasMore = false
            let cell = isQuoted ? quoted() : spacedQuoted() ?? plain()
            record.hasMore = record.hasMore || hasMore
            if record.cells.count < Self.cellsMax {
                record.cells.append(cell)
            } else if record.fault == nil {
                record.fault = "has more than \(Self.cellsMax) cells"
            }
            if isOpen, hasMore || pieces.isAtEnd {
                // Only this line is lost: the next one is read as a row.
                record.fault = "has a quote that is not closed: write \"\" for a quote inside of a cell, or close it"
                (place, line) = (start, record.line)
                while place < bytes.count, bytes[place] != 10, bytes[place] != 13 { place += 1 }
                break
            }
            guard place < bytes.count, bytes[place] == separator else { break }
            place += 1
        }
        isOpen = false
        record.bytes = bytes[start..<place]
        if record.bytes.count > Self.recordBytesMax { record.fault = "is longer than any mood" }
        if place < bytes.count { endLine() }
        return record
    }

    private mutating func endLine() {
        if bytes[place] == 13, place + 1 < bytes.count, bytes[place + 1] == 10 { place += 1 }
        place += 1
        line += 1
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == separator || byte == 10 || byte == 13 }

    private mutating func plain() -> [UInt8] {
        let start = place
        while place < bytes.count, !isEnd(bytes[place]) { place += 1 }
        return Array(bytes[start..<place])
    }

    /// A quoted cell with spaces around its quotes, as some programs write after a comma; nil if it is none.
    private mutating func spacedQuoted() -> [UInt8]? {
        guard place < bytes.count, bytes[place] == 32 else { return nil }
        let (start, startLine) = (place, line)
        while place < bytes.count, bytes[place] == 32 { place += 1 }
        if place < bytes.count, bytes[place] == UInt8(ascii: "\"") {
            let cell = quoted()
            if !isOpen, place == bytes.count || isEnd(bytes[place]), !hasMore { return cell }
            // The quote may be closed in the next piece.
            if isOpen, place == bytes.count, !pieces.isAtEnd { return cell }
        }
        (place, line, isOpen) = (start, startLine, false)
        return nil
    }

    private mutating func quoted() -> [UInt8] {
        var cell: [UInt8] = []
        let startLine = line
        (isOpen, hasMore) = (false, false)
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if hasEscapes, byte == 92, place < bytes.count, bytes[place] == 34 || bytes[place] == 92 {
                cell.append(bytes[place])
                place += 1
                continue
            }
            if byte == UInt8(ascii: "\"") {
                guard place < bytes.count, bytes[place] == byte else {
                    let more = plain()
                    hasMore = more.contains { $0 != 32 }
                    // Text behind a quote that closes on another line: this quote begins a later cell.
                    isOpen = hasMore && line > startLine
                    return hasMore ? cell + more : cell
                }
                place += 1
            } else if byte == 10 || byte == 13 && !(place < bytes.count && bytes[place] == 10) {
                line += 1
            }
            cell.append(byte)
        }
        isOpen = true
        return cell
    }
}

extension [UInt8] {
    /// The bytes as a cell of a CSV file, quoted if necessary.
    var csvCell: [UInt8] {
        let isPlain = allSatisfy { $0 != 34 && $0 != 44 && $0 != 10 && $0 != 13 } && first != 32 && last != 32
        if isPlain { return self }
        var cell: [UInt8] = [34]
        for byte in self {
            if byte == 34 { cell.append(34) }
            cell.append(byte)
        }
        cell.append(34)
        return cell
    }
}
