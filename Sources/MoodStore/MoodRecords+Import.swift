import JSONCodec
import MoodCore
import Storage

/// What became of a mood that was taken from a file.
public enum ImportOutcome: Sendable { case created, updated, unchanged }

extension MoodRecords {
    /// Takes a mood from a file into the commit of the present request.
    ///
    /// One that is there is replaced where the file's was changed later, or where `replaces`; one whose id the file does not
    /// carry is known by what it says, and stays as it is unless `replaces`.
    /// - Parameters:
    ///   - json: an object that was checked; members that nobody knows are kept.
    ///   - isStored: whether it is what a store held, whatever limits it is over.
    ///   - scratch: where the mood is written; it is emptied first.
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
        // Whether it says anything else is told by its bytes.
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
