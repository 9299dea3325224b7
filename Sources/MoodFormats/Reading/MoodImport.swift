import JSONCodec
import MoodCore

/// The formats for import.
public enum ImportFormat: String, Sendable, CaseIterable {
    case jsonl, csv, daylio, jrnl, dayone, pixels, ics
}

/// Reads moods from the text of a file, one after the other.
///
///     let moods = try MoodImport(bytes, as: .csv, options)
///     while let item = moods.next() { … }
///
/// Something unreadable is a problem with its line, and reading continues. It checks only what reading needs: the
/// caller checks the moods.
public struct MoodImport {
    /// The largest file.
    public static let bytesMax = 1 << 30

    /// Closures, so that no reader is copied at each step.
    private let read: () -> ImportItem?
    private let place: () -> Int
    private let unused: () -> String?

    /// Reads text in memory.
    public init(_ bytes: [UInt8], as format: ImportFormat?, _ options: ImportOptions) throws(UnreadableFile) {
        try self.init(ImportBytes(bytes), as: format, options)
    }

    /// - Parameter format: nil finds it from the beginning of the file.
    /// - Throws: if the file is none of this format.
    public init(_ file: ImportBytes, as format: ImportFormat?, _ options: ImportOptions) throws(UnreadableFile) {
        guard file.count <= Self.bytesMax else { throw UnreadableFile("has more than \(Self.bytesMax) bytes") }
        let file = UTF16Text.utf8(of: file).map { ImportBytes($0) } ?? file
        let told = format
        let format: ImportFormat
        if let told { format = told } else { format = try FormatDetection.format(of: file, options) }
        if options.dateFormat != nil, ![.csv, .daylio, .jrnl].contains(format) {
            throw UnreadableFile(
                "is of no use here: dates in \(format.rawValue) can be read in one way only", param: "dateFormat")
        }
        switch format {
        case .jsonl:
            var reader = try JSONLinesImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .csv:
            var reader = try CSVImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .daylio:
            var reader = try DaylioImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .jrnl where FormatDetection.isJSON(file):
            var reader = try JrnlImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .jrnl:
            var reader = try JrnlTextImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .dayone:
            var reader = try DayOneImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .pixels:
            var reader = try PixelsImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        case .ics:
            var reader = try CalendarImport(file, options)
            read = { reader.next() }
            place = { reader.at }
            unused = { reader.unusedName }
        }
    }

    /// The format of a file, from its beginning.
    /// - Throws: if the format is not supported.
    public static func format(of bytes: [UInt8], _ options: ImportOptions) throws(UnreadableFile) -> ImportFormat {
        try FormatDetection.format(of: ImportBytes(bytes), options)
    }

    /// The next item of the file; nil at its end.
    public func next() -> ImportItem? { read() }

    /// The number of bytes read.
    public var bytesRead: Int { place() }

    /// A label of the map that no mood has, once the file was read to its end.
    public var unusedName: String? { unused() }
}

/// Text in UTF-16, which spreadsheets save as "Unicode text".
enum UTF16Text {
    /// The text in UTF-8; nil if the bytes do not begin with a mark of UTF-16.
    static func utf8(of file: ImportBytes) -> [UInt8]? {
        let mark = file.bytes(0..<2)
        let isLittle = mark == [0xFF, 0xFE]
        guard isLittle || mark == [0xFE, 0xFF] else { return nil }
        let bytes = file.whole
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for at in stride(from: 2, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
