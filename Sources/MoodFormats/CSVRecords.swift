/// The records of a CSV file. RFC 4180, with what programs really write: CR LF, LF or CR, a byte order mark, other
/// separators, a quoted cell that is followed by something else.
struct CSVRecords {
    /// More cells, or a longer one, are no table of moods.
    static let cellsMax = 256
    static let recordBytesMax = 8 << 20

    struct Record {
        /// Where it begins, from 1.
        var line: Int
        var cells: [[UInt8]]
        /// What stands there.
        var bytes: ArraySlice<UInt8>
        /// Why it is none.
        var fault: String?
    }

    private let bytes: [UInt8]
    let separator: UInt8
    private(set) var at: Int
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        separator = Self.separator(of: bytes[at...])
    }

    /// The one that is most frequent in the first line, outside of quotes.
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

    /// The next record that is not an empty line; nil at the end.
    mutating func next() -> Record? {
        while at < bytes.count, bytes[at] == 10 || bytes[at] == 13 { endLine() }
        guard at < bytes.count else { return nil }
        let start = at
        var record = Record(line: line, cells: [], bytes: bytes[start..<start])
        while true {
            let isQuoted = at < bytes.count && bytes[at] == UInt8(ascii: "\"")
            let cell = isQuoted ? quoted(&record) : plain()
            if record.cells.count < Self.cellsMax {
                record.cells.append(cell)
            } else if record.fault == nil {
                record.fault = "has more than \(Self.cellsMax) cells"
            }
            guard at < bytes.count, bytes[at] == separator else { break }
            at += 1
        }
        record.bytes = bytes[start..<at]
        if record.bytes.count > Self.recordBytesMax { record.fault = "is longer than any mood" }
        if at < bytes.count { endLine() }
        return record
    }

    private mutating func endLine() {
        if bytes[at] == 13, at + 1 < bytes.count, bytes[at + 1] == 10 { at += 1 }
        at += 1
        line += 1
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == separator || byte == 10 || byte == 13 }

    private mutating func plain() -> [UInt8] {
        let start = at
        while at < bytes.count, !isEnd(bytes[at]) { at += 1 }
        return Array(bytes[start..<at])
    }

    private mutating func quoted(_ record: inout Record) -> [UInt8] {
        var cell: [UInt8] = []
        at += 1
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") {
                guard at < bytes.count, bytes[at] == byte else { return cell + plain() }
                at += 1
            } else if byte == 10 || byte == 13 && !(at < bytes.count && bytes[at] == 10) {
                line += 1
            }
            cell.append(byte)
        }
        record.fault = "has a quote that is never closed"
        return cell
    }
}

extension [UInt8] {
    /// A cell of a CSV file: quoted where it has to be.
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
