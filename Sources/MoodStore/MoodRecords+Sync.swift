import JSONCodec
import MoodCore
import Platform
import Storage

/// What a store needs to be a replica: moods that come as they are, and marks in the journal.
extension MoodRecords {
    /// What commits are marked with that bring in what others did.
    public static let syncOrigin = "sync"

    /// For a thread of its own; nil in memory.
    public var settingsForSync: StoreSettings? { settingsBeside }

    /// Puts a mood that was made elsewhere, unless it is there as it is.
    /// - Parameter write: writes it with a revision, in canonical form.
    /// - Returns: how many bytes it has; nil where nothing changed.
    public mutating func put(
        shared id: MoodID, _ write: (Int, inout JSONWriter) -> Void
    ) throws(MoodStoreError) -> Int? {
        var writer = JSONWriter(capacity: 1024)
        do throws(StorageError) {
            if let current = try records.bytes(id) {
                let revision = MoodMembers(trusting: ValidJSON(trusting: current)).revision ?? 0
                write(revision, &writer)
                if JSONText.sameBytes(current, writer.buffer.bytes) { return nil }
                writer.rewind(to: 0)
            }
            write(records.nextRevision, &writer)
            let mood = MoodMembers(trusting: ValidJSON(trusting: writer.buffer.bytes))
            // What is no mood was refused when it came.
            guard let head = RecordHead(mood: mood) else { return nil }
            try records.put(head, writer.buffer.bytes)
            return writer.count
        } catch {
            throw .storage(error)
        }
    }

    /// Takes a mood out that was deleted elsewhere.
    /// - Returns: whether it was there.
    public mutating func remove(shared id: MoodID) throws(MoodStoreError) -> Bool {
        do throws(StorageError) { return try records.remove(id) } catch { throw .storage(error) }
    }

    /// Says in the open commit how far the records of replicas are in the store with it.
    /// - Parameters:
    ///   - vector: a JSON object.
    ///   - more: members that tell more of them, `"sawCrc":{…}` first; empty for none.
    public mutating func mark(saw vector: [UInt8], more: [UInt8]) throws(MoodStoreError) {
        let text = ByteBuffer(copying: vector)
        let more = ByteBuffer(copying: more)
        do throws(StorageError) { try records.mark(saw: text.bytes, more: more.bytes) } catch {
            throw .storage(error)
        }
    }

    /// The moods as they were before a commit; nil where that is not kept any more.
    public mutating func moods(before revision: Int, of ids: Set<MoodID>) -> [MoodID: [UInt8]]? {
        do throws(StorageError) { return try records.records(before: revision, of: ids) } catch { return nil }
    }

    /// Says in the open commit that it settles the conflicts of a member of its mood.
    public mutating func mark(settles member: String) throws(MoodStoreError) {
        do throws(StorageError) { try records.mark(settles: member) } catch { throw .storage(error) }
    }

    /// Passes all moods to `body`.
    public mutating func forEachMood(_ body: (ValidJSON) -> Void) throws(MoodStoreError) {
        do throws(StorageError) {
            try records.walk(.time, isDescending: false, after: nil) { record in
                body(ValidJSON(trusting: record.bytes))
                return true
            }
        } catch {
            throw .storage(error)
        }
    }
}
