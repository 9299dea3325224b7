import JSONCodec

/// The common parts of results in both eras.
extension JSONWriter {
    /// The time that a client may keep lists that seldom change, in milliseconds.
    public static let listMilliseconds = 60_000

    /// Begins a result: its members follow, then `endModelResult`.
    public mutating func beginModelResult() { raw("{\"resultType\":\"complete\"") }

    /// - Parameter freshFor: the time that a client may keep it, in milliseconds; 0: it may change at once.
    public mutating func endModelResult(freshFor milliseconds: Int = 0, version: String) {
        key("ttlMs")
        integer(milliseconds)
        buffer.append(
            ",\"cacheScope\":\"private\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"moodboard\",\"version\":\""
                as StaticString)
        buffer.append(utf8: version)
        buffer.append("\"}}}" as StaticString)
    }

    /// Writes the inside of a string: a literal that is escaped already.
    @inline(__always)
    mutating func put(_ literal: StaticString) { buffer.append(literal) }

    /// Writes the inside of a string.
    mutating func text(_ text: String) { contents(of: text) }

    /// Writes the inside of a string that becomes a part of another one: line feeds and tabs become spaces, so that it
    /// stays one line.
    mutating func line(_ text: JSONText) {
        guard text.isEscaped else { return contents(text) }
        text.withDecoded { line($0) }
    }

    mutating func line(_ text: String) {
        var text = text
        text.withUTF8 { line(UnsafeRawBufferPointer($0)) }
    }

    private mutating func line(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while let place = rest.firstIndex(where: { $0 < 0x20 }) {
            contents(utf8: UnsafeRawBufferPointer(rebasing: rest[..<place]))
            buffer.append(UInt8(ascii: " "))
            rest = rest[(place + 1)...]
        }
        contents(utf8: UnsafeRawBufferPointer(rebasing: rest))
    }
}

/// The result of a tool.
extension JSONWriter {
    /// - Parameters:
    ///   - links: related resources; clients of earlier revisions find their addresses in the text.
    ///   - text: writes the inside of a string.
    ///   - structured: writes one object.
    public mutating func toolResult(
        _ revision: Revision, links: [Resource] = [], version: String,
        text: (inout JSONWriter) -> Void, structured: (inout JSONWriter) -> Void
    ) {
        beginModelResult()
        buffer.append(",\"content\":[{\"type\":\"text\",\"text\":\"" as StaticString)
        if revision.hasStructure {
            text(&self)
        } else {
            // These clients pass on the text alone, and programs behind them read it.
            var json = JSONWriter(capacity: 1024)
            structured(&json)
            json.buffer.withBytes { contents(utf8: $0) }
        }
        buffer.append("\"}" as StaticString)
        if revision.hasStructure { for link in links { link.writeLink(to: &self) } }
        buffer.append("],\"structuredContent\":" as StaticString)
        structured(&self)
        buffer.append(",\"isError\":false" as StaticString)
        endModelResult(version: version)
    }

    /// Writes a result with an error from which a model can correct its call.
    public mutating func toolError(_ message: String, version: String) {
        beginModelResult()
        buffer.append(",\"content\":[{\"type\":\"text\",\"text\":" as StaticString)
        string(message)
        buffer.append("}],\"isError\":true" as StaticString)
        endModelResult(version: version)
    }
}

extension JSONWriter {
    /// The lines of a page of moods, as text: with as much of their notes as fits, else with as many moods as fit.
    /// - Returns: nil without moods; `isShort` if something of the page was left out.
    public static func moodLines(
        of page: [UInt8], _ rule: NotesRule, bytesMax: Int
    ) -> (text: String, isShort: Bool)? {
        var items: [ValidJSON] = []
        return page.withUnsafeBytes { bytes -> (String, Bool)? in
            ValidJSON(trusting: bytes).forEachMember { name, value in
                if name.equals("items") { value.forEachElement { items.append($0) } }
            }
            if items.isEmpty { return nil }
            for shorter in rule.shorterRules {
                let text = moodLines(items, shorter)
                if text.utf8.count <= bytesMax { return (text, shorter != rule) }
            }
            var count = items.count
            while count > 1 {
                count /= 2
                let text = moodLines(Array(items.prefix(count)), .cut(0))
                if text.utf8.count <= bytesMax { return (text, true) }
            }
            return ("(They are longer than an answer; mood_find lists them.)", true)
        }
    }

    private static func moodLines(_ items: [ValidJSON], _ rule: NotesRule) -> String {
        var lines = JSONWriter(capacity: 4096)
        lines.buffer.append(UInt8(ascii: "\""))
        for (number, mood) in items.enumerated() {
            if number > 0 { lines.put("\\n") }
            lines.moodLine(mood, rule)
        }
        lines.buffer.append(UInt8(ascii: "\""))
        return lines.buffer.withBytes { ValidJSON(trusting: $0).text?.string ?? "" }
    }
}
