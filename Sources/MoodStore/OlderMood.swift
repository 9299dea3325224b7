import JSONCodec
import MoodCore

/// What is wrong with a mood of an older file.
struct OlderMoodProblem: Error {
    /// The address of the value that it is about.
    var address: UInt
    /// The member's name with a dot before it, or empty for the mood itself.
    var path: String
    var reason: String

    init(_ value: ValidJSON, _ path: String, _ reason: String) {
        address = UInt(bitPattern: value.bytes.baseAddress)
        self.path = path
        self.reason = reason
    }
}

/// A mood of schema version 1, where it stands in its file: {emoji, label, timestamp}, and whatever else is there.
struct MoodVersion1 {
    var emoji: JSONText
    var label: JSONText
    var timestamp: Timestamp
    /// Members that version 1 does not know, in their order.
    var others: [(name: JSONText, value: ValidJSON)]
}

/// A mood of schema version 2: version 1 with a favourite mark.
struct MoodVersion2 {
    var emoji: JSONText
    var label: JSONText
    var timestamp: Timestamp
    var isFavorite: Bool
    /// Members that version 2 does not know, in their order.
    var others: [(name: JSONText, value: ValidJSON)]
}

extension MoodVersion1 {
    /// Reads the mood and holds it to the rules that moods have in every version.
    init(reading mood: ValidJSON) throws(OlderMoodProblem) {
        var reader = JSONReader(mood)
        guard reader.kind == .object, reader.enterObject() else {
            throw OlderMoodProblem(mood, "", "must be an object; it is \(reader.kind.name)")
        }
        var emoji: JSONText?
        var label: JSONText?
        var timestamp: Timestamp?
        var others: [(name: JSONText, value: ValidJSON)] = []
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals("emoji") {
                emoji = try value.checkedText(".emoji") { Emoji.problem($0) }
            } else if key.equals("label") {
                label = try value.checkedText(".label") { TextRule.labelProblem($0) }
            } else if key.equals("timestamp") {
                timestamp = try value.time(".timestamp")
            } else {
                others.append((key, value))
            }
        }
        guard let emoji else { throw OlderMoodProblem(mood, ".emoji", "is missing") }
        guard let label else { throw OlderMoodProblem(mood, ".label", "is missing") }
        guard let timestamp else { throw OlderMoodProblem(mood, ".timestamp", "is missing") }
        self.init(emoji: emoji, label: label, timestamp: timestamp, others: others)
    }
}

extension MoodVersion2 {
    /// From version 1 to 2: no mood is a favourite, unless it says so already.
    init(migrating mood: MoodVersion1) throws(OlderMoodProblem) {
        self.init(
            emoji: mood.emoji, label: mood.label, timestamp: mood.timestamp, isFavorite: false, others: mood.others)
        guard let index = others.firstIndex(where: { $0.name.equals("isFavorite") }) else { return }
        var reader = JSONReader(others[index].value)
        guard let mark = reader.boolean() else {
            throw OlderMoodProblem(
                others[index].value, ".isFavorite", "must be true or false; it is \(reader.kind.name)")
        }
        isFavorite = mark
        others.remove(at: index)
    }

    /// The two have the same members but for the mark, which has a default in version 2 too.
    init(reading mood: ValidJSON) throws(OlderMoodProblem) {
        self = try MoodVersion2(migrating: MoodVersion1(reading: mood))
    }
}

extension MoodMembers {
    /// From version 2 to 3. A member with a name of version 3 is that member and must obey its rules; any other is kept
    /// as it is. A mood without an id gets one made from its place in the array and its content.
    init(migrating mood: MoodVersion2, place: Int) throws(OlderMoodProblem) {
        self.init()
        emoji = mood.emoji
        label = mood.label
        timestamp = MoodTime(mood.timestamp)
        isFavorite = mood.isFavorite
        revision = 1
        for member in mood.others { try adopt(member.name, member.value) }
        // The only time that every older mood has, so it is the same at every migration.
        if createdAt.isEmpty { createdAt = timestamp }
        if updatedAt.isEmpty { updatedAt = createdAt }
        guard id == nil else { return }
        id = mood.emoji.withDecoded { emoji in
            mood.label.withDecoded { label in
                MoodID(migrating: place, emoji: emoji, label: TextRule.trimmed(label), time: mood.timestamp)
            }
        }
    }

    private mutating func adopt(_ name: JSONText, _ value: ValidJSON) throws(OlderMoodProblem) {
        var reader = JSONReader(value)
        switch name.string {
        case "id":
            guard let given = reader.text()?.withDecoded({ MoodID($0) }) else {
                throw OlderMoodProblem(value, ".id", "must be a UUID, or be left out")
            }
            id = given
        case "notes":
            notes = try value.checkedText(".notes") { TextRule.notesProblem($0) }
        case "tags":
            try value.checkTags()
            tags = value
        case "valence":
            guard let number = reader.number(), let double = number.double, double >= -1, double <= 1 else {
                throw OlderMoodProblem(value, ".valence", "must be a number from -1 to 1")
            }
            valence = number
        case "timeZone":
            timeZone = try value.checkedText(".timeZone") { TextRule.timeZoneProblem($0) }
        case "attachments":
            try value.checkAttachments()
            attachments = value
        case "createdAt":
            createdAt = MoodTime(try value.time(".createdAt"))
        case "updatedAt":
            updatedAt = MoodTime(try value.time(".updatedAt"))
        case "revision":
            guard reader.number()?.integer == 1 else {
                throw OlderMoodProblem(
                    value, ".revision", "must be 1, the revision of everything in a migrated store, or be left out")
            }
        default:
            unknown.append((name, value))
        }
    }
}

extension ValidJSON {
    /// This value as a text that obeys `problem`, which answers nil or a clause.
    fileprivate func checkedText(
        _ path: String, _ problem: (UnsafeRawBufferPointer) -> String?
    ) throws(OlderMoodProblem) -> JSONText {
        var reader = JSONReader(self)
        guard let text = reader.text() else {
            throw OlderMoodProblem(self, path, "must be a string; it is \(reader.kind.name)")
        }
        if let reason = text.withDecoded(problem) { throw OlderMoodProblem(self, path, reason) }
        return text
    }

    fileprivate func time(_ path: String) throws(OlderMoodProblem) -> Timestamp {
        var reader = JSONReader(self)
        if reader.kind == .number { throw OlderMoodProblem(self, path, OlderTime.numberRule) }
        guard let time = reader.text()?.withDecoded({ OlderTime.read($0) }) else {
            throw OlderMoodProblem(self, path, OlderTime.rule)
        }
        return time
    }

    fileprivate func checkTags() throws(OlderMoodProblem) {
        var reader = JSONReader(self)
        guard reader.enterArray() else {
            throw OlderMoodProblem(self, ".tags", "must be an array; it is \(reader.kind.name)")
        }
        var seen: [[UInt8]] = []
        while reader.nextElement() {
            let element = reader.skip()
            let path = ".tags[\(seen.count)]"
            let tag = try element.checkedText(path) { TextRule.tagProblem($0) }.withDecoded {
                Array(TextRule.trimmed($0))
            }
            if seen.contains(tag) { throw OlderMoodProblem(element, path, "stands twice") }
            guard seen.count < TextRule.tagsMax else {
                throw OlderMoodProblem(element, path, "is one too many; there may be \(TextRule.tagsMax)")
            }
            seen.append(tag)
        }
    }

    /// Only the shape of attachments is checked: those of an unknown kind are kept as they are.
    fileprivate func checkAttachments() throws(OlderMoodProblem) {
        var reader = JSONReader(self)
        guard reader.enterArray() else {
            throw OlderMoodProblem(self, ".attachments", "must be an array; it is \(reader.kind.name)")
        }
        var count = 0
        while reader.nextElement() {
            let element = reader.skip()
            let path = ".attachments[\(count)]"
            guard case .string? = JSONValue(element)["kind"] else {
                throw OlderMoodProblem(element, path, "must be an object with a kind")
            }
            guard count < Attachment.countMax else {
                throw OlderMoodProblem(element, path, "is one too many; there may be \(Attachment.countMax)")
            }
            count += 1
        }
    }
}
