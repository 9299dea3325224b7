import JSONCodec
import MoodCore
import Storage

/// Data for screens besides one mood.
extension MoodRecords {
    /// The newest moods as rows and their number, or the reason why they could not be read.
    public mutating func newest(_ limit: Int) throws(MoodStoreError) -> Screen.Moods {
        var rows: [Screen.Row] = []
        func walk() throws(StorageError) {
            rows.removeAll()
            try records.walk(.time, isDescending: true, after: nil) { record in
                if rows.count == limit { return false }
                rows.append(Self.row(record))
                return true
            }
        }
        do throws(StorageError) {
            // The store has rebuilt a damaged index by then.
            do throws(StorageError) { try walk() } catch {
                guard case .busy = error else { throw error }
                try walk()
            }
        } catch {
            throw .storage(error)
        }
        var problem: String?
        if records.count == 0, case .corrupt(_, _, let reason)? = records.refusal { problem = reason }
        return Screen.Moods(
            rows: rows, count: records.count, revision: records.revision, problem: problem,
            damage: damage?.reason)
    }

    private static func row(_ record: StoredRecord) -> Screen.Row {
        let headline = headline(record)
        return Screen.Row(
            id: record.head.id, emoji: headline.emoji.string,
            label: headline.label.string, time: Timestamp(milliseconds: record.head.time) ?? .minimum,
            timeZone: headline.timeZone?.string, isFavorite: record.head.isMarked)
    }

    /// Passes every mood with an event that has a host to `body`. Others are not parsed: a fast search for the member's
    /// name excludes them.
    /// - Parameter body: gets a view that is valid during the call.
    public mutating func forEachMoodWithHost(_ body: (MoodMembers) -> Void) throws(MoodStoreError) {
        // A scan restarts after the store rebuilt a damaged index, so keep the moods until its end.
        var found: [MoodID] = []
        func walk() throws(StorageError) {
            found.removeAll()
            try records.walk(.time, isDescending: false, after: nil) { record in
                if Self.namesHost(record.bytes) {
                    found.append(record.head.id)
                }
                return true
            }
        }
        do throws(StorageError) {
            do throws(StorageError) {
                try walk()
            } catch {
                guard case .busy = error else { throw error }
                try walk()
            }
        } catch {
            throw .storage(error)
        }
        for id in found { body(MoodMembers(trusting: try record(id))) }
    }

    private static let hostName: StaticString = "\"hostName\":"

    /// Looks for the capital letter, which is rare, and then around it.
    private static func namesHost(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let name = JSONText(hostName).raw
        let before = 5
        var at = 0
        while let place = bytes.firstOffset(of: UInt8(ascii: "N"), from: at) {
            at = place + 1
            let start = place - before
            guard start >= 0, start + name.count <= bytes.count else { continue }
            if JSONText.sameBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<start + name.count]), name) {
                return true
            }
        }
        return false
    }
}
