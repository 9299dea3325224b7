import JSONCodec

/// One text for each JSON value: members sorted by the bytes of their names, no white space, strings in the canonical
/// form.
///
/// Two values are equal when these texts are. (Counterpart: RFC 8785, which rounds numbers to doubles; here they keep
/// their value, or their spelling.)
enum CanonicalJSON {
    enum Numbers {
        /// Equal numbers have equal texts; for comparing.
        case byValue
        /// Numbers as written; for a digest.
        case asWritten
    }

    static func bytes(_ value: ValidJSON, numbers: Numbers) -> [UInt8] {
        var reader = JSONReader(value)
        var writer = JSONWriter(capacity: value.bytes.count + 16)
        write(&reader, to: &writer, numbers)
        return Array(writer.buffer.bytes)
    }

    static func bytes(_ value: JSONValue, numbers: Numbers) -> [UInt8] {
        Array(value.text.utf8).withUnsafeBytes { bytes(ValidJSON(trusting: $0), numbers: numbers) }
    }

    /// Writes a value. The validator bounds the depth, so this recursion is bounded too.
    private static func write(_ reader: inout JSONReader, to writer: inout JSONWriter, _ numbers: Numbers) {
        switch reader.kind {
        case .null:
            _ = reader.null()
            writer.null()
        case .boolean: writer.boolean(reader.boolean() ?? false)
        case .number:
            guard let number = reader.number() else { return }
            writer.number(text: numbers == .byValue ? DecimalNumber(number).canonicalText : number.text)
        case .string: if let text = reader.text() { writer.string(text) }
        case .array:
            _ = reader.enterArray()
            writer.beginArray()
            while reader.nextElement() { write(&reader, to: &writer, numbers) }
            writer.endArray()
        case .object:
            _ = reader.enterObject()
            var members: [(name: [UInt8], value: [UInt8])] = []
            while let key = reader.nextKey() {
                members.append((key.withDecoded { Array($0) }, bytes(reader.skip(), numbers: numbers)))
            }
            members.sort { $0.name.lexicographicallyPrecedes($1.name) }
            writer.beginObject()
            for member in members {
                member.name.withUnsafeBytes { writer.string(utf8: $0) }
                writer.buffer.append(UInt8(ascii: ":"))
                member.value.withUnsafeBytes { writer.raw($0) }
            }
            writer.endObject()
        }
    }
}
