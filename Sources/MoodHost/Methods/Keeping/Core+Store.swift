import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodSync
import Storage

/// `store.*`.
extension Core {
    static let storeHandlers: InlineArray<_, Handler> = [
        Handler(StoreMethods.info, .tolerates, { $0.writeStoreInfo(&$3) }),
        Handler(
            StoreMethods.insertSamples, .changes,
            { (core, request, _, out) throws in
                let count = try core.insertSamples(request.round)
                out.beginObject()
                out.member("inserted", count)
                out.endObject()
            }
        ),
        Handler(
            StoreMethods.undo, [.changes, .durable],
            check: { (_, _, arguments) throws in
                try checkUndo(arguments)
                return []
            },
            maybe: { try $0.undo($1, $2, isRedo: false, &$3) }),
        Handler(
            StoreMethods.redo, [.changes, .durable],
            check: { (_, _, arguments) throws in
                try checkUndo(arguments)
                return []
            },
            maybe: { try $0.undo($1, $2, isRedo: true, &$3) }),
        Handler(StoreMethods.log, [.reads, .durable], maybe: { try $0.page(.log, $1, $2, &$3) }),
        Handler(StoreMethods.compact, .tidies, later: { try $0.compact($2) }),
    ]

    /// Opens the store for the conclusion of work, and for callers that do not pass `admit`. It blocks while it waits.
    mutating func open() throws(RPCError) {
        if pluginFlags.contains(.unread) { loadPlugins() }
        if !store.isOpen { store.waitHere() }
        do throws(MoodStoreError) { try store.open() } catch { throw RPCError(error) }
    }

    /// Opens the store for writing, and makes it if there is none.
    mutating func makeStore() throws(RPCError) {
        do throws(MoodStoreError) { try store.openForWriting() } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
        storeMayBeThere()
    }

    /// Watches for other hosts once a store may exist.
    mutating func storeMayBeThere() {
        if plugins.isLoaded, noticesOthers { plugins.watchFile() }
        chooseSummaries()
    }

    mutating func insertSamples(_ round: HookRound? = nil) throws -> Int {
        let ids = Samples.all.map { _ in makeID(round) }
        var next = ids.makeIterator()
        return try store.insertSamples(at: now) { next.next() ?? ids[0] }
    }

    /// Writes the state of the store; if it cannot be opened, the reason.
    mutating func writeStoreInfo(_ out: inout JSONWriter) {
        do {
            if !store.isOpen, store.isOpeningBeside() {
                throw RPCError(.storeBusy, "The store is being opened. Try again.")
            }
            try store.open()
        } catch {
            return writeStoreError(RPCError(error, .read), &out)
        }
        let statistics = store.statistics
        out.beginObject()
        out.member("path", path)
        out.member("inMemory", path == nil)
        out.member("schemaVersion", MoodRecords.schemaVersion)
        out.member("revision", statistics.revision)
        out.member("moods", statistics.moods)
        out.member("favorites", statistics.favorites)
        out.member("bytes", statistics.bytes)
        out.member("readOnly", statistics.readOnlyReason != nil)
        out.member("readOnlyReason", statistics.readOnlyReason)
        if let damage = store.damage {
            out.member("damaged", damage.value)
        }
        out.endObject()
    }

    private func writeStoreError(_ error: RPCError, _ out: inout JSONWriter) {
        out.beginObject()
        out.member("path", path)
        out.member("error") { out in
            out.member("kind", error.code.kind)
            out.member("message", error.message)
        }
        out.endObject()
    }

    private mutating func compact(_ arguments: borrowing Arguments) throws -> any LaterWork {
        // Without a store there is nothing to compact, and compaction makes none.
        let isAbsent = store.isAbsent
        let before = store.statistics
        let keepFrom = arguments[StoreParams.keepHistoryFrom]
        let work = LongWork(on: store.helper, .init(message: "Writing the snapshot", done: 0, total: before.moods))
        let files = isAbsent ? nil : store.work(isCancelled: { work.isCancelled })
        let keptWithoutFiles = try files == nil ? shortenHistory(to: keepFrom) : nil
        let sync = files != nil && keepFrom != nil ? syncForBase(work) : nil
        return LongRequest(work) {
            let kept: Int?
            do throws(SyncError) { kept = try Self.kept(keepFrom, by: sync) } catch {
                let error = RPCError(error, by: "store.compact")
                return { (_, _) throws in throw error }
            }
            do throws(StorageError) {
                let report = try files?.compact { work.tell($0, $1) }
                return { (core, out) throws in
                    var historyFrom = keptWithoutFiles ?? 0
                    if keptWithoutFiles == nil { historyFrom = try core.shortenHistory(to: kept) }
                    // The answer shows the state that was written, not later changes.
                    out.beginObject()
                    out.member("revision", report?.revision ?? before.revision)
                    out.member("moods", report?.records ?? before.moods)
                    out.member("bytesBefore", report?.bytesBefore ?? before.bytes)
                    out.member("bytesAfter", report?.snapshotBytes ?? before.bytes)
                    out.member("historyFrom", historyFrom)
                    out.endObject()
                }
            } catch {
                let error = RPCError(error, forWriting: true)
                return { (_, _) throws in throw error }
            }
        }
    }

    /// The first revision to keep, if one was given: the sync keeps what its base does not hold.
    private static func kept(_ revision: Int?, by sync: StoreSync?) throws(SyncError) -> Int? {
        guard let revision, let base = try sync?.keepBase() else { return revision }
        return min(revision, base + 1)
    }

    /// - Returns: the first revision of the kept history.
    private mutating func shortenHistory(to revision: Int?) throws -> Int {
        try open()
        if !store.isAbsent, revision != nil {
            try store.openForRequest()
        }
        return try store.shortenHistory(to: revision)
    }
}
