import JSONCodec
import MoodCore

/// Reads the JSON of Day One: `{"metadata": …, "entries": [{uuid, creationDate, timeZone, starred, tags, text,
/// location}]}`. The text is Markdown; its pictures are files in the JSON's folder.
struct DayOneImport: ImportReader {
    private var entries: JSONEntries
    var at: Int { entries.at }
    private var ids = RowIDs("dayone")
    private var times: ImportTimeParser
    private var mapped: MappedFeelings
    private let options: ImportOptions

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        self.options = options
        times = ImportTimeParser(options)
        mapped = try MappedFeelings(options, of: .dayone)
        entries = try JSONEntries(file, in: "entries", "Day One")
    }

    var unusedName: String? { mapped.unused }

    mutating func next() -> ImportItem? {
        guard let (place, value, excerpt) = entries.next() else { return nil }
        func problem(_ reason: String, _ loss: ImportProblem.Loss = .row) -> ImportProblem {
            ImportProblem(line: place.line, column: place.column, reason: reason, text: excerpt, loss: loss)
        }
        guard value.object != nil else { return .problem(problem("The entry is no object.")) }
        let (uuid, date) = (value["uuid"]?.string ?? "", value["creationDate"]?.string ?? "")
        var draft = MoodDraft()
        var leftOff: [ImportProblem] = []
        do throws(ImportTimeParser.Failure) {
            draft.timestamp = try times.read(date).time
        } catch {
            return .problem(problem("The time \(error.reason)."))
        }
        draft.timeZone = value["timeZone"]?.string
        draft.createdAt = draft.timestamp
        if let changed = value["modifiedDate"]?.string { draft.updatedAt = try? times.read(changed).time }
        let (text, pictures) = Self.plain(value["text"]?.string ?? "")
        let others = Self.others.filter { value[$0]?.isEmptyContainer == false }
        if !others.isEmpty {
            leftOff.append(problem("\(others.joined(separator: ", ")): a mood has no place for it.", .part))
        }
        let pictureCount = max(pictures, value["photos"]?.array?.count ?? 0)
        for _ in 0..<pictureCount { leftOff.append(problem("A picture is not in the file, and is left off.", .part)) }
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: true)
        let title = (lines.first.map(String.init) ?? "").trimmedSpaces
        let body = lines.count > 1 ? String(lines[1]).trimmedSpaces : ""
        draft.setFeeling(title: String(title.drop { $0 == "#" }).trimmedSpaces, body: body, options)
        draft.isFavorite = value["starred"]?.boolean
        draft.setTags((value["tags"]?.array ?? []).compactMap(\.string))
        draft.attachments = Self.place(value["location"])
        mapped.apply(to: &draft)
        draft.id = ids.next([uuid, date, value["text"]?.string ?? ""].map { Array($0.utf8) })
        draft.complete(options)
        guard !draft.label.isEmpty else { return .problem(problem("The entry has no text.")) }
        var mood = ImportedMood(line: place.line, carriesID: false, json: draft.json, text: excerpt)
        mood.leftOff = leftOff
        return .mood(mood)
    }

    /// Members with content of a person that moods do not have.
    private static let others = [
        "weather", "audios", "videos", "pdfAttachments", "sketches", "music", "userActivity",
    ]

    /// The text without the backslashes before punctuation, and without pictures.
    private static func plain(_ text: String) -> (text: String, pictures: Int) {
        var lines: [String] = []
        var pictures = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = String(line).trimmedSpaces
            if trimmed.hasPrefix("![](dayone-"), trimmed.hasSuffix(")") {
                pictures += 1
                continue
            }
            var plain = ""
            var isEscaped = false
            for character in line {
                if !isEscaped, character == "\\" {
                    isEscaped = true
                    continue
                }
                if isEscaped, !character.isASCII || character.isLetter || character.isNumber || character == " " {
                    plain.append("\\")
                }
                isEscaped = false
                plain.append(character)
            }
            lines.append(plain + (isEscaped ? "\\" : ""))
        }
        return (lines.joined(separator: "\n").trimmedSpaces, pictures)
    }

    private static func place(_ location: JSONValue?) -> String? {
        guard let location, let latitude = location["latitude"], let longitude = location["longitude"],
            latitude.double != nil, longitude.double != nil
        else { return nil }
        var names: [String] = []
        for name in ["placeName", "localityName", "country"] {
            guard let text = location[name]?.string, !text.isEmpty, !names.contains(text) else { continue }
            names.append(text)
        }
        var members: [JSONValue.Member] = [
            .init("kind", "place"), .init("latitude", latitude), .init("longitude", longitude),
        ]
        if !names.isEmpty { members.append(.init("label", .string(names.joined(separator: ", ")))) }
        return JSONValue.array([.object(members)]).text
    }
}

extension JSONValue {
    /// Whether it is null, or an object or array without content.
    fileprivate var isEmptyContainer: Bool {
        object?.isEmpty ?? array?.isEmpty ?? (text == "null" || text == "\"\"")
    }
}
