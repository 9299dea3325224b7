import JSONCodec
import MoodCore
import Storage

extension SchemaMigration {
    /// The migration from version 1 or 2 to 3, step by step.
    public static let moods = SchemaMigration { (text) throws(SchemaMigration.Problem) in
        try OlderMoodDocument(text).migrated()
    }
}

/// A document `{"schemaVersion":1,"moods":[…]}` of version 1 or 2, in any layout.
///
/// It is read twice. The first pass checks every mood and notes its id and time, in 40 bytes a mood, which is less than
/// a mood has in the document. The second writes each mood, in the order of a snapshot. If anything breaks a rule, the
/// whole document is refused, so that no data is dropped.
///
/// Complexity: linear in the document, and n log n in the number of moods for their order.
struct OlderMoodDocument {
    /// The most levels, fewer than in a message: an answer has more levels above a mood (a batch, the answer, its
    /// result, a page, an item) than a document, and a mood that cannot be shown has no use.
    static let depthMax = JSONValidator.depthMax - 4

    /// The offset of a mood, and its sort keys.
    private struct Place {
        let time: Int64
        let id: MoodID
        /// The index in the array.
        let number: Int
        /// The offset in the document.
        let offset: Int
    }

    private let text: UnsafeRawBufferPointer
    private var version: Int?
    private var moods: ValidJSON?
    /// The member `count`, if there is one: it must be right.
    private var count: ValidJSON?
    private var unknownMembers: [UInt8] = []

    init(_ text: UnsafeRawBufferPointer) throws(SchemaMigration.Problem) {
        self.text = text
        var reader = JSONReader(try Self.validated(text))
        guard reader.enterObject() else {
            throw SchemaMigration.Problem(offset: 0, reason: "the document is no object", isDamage: true)
        }
        while let key = reader.nextKey() { try take(key, reader.skip()) }
        guard version != nil, moods != nil else {
            throw SchemaMigration.Problem(
                offset: 0, reason: version == nil ? "schemaVersion is missing" : "moods is missing", isDamage: false)
        }
        guard unknownMembers.count <= SchemaMigration.recordBytesMax else {
            throw SchemaMigration.Problem(
                offset: 0,
                reason:
                    "what the document holds beside its moods is longer than \(SchemaMigration.recordBytesMax) bytes",
                isDamage: false)
        }
    }

    private static func validated(_ text: UnsafeRawBufferPointer) throws(SchemaMigration.Problem) -> ValidJSON {
        var validator = JSONValidator(depthLimit: depthMax)
        let outline: JSONOutline
        do {
            outline = try validator.validate(text)
        } catch {
            throw SchemaMigration.Problem(
                offset: error.offset, reason: error.reason.description,
                isDamage: error.reason != .tooDeep(limit: depthMax))
        }
        if let duplicate = outline.duplicate {
            throw SchemaMigration.Problem(
                offset: duplicate, reason: "a name stands twice in the same object", isDamage: false)
        }
        return outline.text
    }

    /// Takes a member of the document. A member that version 3's first line has too must have an equal value, or it
    /// would be there twice.
    private mutating func take(_ key: JSONText, _ value: ValidJSON) throws(SchemaMigration.Problem) {
        var reader = JSONReader(value)
        switch key.string {
        case "schemaVersion":
            version = reader.number()?.integer
            guard version == 1 || version == 2 else { throw problem(value, "schemaVersion must be 1, 2 or 3") }
        case "moods":
            guard reader.kind == .array else {
                throw problem(value, "moods must be an array; it is \(reader.kind.name)")
            }
            moods = value
        case "format":
            guard reader.text()?.equals("moodboard") == true else {
                throw problem(value, "format must be \"moodboard\", or be left out")
            }
        case "count":
            count = value
        case "storeId", "generation", "revision", "crc":
            throw problem(value, "\(key.string) is given by a later version, so this is not a file of an earlier one")
        default:
            var writer = JSONWriter(capacity: value.bytes.count + 64)
            writer.buffer.append(UInt8(ascii: "{"))
            writer.string(key)
            writer.buffer.append(UInt8(ascii: ":"))
            value.writeCompact(to: &writer.buffer)
            unknownMembers.append(UInt8(ascii: ","))
            unknownMembers.append(contentsOf: writer.buffer.bytes.dropFirst())
        }
    }

    /// - Throws: the first mood that breaks a rule, and the number of such moods.
    func migrated() throws(SchemaMigration.Problem) -> MigratedDocument {
        var places = try checkedPlaces()
        places.sort { ($0.id, $0.number) < ($1.id, $1.number) }
        for (place, next) in zip(places, places.dropFirst()) where place.id == next.id {
            throw SchemaMigration.Problem(
                offset: next.offset,
                reason: "moods[\(next.number)] has the same id as moods[\(place.number)], \(place.id.text)",
                isDamage: false)
        }
        places.sort { ($0.time, $0.id) < ($1.time, $1.id) }
        return MigratedDocument(count: places.count, unknownMembers: unknownMembers) { [self, places] emit in
            var writer = JSONWriter(capacity: 1024)
            var compact = ByteBuffer(capacity: 1024)
            for place in places {
                // The first pass read this mood. If it failed now, the snapshot's count would show it.
                guard let mood = try? mood(at: place.offset, number: place.number) else { continue }
                writer.rewind(to: 0)
                mood.write(to: &writer)
                guard !mood.unknown.isEmpty else {
                    emit(writer.buffer.bytes)
                    continue
                }
                compact.truncate(to: 0)
                ValidJSON(trusting: writer.buffer.bytes).writeCompact(to: &compact)
                emit(compact.bytes)
            }
        }
    }

    private func checkedPlaces() throws(SchemaMigration.Problem) -> [Place] {
        var places: [Place] = []
        var first: SchemaMigration.Problem?
        var others = 0
        var number = 0
        var reader = JSONReader(moods ?? ValidJSON(trusting: UnsafeRawBufferPointer(start: nil, count: 0)))
        _ = reader.enterArray()
        while reader.nextElement() {
            let value = reader.skip()
            do throws(OlderMoodProblem) {
                let place = offset(of: UInt(bitPattern: value.bytes.baseAddress))
                guard value.bytes.count <= SchemaMigration.recordBytesMax else {
                    throw OlderMoodProblem(value, "", "is longer than \(SchemaMigration.recordBytesMax) bytes")
                }
                let mood = try mood(at: place, number: number)
                if let id = mood.id, let time = mood.timestamp.value {
                    places.append(Place(time: time.milliseconds, id: id, number: number, offset: place))
                }
            } catch {
                if first == nil {
                    first = SchemaMigration.Problem(
                        offset: offset(of: error.address), reason: "moods[\(number)]\(error.path) \(error.reason)",
                        isDamage: false)
                } else {
                    others += 1
                }
            }
            number += 1
        }
        if var first {
            if others > 0 { first.reason += "; \(others) more of the \(number) moods break a rule" }
            throw first
        }
        try checkCount(number)
        return places
    }

    private func checkCount(_ number: Int) throws(SchemaMigration.Problem) {
        guard let count else { return }
        var reader = JSONReader(count)
        guard reader.number()?.integer == number else {
            throw problem(count, "count does not say how many moods there are, which is \(number)")
        }
    }

    /// The migrated mood that begins at an offset.
    private func mood(at offset: Int, number: Int) throws(OlderMoodProblem) -> MoodMembers {
        // The reader takes one value, and ignores the rest of the text.
        let text = ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: text[offset...]))
        var reader = JSONReader(text)
        return try MoodMembers(migrating: reader.skip(), place: number)
    }

    private func problem(_ value: ValidJSON, _ reason: String) -> SchemaMigration.Problem {
        SchemaMigration.Problem(
            offset: offset(of: UInt(bitPattern: value.bytes.baseAddress)), reason: reason, isDamage: false)
    }

    /// The offset of a value. Every value is in the text, so it is not negative.
    private func offset(of address: UInt) -> Int { Int(bitPattern: address &- UInt(bitPattern: text.baseAddress)) }
}

extension ValidJSON {
    /// Appends this value without the white space between its tokens.
    fileprivate func writeCompact(to buffer: inout ByteBuffer) {
        buffer.reserve(bytes.count)
        var isInString = false
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            if isInString {
                if byte == UInt8(ascii: "\\"), at + 1 < bytes.count {
                    buffer.append(byte)
                    at += 1
                    buffer.append(bytes[at])
                    at += 1
                    continue
                }
                isInString = byte != UInt8(ascii: "\"")
            } else if byte <= 0x20 {
                at += 1
                continue
            } else {
                isInString = byte == UInt8(ascii: "\"")
            }
            buffer.append(byte)
            at += 1
        }
    }
}
