import JSONCodec
import MoodCore
import Storage

/// All moods in order of time, for what looks back on them.
extension MoodRecords {
    /// Gathers the moods from a moment on to another, both included.
    /// - Parameters:
    ///   - from: nil: from the first mood on.
    ///   - begin: what there is before the first mood; asked again where the walk has to begin again.
    ///   - add: takes in a mood, and whether it meets the filter.
    /// - Complexity: the moods between the two moments.
    public mutating func gather<Whole>(
        from: Int64?, through last: Int64, _ filter: MoodFilter, _ begin: () -> Whole,
        _ add: (inout Whole, MoodFacts, Bool) -> Void
    ) throws(MoodStoreError) -> Whole {
        do throws(StorageError) {
            do throws(StorageError) { return try gatherOnce(from, last, filter, begin(), add) } catch {
                // The index was made anew: begin again.
                guard case .busy = error else { throw error }
            }
            return try gatherOnce(from, last, filter, begin(), add)
        } catch {
            throw .storage(error)
        }
    }

    private mutating func gatherOnce<Whole>(
        _ from: Int64?, _ last: Int64, _ filter: MoodFilter, _ whole: Whole,
        _ add: (inout Whole, MoodFacts, Bool) -> Void
    ) throws(StorageError) -> Whole {
        var (whole, filter) = (whole, filter)
        let isFiltered = !filter.isEmpty
        let start = from.map { RecordPosition(key: $0 - 1, text: [], id: RecordID(high: .max, low: .max)) }
        try records.walk(.time, isDescending: false, after: start) { record in
            if record.head.time > last { return false }
            let isMeant = !isFiltered || filter.matches(record.head, record.bytes)
            add(&whole, MoodFacts(record.bytes), isMeant)
            return true
        }
        return whole
    }

    /// The stored bytes of moods that meet the filter, up to a moment, in order of time, each with its key.
    /// - Parameter key: nil for a mood that is not wanted.
    public mutating func gatherRecords<Key>(
        through last: Int64, _ filter: MoodFilter, _ key: (MoodFacts) -> Key?
    ) throws(MoodStoreError) -> [(key: Key, record: [UInt8])] {
        do throws(StorageError) {
            var (found, filter): ([(key: Key, record: [UInt8])], MoodFilter) = ([], filter)
            try records.walk(.time, isDescending: false, after: nil) { record in
                if record.head.time > last { return false }
                guard let key = key(MoodFacts(record.bytes)), filter.matches(record.head, record.bytes) else {
                    return true
                }
                found.append((key, Array(record.bytes)))
                return true
            }
            return found
        } catch {
            throw .storage(error)
        }
    }

    /// Walks the moods that meet the filter, from a moment on backwards, until `body` answers false.
    public mutating func forEachRecordBackwards(
        through last: Int64, _ filter: inout MoodFilter, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(MoodStoreError) {
        let start = last == .max ? nil : RecordPosition(key: last + 1, text: [], id: RecordID(high: 0, low: 0))
        do throws(StorageError) {
            try records.walk(.time, isDescending: true, after: start) { record in
                filter.matches(record.head, record.bytes) ? body(record.bytes) : true
            }
        } catch {
            throw .storage(error)
        }
    }
}
