import MoodCore

/// Reads jrnl's text file: `[2026-11-20 21:30] Title`, with the body below it. A title that ends in ` *` is starred.
/// Files of its first version have no brackets.
struct JrnlTextImport: ImportReader {
    static let hasDatesOfManyForms = true

    private struct Line {
        var number: Int
        var text: String
    }

    private var lines: FileLines
    var at: Int { lines.at }
    private var line = 0
    /// The line that begins the next entry.
    private var head: Line?
    private let hasBrackets: Bool
    var rows: RowReading

    private static let start: UInt8 = UInt8(ascii: "[")

    /// Whether a file begins like one of jrnl.
    static func isStart(_ bytes: ArraySlice<UInt8>) -> Bool {
        let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }.prefix(512), as: UTF8.self)
        return split(line, hasBrackets: line.first == "[") != nil
    }

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        lines = FileLines(file)
        rows = try RowReading(options, of: .jrnl)
        hasBrackets = lines.head.first { $0 > 32 } == Self.start
        while let next = nextLine() {
            if next.text.allSatisfy(\.isWhitespace) { continue }
            head = next
            break
        }
        guard let head, Self.split(head.text, hasBrackets: hasBrackets) != nil else {
            throw UnreadableFile("is no journal of jrnl: it must begin with a line such as [2026-11-20 21:30] Title")
        }
    }

    /// The time and the title of a line that begins an entry.
    private static func split(_ line: String, hasBrackets: Bool) -> (time: String, title: String)? {
        if hasBrackets {
            guard line.first == "[", let end = line.firstIndex(of: "]") else { return nil }
            let time = String(line[line.index(after: line.startIndex)..<end]).trimmedSpaces
            guard let date = try? DateText(time), date.timeOfDay != nil else { return nil }
            return (time, String(line[line.index(after: end)...]).trimmedSpaces)
        }
        // Without brackets only the form of 2012 counts: anything else may be a line of text.
        let time = line.prefix(16)
        guard time.utf8.count == 16, line.dropFirst(16).first == " ", time.dropFirst(10).first == " ",
            let date = try? DateText(String(time)), date.timeOfDay != nil
        else { return nil }
        return (String(time), String(line.dropFirst(17)).trimmedSpaces)
    }

    private mutating func nextLine() -> Line? {
        guard let text = lines.next() else { return nil }
        line += 1
        return Line(number: line, text: text.isUTF8 ? String(decoding: text, as: UTF8.self) : WindowsText.text(text))
    }

    mutating func next() -> ImportItem? {
        guard let head, let (time, firstLine) = Self.split(head.text, hasBrackets: hasBrackets) else { return nil }
        self.head = nil
        var body: [String] = []
        while let next = nextLine() {
            if Self.split(next.text, hasBrackets: hasBrackets) != nil {
                self.head = next
                break
            }
            body.append(next.text)
        }
        let excerpt = Excerpt.of(Array(head.text.utf8))
        var draft = MoodDraft()
        do throws(ImportTimeParser.Failure) {
            let moment = try rows.times.read(time)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return .problem(ImportProblem(line: head.number, reason: "The time \(error.reason).", text: excerpt))
        }
        var title = firstLine
        draft.isFavorite = title == "*" || title.hasSuffix(" *") || title.hasPrefix("* ")
        if draft.isFavorite == true {
            title = String(title.hasPrefix("* ") ? title.dropFirst() : title.dropLast()).trimmedSpaces
        }
        let text = body.joined(separator: "\n").trimmedSpaces
        draft.setFeeling(title: title, body: text, rows.options)
        draft.setTags(JrnlTags.tags(title + "\n" + text).map(\.withoutTagSign))
        rows.complete(&draft, id: [time, firstLine, text])
        guard !draft.label.isEmpty else {
            return .problem(
                ImportProblem(line: head.number, reason: "The entry has no title and no text.", text: excerpt))
        }
        return .mood(ImportedMood(line: head.number, carriesID: false, json: draft.json, text: excerpt))
    }
}
