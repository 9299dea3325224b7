import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `store.*`.
extension Core {
    static let storeHandlers: [HandlerEntry] = [
        HandlerEntry(
            "store.info",
            { (core, _, out) throws(RPCError) in core.writeStoreInfo(&out) }
        ),
        HandlerEntry(
            "store.insertSamples",
            { (core, _, out) throws(RPCError) in
                try core.openForWriting()
                let count = core.insertSamples()
                out.beginObject()
                out.key("inserted")
                out.integer(count)
                out.endObject()
            }
        ),
        HandlerEntry(
            "store.undo", { (core, arguments, out) throws(RPCError) in try core.undo(arguments, isRedo: false, &out) }),
        HandlerEntry(
            "store.redo", { (core, arguments, out) throws(RPCError) in try core.undo(arguments, isRedo: true, &out) }),
        HandlerEntry("store.compact", { (core, arguments, out) throws(RPCError) in try core.compact(arguments, &out) }),
        HandlerEntry("store.verify", { (core, arguments, out) throws(RPCError) in try core.verify(arguments, &out) }),
    ]

    /// Opens the store, for a request that reads.
    @inline(__always)
    mutating func open() throws(RPCError) {
        do throws(MoodStoreError) { try store.open() } catch { throw RPCError(error) }
    }

    /// Opens the store, for a request that may change it.
    mutating func openForWriting() throws(RPCError) {
        do throws(MoodStoreError) { try store.openForWriting() } catch {
            if case .storage(let error) = error { throw RPCError(error, forWriting: true) }
            throw RPCError(error)
        }
    }

    mutating func insertSamples() -> Int {
        let ids = Samples.all.map { _ in makeID() }
        var next = ids.makeIterator()
        return store.insertSamples(at: now) { next.next() ?? ids[0] }
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

    private mutating func compact(
        _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws(RPCError) {
        try openForWriting()
        let before = store.statistics
        let historyFrom: Int
        reportProgress(arguments, done: 0, total: before.moods, "Writing the snapshot")
        do throws(StorageError) {
            // What earlier requests of the group changed has to be in the journal before it is replaced.
            try store.flushEarly()
            _ = try store.compact()
            historyFrom = try store.shortenHistory(to: arguments.integer("keepHistoryFrom"))
        } catch {
            throw RPCError(error, forWriting: true)
        }
        let after = store.statistics
        reportProgress(arguments, done: after.moods, total: after.moods, "Done")
        out.beginObject()
        out.key("revision")
        out.integer(after.revision)
        out.key("moods")
        out.integer(after.moods)
        out.key("bytesBefore")
        out.integer(before.bytes)
        out.key("bytesAfter")
        out.integer(after.bytes)
        out.key("historyFrom")
        out.integer(historyFrom)
        out.endObject()
    }

    private mutating func verify(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        // A store that cannot be opened is what this is for, so why it could not be opened is no error here.
        do throws(MoodStoreError) { try store.open() } catch {}
        let statistics = store.statistics
        reportProgress(arguments, done: 0, total: statistics.bytes, "Reading")
        do throws(StorageError) { try store.flushEarly() } catch { throw RPCError(error, forWriting: true) }
        let report = store.verify()
        reportProgress(arguments, done: statistics.bytes, total: statistics.bytes, "Done")
        writeVerify(
            isWhole: report?.isWhole ?? true, bytes: report?.bytes ?? statistics.bytes,
            problems: report?.problems ?? [], moods: store.isOpen ? statistics.moods : report?.records ?? 0, &out)
    }

    private func writeVerify(
        isWhole: Bool, bytes: Int, problems: [VerifyReport.Problem], moods: Int, _ out: inout JSONWriter
    ) {
        out.beginObject()
        out.key("ok")
        out.boolean(isWhole)
        out.key("moods")
        out.integer(moods)
        out.key("bytes")
        out.integer(bytes)
        out.key("problems")
        out.beginArray()
        for problem in problems {
            out.beginObject()
            out.key("file")
            out.string(problem.file)
            out.key("offset")
            out.integer(problem.offset)
            out.key("reason")
            out.string(problem.reason)
            out.endObject()
        }
        out.endArray()
        out.endObject()
    }

    private mutating func reportProgress(
        _ arguments: borrowing Arguments, done: Int, total: Int, _ message: StaticString
    ) {
        guard let token = arguments["progressToken"] else { return }
        notices.addProgress(token: token, done: done, total: total, message: message)
    }
}
