import JSONCodec

extension MoodMembers {
    /// Writes the mood in its canonical form. The members that every mood has must be set; notes, tags, attachments and
    /// the favorite mark have defaults.
    ///
    /// Code writes the members that every mood has, a name with the marks around it as one literal: creating a mood
    /// spends most of its time here. The table writes the others.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.buffer.append("\"id\":\"" as StaticString)
        id?.write(to: &writer.buffer)
        writer.buffer.append("\",\"emoji\":\"" as StaticString)
        if let emoji { writer.contents(emoji) }
        writer.buffer.append("\",\"label\":\"" as StaticString)
        if let label { Self.writeContents(trimmed: label, &writer) }
        writer.buffer.append("\",\"timestamp\":\"" as StaticString)
        timestamp.write(to: &writer.buffer)
        if isFavorite ?? false {
            writer.buffer.append("\",\"isFavorite\":true,\"notes\":\"" as StaticString)
        } else {
            writer.buffer.append("\",\"isFavorite\":false,\"notes\":\"" as StaticString)
        }
        if let notes { writer.contents(notes) }
        writer.buffer.append("\",\"tags\":[" as StaticString)
        if let tags { Self.writeTags(tags, &writer) }
        writer.buffer.append(UInt8(ascii: "]"))
        if !given.isDisjoint(with: .optional) { writeOptional(to: &writer) }
        writer.buffer.append(",\"attachments\":[" as StaticString)
        if let attachments, attachments.bytes.count > 2 { Attachment.write(all: attachments, to: &writer) }
        writer.buffer.append("],\"createdAt\":\"" as StaticString)
        createdAt.write(to: &writer.buffer)
        writer.buffer.append("\",\"updatedAt\":\"" as StaticString)
        updatedAt.write(to: &writer.buffer)
        writer.buffer.append("\",\"revision\":" as StaticString)
        writer.buffer.append(integer: revision ?? 0)
        for member in unknown {
            writer.string(member.name)
            writer.buffer.append(UInt8(ascii: ":"))
            writer.raw(member.value.bytes)
        }
        writer.endObject()
    }

    @inline(never)
    private func writeOptional(to writer: inout JSONWriter) {
        given.intersection(.optional).forEach { field in
            let value = values[field.place].text
            switch field.kind {
            case .number:
                guard let number = JSONNumber(raw: value.raw).double else { return }
                writer.member(field.name, number)
            case .object(let object):
                writer.key(field.name)
                object.rule.write(ValidJSON(trusting: value.raw), &writer)
            case .flag:
                writer.member(field.name, raw: value.raw)
            case .line:
                writer.key(field.name)
                value.withDecoded { writer.string(utf8: TextRule.trimmed($0)) }
            default:
                writer.member(field.name, value)
            }
        }
    }

    private static func writeTags(_ tags: ValidJSON, _ writer: inout JSONWriter) {
        var reader = JSONReader(tags)
        guard reader.enterArray() else { return }
        while reader.nextElement() {
            guard let tag = reader.text() else {
                reader.skip()
                continue
            }
            // A comma is due, unless the bracket is the last byte.
            if writer.buffer.bytes.last != UInt8(ascii: "[") { writer.buffer.append(UInt8(ascii: ",")) }
            writer.buffer.append(UInt8(ascii: "\""))
            writeContents(trimmed: tag, &writer)
            writer.buffer.append(UInt8(ascii: "\""))
        }
    }

    private static func writeContents(trimmed text: JSONText, _ writer: inout JSONWriter) {
        if text.isEscaped {
            text.withDecoded { writer.contents(utf8: TextRule.trimmed($0)) }
        } else {
            writer.buffer.append(TextRule.trimmed(text.raw))
        }
    }
}
