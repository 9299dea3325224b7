import JSONCodec

/// Properties of the codec for any bytes.
///
/// 1. Validator and `PlainJSON` agree on accepting or refusing, and on the first doubled name.
/// 2. `JSONReader`, `JSONValue` and `PlainJSON` read equal values; a value that was written is accepted, read equal
///    again, and written equal again.
/// 3. The parts of an outline are the members or elements of the top level; `skip` passes exactly one value.
/// 4. A number that is an integer is that double too, and the other way round.
///
/// Every use shares one validator, to search the traces of earlier inputs in it too.
public struct JSONTarget: ~Copyable {
    private var validator = JSONValidator(depthLimit: 64)
    private var shallow = JSONValidator(depthLimit: 3)

    public init() {}

    public mutating func check(_ input: [UInt8]) throws(Violation) {
        try Self.agree(input, &shallow, depthLimit: 3)
        guard let reading = try Self.agree(input, &validator, depthLimit: 64) else { return }
        let (value, copied) = input.withUnsafeBytes { (JSONValue(trusting: $0), Self.copy($0)) }
        try require(value.equals(reading.tree), "the value read is not what the text says")
        let written = Array(value.text.utf8)
        try require(written == copied, "a reader that copies texts writes otherwise than a tree")
        let (again, isAccepted) = written.withUnsafeBytes { (JSONValue(trusting: $0), validator.accepts($0)) }
        try require(isAccepted == (reading.duplicate == nil), "what was written is not accepted")
        try require(again.equals(reading.tree), "what was written is read otherwise")
        try require(Array(again.text.utf8) == written, "what is written again differs")
        let pretty = Array(value.prettyText.utf8)
        try require(PlainJSON.read(pretty)?.tree == reading.tree, "the indented text says something else")
        try numbers(value)
    }

    /// Checks property 1, and 3 for accepted texts.
    @discardableResult
    private static func agree(
        _ input: [UInt8], _ validator: inout JSONValidator, depthLimit: Int
    ) throws(Violation) -> PlainJSON.Reading? {
        let plain = PlainJSON.read(input, depthLimit: depthLimit)
        let result: Result<Violation?, JSONError> = input.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                return .success(plain.flatMap { violation(of: outline, $0) })
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let violation):
            if let violation { throw violation }
            try require(plain != nil, "accepted at depth limit \(depthLimit), but it is not JSON")
        case .failure(let error):
            try require(plain == nil, "refused at depth limit \(depthLimit), but it is JSON: \(error)")
            try require(error.offset >= 0 && error.offset <= input.count, "an error outside the text: \(error.offset)")
        }
        return plain
    }

    private static func violation(of outline: JSONOutline, _ plain: PlainJSON.Reading) -> Violation? {
        if outline.duplicate != plain.duplicate {
            let (mine, theirs) = (String(describing: outline.duplicate), String(describing: plain.duplicate))
            return Violation("doubled name at \(mine), but it is at \(theirs)")
        }
        let expected: [(name: [UInt32], value: PlainJSON.Tree)]
        let kind: JSONKind
        switch plain.tree {
        case .object(let members): (kind, expected) = (.object, members.map { ($0.name, $0.value) })
        case .array(let elements): (kind, expected) = (.array, elements.map { ([], $0) })
        case .string: (kind, expected) = (.string, [])
        case .number: (kind, expected) = (.number, [])
        case .boolean: (kind, expected) = (.boolean, [])
        case .null: (kind, expected) = (.null, [])
        }
        if outline.kind != kind { return Violation("the outline says \(outline.kind), but it is \(kind)") }
        if outline.parts.count != expected.count { return Violation("\(outline.parts.count) parts in the outline") }
        for (part, member) in zip(outline.parts, expected) {
            let key = outline.key(part)
            let name = JSONText(raw: key, isEscaped: key.contains(UInt8(ascii: "\\")))
            if !name.withDecoded({ $0.elementsEqual(PlainUTF8.encode(member.name)) }) {
                return Violation("a part with another name")
            }
            let text = outline.text[part]
            var reader = JSONReader(text)
            if !reader.skip().bytes.elementsEqual(text.bytes) { return Violation("skip does not pass over one part") }
            if !JSONValue(text).equals(member.value) { return Violation("a part with another value") }
        }
        return nil
    }

    private func numbers(_ value: JSONValue) throws(Violation) {
        switch value {
        case .number(let text):
            let (integer, double) = (value.integer, value.double)
            if let integer {
                try require(double == Double(integer), "\(text) is the integer \(integer), but not that double")
            } else if let double, double == double.rounded(), abs(double) < 0x1p53 {
                try require(text.contains { ".eE".contains($0) }, "\(text) is no integer")
            }
        case .array(let elements): for element in elements { try numbers(element) }
        case .object(let members): for member in members { try numbers(member.value) }
        case .null, .boolean, .string: break
        }
    }

    /// The text in canonical form without a tree: it uses every reading method and every writing method.
    private static func copy(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var reader = JSONReader(ValidJSON(trusting: bytes))
        var writer = JSONWriter(capacity: 16)
        copy(&reader, to: &writer)
        return Array(writer.buffer.bytes)
    }

    private static func copy(_ reader: inout JSONReader, to writer: inout JSONWriter) {
        switch reader.kind {
        case .null: if reader.null() { writer.null() }
        case .boolean: if let value = reader.boolean() { writer.boolean(value) }
        case .number: if let number = reader.number() { writer.number(text: number.text) }
        case .string: if let text = reader.text() { writer.string(text) }
        case .array:
            writer.beginArray()
            if reader.enterArray() { while reader.nextElement() { copy(&reader, to: &writer) } }
            writer.endArray()
        case .object:
            writer.beginObject()
            if reader.enterObject() {
                while let key = reader.nextKey() {
                    writer.string(key)
                    writer.buffer.append(UInt8(ascii: ":"))
                    copy(&reader, to: &writer)
                }
            }
            writer.endObject()
        }
    }
}

extension JSONValue {
    fileprivate init(trusting bytes: UnsafeRawBufferPointer) { self.init(ValidJSON(trusting: bytes)) }

    /// Whether the values are equal, with members in equal order.
    fileprivate func equals(_ tree: PlainJSON.Tree) -> Bool {
        switch (self, tree) {
        case (.null, .null): true
        case (.boolean(let mine), .boolean(let theirs)): mine == theirs
        case (.number(let mine), .number(let theirs)): mine.utf8.elementsEqual(theirs)
        case (.string(let mine), .string(let theirs)): mine.utf8.elementsEqual(PlainUTF8.encode(theirs))
        case (.array(let mine), .array(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.equals($1) }
        case (.object(let mine), .object(let theirs)):
            mine.count == theirs.count
                && zip(mine, theirs).allSatisfy { mine, theirs in
                    mine.name.utf8.elementsEqual(PlainUTF8.encode(theirs.name)) && mine.value.equals(theirs.value)
                }
        default: false
        }
    }
}
