import JSONCodec
import MoodCore
import Storage

/// The outcome for a mood in an imported file.
public enum ImportOutcome: Sendable {
    case created, updated, unchanged
    /// Not taken: this import has taken another mood with its id that is not older.
    case repeated
}

extension MoodRecords {
    /// Makes the commit of the present request one that changes nothing.
    public mutating func rehearse() { records.rehearse() }

    /// Imports a mood in the commit of the present request.
    ///
    /// A mood with its own id replaces the existing one if the file's was changed later, or if `replaces`. A mood whose
    /// id comes from its content (`carriesID` is false) replaces the existing one only if `replaces`.
    /// - Parameters:
    ///   - json: a checked object; unknown members stay.
    ///   - says: the members that the file can say; nil is all. The others stay as they are.
    ///   - isStored: whether a store held the mood, so that the store's limit holds.
    ///   - scratch: the buffer for the mood; emptied first.
    public mutating func importMood(
        _ json: ValidJSON, carriesID: Bool, says: [String]? = nil, replaces: Bool, isStored: Bool = false,
        at now: Timestamp,
        _ scratch: inout JSONWriter
    ) throws(MoodStoreError) -> ImportOutcome {
        let bytesMax = moodBytesMax
        defer { moodBytesMax = bytesMax }
        if isStored { moodBytesMax = RecordStore.recordBytesMax }
        var mood = MoodMembers(trusting: json)
        guard let id = mood.id else { return .unchanged }
        scratch.rewind(to: 0)
        guard try contains(id) else {
            if mood.createdAt.isEmpty { mood.createdAt = mood.updatedAt.isEmpty ? moodTime(now) : mood.updatedAt }
            if mood.updatedAt.isEmpty { mood.updatedAt = moodTime(now) }
            mood.revision = records.nextRevision
            try put(&mood, &scratch)
            return .created
        }
        let record = try record(id)
        let existing = MoodMembers(trusting: record)
        if carriesID {
            let isLater = (mood.updatedAt.value ?? .minimum) > (existing.updatedAt.value ?? .minimum)
            let isRepeated = existing.revision == records.nextRevision
            guard isLater || replaces && !isRepeated else {
                let isOlder = mood.updatedAt.value ?? .maximum < existing.updatedAt.value ?? .minimum
                guard isRepeated, !isOlder else { return .unchanged }
                (mood.revision, mood.createdAt) = (existing.revision, existing.createdAt)
                if mood.updatedAt.isEmpty { mood.updatedAt = existing.updatedAt }
                mood.write(to: &scratch)
                return Self.isSame(scratch, 0, record.bytes) ? .unchanged : .repeated
            }
            if let says {
                let whole = ImportedMembers(record, json, says: says).whole
                return try whole.withUnsafeBytes { bytes -> Result<ImportOutcome, MoodStoreError> in
                    do throws(MoodStoreError) {
                        return .success(
                            try importMood(
                                ValidJSON(trusting: bytes), carriesID: true, replaces: true, isStored: isStored,
                                at: now,
                                &scratch))
                    } catch {
                        return .failure(error)
                    }
                }.get()
            }
            if mood.createdAt.isEmpty { mood.createdAt = existing.createdAt }
        } else {
            guard replaces else { return .unchanged }
            mood = existing.overlaid(with: mood)
        }
        // Compare bytes to find out whether the mood changes at all.
        let updatedAt = carriesID && !mood.updatedAt.isEmpty ? mood.updatedAt : moodTime(now)
        mood.updatedAt = carriesID && !mood.updatedAt.isEmpty ? mood.updatedAt : existing.updatedAt
        mood.revision = existing.revision
        mood.write(to: &scratch)
        if Self.isSame(scratch, 0, record.bytes) { return .unchanged }
        scratch.rewind(to: 0)
        mood.updatedAt = updatedAt
        mood.revision = records.nextRevision
        try put(&mood, &scratch)
        return .updated
    }
}

/// A stored mood with the members that a file says of it.
private struct ImportedMembers {
    private var members: [JSONValue.Member]

    /// The text of the mood.
    var whole: [UInt8] { Array(JSONValue.object(members).text.utf8) }

    /// - Parameter says: the members that the file can say: one of them that it does not have goes.
    init(_ record: ValidJSON, _ file: ValidJSON, says: [String]) {
        let stored = JSONValue(record).object ?? []
        var given = JSONValue(file).object ?? []
        func text(_ name: String, _ members: [JSONValue.Member]) -> String? {
            members.first { $0.name == name }?.value.string
        }
        func isEqual(_ name: String) -> Bool { text(name, stored) == text(name, given) }
        // The reader makes up a label or emoji that the file does not have.
        let made = ["emoji", "label"].filter { !says.contains($0) }
        if made.count == 2 || made.count == 1 && isEqual(made[0] == "emoji" ? "label" : "emoji") {
            given.removeAll { made.contains($0.name) }
        }
        let gone = Set(says).union(["updatedAt", "revision"]).subtracting(given.map(\.name))
        members = stored.filter { !gone.contains($0.name) }
        for var member in given where member.name != "id" {
            let place = members.firstIndex { $0.name == member.name }
            if let place {
                let before = members[place].value
                switch member.name {
                case "timestamp", "createdAt": if Self.isSecond(member.value, of: before) { continue }
                case "scales" where !says.contains("scales"):
                    member = .init("scales", Self.merged(before, member.value))
                case "attachments" where !says.contains("attachments"):
                    member = .init("attachments", Self.placed(before, member.value))
                default: break
                }
                members[place] = member
            } else {
                members.append(member)
            }
        }
    }

    /// Whether a time is another without its milliseconds, as a calendar writes it.
    private static func isSecond(_ time: JSONValue, of other: JSONValue) -> Bool {
        guard let time = time.string, let other = other.string else { return false }
        return time.hasSuffix(".000Z") && time.prefix(19) == other.prefix(19)
    }

    private static func merged(_ before: JSONValue, _ scales: JSONValue) -> JSONValue {
        let given = scales.object ?? []
        let names = Set(given.map(\.name))
        return .object((before.object ?? []).filter { !names.contains($0.name) } + given)
    }

    /// The attachments with another place, unless it is the one that is there.
    private static func placed(_ before: JSONValue, _ given: JSONValue) -> JSONValue {
        guard var all = before.array, let place = given.array?.first else { return given }
        guard let index = all.firstIndex(where: { $0["kind"]?.string == "place" }) else { return .array(all + [place]) }
        let isHere = ["latitude", "longitude"].allSatisfy { name in
            guard let a = all[index][name]?.double, let b = place[name]?.double else { return false }
            return abs(a - b) < 1e-5
        }
        if !isHere { all[index] = place }
        return .array(all)
    }
}
