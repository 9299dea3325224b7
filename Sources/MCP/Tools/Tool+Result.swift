import JSONCodec
import MoodProtocol

/// The facts of a tool's successful call.
public struct ToolFacts {
    public var revision: Revision
    /// The part of notes to show.
    public var notes: NotesRule
    public var isDryRun = false
    /// Whether the call has made a commit.
    public var hasChanged = false
    /// The store's revision now.
    public var storeRevision = 0
    /// The most bytes of the result.
    public var bytesMax: Int
    public var version: String
    /// The year that `mood_year` shows.
    public var year = 0
    /// The latest moment of a mood that is not still to come; nil if the caller gave none.
    public var latestMoment: String?
    /// The time of the first page of a list, which its words such as `2 hours ago` mean on every page.
    public var asOf: CursorTime?

    public init(_ revision: Revision, notes: NotesRule, bytesMax: Int, version: String) {
        self.revision = revision
        self.notes = notes
        self.bytesMax = bytesMax
        self.version = version
    }
}

/// The results of tools that show one mood.
extension Tool {
    /// Writes the result, with as much of the notes as fits.
    /// - Parameters:
    ///   - said: the beginning of the text if the mood was changed.
    ///   - unchanged: the beginning if nothing had to change.
    public func writeMood(
        _ mood: ValidJSON, said: StaticString = "", unchanged: StaticString = "", _ facts: ToolFacts,
        to out: inout JSONWriter
    ) -> Shown {
        let parts = MoodParts(mood)
        let mark = out.count
        let beginning = facts.isDryRun ? Self.checked : facts.hasChanged ? said : unchanged
        for rule in facts.notes.shorterRules {
            writeMood(parts, rule, nil, beginning: beginning, facts, to: &out)
            if out.count - mark <= facts.bytesMax { return .whole }
            out.rewind(to: mark)
        }
        doesNotFit(parts, facts, to: &out)
        return .nothing
    }

    private static let checked: StaticString = "Checked, nothing was kept: "

    /// Writes a mood with a page of its changes. Notes are cut until half of the answer is left for the changes. A
    /// single change that is too long is left out and named.
    /// - Parameter page: a page of `mood.history`.
    /// - Returns: nil if it was written; else the number of changes to ask for: fewer than there are, and at least one.
    public func writeMood(_ mood: ValidJSON, page: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Int? {
        let parts = MoodParts(mood)
        var changes = ChangePage(page)
        let mark = out.count
        let rules = facts.notes.shorterRules
        let rule =
            rules.first { rule in
                defer { out.rewind(to: mark) }
                writeMood(parts, rule, nil, facts, to: &out)
                return out.count - mark <= facts.bytesMax / 2
            } ?? rules[rules.count - 1]
        writeMood(parts, rule, changes, facts, to: &out)
        let bytes = out.count - mark
        if bytes <= facts.bytesMax { return nil }
        out.rewind(to: mark)
        if changes.count > 1 { return max(1, min(changes.count - 1, changes.count * facts.bytesMax / bytes)) }
        changes.isLeftOut = true
        writeMood(parts, rule, changes, facts, to: &out)
        if out.count - mark <= facts.bytesMax { return nil }
        out.rewind(to: mark)
        doesNotFit(parts, facts, to: &out)
        return nil
    }

    private func doesNotFit(_ mood: MoodParts, _ facts: ToolFacts, to out: inout JSONWriter) {
        out.toolError(
            "\(name): the answer would have more than \(facts.bytesMax) bytes (the limit mcpAnswerBytes). Read the resource moodboard://mood/\(mood.id?.string ?? "").\(kept)",
            version: facts.version)
    }

    private func writeMood(
        _ parts: MoodParts, _ rule: NotesRule, _ changes: ChangePage?, beginning: StaticString = "",
        _ facts: ToolFacts, to out: inout JSONWriter
    ) {
        out.toolResult(
            facts.revision, version: facts.version,
            text: { text in
                text.put(beginning)
                text.moodLine(parts, rule)
                if facts.hasChanged { text.takesBack(facts.storeRevision) }
                if let latest = facts.latestMoment, let time = parts.time?.string,
                    latest.utf8.lexicographicallyPrecedes(time.utf8)
                {
                    text.put("\\nThat is still to come.")
                }
                if rule != facts.notes {
                    text.put("\\nNotes were cut: read moodboard://mood/")
                    if let id = parts.id { text.contents(id) }
                    text.put(" for all of them.")
                }
                if let changes { text.changes(changes, rule) }
            },
            structured: { json in
                json.mood(parts, rule)
                guard let changes else { return }
                // The history becomes the mood's last member.
                json.buffer.truncate(to: json.count - 1)
                json.key("history")
                json.beginArray()
                if !changes.isLeftOut { changes.items?.forEachElement { json.historyItem($0, rule) } }
                json.endArray()
                if changes.isLeftOut {
                    json.key("leftOut")
                    json.beginArray()
                    changes.items?.forEachElement { if let revision = Change($0).revision { json.raw(revision.bytes) } }
                    json.endArray()
                }
                json.member("nextCursor", changes.cursor)
                json.endObject()
            })
    }

}

/// A page of `mood.list`, read in one pass.
private struct MoodPage {
    /// An array.
    var items = ValidJSON.emptyObject
    var count = 0
    /// Whether every mood is shown unchanged.
    var isWhole = true
    var cursor: JSONText?
    var total: ValidJSON?
    var empty: ValidJSON?

    /// - Parameter take: gets each mood; returns whether it is shown unchanged.
    init(_ page: ValidJSON, _ take: (MoodParts) -> Bool) {
        var reader = JSONReader(page)
        guard reader.enterObject() else { return }
        while let name = reader.nextKey() {
            if name.equals("items") {
                let start = reader.valueStart
                guard reader.enterArray() else {
                    reader.skip()
                    continue
                }
                while reader.nextElement() {
                    count += 1
                    if !take(MoodParts(&reader)) { isWhole = false }
                }
                items = reader.slice(from: start)
            } else if name.equals("nextCursor") {
                cursor = reader.skip().text
            } else if name.equals("total") {
                total = reader.skip()
            } else if name.equals("empty") {
                empty = reader.skip()
            } else {
                reader.skip()
            }
        }
    }
}

extension NotesRule {
    /// Whether a mood is shown unchanged.
    fileprivate func shows(_ mood: MoodParts) -> Bool { mood.notes.map(keeps) ?? true }
}

/// The results of the other tools.
extension Tool {
    /// Writes a page of moods. A single mood that is too long has its notes cut further, else it is left out and named.
    func writeMoods(_ page: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Shown {
        let mark = out.count
        let count = writeMoods(page, facts.notes, isLeftOut: false, facts, to: &out)
        let bytes = out.count - mark
        guard bytes > facts.bytesMax else { return .whole }
        out.rewind(to: mark)
        if count > 1 { return .fewer(max(1, min(count - 1, count * facts.bytesMax / bytes))) }
        for rule in facts.notes.shorterRules.dropFirst() {
            _ = writeMoods(page, rule, isLeftOut: false, facts, to: &out)
            if out.count - mark <= facts.bytesMax { return .whole }
            out.rewind(to: mark)
        }
        _ = writeMoods(page, .hidden, isLeftOut: true, facts, to: &out)
        return .whole
    }

    /// - Parameter isLeftOut: whether the moods are named by their ids alone.
    /// - Returns: the number of moods.
    private func writeMoods(
        _ page: ValidJSON, _ notes: NotesRule, isLeftOut: Bool, _ facts: ToolFacts, to out: inout JSONWriter
    ) -> Int {
        var count = 0
        var read: MoodPage?
        out.toolResult(
            facts.revision, version: facts.version,
            text: { text in
                let moods = MoodPage(page) { mood in
                    if count > 0 { text.put("\\n") }
                    count += 1
                    if isLeftOut { text.leftOut(mood.id) } else { text.moodLine(mood, notes) }
                    return notes.shows(mood)
                }
                read = moods
                if count == 0 { text.put("No moods.") }
                if let total = moods.total {
                    text.put("\\n")
                    text.buffer.append(integer: count)
                    text.put(" of ")
                    text.buffer.append(total.bytes)
                }
                text.nextPage(moods.cursor, facts.asOf)
            },
            structured: { json in
                let moods = read ?? MoodPage(page) { notes.shows($0) }
                count = moods.count
                json.beginObject()
                json.key("items")
                if isLeftOut {
                    json.raw("[]")
                    json.key("leftOut")
                    json.beginArray()
                    moods.items.forEachElement { if let id = MoodParts($0).id { json.string(id) } }
                    json.endArray()
                } else if moods.isWhole {
                    json.raw(moods.items.bytes)
                } else {
                    json.beginArray()
                    moods.items.forEachElement { json.mood($0, notes) }
                    json.endArray()
                }
                if let total = moods.total {
                    json.member("total", raw: total.bytes)
                }
                if let cursor = moods.cursor {
                    json.member("nextCursor", cursor)
                    facts.asOf?.write(toCursorIn: &json)
                }
                if let empty = moods.empty {
                    json.member("empty", raw: empty.bytes)
                }
                json.endObject()
            })
        return count
    }

    /// Writes the deleted moods, or those that a dry run would delete.
    public func writeDeleted(_ ids: [String], _ facts: ToolFacts, to out: inout JSONWriter) {
        out.toolResult(
            facts.revision, version: facts.version,
            text: { text in
                text.put(facts.isDryRun ? "Checked, nothing was deleted: " : "Deleted: ")
                for (number, id) in ids.enumerated() {
                    if number > 0 { text.put(", ") }
                    text.text(id)
                }
                guard facts.hasChanged else { return }
                text.put(" — mood_undo with revision ")
                text.buffer.append(integer: facts.storeRevision)
                text.put(" brings them back.")
            },
            structured: { json in
                json.beginObject()
                json.member("deleted", ids.count)
                json.member("ids", array: ids) { id, json in json.string(id) }
                if facts.hasChanged {
                    json.member("revision", facts.storeRevision)
                }
                json.endObject()
            })
    }

    /// Writes any result of the host, with its own text or else the JSON as text. A long one gets shorter notes, and
    /// loses the end of its longest list.
    /// - Parameters:
    ///   - remedy: how to get a result that fits.
    ///   - cutsNotes: whether a long result without an own text is cut.
    public func writeValue(
        _ value: ValidJSON, links: [Resource] = [], text words: String? = nil, remedy: String = "Ask for less.",
        cutsNotes: Bool = false, _ facts: ToolFacts, to out: inout JSONWriter
    ) -> Shown {
        let mark = out.count
        var bytes = 0
        let rules = cutsNotes ? facts.notes.shorterRules : [facts.notes == .hidden ? .hidden : .whole]
        let isCommit = facts.hasChanged && words == nil
        for rule in rules {
            out.toolResult(
                facts.revision, links: links, version: facts.version,
                text: { text in
                    if let words { return text.text(words) }
                    if facts.isDryRun { text.put(Self.checked) }
                    var json = JSONWriter(capacity: 1024)
                    json.withNotes(value, rule)
                    json.buffer.withBytes { text.contents(utf8: $0) }
                    // No commit takes an undo back.
                    if isCommit, method != "store.undo" { text.takesBack(facts.storeRevision) }
                    if rule != rules[0] { text.put(Self.notesWereCut) }
                },
                structured: { json in
                    json.withNotes(value, rule)
                    if isCommit, !value.namesRevision { json.addMember("revision", facts.storeRevision) }
                })
            bytes = out.count - mark
            if bytes <= facts.bytesMax { return .whole }
            out.rewind(to: mark)
        }
        // Effects of a change are not cut: the client has to carry them out.
        if cutsNotes, effect.isReadOnly || isNative,
            writeShortened(value, rules[rules.count - 1], facts, to: &out)
        {
            return .whole
        }
        let canHide = facts.notes != .hidden && input.contains { $0.name == "with_notes" }
        out.toolError(
            "\(name): the answer would have \(bytes) bytes, and at most \(facts.bytesMax) are allowed (the limit mcpAnswerBytes). \(remedy)\(canHide ? " with_notes: false leaves notes out." : "")\(kept)",
            version: facts.version)
        return .nothing
    }

    static let notesWereCut: StaticString = "\\nNotes were cut: read the resource moodboard://mood/ID for all of them."

    func writeYear(_ days: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Shown {
        let days = JSONValue(days)
        let uri = "moodboard://year/\(facts.year)"
        let text = YearText.text(of: days, year: facts.year) + "\nAs a picture: \(uri)"
        let members: [JSONValue.Member] = [
            .init("year", .number(String(facts.year))), .init("months", .object(YearText.months(of: days))),
            .init("uri", .string(uri)),
        ]
        var shown = JSONValue.object(members + [.init("days", .array(YearText.marked(days)))]).text
        if !fits(shown, text, facts) { shown = JSONValue.object(members + [.init("daysLeftOut", true)]).text }
        let link = Resource(uri, "\(facts.year)", "The year in pixels.", "image/svg+xml")
        return writeSpan(shown, links: [link], text: text, facts, to: &out)
    }

    /// Writes statistics. The series of days is the longest part: it is left out if it does not fit, and always from
    /// the text.
    func writeStatistics(_ statistics: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Shown {
        let members = (JSONValue(statistics).object ?? []).filter { $0.name != "series" }
        let text = JSONValue.object(members).text
        var shown = String(decoding: statistics.bytes, as: UTF8.self)
        if !fits(shown, text, facts) { shown = JSONValue.object(members + [.init("seriesLeftOut", true)]).text }
        return writeSpan(shown, text: text, facts, to: &out)
    }

    private func writeSpan(
        _ json: String, links: [Resource] = [], text: String, _ facts: ToolFacts, to out: inout JSONWriter
    ) -> Shown {
        KeptBytes(Array(json.utf8)).withJSON {
            writeValue($0, links: links, text: text, remedy: "Ask for a shorter span.", facts, to: &out)
        }
    }

    /// Whether a result is likely to fit. A text in a string grows by its escapes.
    private func fits(_ structured: String, _ text: String, _ facts: ToolFacts) -> Bool {
        let count = structured.utf8.count
        let bytes = facts.revision.hasStructure ? count + text.utf8.count * 5 / 4 : count * 5 / 2
        return bytes + 1024 <= facts.bytesMax
    }

    /// A sentence for a reverted call whose answer does not fit. Empty for a call that only reads.
    private var kept: String { effect.isReadOnly ? "" : " Nothing was changed." }
}

extension JSONWriter {
    /// Writes the inside of a string: the way to take back a commit.
    fileprivate mutating func takesBack(_ revision: Int) {
        put(" — mood_undo with revision ")
        buffer.append(integer: revision)
        put(" takes it back.")
    }

    /// Adds a member to the object that was written last.
    fileprivate mutating func addMember(_ name: StaticString, _ value: Int) {
        buffer.truncate(to: count - 1)
        member(name, value)
        endObject()
    }
}

extension ValidJSON {
    /// Whether a result names the revision of its commit, itself or as a mood.
    fileprivate var namesRevision: Bool {
        var reader = JSONReader(self)
        var isNamed = reader.kind != .object
        forEachMember { name, _ in if name.equals("revision") || name.equals("mood") { isNamed = true } }
        return isNamed
    }
}
