import JSONCodec
import MoodCore
import Storage

/// Changes. Each checks first, then puts records into the commit of the present request and writes the answer. The
/// caller ends or abandons the commit.
extension MoodRecords {
    /// Adds a mood and writes it. If the id exists and all given members are equal, writes the existing mood.
    /// - Parameter mood: the caller's members; the host adds its own.
    public mutating func create(
        _ mood: inout MoodMembers, id: MoodID, at now: Timestamp, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        if mood.id != nil, try contains(id) {
            return try createAgain(mood, id, to: &writer)
        }
        mood.id = id
        if mood.timestamp.isEmpty { mood.timestamp = moodTime(now) }
        mood.createdAt = moodTime(now)
        mood.updatedAt = moodTime(now)
        mood.revision = records.nextRevision
        try put(&mood, &writer)
    }

    private mutating func createAgain(
        _ given: MoodMembers, _ id: MoodID, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        let mark = writer.count
        let record = try record(id)
        let existing = MoodMembers(trusting: record)
        existing.overlaid(with: given).write(to: &writer)
        // A truncated mood cannot be compared, and the request fails anyway.
        if writer.buffer.isOverfull { return }
        let isSame = Self.isSame(writer, mark, record.bytes)
        writer.rewind(to: mark)
        guard isSame else { throw .idTaken(id, revision: existing.revision ?? 0) }
        writer.raw(record.bytes)
    }

    /// Changes members of a mood and writes it. Without a change there is no commit.
    public mutating func update(
        _ id: MoodID, with set: MoodMembers, ifRevision: Int?, at now: Timestamp, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        let mark = writer.count
        let record = try record(id)
        let existing = MoodMembers(trusting: record)
        if let ifRevision, existing.revision != ifRevision {
            throw .revisionConflict(id, current: existing.revision ?? 0)
        }
        var mood = existing.overlaid(with: set)
        if !amendments.isEmpty { amend(&mood, id) }
        mood.write(to: &writer)
        if Self.isSame(writer, mark, record.bytes) { return }
        writer.rewind(to: mark)
        mood.updatedAt = moodTime(now)
        mood.revision = records.nextRevision
        mood.write(to: &writer)
        if let head = RecordHead(mood: mood) { try put(head, writer, mark) }
    }

    /// Sets or toggles the favorite mark and writes the mood. Without a change there is no commit.
    /// - Parameter isFavorite: the new mark; nil toggles it.
    public mutating func setFavorite(
        _ id: MoodID, to isFavorite: Bool?, ifRevision: Int?, at now: Timestamp, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        if !amendments.isEmpty {
            return try setAmended(id, to: isFavorite, ifRevision: ifRevision, at: now, to: &writer)
        }
        if let ifRevision { try check(id, ifRevision) }
        let record = try stored(id)
        let wanted = isFavorite ?? !record.head.isMarked
        if wanted == record.head.isMarked { return writer.raw(record.bytes) }
        let mark = writer.count
        let revision = records.nextRevision
        let isWritten = MoodSplice.write(
            record.bytes, isFavorite: wanted, updatedAt: now, revision: revision, to: &writer)
        if !isWritten {
            var mood = MoodMembers(trusting: ValidJSON(trusting: record.bytes))
            mood.isFavorite = wanted
            mood.updatedAt = moodTime(now)
            mood.revision = revision
            mood.write(to: &writer)
        }
        let head = RecordHead(
            id: record.head.id, time: record.head.time, updated: now.milliseconds,
            textPrefix: record.head.textPrefix, isMarked: wanted,
            flags: record.head.flags)
        try put(head, writer, mark)
    }

    /// Changes the same members of several moods.
    /// - Returns: the number of distinct ids.
    public mutating func updateMany(
        _ ids: [MoodID], with set: MoodMembers, at now: Timestamp
    ) throws(MoodStoreError) -> Int {
        let ids = try existing(ids)
        var scratch = JSONWriter(capacity: 1024)
        for id in ids {
            scratch.rewind(to: 0)
            try update(id, with: set, ifRevision: nil, at: now, to: &scratch)
        }
        return ids.count
    }

    public mutating func delete(_ id: MoodID, ifRevision: Int?) throws(MoodStoreError) {
        if let ifRevision { try check(id, ifRevision) }
        guard try remove(id) else { throw .notFound(id) }
    }

    /// - Returns: the number of deleted moods.
    public mutating func deleteMany(_ ids: [MoodID]) throws(MoodStoreError) -> Int {
        let ids = try existing(ids)
        for id in ids { _ = try remove(id) }
        return ids.count
    }

    /// Deletes all moods.
    /// - Returns: the number of deleted moods.
    public mutating func clear() throws(MoodStoreError) -> Int {
        let count = records.count
        if count > 0 { do throws(StorageError) { try records.removeAll() } catch { throw .storage(error) } }
        return count
    }

    /// Adds the samples in one commit.
    /// - Parameter makeID: called once for each.
    public mutating func insertSamples(
        at now: Timestamp, makeID: () -> MoodID
    ) throws(MoodStoreError) -> Int {
        var scratch = JSONWriter(capacity: 512)
        for sample in Samples.all {
            var mood = MoodMembers()
            mood.id = makeID()
            mood.emoji = JSONText(sample.emoji)
            mood.label = JSONText(sample.label)
            mood.isFavorite = sample.isFavorite
            mood.timestamp = MoodTime(now.advanced(bySeconds: -sample.ageSeconds))
            mood.createdAt = moodTime(now)
            mood.updatedAt = moodTime(now)
            mood.revision = records.nextRevision
            scratch.rewind(to: 0)
            try put(&mood, &scratch)
        }
        return Samples.all.count
    }

    /// Sets the mark if a plugin's hook changes the mood too.
    @inline(never)
    private mutating func setAmended(
        _ id: MoodID, to isFavorite: Bool?, ifRevision: Int?, at now: Timestamp, to writer: inout JSONWriter
    ) throws(MoodStoreError) {
        var set = MoodMembers()
        if let isFavorite {
            set.isFavorite = isFavorite
        } else {
            set.isFavorite = !(MoodMembers(trusting: try record(id)).isFavorite ?? false)
        }
        try update(id, with: set, ifRevision: ifRevision, at: now, to: &writer)
    }

    private func amend(_ mood: inout MoodMembers, _ id: MoodID) {
        for amendment in amendments where amendment.id == id { mood = mood.overlaid(with: amendment.set) }
    }

    /// Writes a mood and stores it, with the changes of plugin hooks.
    mutating func put(_ mood: inout MoodMembers, _ writer: inout JSONWriter) throws(MoodStoreError) {
        if !amendments.isEmpty, let id = mood.id { amend(&mood, id) }
        let mark = writer.count
        mood.write(to: &writer)
        if let head = RecordHead(mood: mood) { try put(head, writer, mark) }
    }

    /// Stores the mood that was written from `mark` on. It refuses a mood that no answer could show. If only this
    /// answer has no room for the mood, it is left out: the request fails when its answer ends.
    @inline(__always)
    private mutating func put(
        _ head: RecordHead, _ writer: borrowing JSONWriter, _ mark: Int
    ) throws(MoodStoreError) {
        let bytes = Self.value(writer, mark)
        if bytes.count > moodBytesMax { throw .moodTooLarge(bytesMax: moodBytesMax) }
        if writer.buffer.isOverfull { return }
        do throws(StorageError) { try records.put(head, bytes) } catch { throw .storage(error) }
    }

    private mutating func remove(_ id: MoodID) throws(MoodStoreError) -> Bool {
        do throws(StorageError) { return try records.remove(id) } catch { throw .storage(error) }
    }

    private mutating func check(_ id: MoodID, _ ifRevision: Int) throws(MoodStoreError) {
        let current = MoodMembers(trusting: try record(id)).revision ?? 0
        if current != ifRevision { throw .revisionConflict(id, current: current) }
    }

    /// The ids without repetitions; all must exist.
    private mutating func existing(_ ids: [MoodID]) throws(MoodStoreError) -> [MoodID] {
        var seen: Set<MoodID> = []
        for id in ids where try !contains(id) { throw .notFound(id) }
        return ids.filter { seen.insert($0).inserted }
    }

    /// The value that was written from `mark` on, without a comma before it.
    private static func value(_ writer: borrowing JSONWriter, _ mark: Int) -> UnsafeRawBufferPointer {
        let bytes = writer.buffer.bytes
        let start = mark < bytes.count && bytes[mark] == UInt8(ascii: ",") ? mark + 1 : mark
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }

    static func isSame(
        _ writer: borrowing JSONWriter, _ mark: Int, _ record: UnsafeRawBufferPointer
    ) -> Bool {
        let written = value(writer, mark)
        return written.count == record.count && written.elementsEqual(record)
    }
}
