import JSONCodec

/// The result of `mood_screen`.
extension Tool {
    /// Writes a screen, with as much of its notes and as many of its cells as fit.
    func writeScreen(_ screen: ValidJSON, _ facts: ToolFacts, to out: inout JSONWriter) -> Shown {
        if writeScreen(screen, isCut: false, fewerCells: false, facts, to: &out) { return .whole }
        let rules = facts.notes.shorterRules.dropFirst()
        for rule in rules {
            let isLast = rule == rules.last
            var cut = JSONWriter(capacity: screen.bytes.count)
            cut.withNotes(screen, rule)
            let isWritten = cut.buffer.withBytes { bytes in
                let isCut = !bytes.elementsEqual(screen.bytes)
                return writeScreen(ValidJSON(trusting: bytes), isCut: isCut, fewerCells: isLast, facts, to: &out)
            }
            if isWritten { return .whole }
        }
        if rules.isEmpty, writeScreen(screen, isCut: false, fewerCells: true, facts, to: &out) { return .whole }
        out.toolError(
            "\(name): the screen has more than \(facts.bytesMax) bytes (the limit mcpAnswerBytes). Use mood_find and mood_get.",
            version: facts.version)
        return .nothing
    }

    /// - Parameter fewerCells: whether to leave out the last cells.
    /// - Returns: false if it does not fit; then nothing is written.
    private func writeScreen(
        _ screen: ValidJSON, isCut: Bool, fewerCells: Bool, _ facts: ToolFacts, to out: inout JSONWriter
    ) -> Bool {
        var count = 0
        screen.forEachMember { name, value in if name.equals("cells") { value.forEachElement { _ in count += 1 } } }
        let mark = out.count
        var shown = count
        while true {
            writeScreen(screen, isCut: isCut, cells: shown, of: count, facts, to: &out)
            let bytes = out.count - mark
            guard bytes > facts.bytesMax else { return true }
            out.rewind(to: mark)
            guard fewerCells, shown > 0 else { return false }
            shown = min(shown - 1, shown * facts.bytesMax / bytes)
        }
    }

    private func writeScreen(
        _ screen: ValidJSON, isCut: Bool, cells shown: Int, of count: Int, _ facts: ToolFacts, to out: inout JSONWriter
    ) {
        out.toolResult(
            facts.revision, version: facts.version,
            text: { text in
                text.screenLines(screen, cells: shown)
                if isCut { text.put(Self.notesWereCut) }
                guard shown < count else { return }
                text.put("\\n")
                text.buffer.append(integer: count - shown)
                text.put(" more cells do not fit here; mood_find lists moods page by page, and mood_get shows one.")
            },
            structured: { json in
                json.beginObject()
                screen.forEachMember { name, value in
                    json.string(name)
                    json.buffer.append(UInt8(ascii: ":"))
                    guard name.equals("cells") else { return json.raw(value.bytes) }
                    json.beginArray()
                    var number = 0
                    value.forEachElement { cell in
                        number += 1
                        if number <= shown { json.raw(cell.bytes) }
                    }
                    json.endArray()
                }
                if shown < count {
                    json.member("cellsLeftOut", count - shown)
                }
                json.endObject()
            })
    }
}

extension JSONWriter {
    /// Writes the inside of a string: the title and the elements of a screen, line by line.
    mutating func screenLines(_ screen: ValidJSON, cells shown: Int) {
        screen.forEachMember { name, value in
            if name.equals("title"), let title = value.text { line(title) }
            guard name.equals("cells") || name.equals("toolbar") || name.equals("actions") else { return }
            var number = 0
            value.forEachElement { element in
                number += 1
                if !name.equals("cells") || number <= shown { screenLine(element) }
            }
        }
    }

    /// Writes an element of a screen: its accessibility label and its actions.
    fileprivate mutating func screenLine(_ element: ValidJSON) {
        var label: JSONText?
        var id: JSONText?
        var offers: ValidJSON?
        var action: ValidJSON?
        element.forEachMember { name, value in
            if name.equals("accessibility") {
                value.forEachMember { if $0.equals("label") { label = $1.text } }
            } else if name.equals("label") {
                label = label ?? value.text
            } else if name.equals("id") {
                id = value.text
            } else if name.equals("actions") {
                offers = value
            } else if name.equals("action") {
                action = value
            }
        }
        put("\\n- ")
        if let text = label ?? id { line(text) }
        if let action { self.action(action) }
        offers?.forEachElement { offer in
            var label: JSONText?
            var action: ValidJSON?
            offer.forEachMember { name, value in
                if name.equals("label") { label = value.text }
                if name.equals("action") { action = value }
            }
            put("; ")
            if let label { line(label) }
            if let action { self.action(action) }
        }
    }

    private mutating func action(_ action: ValidJSON) {
        put(" → ")
        contents(utf8: action.bytes)
    }
}
