import JSONCodec
import MoodCore

/// The formats that can be read.
public enum ImportFormat: String, Sendable, CaseIterable {
    case jsonl, csv, daylio, jrnl, ics

    /// The format of a text, as its beginning tells.
    public init(detecting bytes: [UInt8]) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let head = bytes[start...].drop { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
        if head.first == UInt8(ascii: "{") {
            let line = Array(head.prefix { $0 != 10 && $0 != 13 })
            // A whole object in the first line, and it is no journal of jrnl.
            if let members = JSONValue.members(of: line), !members.contains(where: { $0.name == "entries" }) {
                self = .jsonl
            } else {
                self = Self.mentionsEntries(head) ? .jrnl : .jsonl
            }
        } else if head.prefix(15).map({ $0 | 0x20 }).elementsEqual("begin:vcalendar".utf8.map { $0 | 0x20 }) {
            self = .ics
        } else {
            var records = CSVRecords(Array(bytes[start...].prefix(64 << 10)))
            self = records.next().map { DaylioImport.isHeader($0.cells) } == true ? .daylio : .csv
        }
    }

    private static func mentionsEntries(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = Array("\"entries\"".utf8)
        var at = bytes.startIndex
        while let quote = bytes[at...].firstIndex(of: name[0]) {
            if bytes[quote...].starts(with: name) { return true }
            at = quote + 1
        }
        return false
    }
}

/// Reads moods from the text of a file, one after the other.
///
///     let moods = try MoodImport(bytes, as: .csv, options)
///     while let item = moods.next() { … }
///
/// What cannot be read is a problem with its line, and the rest is read all the same. Nothing is checked but what is needed to
/// read it: whether a mood may be so is for the caller to say.
public struct MoodImport {
    /// Larger files are refused.
    public static let bytesMax = 1 << 30

    /// Closures, so that no reader is copied at each step.
    private let read: () -> ImportItem?
    private let place: () -> Int

    /// - Throws: where it is no such file at all.
    public init(_ bytes: [UInt8], as format: ImportFormat, _ options: ImportOptions) throws(UnreadableFile) {
        guard bytes.count <= Self.bytesMax else { throw UnreadableFile("has more than \(Self.bytesMax) bytes") }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw UnreadableFile("is UTF-16; save it as UTF-8")
        }
        switch format {
        case .jsonl:
            var reader = JSONLinesImport(bytes)
            read = { reader.next() }
            place = { reader.at }
        case .csv:
            var reader = try CSVImport(bytes, options)
            read = { reader.next() }
            place = { reader.at }
        case .daylio:
            var reader = try DaylioImport(bytes, options)
            read = { reader.next() }
            place = { reader.at }
        case .jrnl:
            var reader = try JrnlImport(bytes, options)
            read = { reader.next() }
            place = { reader.at }
        case .ics:
            var reader = try CalendarImport(bytes, options)
            read = { reader.next() }
            place = { reader.at }
        }
    }

    /// The next thing in the file; nil at its end.
    public func next() -> ImportItem? { read() }

    /// How many bytes of the file have been read.
    public var bytesRead: Int { place() }
}
