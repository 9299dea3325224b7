import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `store.*`.
extension Core {
    static let storeHandlers: InlineArray<_, Handler> = [
        Handler(
            StoreMethods.info, .tolerates,
            { (core, _, _, out) throws(RPCError) in core.writeStoreInfo(&out) }
        ),
        Handler(
            StoreMethods.insertSamples, .changes,
            { (core, request, _, out) throws(RPCError) in
                let count = try core.insertSamples(request.round)
                out.beginObject()
                out.key("inserted")
                out.integer(count)
                out.endObject()
            }
        ),
        Handler(
            StoreMethods.undo, [.changes, .durable],
            check: { (_, _, arguments) throws(RPCError) in
                try checkUndo(arguments)
                return []
            },
            maybe: { (core, request, arguments, out) throws(RPCError) in
                try core.undo(request, arguments, isRedo: false, &out)
            }),
        Handler(
            StoreMethods.redo, [.changes, .durable],
            check: { (_, _, arguments) throws(RPCError) in
                try checkUndo(arguments)
                return []
            },
            maybe: { (core, request, arguments, out) throws(RPCError) in
                try core.undo(request, arguments, isRedo: true, &out)
            }),
        Handler(
            StoreMethods.log, [.reads, .durable],
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.log(request, arguments, &out) }),
        Handler(
            StoreMethods.compact, .tidies,
            later: { (core, _, arguments) throws(RPCError) in try core.compact(arguments) }),
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

    mutating func insertSamples(_ round: HookRound? = nil) throws(RPCError) -> Int {
        let ids = Samples.all.map { _ in makeID(round) }
        var next = ids.makeIterator()
        do throws(MoodStoreError) {
            return try store.insertSamples(at: now) { next.next() ?? ids[0] }
        } catch {
            throw RPCError(error)
        }
    }

    /// Writes the state of the store; if it cannot be opened, the reason.
    mutating func writeStoreInfo(_ out: inout JSONWriter) {
        do throws(RPCError) {
            if !store.isOpen, store.isOpeningBeside() {
                throw RPCError(.storeBusy, "The store is being opened. Try again.")
            }
            do throws(MoodStoreError) { try store.open() } catch { throw RPCError(error) }
        } catch {
            return writeStoreError(error, &out)
        }
        let statistics = store.statistics
        out.beginObject()
        if let path {
            out.key("path")
            out.string(path)
        }
        out.key("inMemory")
        out.boolean(path == nil)
        out.key("schemaVersion")
        out.integer(MoodRecords.schemaVersion)
        out.key("revision")
        out.integer(statistics.revision)
        out.key("moods")
        out.integer(statistics.moods)
        out.key("favorites")
        out.integer(statistics.favorites)
        out.key("bytes")
        out.integer(statistics.bytes)
        out.key("readOnly")
        out.boolean(statistics.readOnlyReason != nil)
        if let reason = statistics.readOnlyReason {
            out.key("readOnlyReason")
            out.string(reason)
        }
        if let damage = store.damage {
            out.key("damaged")
            damage.value.write(to: &out)
        }
        out.endObject()
    }

    private func writeStoreError(_ error: RPCError, _ out: inout JSONWriter) {
        out.beginObject()
        if let path {
            out.key("path")
            out.string(path)
        }
        out.key("error")
        out.beginObject()
        out.key("kind")
        out.string(error.code.kind)
        out.key("message")
        out.string(error.message)
        out.endObject()
        out.endObject()
    }

    private mutating func compact(_ arguments: borrowing Arguments) throws(RPCError) -> any LaterWork {
        // Without a store there is nothing to compact, and compaction makes none.
        let isAbsent = store.isAbsent
        let before = store.statistics
        let keepFrom = arguments[StoreParams.keepHistoryFrom]
        let work = LongWork(on: store.helper, .init(message: "Writing the snapshot", done: 0, total: before.moods))
        let files = isAbsent ? nil : store.work(isCancelled: { work.isCancelled })
        let keptWithoutFiles = try files == nil ? shortenHistory(to: keepFrom) : nil
        return LongRequest(work) {
            do throws(StorageError) {
                let report = try files?.compact { work.tell($0, $1) }
                return { (core, out) throws(RPCError) in
                    var historyFrom = keptWithoutFiles ?? 0
                    if keptWithoutFiles == nil { historyFrom = try core.shortenHistory(to: keepFrom) }
                    // The answer shows the state that was written, not later changes.
                    out.beginObject()
                    out.key("revision")
                    out.integer(report?.revision ?? before.revision)
                    out.key("moods")
                    out.integer(report?.records ?? before.moods)
                    out.key("bytesBefore")
                    out.integer(report?.bytesBefore ?? before.bytes)
                    out.key("bytesAfter")
                    out.integer(report?.snapshotBytes ?? before.bytes)
                    out.key("historyFrom")
                    out.integer(historyFrom)
                    out.endObject()
                }
            } catch {
                let error = RPCError(error, forWriting: true)
                return { (_, _) throws(RPCError) in throw error }
            }
        }
    }

    /// - Returns: the first revision of the kept history.
    private mutating func shortenHistory(to revision: Int?) throws(RPCError) -> Int {
        try open()
        if !store.isAbsent, revision != nil {
            do throws(MoodStoreError) { try store.openForRequest() } catch { throw RPCError(changing: error) }
        }
        do throws(StorageError) { return try store.shortenHistory(to: revision) } catch {
            throw RPCError(error, forWriting: true)
        }
    }
}
