import Platform
import Storage

/// The outcome of opening a store over files in memory: all that it shows, or a refusal.
enum OpenedStore: Equatable {
    case refused
    case shown(PlainState, revision: Int, isWritable: Bool)

    private static let path = "/store"
    static let snapshot = path + "/moods.json"
    static let lock = path + "/lock"

    static func journal(_ generation: Int) -> String { path + "/journal-\(generation).jsonl" }

    /// - Parameter addsRecord: whether to commit a record with a new id, if possible.
    init(_ files: MemoryFiles, isReadOnly: Bool = false, addsRecord: Bool = false) throws(Violation) {
        let counter = Counter()
        let settings = StoreSettings(
            directory: Self.path, durability: .sync, isReadOnly: isReadOnly, trustsDirectory: true,
            lockTimeoutMilliseconds: 0, schemaVersion: 3, fileSystem: files.fileSystem, log: { _ in },
            makeIdentifier: { counter.next() }, timestamp: { "2026-01-02T03:04:05.678Z" })
        var state: PlainState = [:]
        do throws(StorageError) {
            var store = try RecordStore.open(settings, .plain)
            if addsRecord, store.refusal == nil, let record = Self.added {
                var failure: StorageError?
                record.bytes.withUnsafeBytes { bytes in
                    do throws(StorageError) { try store.put(record.head, bytes) } catch { failure = error }
                }
                if let failure { throw failure }
                try store.endCommit()
                try store.flush()
            }
            try store.walk(.time, isDescending: false, after: nil) { record in
                state[record.head.id] = Array(record.bytes)
                return true
            }
            try Self.check(&store, state)
            self = .shown(state, revision: store.revision, isWritable: store.refusal == nil)
        } catch {
            if addsRecord { throw Violation("it could be opened, and not written: \(error)") }
            self = .refused
        }
    }

    /// Checks that counts and records by id agree with a walk.
    private static func check(_ store: inout RecordStore, _ state: PlainState) throws(StorageError) {
        guard store.count == state.count else {
            throw .unavailable(reason: "\(store.count) are counted, \(state.count) are there", advice: "")
        }
        for (id, bytes) in state {
            let found = try store.bytes(id).map { Array($0) }
            guard found == bytes else { throw .unavailable(reason: "another record is found", advice: "") }
        }
    }

    /// The record that is added.
    static let added = PlainRecord(
        Array(PlainSnapshot.record(77, time: 3, updated: 1, text: "added", isMarked: true).utf8))
}

extension MemoryFiles {
    /// The content of each file, except the lock and files that can be rebuilt.
    var kept: [String: [UInt8]] {
        var kept: [String: [UInt8]] = [:]
        for name in names where name != OpenedStore.lock && !name.hasPrefix("/store/index-") { kept[name] = read(name) }
        return kept
    }
}
