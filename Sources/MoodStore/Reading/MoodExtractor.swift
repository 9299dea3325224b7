import JSONCodec
import MoodCore
import Storage

extension RecordExtractor {
    /// The store's view of moods: id, time, update, folded label, favorite mark.
    static let moods = RecordExtractor(
        head: { bytes in CanonicalMood(bytes).map { RecordHead(mood: $0) } ?? headOfAnyLayout(bytes) },
        compareTexts: { a, b in
            withLabel(a) { first in withLabel(b) { CaseFolding.compareFolded(first, $0) } }
        },
        compareText: { record, text in
            withLabel(record) { label in text.withUnsafeBytes { CaseFolding.compareFolded(label, $0) } }
        },
        id: { bytes in CanonicalMood.id(bytes) ?? headOfAnyLayout(bytes)?.id },
        headAndText: { bytes, text in
            if let mood = CanonicalMood(bytes) {
                mood.label.withDecoded { CaseFolding.appendFolded(utf8: $0, to: &text) }
                return RecordHead(mood: mood)
            }
            return headAndTextOfAnyLayout(bytes, &text)
        },
        revision: { MoodMembers(trusting: ValidJSON(trusting: $0)).revision },
        knownHead: { bytes in
            CanonicalMood(known: bytes).map { RecordHead(mood: $0) } ?? headOfAnyLayout(bytes)
        },
        traits: { record, scratch in MoodFacts(record).traits(&scratch) },
        indexed: { bytes, isKnown, text, scratch, found in
            if let mood = isKnown ? CanonicalMood(known: bytes) : CanonicalMood(bytes) {
                mood.label.withDecoded { CaseFolding.appendFolded(utf8: $0, to: &text) }
                let facts = MoodFacts(mood)
                let isKept = SearchText.append(facts.notes, to: &found.text, changes: &found.changes)
                return (RecordHead(mood: mood), facts.traits(&scratch), isKept)
            }
            guard let head = headAndTextOfAnyLayout(bytes, &text) else { return nil }
            let facts = MoodFacts(bytes)
            let isKept = SearchText.append(facts.notes, to: &found.text, changes: &found.changes)
            return (head, facts.traits(&scratch), isKept)
        })

    /// The head of a record with members in any order and others between them. It validates the JSON first, because a
    /// person may have edited the file.
    static func headOfAnyLayout(_ bytes: UnsafeRawBufferPointer) -> RecordHead? {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        // The reason does not help a caller; `MoodInspector` reports it.
        guard (try? validator.validate(bytes)) != nil else { return nil }
        return MoodMembers(checking: ValidJSON(trusting: bytes)).flatMap { RecordHead(mood: $0) }
    }

    private static func headAndTextOfAnyLayout(
        _ bytes: UnsafeRawBufferPointer, _ text: inout ByteBuffer
    ) -> RecordHead? {
        guard let head = headOfAnyLayout(bytes) else { return nil }
        withLabel(bytes) { CaseFolding.appendFolded(utf8: $0, to: &text) }
        return head
    }

    /// Calls `body` with the decoded label of a record.
    static func withLabel<Result>(
        _ record: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var reader = JSONReader(ValidJSON(trusting: record))
        _ = reader.enterObject()
        while let key = reader.nextKey() {
            if key.equals("label"), let label = reader.text() { return label.withDecoded(body) }
            reader.skip()
        }
        return body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

extension RecordHead {
    /// The mood has a time zone of its own.
    static let zoneFlag: UInt8 = 1

    /// The head of a mood with all required members.
    init?(mood: MoodMembers) {
        guard let id = mood.id, let time = mood.timestamp.value, let updated = mood.updatedAt.value,
            let label = mood.label
        else {
            return nil
        }
        self.init(
            id: id, time: time.milliseconds, updated: updated.milliseconds,
            textPrefix: Self.textPrefix(label), isMarked: mood.isFavorite ?? false,
            flags: mood.timeZone == nil ? 0 : Self.zoneFlag)
    }

    @inline(__always)
    init(mood: CanonicalMood) {
        self.init(
            id: mood.id, time: mood.timestamp.milliseconds, updated: mood.updatedAt.milliseconds,
            textPrefix: Self.textPrefix(mood.label), isMarked: mood.isFavorite,
            flags: mood.hasTimeZone ? Self.zoneFlag : 0)
    }

    /// The prefix of the stored label; a request's label may have white space around it.
    @inline(__always)
    private static func textPrefix(_ label: JSONText) -> Int64 {
        plainPrefix(label) ?? label.withDecoded { foldedPrefix(TextRule.trimmed($0)) }
    }

    /// The prefix without decoding, for a label that begins with three visible ASCII characters.
    @inline(__always)
    private static func plainPrefix(_ label: JSONText) -> Int64? {
        guard !label.isEscaped, label.raw.count >= 3 else { return nil }
        var prefix: Int64 = 0
        for index in 0..<3 {
            let byte = label.raw[index]
            guard byte &- 0x21 < 0x5e else { return nil }
            prefix = prefix << 21 | Int64(byte &- 0x41 < 26 ? byte | 0x20 : byte) + 1
        }
        return prefix
    }

    /// The first three folded code points, 21 bits each. Different prefixes have the order of the whole folded texts.
    static func foldedPrefix(_ text: UnsafeRawBufferPointer) -> Int64 {
        var prefix: Int64 = 0
        var decoder = Unicode.UTF8()
        var bytes = text.makeIterator()
        for _ in 0..<3 {
            prefix <<= 21
            // Adds one to the code point, so that a text sorts before every longer one, even with U+0000.
            if case .scalarValue(let scalar) = decoder.decode(&bytes) {
                prefix |= Int64(CaseFolding.fold(scalar.value)) + 1
            }
        }
        return prefix
    }
}
