import JSONCodec
import MoodCore
import Storage

/// The moods of one moment, unaffected by later changes: the files of that moment, which the first use reads in its
/// thread. In memory, a copy.
///
/// Unchecked because the owner lets only one thread at a time use it.
public final class FrozenMoods: @unchecked Sendable {
    /// The files before the first use.
    private var moment: StoreMoment?
    /// The store after that; nil in memory, or if there is none.
    private var store: RecordStore?
    /// The reason why it could not be opened.
    private var failure: StorageError?
    /// The copies in the order of `forEach`.
    private let copies: [[UInt8]]
    private let isDescending: Bool
    private let filter: MoodFilter
    /// The beginning of the next page.
    private var position: RecordPosition?
    private var place = 0
    private let copied: Int
    public var revision: Int { store?.durableRevision ?? copied }
    /// The id of the store; nil in memory, or if there is none.
    public var storeID: String? { store?.storeID }
    /// Whether there are files.
    public var isStored: Bool { moment != nil || store != nil }
    /// Members of the store's document that this version does not know.
    public var document: [JSONValue.Member] { MoodRecords.document(store?.documentMembers ?? []) }

    private init(
        _ moment: consuming StoreMoment?, _ copies: [[UInt8]], _ filter: MoodFilter, isDescending: Bool, revision: Int
    ) {
        self.moment = moment
        self.copies = copies
        self.filter = filter
        self.isDescending = isDescending
        copied = revision
    }

    /// The moods in the files; none if there is no store.
    /// - Parameter takesDamaged: whether to take what the files contain without complaint.
    fileprivate static func stored(
        _ settings: StoreSettings, at revision: Int, _ filter: MoodFilter, isDescending: Bool, takesDamaged: Bool
    ) throws(StorageError) -> FrozenMoods {
        var settings = settings
        settings.readsWholeSnapshot = takesDamaged
        settings.isReadOnly = true
        settings.lockWait = nil
        // The process that has the store open has logged this.
        settings.log = { _ in }
        return FrozenMoods(
            try StoreMoment(settings, revision: revision), [], filter, isDescending: isDescending, revision: 0)
    }

    private func open() throws(StorageError) {
        if let failure { throw failure }
        guard let moment = moment.take() else { return }
        do throws(StorageError) {
            store = try RecordStore.open(moment, .moods)
        } catch {
            failure = error
            throw error
        }
    }

    /// The damage that hides acknowledged data; nil if none is known.
    public func damage() throws(StorageError) -> StoreDamage? {
        try open()
        return store?.damage
    }

    /// Looks back on these moods.
    public func lookBack<Answer>(_ body: (inout RecordStore) throws -> Answer) throws -> Answer {
        try open()
        var moods = store.take() ?? .inMemory(.moods)
        let result: Result<Answer, any Error>
        do { result = .success(try body(&moods)) } catch { result = .failure(error) }
        store = consume moods
        return try result.get()
    }

    fileprivate static func copied(
        _ copies: [[UInt8]], _ filter: MoodFilter, isDescending: Bool, revision: Int
    ) -> FrozenMoods {
        FrozenMoods(nil, copies, filter, isDescending: isDescending, revision: revision)
    }

    /// Passes moods to `body` by time, from the end of the last call on, until `body` returns false. The next call
    /// begins with that mood.
    /// - Returns: whether all moods were passed.
    public func forEach(_ body: (UnsafeRawBufferPointer) -> Bool) throws(StorageError) -> Bool {
        try open()
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

    /// Passes each change of each kept commit to `body`, oldest first: from `revision` and its change of that number
    /// on, or from the first kept commit if `revision` is 0.
    /// - Parameter takesDamaged: whether to accept a history that is damaged at its beginning or end.
    /// - Returns: whether all changes were passed.
    public func forEachChange(
        from revision: Int, _ change: Int, takesDamaged: Bool, _ body: (Commit, Int) -> Bool
    ) throws(StorageError) -> Bool {
        try open()
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
    /// The moods of this moment for another thread: from the store's files, else from a copy. All earlier commits must
    /// be durable.
    public mutating func frozen(
        _ filter: MoodFilter, isDescending: Bool, takesDamaged: Bool = false
    ) throws(MoodStoreError) -> FrozenMoods {
        do throws(StorageError) {
            if let settings = settingsBeside {
                return try FrozenMoods.stored(
                    settings, at: records.durableRevision, filter, isDescending: isDescending,
                    takesDamaged: takesDamaged)
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

    /// Whether another thread can read the moods from the files.
    public var canBeFrozen: Bool { settingsBeside != nil }
}

/// The position of an export's next page, with the export's key.
public enum ExportCursor {
    public static func text(_ key: UInt64, _ page: Int) -> String {
        PlaceCursor.export.text([key, UInt64(truncatingIfNeeded: page)])
    }

    public static func words(_ text: [UInt8]) throws(MoodStoreError) -> [UInt64] {
        try PlaceCursor.export.words(text, count: 2)
    }
}
