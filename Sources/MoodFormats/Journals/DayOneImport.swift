import JSONCodec
import MoodCore

/// Reads the JSON of Day One: `{"metadata": …, "entries": [{uuid, creationDate, timeZone, starred, tags, text,
/// location}]}`. The text is Markdown; its pictures are files in the JSON's folder.
struct DayOneImport: ImportReader {
    private var entries: JSONEntries
    var at: Int { entries.at }
    var rows: RowReading

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        rows = try RowReading(options, of: .dayone)
        entries = try JSONEntries(file, in: "entries", "Day One")
    }

    mutating func next() -> ImportItem? {
        guard let entry = entries.next() else { return nil }
        let value = entry.value
        guard value.object != nil else { return entry.refusal("The entry is no object.") }
        let (uuid, date) = (value["uuid"]?.string ?? "", value["creationDate"]?.string ?? "")
        var draft = MoodDraft()
        do throws(ImportTimeParser.Failure) {
            draft.timestamp = try rows.times.read(date).time
        } catch {
            return entry.refusal("The time \(error.reason).")
        }
        var leftOff = draft.setStarAndTags(of: entry, else: [])
        draft.timeZone = value["timeZone"]?.string
        if draft.timeZone == nil, entry["timeZone"] != nil {
            leftOff.append(entry.loss("timeZone must be the name of a zone."))
        }
        draft.createdAt = draft.timestamp
        if let changed = value["modifiedDate"]?.string { draft.updatedAt = try? rows.times.read(changed).time }
        let (text, pictures) = Self.plain(value["text"]?.string ?? "")
        let others = Self.others.filter { value[$0]?.isEmptyContainer == false }
        if !others.isEmpty {
            leftOff.append(entry.loss("\(others.joined(separator: ", ")): a mood has no place for it."))
        }
        let pictureCount = max(pictures, value["photos"]?.array?.count ?? 0)
        for _ in 0..<pictureCount { leftOff.append(entry.loss("A picture is not in the file, and is left off.")) }
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: true)
        let title = (lines.first.map(String.init) ?? "").trimmedSpaces
        let body = lines.count > 1 ? String(lines[1]).trimmedSpaces : ""
        draft.setFeeling(title: String(title.drop { $0 == "#" }).trimmedSpaces, body: body, rows.options)
        draft.attachments = Self.place(value["location"])
        if draft.attachments == nil, value["location"]?.isEmptyContainer == false {
            leftOff.append(entry.loss("location has no latitude and longitude that are numbers, and is left off."))
        }
        rows.complete(&draft, id: [uuid, date, value["text"]?.string ?? ""])
        return draft.label.isEmpty ? entry.refusal("The entry has no text.") : entry.mood(draft, leftOff)
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
