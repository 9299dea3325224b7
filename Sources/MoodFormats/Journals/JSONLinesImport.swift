import JSONCodec
import MoodCore

/// Reads JSON Lines: moods in the protocol's form; `{"settings": {…}}`; `{"history": {…}}`, which is skipped.
struct JSONLinesImport: ImportReader {
    private static let lineBytesMax = 16 << 20

    private var lines: FileLines
    var at: Int { lines.at }
    private var line = 0
    var rows: RowReading

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        lines = FileLines(file)
        rows = try RowReading(options, of: .jsonl)
    }

    mutating func next() -> ImportItem? {
        while let text = lines.next() {
            line += 1
            if text.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            if let item = read(text) { return item }
        }
        return nil
    }

    private func problem(_ text: [UInt8], _ reason: String, column: Int? = nil) -> ImportItem {
        .problem(ImportProblem(line: line, column: column, reason: reason, text: Excerpt.of(text)))
    }

    /// Reads a line; nil if it is skipped.
    private mutating func read(_ text: [UInt8]) -> ImportItem? {
        guard text.count <= Self.lineBytesMax else { return problem(text, "The line is longer than any mood.") }
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        var fault: (reason: String, offset: Int)?
        var hasEmoji = false
        var hasID = false
        var idProblem: String?
        var other: (name: String, value: [UInt8])?
        text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                if let duplicate = outline.duplicate {
                    fault = ("A name stands twice", duplicate)
                    return
                }
                var reader = JSONReader(outline.text)
                guard reader.enterObject() else {
                    fault = ("The line is no JSON object", 0)
                    return
                }
                while let key = reader.nextKey() {
                    if key.equals("emoji") || key.equals("label") { hasEmoji = true }
                    if key.equals("id") {
                        var value = reader
                        hasID = value.text().flatMap { text in text.withDecoded { MoodID($0) } } != nil
                        if !hasID { idProblem = "The id is no UUID." }
                    }
                    let name = key.equals("settings") ? "settings" : key.equals("history") ? "history" : nil
                    let value = reader.skip()
                    if let name { other = (name, Array(value.bytes)) }
                }
            } catch {
                fault = ("The line is not JSON: \(error.reason)", error.offset)
            }
        }
        if let fault { return problem(text, fault.reason + ".", column: fault.offset + 1) }
        guard hasEmoji else {
            guard let other else { return problem(text, "The line is no mood: it has neither emoji nor label.") }
            return other.name == "settings" ? .settings(line: line, other.value) : nil
        }
        var json = text
        if !hasID, let members = JSONValue.members(of: text) {
            let id = rows.ids.next([text])
            let others = members.filter { $0.name != "id" }
            json = Array(JSONValue.object([.init("id", .string(id.text))] + others).text.utf8)
        }
        if !rows.mapped.isEmpty, let members = JSONValue.members(of: json) { json = applied(to: members) ?? json }
        var mood = ImportedMood(line: line, carriesID: hasID, json: json, text: Excerpt.of(text))
        if let idProblem {
            mood.leftOff = [ImportProblem(line: line, reason: idProblem, text: mood.text, loss: .part)]
        }
        return .mood(mood)
    }

    /// A mood with its label's value from `map`; nil if the map has none.
    private mutating func applied(to members: [JSONValue.Member]) -> [UInt8]? {
        let value = JSONValue.object(members)
        var draft = MoodDraft()
        draft.label = value["label"]?.string ?? ""
        draft.emoji = value["emoji"]?.string ?? ""
        draft.valence = value["valence"]?.text
        guard rows.mapped.apply(to: &draft) else { return nil }
        var changed = members.filter { !["label", "emoji", "valence"].contains($0.name) }
        changed += [.init("emoji", .string(draft.emoji)), .init("label", .string(draft.label))]
        if let valence = draft.valence { changed.append(.init("valence", .number(valence))) }
        return Array(JSONValue.object(changed).text.utf8)
    }
}

extension JSONValue {
    /// The members of an object; nil if the text is none.
    public static func members(of text: [UInt8]) -> [Member]? {
        do throws(JSONError) { return try JSONValue.parse(text).object } catch { return nil }
    }
}
