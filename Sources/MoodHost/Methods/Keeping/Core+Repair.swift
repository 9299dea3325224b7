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
        Handler(StoreMethods.verify, [.tolerates, .durable], later: { (core, _, _) in try core.verify() }),
        Handler(StoreMethods.salvage, .durable, later: { try $0.salvage($2) }),
        Handler(StoreMethods.accept, [.idle, .durable], maybe: { try $0.accept($1, &$3) }),
        Handler(StoreMethods.reset, [.idle, .durable], maybe: { try $0.reset($1, &$3) }),
    ]

    private mutating func verify() throws -> any LaterWork {
        // `store.verify` is made for a store that cannot be opened, so the reason is no error here.
        do throws(MoodStoreError) { try store.open() } catch {}
        let (statistics, isOpen) = (store.statistics, store.isOpen)
        let work = LongWork(on: store.helper, .init(message: "Reading", done: 0, total: statistics.bytes))
        let files = store.isAbsent ? nil : store.work(isCancelled: { work.isCancelled })
        return LongRequest(work) {
            do throws(StorageError) {
                let report = try files?.verify { work.tell($0, $1) }
                return { (_, out) throws in
                    let moods = isOpen ? report?.laterRecords ?? statistics.moods : report?.records ?? 0
                    Self.write(report, moods: moods, statistics.bytes, &out)
                }
            } catch {
                let error = RPCError(error, forWriting: false)
                return { (_, _) throws in throw error }
            }
        }
    }

    /// - Parameters:
    ///   - report: nil in memory.
    ///   - bytes: the size of a store in memory.
    private static func write(_ report: VerifyReport?, moods: Int, _ bytes: Int, _ out: inout JSONWriter) {
        out.beginObject()
        out.member("ok", report?.isWhole ?? true)
        out.member("moods", moods)
        out.member("bytes", report?.bytes ?? bytes)
        out.key("problems")
        write(report?.problems ?? [], &out)
        out.endObject()
    }

    private static func write(_ problems: [VerifyReport.Problem], _ out: inout JSONWriter) {
        out.beginArray()
        for problem in problems {
            out.beginObject()
            out.member("file", problem.file)
            out.member("offset", problem.offset)
            out.member("reason", problem.reason)
            out.member("kind", problem.kind.rawValue)
            out.endObject()
        }
        out.endArray()
    }

    private mutating func salvage(_ arguments: borrowing Arguments) throws -> any LaterWork {
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
                return { (_, out) throws in Self.write(report, target, &out) }
            } catch {
                let error = RPCError(error, by: "store.salvage")
                return { (_, _) throws in throw error }
            }
        }
    }

    private static func write(_ report: SalvageReport, _ target: String, _ out: inout JSONWriter) {
        out.beginObject()
        out.member("to", target)
        out.member("moods", report.records)
        out.member("bytes", report.bytes)
        out.member("revision", report.revision)
        out.member("files", array: report.files) { file, out in out.string(file) }
        out.member("snapshotSealed", report.isSnapshotSealed)
        out.key("skipped")
        write(report.skipped, &out)
        out.member("skippedCount", report.skippedCount)
        out.endObject()
    }

    /// Begins a repair, which is carried out once. If a sync has failed and the group is answered
    /// again, its outcome is unknown.
    private mutating func beginRepair(_ method: StaticString) throws {
        try store.flushEarly()
        guard let failure = store.failure else { return }
        throw RPCError(
            .outcomeUnknown,
            "\(method) may have been done before a sync failed: \(failure.reason) See with store.info.")
    }

    private mutating func accept(
        _ request: borrowing Request, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        try beginRepair("store.accept")
        let job = AcceptJob(now: now, limits: options.limits)
        if path != nil, !request.ways.contains(.atOnce) {
            return answerBesideLoop(store.helper) { (store, work, answer) throws in
                try work.requireCommit()
                try job.run(&store, to: &answer) { work.isCancelled }
            }
        }
        try job.run(&store, to: &out) { false }
        return nil
    }

    private mutating func reset(
        _ request: borrowing Request, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        try beginRepair("store.reset")
        if path != nil, !request.ways.contains(.atOnce) {
            return answerBesideLoop(store.helper, .replaced) { (store, work, answer) throws in
                try work.requireCommit()
                try Self.reset(&store, &answer)
            }
        }
        try Self.reset(&store, &out)
        return nil
    }

    private static func reset(_ store: inout MoodRecords, _ out: inout JSONWriter) throws {
        let aside: String?
        do throws(RepairError) { aside = try store.reset() } catch { throw RPCError(error, by: "store.reset") }
        out.beginObject()
        out.member("setAside", aside)
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
    ) throws {
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
        out.member("accepted", report.isAccepted)
        out.member("moods", store.isOpen ? statistics.moods : report.records)
        out.member("revision", store.isOpen ? statistics.revision : report.revision)
        out.member("bytes", report.bytes)
        out.member("completed", report.completed)
        out.member("overtaken", report.overtaken)
        if report.forgotten > 0 {
            out.member("forgottenOperations", report.forgotten)
        }
        out.member("backup", report.backup)
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
            self = .refused(by: method, reason, problems.isEmpty ? [] : [.init("problems", .array(listed))])
        }
    }
}
