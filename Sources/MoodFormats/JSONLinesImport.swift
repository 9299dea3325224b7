import JSONCodec
import MoodCore

/// Reads JSON Lines: a mood in each, as the protocol shows it; `{"settings": {…}}`; `{"history": {…}}`, which is passed over.
struct JSONLinesImport {
    private static let lineBytesMax = 16 << 20

    private let bytes: [UInt8]
    private(set) var at: Int
    private var line = 0
    private var ids = RowIDs("jsonl")

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> ImportItem? {
        while at < bytes.count {
            let start = at
            while at < bytes.count, bytes[at] != 10 { at += 1 }
            var end = at
            at += 1
            line += 1
            if end > start, bytes[end - 1] == 13 { end -= 1 }
            if bytes[start..<end].allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            if let item = read(Array(bytes[start..<end])) { return item }
        }
        return nil
    }

    private func problem(_ text: [UInt8], _ reason: String, column: Int? = nil) -> ImportItem {
        .problem(ImportProblem(line: line, column: column, reason: reason, text: Excerpt.of(text)))
    }

    /// Nil where the line is passed over.
    private mutating func read(_ text: [UInt8]) -> ImportItem? {
        guard text.count <= Self.lineBytesMax else { return problem(text, "The line is longer than any mood.") }
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        var fault: (reason: String, offset: Int)?
        var hasEmoji = false
        var hasID = false
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
                    if key.equals("id") { hasID = true }
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
            let id = ids.next([text])
            json = Array(JSONValue.object([.init("id", .string(id.text))] + members).text.utf8)
        }
        return .mood(ImportedMood(line: line, carriesID: hasID, json: json, text: Excerpt.of(text)))
    }
}

extension JSONValue {
    /// The members of an object; nil where the text is none.
    static func members(of text: [UInt8]) -> [Member]? {
        do throws(JSONError) { return try JSONValue.parse(text).object } catch { return nil }
    }
}
