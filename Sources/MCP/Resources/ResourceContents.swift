import JSONCodec
import MoodProtocol

/// The result of `resources/read`: JSON for programs and a text for users.
public struct ResourceContents {
    let uri: String
    let notes: NotesRule
    let version: String

    public init(_ uri: String, notes: NotesRule, version: String) {
        self.uri = uri
        self.notes = notes
        self.version = version
    }

    /// Writes one mood, with its text from the host.
    public func writeMood(_ mood: ValidJSON, markdown: ValidJSON, to out: inout JSONWriter) {
        begin(&out)
        json(&out) { $0.mood(mood, notes == .hidden ? .hidden : .whole) }
        text("text/markdown", &out) { inside in
            markdown.forEachMember { name, value in
                if name.equals("text"), let text = value.text { inside.contents(text) }
            }
        }
        end(&out)
    }

    /// Writes a page of moods if it fits. A single mood that is too long loses its notes, else it is left out and
    /// named.
    /// - Returns: nil if it was written; else the number of moods to ask for: fewer than there are, and at least one.
    public func writeMoods(_ page: ValidJSON, title: String, bytesMax: Int, to out: inout JSONWriter) -> Int? {
        let mark = out.count
        for rule in notes == .hidden ? [NotesRule.hidden] : [.ofLists, .cut(0)] {
            let count = writeMoods(page, title, rule, isLeftOut: false, to: &out)
            let bytes = out.count - mark
            if bytes <= bytesMax { return nil }
            out.rewind(to: mark)
            if count > 1 { return max(1, min(count - 1, count * bytesMax / bytes)) }
        }
        _ = writeMoods(page, title, .hidden, isLeftOut: true, to: &out)
        return nil
    }

    /// - Parameter isLeftOut: whether the moods are named by their ids alone.
    /// - Returns: the number of moods.
    private func writeMoods(
        _ page: ValidJSON, _ title: String, _ rule: NotesRule, isLeftOut: Bool, to out: inout JSONWriter
    ) -> Int {
        var count = 0
        begin(&out)
        json(&out) { json in
            json.beginObject()
            page.forEachMember { name, value in
                json.string(name)
                json.buffer.append(UInt8(ascii: ":"))
                guard name.equals("items") else { return json.raw(value.bytes) }
                json.beginArray()
                value.forEachElement { mood in
                    count += 1
                    if !isLeftOut { json.mood(mood, rule) }
                }
                json.endArray()
                guard isLeftOut else { return }
                json.key("leftOut")
                json.beginArray()
                value.forEachElement { if let id = MoodParts($0).id { json.string(id) } }
                json.endArray()
            }
            json.endObject()
        }
        text("text/markdown", &out) { inside in
            inside.put("# ")
            inside.line(title)
            inside.put("\\n")
            page.forEachMember { name, value in
                if name.equals("items") {
                    value.forEachElement { mood in
                        inside.put("\\n- ")
                        if isLeftOut { inside.leftOut(MoodParts(mood).id) } else { inside.moodLine(mood, rule) }
                    }
                } else if name.equals("nextCursor"), let cursor = value.text {
                    inside.put("\\n\\nThere are more: ")
                    inside.text(String(uri.prefix { $0 != "?" }))
                    inside.put("?cursor=")
                    inside.text(ResourceAddress.encoded(cursor.string))
                }
            }
        }
        end(&out)
        return count
    }

    /// Writes a screen.
    public func writeScreen(_ screen: ValidJSON, to out: inout JSONWriter) {
        begin(&out)
        json(&out) { if notes == .hidden { $0.withoutNotes(screen) } else { $0.raw(screen.bytes) } }
        text("text/markdown", &out) { $0.screenLines(screen, cells: .max) }
        end(&out)
    }

    /// Writes a result of the host in one form, and optionally in a second one.
    public func write(
        _ first: ValidJSON, as mediaType: StaticString, isText: Bool, _ second: ValidJSON?, to out: inout JSONWriter
    ) {
        begin(&out)
        if isText { words(first, mediaType, &out) } else { json(&out) { $0.raw(first.bytes) } }
        if let second { words(second, "text/plain", &out) }
        end(&out)
    }

    /// Writes `text` of a result of `stats.render`.
    private func words(_ rendered: ValidJSON, _ mediaType: StaticString, _ out: inout JSONWriter) {
        text(mediaType, &out) { inside in
            rendered.forEachMember { name, value in
                if name.equals("text"), let text = value.text { inside.contents(text) }
            }
        }
    }

    private func begin(_ out: inout JSONWriter) {
        out.beginModelResult()
        out.key("contents")
        out.beginArray()
    }

    private func end(_ out: inout JSONWriter) {
        out.endArray()
        out.endModelResult(version: version)
    }

    private func json(_ out: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        var scratch = JSONWriter(capacity: 1024)
        write(&scratch)
        text("application/json", &out) { inside in scratch.buffer.withBytes { inside.contents(utf8: $0) } }
    }

    private func text(_ mediaType: StaticString, _ out: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        out.beginObject()
        out.member("uri", uri)
        out.member("mimeType", mediaType)
        out.key("text")
        out.buffer.append(UInt8(ascii: "\""))
        write(&out)
        out.buffer.append(UInt8(ascii: "\""))
        out.endObject()
    }
}
