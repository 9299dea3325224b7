import JSONCodec
import MoodCore
import Storage

/// The moods of one moment, read by themselves, whatever is changed meanwhile: another opening of the same files, which never
/// looks again. In memory, a copy.
///
/// Why unchecked: it is used by one thread at a time, which whoever holds it sees to.
public final class FrozenMoods: @unchecked Sendable {
    /// Nil in memory, and where there is none.
    var store: RecordStore?
    /// In the order in which they are handed over.
    private let copies: [[UInt8]]
    private let isDescending: Bool
    private let filter: MoodFilter
    /// Where the next page begins.
    private var position: RecordPosition?
    private var place = 0
    public let revision: Int
    /// The damage because of which less is shown than was acknowledged; nil where none is known.
    public var damage: StoreDamage? { store?.damage }
    /// The id of the store; nil where there is none, and in memory.
    public var storeID: String? { store?.storeID }
    /// Members of the store's document that this version does not know.
    public var document: [JSONValue.Member] { MoodRecords.document(store?.documentMembers ?? []) }

    private init(
        _ store: consuming RecordStore?, _ copies: [[UInt8]], _ filter: MoodFilter, isDescending: Bool, revision: Int
    ) {
        self.store = store
        self.copies = copies
        self.filter = filter
        self.isDescending = isDescending
        self.revision = revision
    }

    /// Those that can be seen in the files now; none where there is no store.
    /// - Parameter takesDamaged: whether what stands in the files is taken as it is.
    public static func open(
        _ settings: StoreSettings, _ filter: MoodFilter, isDescending: Bool, takesDamaged: Bool = false
    ) throws(StorageError) -> FrozenMoods {
        var settings = settings
        settings.readsWholeSnapshot = takesDamaged
        settings.isReadOnly = true
        settings.lockWait = nil
        // Whoever has the store open has told of it.
        settings.log = { _ in }
        guard let store = try RecordStore.openIfThere(settings, .moods) else {
            return FrozenMoods(nil, [], filter, isDescending: isDescending, revision: 0)
        }
        let revision = store.durableRevision
        return FrozenMoods(store, [], filter, isDescending: isDescending, revision: revision)
    }

    fileprivate static func copied(
        _ copies: [[UInt8]], _ filter: MoodFilter, isDescending: Bool, revision: Int
    ) -> FrozenMoods {
        FrozenMoods(nil, copies, filter, isDescending: isDescending, revision: revision)
    }

    /// Hands over moods from where the last call ended, in the order of time, until `body` answers false: then that one is the
    /// first of the next call.
    /// - Returns: whether all have been handed over.
    public func forEach(_ body: (UnsafeRawBufferPointer) -> Bool) throws(StorageError) -> Bool {
        while place < copies.count {
            guard copies[place].withUnsafeBytes({ body($0) }) else { return false }
            place += 1
        }
        var isComplete = true
        var last = position
        let isDescending = isDescending
        try store?.walk(.time, isDescending: isDescending, after: position, matching: filter.condition) { record in
            guard body(record.bytes) else {
                isComplete = false
                return false
            }
            last = RecordPosition(key: record.head.time, text: [], id: record.head.id)
            return true
        }
        position = last
        return isComplete
    }

    /// Hands over what each commit that is kept did to each mood, oldest first: from `revision` and the change of that number on;
    /// from the first that is kept where `revision` is 0.
    /// - Parameter takesDamaged: whether it may end where the history is damaged, or begin after that.
    /// - Returns: whether all have been handed over.
    public func forEachChange(
        from revision: Int, _ change: Int, takesDamaged: Bool, _ body: (Commit, Int) -> Bool
    ) throws(StorageError) -> Bool {
        var start = revision - 1
        if revision == 0 {
            if !takesDamaged { try store?.requireWholeHistory() }
            guard let first = try store?.shortenHistory(to: nil) else { return true }
            start = first - 1
        }
        var isComplete = true
        let isKept = try store?.commits(after: start, .inPieces) { commit in
            let first = commit.seq == revision ? max(change - commit.changesBefore, 0) : 0
            for number in commit.changes.indices.dropFirst(first) where !body(commit, number) {
                isComplete = false
                return false
            }
            return true
        }
        if isKept == false, !takesDamaged {
            throw .busy(reason: "The history was shortened meanwhile. Export it again.")
        }
        return isComplete
    }
}

extension MoodRecords {
    /// The moods of this moment, to be read beside the store: from its files, else from a copy. All that was done before must
    /// be durable.
    public mutating func frozen(
        _ filter: MoodFilter, isDescending: Bool, takesDamaged: Bool = false
    ) throws(MoodStoreError) -> FrozenMoods {
        do throws(StorageError) {
            if let settings = settingsBeside {
                return try FrozenMoods.open(
                    settings, filter, isDescending: isDescending, takesDamaged: takesDamaged)
            }
            var copies: [[UInt8]] = []
            try records.walk(.time, isDescending: isDescending, after: nil, matching: filter.condition) { record in
                copies.append(Array(record.bytes))
                return true
            }
            return FrozenMoods.copied(copies, filter, isDescending: isDescending, revision: records.revision)
        } catch {
            throw .storage(error)
        }
    }

    /// Whether the moods can be read beside the store.
    public var canBeFrozen: Bool { settingsBeside != nil }
}

/// The place of the next page of an export, which names the export.
public enum ExportCursor {
    public static func text(_ key: UInt64, _ page: Int) -> String {
        PlaceCursor.export.text([key, UInt64(truncatingIfNeeded: page)])
    }

    public static func words(_ text: [UInt8]) throws(MoodStoreError) -> [UInt64] {
        try PlaceCursor.export.words(text, count: 2)
    }
}
