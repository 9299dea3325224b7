import JSONCodec

/// Finds the format of a file from its content. An unsupported file is refused with its kind, and without its content.
enum FormatDetection {
    private static let headBytes = 64 << 10

    static func format(of file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) -> ImportFormat {
        let bytes = file.bytes(0..<FilePieces.pieceBytes)
        if let kind = kind(ofBinary: bytes) { throw UnreadableFile("is \(kind)") }
        let head = head(bytes)
        if head.isEmpty { throw UnreadableFile("is empty") }
        if let format = ImportFormat.allCases.first(where: { $0.reader(of: file).isStart(head) }) { return format }
        if head.first == UInt8(ascii: "{") || isArray(head) { return try json(bytes, head) }
        let text = String(decoding: head.prefix(512), as: UTF8.self).lowercased()
        if let program = programs.first(where: { text.contains($0.mark) })?.program, head.first == UInt8(ascii: "<") {
            throw UnreadableFile("is \(program)")
        }
        return try table(file, options)
    }

    /// Whether a file is JSON rather than lines of text.
    static func isJSON(_ file: ImportBytes) -> Bool {
        let head = head(file.bytes(0..<headBytes))
        return head.first == UInt8(ascii: "{") || isArray(head)
    }

    private static func head(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return bytes[start...].drop { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
    }

    /// Whether text begins with an array of objects. A line of jrnl begins with a bracket too.
    private static func isArray(_ head: ArraySlice<UInt8>) -> Bool {
        guard head.first == UInt8(ascii: "[") else { return false }
        let next = head.dropFirst().first { $0 != 32 && $0 != 9 && $0 != 10 && $0 != 13 }
        return next == UInt8(ascii: "{") || next == UInt8(ascii: "]")
    }

    // MARK: Files of other kinds

    private static func kind(ofBinary bytes: [UInt8]) -> String? {
        let kinds: [(mark: [UInt8], kind: String)] = [
            (
                [0x50, 0x4B, 3, 4],
                "a zip archive (a backup of Daylio, an export of Day One, a spreadsheet): unpack it and import what is in it; of"
                    + " Daylio, export CSV; of a spreadsheet, save it as CSV"
            ),
            ([0x1F, 0x8B], "packed with gzip: unpack it first (gunzip)"),
            (Array("SQLite format 3".utf8), "a database of SQLite: export CSV from the program that made it"),
            (Array("%PDF".utf8), "a PDF: export CSV from the program that made it"),
            ([0xD0, 0xCF, 0x11, 0xE0], "an old spreadsheet of Excel: save it as CSV"),
            ([0x42, 0x5A, 0x68], "packed with bzip2: unpack it first"),
            ([0xFD, 0x37, 0x7A, 0x58], "packed with xz: unpack it first"),
            ([0x28, 0xB5, 0x2F, 0xFD], "packed with zstd: unpack it first"),
        ]
        if let found = kinds.first(where: { bytes.starts(with: $0.mark) }) { return found.kind }
        // A text may have a NUL by accident. Many of them mean another file, or UTF-16 without its mark.
        let head = bytes.prefix(4096)
        return head.count { $0 == 0 } * 20 > head.count
            ? "no text in UTF-8: it has many bytes that no text has; save it as UTF-8" : nil
    }

    private static let nearestTable = "the nearest format is csv, a table whose first line names its columns"

    /// Programs by a text near the beginning of their files.
    private static let programs: [(mark: String, program: String)] = [
        (
            "healthdata",
            "the export.xml of Apple Health, which is not read: export State of Mind as CSV; \(nearestTable)"
        ),
        ("<en-export", "an export of Evernote (ENEX), which is not read; \(nearestTable)"),
        ("<html", "a web page, which is not read; \(nearestTable)"),
        ("<!doctype html", "a web page, which is not read; \(nearestTable)"),
        ("<?xml", "XML, which is not read; \(nearestTable)"),
        ("<", "no format that is read; \(nearestTable)"),
    ]

    /// Programs by the members of their JSON.
    private static let jsonPrograms: [(names: [String], program: String)] = [
        (["dayEntries"], "a backup of Daylio"), (["customMoods"], "a backup of Daylio"), (["moments"], "Moodprint"),
        (["moods", "tags", "settings"], "Daily You"), (["journeys"], "Journey"), (["text", "date_journal"], "Journey"),
        (["date_journal"], "Journey"), (["logs", "images"], "Daily You"), (["items", "version", "settings"], "Pixy"),
        (["emotions", "reflections"], "How We Feel"), (["entries", "tags", "version"], "a diary"),
    ]

    // MARK: JSON

    private static func json(_ bytes: [UInt8], _ head: ArraySlice<UInt8>) throws(UnreadableFile) -> ImportFormat {
        let start = head.prefix(headBytes)
        func mentions(_ name: String) -> Bool { start.mentions("\"\(name)\"") }
        if head.first == UInt8(ascii: "{") {
            if mentions("entries") {
                if mentions("creationDate") { return .dayone }
                if mentions("title") || mentions("body") || isEmptyJournal(start) { return .jrnl }
            }
            let line = head.prefix { $0 != 10 && $0 != 13 }
            let first = line.count <= headBytes ? JSONValue.members(of: Array(line))?.map(\.name) : nil
            let own = ["emoji", "label", "settings", "history"]
            if let first {
                if first.contains(where: own.contains) || first.contains("format") && first.contains("count") {
                    return .jsonl
                }
                if first.contains("format"), mentions("moodboard-backup") { return .jsonl }
            }
            // The reader reports a damaged line, or a mood over several lines.
            if own.prefix(2).contains(where: mentions), mentions("timestamp") { return .jsonl }
        } else if mentions("scores"), mentions("date") {
            return .pixels
        }
        let names = JSONValue.names(ofTop: Array(head.prefix(headBytes)))
        if let program = jsonPrograms.first(where: { Set($0.names).isSubset(of: names) })?.program {
            throw UnreadableFile(
                "is the JSON of \(program), which is not read; the nearest format is jsonl, one mood a line")
        }
        throw UnreadableFile("is JSON of no known format; the nearest is jsonl, one mood a line")
    }

    /// Whether it is `{"entries": []}`, with or without tags.
    private static func isEmptyJournal(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let members = JSONValue.members(of: Array(bytes)) else { return false }
        return members.contains { $0.name == "entries" && $0.value.array?.isEmpty == true }
    }

    // MARK: Tables

    private static func table(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) -> ImportFormat {
        var records = CSVRecords(file)
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        if DaylioImport.isHeader(header.cells) {
            return DaylioImport.isMapped(header.cells, options) ? .csv : .daylio
        }
        let names = header.cells.map { String(decoding: $0, as: UTF8.self).trimmedSpaces }
        let isKnown =
            (try? CSVColumns(names, options.columns, isTable: { false })) != nil
            || !options.columns.isEmpty && names.count > 1
        guard isKnown || CSVRecords(file).isTable else {
            throw UnreadableFile("is of no known format; \(nearestTable)")
        }
        return .csv
    }
}

extension ArraySlice<UInt8> {
    fileprivate func mentions(_ text: String) -> Bool {
        let name = Array<UInt8>(text.utf8)
        var at = startIndex
        while let quote = self[at...].firstIndex(of: name[0]) {
            if self[quote...].starts(with: name) { return true }
            at = quote + 1
        }
        return false
    }
}

extension JSONValue {
    /// The names in the first object of a text that may be cut off: strings before a colon.
    fileprivate static func names(ofTop bytes: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        var at = 0
        while at < bytes.count, names.count < 200 {
            guard let start = bytes[at...].firstIndex(of: 34), let end = bytes[(start + 1)...].firstIndex(of: 34) else {
                break
            }
            if let next = bytes[(end + 1)...].first(where: { $0 > 32 }), next == 58, end - start <= 40 {
                names.insert(String(decoding: bytes[start + 1..<end], as: UTF8.self))
            }
            at = end + 1
        }
        return names
    }
}
