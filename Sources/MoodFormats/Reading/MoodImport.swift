import JSONCodec
import MoodCore

/// The formats for import, each with its reader. A new one is a case, a row in `reader(of:)` and a file.
public enum ImportFormat: String, Sendable, CaseIterable {
    case jsonl, csv, daylio, jrnl, dayone, pixels, ics

    /// The extensions of files that programs write in these formats.
    public static let fileExtensions: Set<String> = ["jsonl", "json", "csv", "tsv", "txt", "ics"]

    func reader(of file: ImportBytes) -> any ImportReader.Type {
        switch self {
        case .jsonl: JSONLinesImport.self
        case .csv: CSVImport.self
        case .daylio: DaylioImport.self
        case .jrnl: FormatDetection.isJSON(file) ? JrnlImport.self : JrnlTextImport.self
        case .dayone: DayOneImport.self
        case .pixels: PixelsImport.self
        case .ics: CalendarImport.self
        }
    }
}

/// A reader of one format.
protocol ImportReader {
    /// Whether a file that begins so is of this format. `FormatDetection` knows those that share a beginning with others.
    /// - Parameter head: without the white space before it.
    static func isStart(_ head: ArraySlice<UInt8>) -> Bool
    /// Whether its dates may have two readings.
    static var hasDatesOfManyForms: Bool { get }

    /// - Throws: if the file is none of this format.
    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile)

    /// The next mood or problem; nil at the end.
    mutating func next() -> ImportItem?
    /// The number of bytes read.
    var at: Int { get }
    var rows: RowReading { get }
    /// The reason to take nothing of a file that was read to its end.
    var refusal: UnreadableFile? { get }
}

extension ImportReader {
    static func isStart(_ head: ArraySlice<UInt8>) -> Bool { false }
    static var hasDatesOfManyForms: Bool { false }
    var refusal: UnreadableFile? { nil }
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
    private let refused: () -> UnreadableFile?

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
        let reader = format.reader(of: file)
        if options.dateFormat != nil, !reader.hasDatesOfManyForms {
            throw UnreadableFile(
                "cannot be given: dates in \(format.rawValue) have one form only", param: "dateFormat")
        }
        self.init(try reader.init(file, options))
    }

    private init(_ reader: some ImportReader) {
        var reader = reader
        read = { reader.next() }
        place = { reader.at }
        refused = {
            reader.refusal
                ?? reader.rows.mapped.unused.map {
                    UnreadableFile("names \"\($0.prefix(64))\", which is nowhere in the file", param: "map")
                }
        }
    }

    /// The format of a file, from its beginning.
    /// - Throws: if the format is not supported.
    public static func format(of file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) -> ImportFormat {
        try FormatDetection.format(of: file, options)
    }

    /// The next item of the file; nil at its end.
    public func next() -> ImportItem? { read() }

    /// The number of bytes read.
    public var bytesRead: Int { place() }

    /// The reason to take nothing, once the file was read to its end: the map names what is nowhere, or numbers are of
    /// an unknown scale.
    public var refusal: UnreadableFile? { refused() }
}

/// Text in UTF-16, which spreadsheets save as "Unicode text".
enum UTF16Text {
    /// The text in UTF-8; nil if the bytes do not begin with a mark of UTF-16.
    static func utf8(of file: ImportBytes) -> [UInt8]? {
        let mark = file.bytes(0..<2)
        let isLittle = mark == [0xFF, 0xFE]
        let isUTF32 = isLittle && file.bytes(2..<4) == [0, 0]
        guard isLittle && !isUTF32 || mark == [0xFE, 0xFF] else { return nil }
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
