import JSONCodec
import MoodCore
import Platform
import Storage

/// Functions of a store as a replica: moods of other replicas, and marks in the journal.
extension MoodRecords {
    /// The origin of commits with other replicas' changes.
    public static let syncOrigin = "sync"

    /// Settings for the thread of sync; nil in memory.
    public var settingsForSync: StoreSettings? { settingsBeside }

    /// The checksum that ends a commit's line; nil if there is no such commit, or the history does not reach so far.
    public mutating func crc(of revision: Int) -> UInt32? {
        guard revision > 0, revision <= durableRevision else { return nil }
        var crc: UInt32?
        _ = commits(after: revision - 1) { commit in
            if commit.seq == revision { crc = commit.crc }
            return false
        }
        return crc
    }

    /// Stores a mood of another replica, unless it is there unchanged.
    /// - Parameter write: writes it with a revision, in canonical form.
    /// - Returns: its number of bytes; nil if nothing changed.
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
            // Records that are not moods were refused on arrival.
            guard let head = RecordHead(mood: mood) else { return nil }
            try records.put(head, writer.buffer.bytes)
            return writer.count
        } catch {
            throw .storage(error)
        }
    }

    /// Removes a mood that another replica deleted.
    /// - Returns: whether it existed.
    public mutating func remove(shared id: MoodID) throws(MoodStoreError) -> Bool {
        do throws(StorageError) { return try records.remove(id) } catch { throw .storage(error) }
    }

    /// Notes in the open commit how many records of each replica the store contains with it.
    /// - Parameters:
    ///   - vector: a JSON object.
    ///   - more: further members about them, `"sawCrc":{…}` first, or empty.
    public mutating func mark(saw vector: [UInt8], more: [UInt8]) throws(MoodStoreError) {
        let text = ByteBuffer(copying: vector)
        let more = ByteBuffer(copying: more)
        do throws(StorageError) { try records.mark(saw: text.bytes, more: more.bytes) } catch {
            throw .storage(error)
        }
    }

    /// The moods before a commit; nil if that is no longer kept.
    public mutating func moods(before revision: Int, of ids: Set<MoodID>) -> [MoodID: [UInt8]]? {
        do throws(StorageError) { return try records.records(before: revision, of: ids) } catch { return nil }
    }

    /// Notes in the open commit that it settles the conflicts of a member of its mood.
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
