import JSONCodec
import MoodProtocol

/// Results of the host's own methods that are too long for an answer.
extension Tool {
    /// Writes a page of any method that answers `{items, nextCursor?}`. A single item that is too long has its notes
    /// cut further, else it is left out and named.
    func writePage(_ page: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Shown {
        let mark = out.count
        let notes = facts.notes == .whole ? NotesRule.ofLists : facts.notes
        write(facts, to: &out) { $0.withNotes(page, notes) }
        let bytes = out.count - mark
        guard bytes > facts.bytesMax else { return .whole }
        out.rewind(to: mark)
        let count = page.items.count
        if count > 1 { return .fewer(max(1, min(count - 1, count * facts.bytesMax / bytes))) }
        for rule in notes.shorterRules.dropFirst() {
            write(facts, to: &out) { $0.withNotes(page, rule) }
            if out.count - mark <= facts.bytesMax { return .whole }
            out.rewind(to: mark)
        }
        write(facts, to: &out) { json in
            let names = page.items.compactMap { $0["id"] ?? $0["mood"]?["id"] ?? $0["revision"] }
            let others = (JSONValue(page).object ?? []).filter { $0.name != "items" }
            JSONValue.object(
                [.init("items", .array([])), .init("leftOut", .array(names))] + others
            ).write(to: &json)
        }
        return .whole
    }

    /// Writes a value without the end of its longest list, so that the rest fits.
    /// - Returns: false if that is not enough; then nothing is written.
    func writeShortened(_ value: ValidJSON, _ rule: NotesRule, _ facts: ToolFacts, to out: inout JSONWriter) -> Bool {
        var scratch = JSONWriter(capacity: 1024)
        scratch.withNotes(value, rule)
        let members = scratch.buffer.withBytes { JSONValue(ValidJSON(trusting: $0)).object ?? [] }
        let longest = members.filter { $0.value.array != nil }.max {
            $0.value.text.utf8.count < $1.value.text.utf8.count
        }
        guard let longest, let elements = longest.value.array else { return false }
        let mark = out.count
        var shown = elements.count
        while shown > 0 {
            write(facts, to: &out) { json in
                let short: [JSONValue.Member] = members.map {
                    $0.name == longest.name ? .init($0.name, .array(Array(elements.prefix(shown)))) : $0
                }
                let left = elements.count - shown
                JSONValue.object(
                    short + (left > 0 ? [.init(longest.name + "LeftOut", .number(String(left)))] : [])
                ).write(to: &json)
            }
            let bytes = out.count - mark
            if bytes <= facts.bytesMax { return true }
            out.rewind(to: mark)
            shown = min(shown - 1, shown * facts.bytesMax / bytes)
        }
        return false
    }

    /// Writes a result whose text is its JSON.
    private func write(_ facts: ToolFacts, to out: inout JSONWriter, _ structured: (inout JSONWriter) -> Void) {
        out.toolResult(
            facts.revision, version: facts.version,
            text: { text in
                var json = JSONWriter(capacity: 1024)
                structured(&json)
                json.buffer.withBytes { text.contents(utf8: $0) }
            }, structured: structured)
    }
}

extension ValidJSON {
    /// The items of a page.
    fileprivate var items: [JSONValue] {
        var items: [JSONValue] = []
        forEachMember { name, value in if name.equals("items") { items = JSONValue(value).array ?? [] } }
        return items
    }
}
