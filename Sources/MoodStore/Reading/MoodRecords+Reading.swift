import JSONCodec
import MoodCore
import Storage

/// Single moods and counts. The store must be open.
extension MoodRecords {
    /// Writes a mood.
    public mutating func get(_ id: MoodID, to writer: inout JSONWriter) throws(MoodStoreError) {
        do throws(StorageError) {
            if let bytes = try records.bytes(id) { return writer.raw(bytes) }
        } catch {
            throw .storage(error)
        }
        throw .notFound(id)
    }

    /// The bytes of a mood, valid until the next call of the store.
    public mutating func record(_ id: MoodID) throws(MoodStoreError) -> ValidJSON {
        do throws(StorageError) {
            if let bytes = try records.bytes(id) { return ValidJSON(trusting: bytes) }
        } catch {
            throw .storage(error)
        }
        throw .notFound(id)
    }

    /// A mood with the store's facts about it, valid until the next call of the store.
    @inline(__always)
    mutating func stored(_ id: MoodID) throws(MoodStoreError) -> StoredRecord {
        do throws(StorageError) {
            if let record = try records.record(id) { return record }
        } catch {
            throw .storage(error)
        }
        throw .notFound(id)
    }

    /// A mood in one line, valid until the next call of the store.
    public mutating func headline(_ id: MoodID) throws(MoodStoreError) -> MoodHeadline {
        Self.headline(try stored(id))
    }

    static func headline(_ record: StoredRecord) -> MoodHeadline {
        MoodHeadline(
            ValidJSON(trusting: record.bytes), at: Timestamp(milliseconds: record.head.time),
            hasZone: record.head.flags & RecordHead.zoneFlag != 0)
    }

    /// Prefetches the memory of moods that are needed soon.
    public mutating func bringNear(_ ids: UnsafeBufferPointer<MoodID>) {
        records.bringNear(count: ids.count) { ids[$0] }
    }

    public mutating func contains(_ id: MoodID) throws(MoodStoreError) -> Bool {
        do throws(StorageError) { return try records.contains(id) } catch { throw .storage(error) }
    }

    /// Whether there are at least so many moods.
    public mutating func hasAtLeast(_ number: Int) -> Bool { records.hasAtLeast(number) }

    /// The number of moods.
    public var count: Int { records.count }

    /// The members of `store.info` for an open store.
    public var statistics: Statistics {
        told
            ?? Statistics(
                revision: records.revision, moods: records.count, favorites: records.markedCount,
                bytes: records.byteCount, readOnlyReason: refusal?.reason)
    }

    public struct Statistics: Sendable {
        public let revision: Int
        public let moods: Int
        public let favorites: Int
        public let bytes: Int
        public let readOnlyReason: String?
    }

    /// The revision of the present request's next change.
    public var nextRevision: Int { records.nextRevision }
}
