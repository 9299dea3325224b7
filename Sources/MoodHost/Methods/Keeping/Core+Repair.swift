import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// `store.verify`, `store.salvage`, `store.accept`, `store.reset`: they work on a store that cannot be opened.
extension Core {
    static let repairHandlers: InlineArray<_, Handler> = [
        Handler(
            StoreMethods.verify, [.tolerates, .durable],
            later: { (core, _, _) throws(RPCError) in try core.verify() }),
        Handler(
            StoreMethods.salvage, .durable,
            later: { (core, _, arguments) throws(RPCError) in try core.salvage(arguments) }),
        Handler(
            StoreMethods.accept, [.idle, .durable],
            maybe: { (core, request, _, out) throws(RPCError) in try core.accept(request, &out) }),
        Handler(
            StoreMethods.reset, [.idle, .durable],
            { (core, _, _, out) throws(RPCError) in try core.reset(&out) }),
    ]

    /// Writes the changes of earlier requests of the group to the files, before this request reads them.
    private mutating func flushFiles() throws(RPCError) {
        do throws(StorageError) { try store.flushEarly() } catch { throw RPCError(error, forWriting: true) }
    }

    private mutating func verify() throws(RPCError) -> any LaterWork {
        // `store.verify` is made for a store that cannot be opened, so the reason is no error here.
        do throws(MoodStoreError) { try store.open() } catch {}
        let (statistics, isOpen) = (store.statistics, store.isOpen)
        let work = LongWork(on: store.helper, .init(message: "Reading", done: 0, total: statistics.bytes))
        let files = store.isAbsent ? nil : store.work(isCancelled: { work.isCancelled })
        return LongRequest(work) {
            do throws(StorageError) {
                let report = try files?.verify { work.tell($0, $1) }
                return { (_, out) throws(RPCError) in
                    let moods = isOpen ? report?.laterRecords ?? statistics.moods : report?.records ?? 0
                    Self.write(report, moods: moods, statistics.bytes, &out)
                }
            } catch {
                let error = RPCError(error, forWriting: false)
                return { (_, _) throws(RPCError) in throw error }
            }
        }
    }

    /// - Parameters:
    ///   - report: nil in memory.
    ///   - bytes: the size of a store in memory.
    private static func write(_ report: VerifyReport?, moods: Int, _ bytes: Int, _ out: inout JSONWriter) {
        out.beginObject()
        out.key("ok")
        out.boolean(report?.isWhole ?? true)
        out.key("moods")
        out.integer(moods)
        out.key("bytes")
        out.integer(report?.bytes ?? bytes)
        out.key("problems")
        write(report?.problems ?? [], &out)
        out.endObject()
    }

    private static func write(_ problems: [VerifyReport.Problem], _ out: inout JSONWriter) {
        out.beginArray()
        for problem in problems {
            out.beginObject()
            out.key("file")
            out.string(problem.file)
            out.key("offset")
            out.integer(problem.offset)
            out.key("reason")
            out.string(problem.reason)
            out.key("kind")
            out.string(problem.kind.rawValue)
            out.endObject()
        }
        out.endArray()
    }

    private mutating func salvage(_ arguments: borrowing Arguments) throws(RPCError) -> any LaterWork {
        let target = arguments[StoreParams.to]
        let work = LongWork(on: store.helper, .init(message: "Reading", done: 0, total: 0))
        guard let files = store.work(isCancelled: { work.isCancelled }) else {
            throw RPCError(
                .refused(reason: "There is nothing to salvage: the moods are kept in memory.", problems: []),
                by: "store.salvage")
        }
        return LongRequest(work) {
            do throws(RepairError) {
                let report = try files.salvage(to: target) { work.tell($0, $1) }
                return { (_, out) throws(RPCError) in Self.write(report, target, &out) }
            } catch {
                let error = RPCError(error, by: "store.salvage")
                return { (_, _) throws(RPCError) in throw error }
            }
        }
    }

    private static func write(_ report: SalvageReport, _ target: String, _ out: inout JSONWriter) {
        out.beginObject()
        out.key("to")
        out.string(target)
        out.key("moods")
        out.integer(report.records)
        out.key("bytes")
        out.integer(report.bytes)
        out.key("revision")
        out.integer(report.revision)
        out.key("files")
        out.beginArray()
        for file in report.files { out.string(file) }
        out.endArray()
        out.key("snapshotSealed")
        out.boolean(report.isSnapshotSealed)
        out.key("skipped")
        write(report.skipped, &out)
        out.key("skippedCount")
        out.integer(report.skippedCount)
        out.endObject()
    }

    /// Begins a repair, which ends its group because it is carried out once. If a sync has failed and the group is answered
    /// again, its outcome is unknown.
    private mutating func beginRepair(_ method: StaticString) throws(RPCError) {
        try flushFiles()
        guard let failure = store.failure else {
            endsGroup = true
            return
        }
        throw RPCError(
            .outcomeUnknown,
            "\(method) may have been done before a sync failed: \(failure.reason) See with store.info.")
    }

    private mutating func accept(
        _ request: borrowing Request, _ out: inout JSONWriter
    ) throws(RPCError) -> (any LaterWork)? {
        try beginRepair("store.accept")
        let job = AcceptJob(now: now, limits: options.limits)
        if path != nil, !request.ways.contains(.atOnce) { return answerBesideLoop(job) }
        try job.run(&store, to: &out) { false }
        return nil
    }

    private mutating func reset(_ out: inout JSONWriter) throws(RPCError) {
        try beginRepair("store.reset")
        let aside: String?
        do throws(RepairError) { aside = try store.reset() } catch { throw RPCError(error, by: "store.reset") }
        out.beginObject()
        if let aside {
            out.key("setAside")
            out.string(aside)
        }
        out.endObject()
    }
}

/// `store.accept`: everything it needs besides the store, so that any thread can do it.
struct AcceptJob: Sendable {
    let now: Timestamp
    let limits: Limits

    /// - Parameter isCancelled: called before each read.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter, isCancelled: @escaping @Sendable () -> Bool
    ) throws(RPCError) {
        let report: AcceptReport
        let random = RandomWords()
        do throws(RepairError) {
            report = try store.accept(
                makeID: { MoodID(version7At: now, random: (random.next(), random.next())) },
                problem: { StoredMood.problem($0, limits) }, isCancelled: isCancelled)
        } catch {
            throw RPCError(error, by: "store.accept")
        }
        // The answer shows the state that the next request meets. If the store cannot be opened now, that request
        // reports it.
        do throws(MoodStoreError) { try store.open() } catch {}
        let statistics = store.statistics
        out.beginObject()
        out.key("accepted")
        out.boolean(report.isAccepted)
        out.key("moods")
        out.integer(store.isOpen ? statistics.moods : report.records)
        out.key("revision")
        out.integer(store.isOpen ? statistics.revision : report.revision)
        out.key("bytes")
        out.integer(report.bytes)
        out.key("completed")
        out.integer(report.completed)
        out.key("overtaken")
        out.integer(report.overtaken)
        if report.forgotten > 0 {
            out.key("forgottenOperations")
            out.integer(report.forgotten)
        }
        if let backup = report.backup {
            out.key("backup")
            out.string(backup)
        }
        out.endObject()
    }
}

extension RPCError {
    /// - Parameter by: the method that refuses.
    init(_ error: RepairError, by method: String) {
        switch error {
        case .storage(let error): self.init(error, forWriting: true)
        case .refused(let reason, let problems):
            let listed = problems.map { problem in
                JSONValue.object([
                    .init("file", .string(problem.file)), .init("offset", .number(String(problem.offset))),
                    .init("line", .number(String(problem.line))), .init("reason", .string(problem.reason)),
                ])
            }
            self.init(
                .refused, reason,
                [.init("by", .string(method)), .init("reason", .string(reason))]
                    + (problems.isEmpty ? [] : [.init("problems", .array(listed))]))
        }
    }
}
