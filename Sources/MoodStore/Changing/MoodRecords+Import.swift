import JSONCodec
import MoodCore
import Storage

/// The outcome for a mood in an imported file.
public enum ImportOutcome: Sendable { case created, updated, unchanged }

extension MoodRecords {
    /// Makes the commit of the present request one that changes nothing.
    public mutating func rehearse() { records.rehearse() }

    /// Imports a mood in the commit of the present request.
    ///
    /// A mood with its own id replaces the existing one if the file's was changed later, or if `replaces`. A mood whose
    /// id comes from its content (`carriesID` is false) replaces the existing one only if `replaces`.
    /// - Parameters:
    ///   - json: a checked object; unknown members stay.
    ///   - isStored: whether a store held the mood, so that the store's limit holds.
    ///   - scratch: the buffer for the mood; emptied first.
    public mutating func importMood(
        _ json: ValidJSON, carriesID: Bool, replaces: Bool, isStored: Bool = false, at now: Timestamp,
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
            guard isLater || replaces else { return .unchanged }
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
