import JSONCodec
import MoodCore

/// The problem of a mood in an older file.
struct OlderMoodProblem: Error {
    /// The address of the invalid value.
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

extension MoodMembers {
    /// Reads a mood of version 1 or 2 as one of version 3.
    ///
    /// A value with the name of a member is that member, whichever version it came with, and must obey its rules.
    /// Unknown members stay. Members of version 1 are required. Missing others get the defaults of `mood.create`; the
    /// host's own come from the mood and its index in the array, so that every migration gives the same result.
    init(migrating mood: ValidJSON, place: Int) throws(OlderMoodProblem) {
        self.init()
        var reader = JSONReader(mood)
        guard reader.kind == .object, reader.enterObject() else {
            throw OlderMoodProblem(mood, "", "must be an object; it is \(reader.kind.name)")
        }
        var found: Set<MoodField> = []
        while let key = reader.nextKey() {
            let value = reader.skip()
            if let field = MoodField(key), try adopt(value, as: field) {
                found.insert(field)
            } else {
                unknown.append((key, value))
            }
        }
        for field in MoodField.allCases where field.row.since == 1 && !found.contains(field) {
            throw OlderMoodProblem(mood, ".\(field.name)", "is missing")
        }
        isFavorite = isFavorite ?? false
        revision = 1
        // The only time that every older mood has, so that every migration gives the same one.
        if createdAt.isEmpty { createdAt = timestamp }
        if updatedAt.isEmpty { updatedAt = createdAt }
        guard id == nil, let emoji, let label, let time = timestamp.value else { return }
        id = emoji.withDecoded { emoji in
            label.withDecoded { MoodID(migrating: place, emoji: emoji, label: TextRule.trimmed($0), time: time) }
        }
    }

    /// - Returns: false for a value that only has a member's name.
    private mutating func adopt(_ value: ValidJSON, as field: MoodField) throws(OlderMoodProblem) -> Bool {
        let path = ".\(field.name)"
        var reader = JSONReader(value)
        switch field.kind {
        case .time:
            self[time: field] = MoodTime(try value.time(path))
            return true
        case .id:
            if take(field, value) { return true }
            throw OlderMoodProblem(value, path, "must be a UUID, or be left out")
        case .revision:
            if reader.number()?.integer == 1 { return true }
            throw OlderMoodProblem(
                value, path, "must be 1, the revision of everything in a migrated store, or be left out")
        case .flag, .number, .line:
            if let problem = field.kind.problem(value) { throw OlderMoodProblem(value, path, problem.reason) }
        case .emoji: try value.checkText(path) { Emoji.problem($0) }
        case .label: try value.checkText(path) { TextRule.labelProblem($0) }
        case .notes: try value.checkText(path) { TextRule.notesProblem($0) }
        case .timeZone: try value.checkText(path) { TextRule.timeZoneProblem($0) }
        case .tags: try value.checkTags()
        case .attachments: try value.checkAttachments()
        case .object: break
        }
        return take(field, value)
    }
}

extension ValidJSON {
    /// This value as a text that obeys `problem`, which returns nil or a clause.
    @discardableResult
    fileprivate func checkText(
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
            let tag = try element.checkText(path) { TextRule.tagProblem($0) }.withDecoded {
                Array(TextRule.trimmed($0))
            }
            if seen.contains(tag) { throw OlderMoodProblem(element, path, "stands twice") }
            guard seen.count < TextRule.tagsMax else {
                throw OlderMoodProblem(element, path, "is one too many; there may be \(TextRule.tagsMax)")
            }
            seen.append(tag)
        }
    }

    /// Checks only the form of attachments: those of an unknown kind stay.
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
