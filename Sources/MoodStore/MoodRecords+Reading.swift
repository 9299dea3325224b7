import JSONCodec
import MoodCore
import Storage

/// Single moods, and how many there are. The store is open.
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

    /// The bytes of a mood; valid until the store is next called.
    public mutating func record(_ id: MoodID) throws(MoodStoreError) -> ValidJSON {
        do throws(StorageError) {
            if let bytes = try records.bytes(id) { return ValidJSON(trusting: bytes) }
        } catch {
            throw .storage(error)
        }
        throw .notFound(id)
    }

    /// A mood with what the store knows of it; valid until the store is next called.
    @inline(__always)
    mutating func stored(_ id: MoodID) throws(MoodStoreError) -> StoredRecord {
        do throws(StorageError) {
            if let record = try records.record(id) { return record }
        } catch {
            throw .storage(error)
        }
        throw .notFound(id)
    }

    /// What is said of a mood in one line; valid until the store is next called.
    public mutating func headline(_ id: MoodID) throws(MoodStoreError) -> MoodHeadline {
        Self.headline(try stored(id))
    }

    static func headline(_ record: StoredRecord) -> MoodHeadline {
        MoodHeadline(
            ValidJSON(trusting: record.bytes), at: Timestamp(milliseconds: record.head.time),
            hasZone: record.head.flags & RecordHead.zoneFlag != 0)
    }

    /// Asks for the memory of moods that will be needed soon, all at once.
    public mutating func bringNear(_ ids: UnsafeBufferPointer<MoodID>) {
        records.bringNear(count: ids.count) { ids[$0] }
    }

    public mutating func contains(_ id: MoodID) throws(MoodStoreError) -> Bool {
        do throws(StorageError) { return try records.contains(id) } catch { throw .storage(error) }
    }

    /// Whether there are so many moods, or more.
    public mutating func hasAtLeast(_ number: Int) -> Bool { records.hasAtLeast(number) }

    /// How many moods there are.
    public var count: Int { records.count }

    /// What `store.info` says of a store that is open.
    public var statistics: Statistics {
        Statistics(
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

    /// The revision that the next change of the present request gets.
    public var nextRevision: Int { records.nextRevision }
}
