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
            StoreMethods.info,
            { (core, _, out) throws(RPCError) in core.writeStoreInfo(&out) }
        ),
        Handler(
            StoreMethods.insertSamples,
            { (core, _, out) throws(RPCError) in
                try core.openForWriting()
                let count = try core.insertSamples()
                out.beginObject()
                out.key("inserted")
                out.integer(count)
                out.endObject()
            }
        ),
        Handler(
            StoreMethods.undo,
            { (core, arguments, out) throws(RPCError) in try core.undo(arguments, isRedo: false, &out) }),
        Handler(
            StoreMethods.redo,
            { (core, arguments, out) throws(RPCError) in try core.undo(arguments, isRedo: true, &out) }),
        Handler(StoreMethods.log, { (core, arguments, out) throws(RPCError) in try core.log(arguments, &out) }),
        Handler(StoreMethods.compact, later: { (core, arguments) throws(RPCError) in try core.compact(arguments) }),
    ]

    /// Opens the store, for a request that reads.
    @inline(__always)
    mutating func open() throws(RPCError) {
        if pluginFlags.contains(.unread) { loadPlugins() }
        do throws(MoodStoreError) { try store.open() } catch { throw RPCError(error) }
    }

    /// Opens the store, for a request that may change it.
    mutating func openForWriting() throws(RPCError) {
        if pluginFlags.contains(.unread) { loadPlugins() }
        do throws(MoodStoreError) { try store.openForRequest() } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
    }

    /// The same for a change that is certain: where there is no store yet, it is made.
    mutating func makeStore() throws(RPCError) {
        do throws(MoodStoreError) { try store.openForWriting() } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
        if plugins.isLoaded { plugins.watchFile() }
        chooseSummaries()
    }

    mutating func insertSamples() throws(RPCError) -> Int {
        let ids = Samples.all.map { _ in makeID() }
        var next = ids.makeIterator()
        do throws(MoodStoreError) {
            return try store.insertSamples(at: now) { next.next() ?? ids[0] }
        } catch {
            throw RPCError(error)
        }
    }

    /// What is in the store; where it cannot be opened, why.
    mutating func writeStoreInfo(_ out: inout JSONWriter) {
        do throws(MoodStoreError) { try store.open() } catch {
            return writeStoreError(RPCError(error), &out)
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
        try open()
        // Where there is no store there is nothing to write, and none is made for it.
        let isAbsent = store.isAbsent
        if !isAbsent { try openForWriting() }
        let before = store.statistics
        let historyFrom = arguments[StoreParams.keepHistoryFrom]
        let work = LongWork(on: store.helper, .init(message: "Writing the snapshot", done: 0, total: before.moods))
        let files = isAbsent ? nil : store.work(isCancelled: { work.isCancelled })
        return LongRequest(work) {
            do throws(StorageError) {
                _ = try files?.compact { work.tell($0, $1) }
                return { (core, out) throws(RPCError) in
                    try core.finishCompaction(bytesBefore: before.bytes, keepHistoryFrom: historyFrom, &out)
                }
            } catch {
                let error = RPCError(error, forWriting: true)
                return { (_, _) throws(RPCError) in throw error }
            }
        }
    }

    private mutating func finishCompaction(
        bytesBefore: Int, keepHistoryFrom: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        try open()
        if !store.isAbsent, keepHistoryFrom != nil { try openForWriting() }
        let historyFrom: Int
        do throws(StorageError) { historyFrom = try store.shortenHistory(to: keepHistoryFrom) } catch {
            throw RPCError(error, forWriting: true)
        }
        let after = store.statistics
        out.beginObject()
        out.key("revision")
        out.integer(after.revision)
        out.key("moods")
        out.integer(after.moods)
        out.key("bytesBefore")
        out.integer(bytesBefore)
        out.key("bytesAfter")
        out.integer(after.bytes)
        out.key("historyFrom")
        out.integer(historyFrom)
        out.endObject()
    }
}
