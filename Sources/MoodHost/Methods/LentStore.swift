import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// The kind of work for which the helper thread has the store.
enum StoreAbsence {
    case lent
    /// For a change of what is known of plugins. Requests about plugins wait for it too.
    case lentForPlugins
    /// Another store takes its place. Subscribers are told after the answer.
    case replaced
}

/// The store while another thread has it: the helper for a long change, the reader for a look at many moods, which so
/// never waits for work on files. Later requests wait until it is back. Requests that may overtake are answered
/// meanwhile from a second view of its files, as another process would.
///
/// Why unchecked: the loop hands it over before the work begins, and takes it back after the work, so one thread has it
/// at a time.
final class LentStore: @unchecked Sendable {
    fileprivate var store: MoodRecords

    fileprivate init(_ store: consuming MoodRecords) { self.store = store }

    /// Makes a change in one commit; when this succeeds, it is durable.
    /// - Parameter change: opens the commit, and writes the answer.
    /// - Returns: the answer.
    fileprivate func carryOut(
        _ operation: OperationKey?, isDryRun: Bool, _ work: LongWork, _ change: Change
    ) throws -> [UInt8] {
        do { return try carryOutOnce(operation, isDryRun: isDryRun, work, change) } catch let error as MoodStoreError
            where error.isBornElsewhere
        {
            // It looks around again, and opens that store.
            store.beginGroup()
            return try carryOutOnce(operation, isDryRun: isDryRun, work, change)
        }
    }

    private func carryOutOnce(
        _ operation: OperationKey?, isDryRun: Bool, _ work: LongWork, _ change: Change
    ) throws -> [UInt8] {
        do {
            store.waitHere()
            try store.openForRequest()
            var answer = JSONWriter(capacity: 4096)
            try change(self, work, &answer)
            if isDryRun {
                store.abandonCommit()
            } else {
                guard work.mayCommit() else { throw RPCError(StorageError.cancelled, forWriting: true) }
                if let operation { store.keepOutcome(operation, answer: answer.buffer.bytes) }
                if let given = store.givenSettings.take() {
                    try store.endCommit(with: given)
                } else {
                    try store.endCommit()
                }
            }
            try store.flush()
            return Array(answer.buffer.bytes)
        } catch {
            store.abandonCommit()
            // Ends the group of requests whose commits became durable before this one.
            try store.flush()
            throw error
        }
    }

    fileprivate typealias Change = @Sendable (LentStore, LongWork, inout JSONWriter) throws -> Void

    fileprivate func carryOut(_ job: ImportJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        let goOn = { (done: Int, total: Int) throws in
            if work.isCancelled { throw RPCError(StorageError.cancelled, forWriting: true) }
            work.tell(done, total)
        }
        try job.run(&store, to: &answer, goOn: goOn)
    }

    fileprivate func carryOut(_ job: UndoJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        try job.run(&store, to: &answer) { (done, total) in
            work.tell(done, total)
            return !work.isCancelled
        }
    }

    /// Carries out a request that makes no commit, or its own.
    /// - Returns: the answer.
    fileprivate func answer(_ work: LongWork, _ request: Change) throws -> [UInt8] {
        store.waitHere()
        var answer = JSONWriter(capacity: 4096)
        try request(self, work, &answer)
        return Array(answer.buffer.bytes)
    }

    fileprivate func carryOut(_ job: AcceptJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        guard work.mayCommit() else { throw RPCError(StorageError.cancelled, forWriting: true) }
        try job.run(&store, to: &answer) { work.isCancelled }
    }

    fileprivate func carryOut(_ job: ResetJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        guard work.mayCommit() else { throw RPCError(StorageError.cancelled, forWriting: true) }
        try job.run(&store, to: &answer)
    }

    fileprivate func carryOut(_ job: PastJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        // The rest of the message around it is short.
        answer.buffer.limit = job.bytesMax - 1024
        try store.open()
        try job.run(&store, to: &answer) { work.isCancelled }
    }

    fileprivate func carryOut(_ job: ListJob, _ work: LongWork, _ answer: inout JSONWriter) throws {
        // The rest of the message around it is short.
        answer.buffer.limit = job.bytesMax - 1024
        try store.open()
        try store.list(job.query, cursor: job.cursor, to: &answer) { work.isCancelled }
    }

    fileprivate func carryOut(_ change: PluginRecordsChange, _ work: LongWork) throws -> PluginContents {
        defer { store.endGroup() }
        guard work.mayCommit() else { throw RPCError(StorageError.cancelled, forWriting: true) }
        return try store.changePlugins(change)
    }

    fileprivate func carryOut(_ job: UndeleteJob, _ answer: inout JSONWriter) throws {
        try job.run(&store, to: &answer)
    }
}

extension Core {
    /// Runs an import on the helper thread.
    mutating func importBesideLoop(
        _ job: ImportJob, _ arguments: borrowing Arguments
    ) -> any LaterWork {
        changeBesideLoop(
            Method(TransferMethods.import), arguments, .init(message: "Reading", done: 0, total: job.file.byteCount)
        ) { (lent, work, answer) throws in
            try lent.carryOut(job, work, &answer)
        }
    }

    /// Runs an undo or redo on the helper thread.
    mutating func undoBesideLoop(
        _ job: UndoJob, _ arguments: borrowing Arguments
    ) -> any LaterWork {
        let method = job.request.isRedo ? Method(StoreMethods.redo) : Method(StoreMethods.undo)
        return changeBesideLoop(
            method, arguments, .init(message: job.request.isRedo ? "Redoing" : "Undoing", done: 0, total: 0)
        ) { (lent, work, answer) throws in
            try lent.carryOut(job, work, &answer)
        }
    }

    /// Runs a `store.accept` on the helper thread.
    mutating func answerBesideLoop(_ job: AcceptJob) -> any LaterWork {
        answerBesideLoop(store.helper) { (lent, work, answer) throws in try lent.carryOut(job, work, &answer) }
    }

    /// Runs a `store.reset` on the helper thread.
    mutating func answerBesideLoop(_ job: ResetJob) -> any LaterWork {
        answerBesideLoop(store.helper, .replaced) { (lent, work, answer) throws in try lent.carryOut(job, work, &answer)
        }
    }

    /// Runs a `mood.undelete` on the helper thread.
    mutating func undeleteBesideLoop(_ job: UndeleteJob, _ arguments: borrowing Arguments) -> any LaterWork {
        changeBesideLoop(
            Method(MoodMethods.undelete), arguments, .init(message: "Reading", done: 0, total: 0)
        ) { (lent, _, answer) throws in
            try lent.carryOut(job, &answer)
        }
    }

    /// Changes the records of plugins on the helper thread, and then concludes the request.
    mutating func changeBesideLoop(
        _ change: @escaping PluginRecordsChange, then conclude: @escaping LongWork.Conclusion
    ) -> any LaterWork {
        let work = LongWork(on: store.helper, .init(message: "Writing", done: 0, total: 0))
        return LongRequest(
            work,
            preparing: { core in
                let lent = core.lendStore(.lentForPlugins)
                return {
                    let result = Result { try lent.carryOut(change, work) }.mapError { RPCError($0, .write) }
                    return { (core, out) throws in
                        core.takeBack(lent)
                        if case .success(let contents) = result { core.take(contents) }
                        // Another host may have changed them meanwhile.
                        core.reloadPlugins()
                        _ = try result.get()
                        try conclude(&core, &out)
                    }
                }
            })
    }

    /// Reads a page of the past on the reader thread.
    mutating func readBesideLoop(_ job: PastJob) -> any LaterWork {
        answerBesideLoop(reader) { (lent, work, answer) throws in try lent.carryOut(job, work, &answer) }
    }

    /// Reads a page of a list on the reader thread.
    mutating func readBesideLoop(_ job: ListJob) -> any LaterWork {
        answerBesideLoop(reader) { (lent, work, answer) throws in try lent.carryOut(job, work, &answer) }
    }

    private mutating func answerBesideLoop(
        _ thread: HelperThread, _ absence: StoreAbsence = .lent, _ request: @escaping LentStore.Change
    ) -> any LaterWork {
        let work = LongWork(on: thread, .init(message: "Reading", done: 0, total: 0))
        return LongRequest(
            work,
            preparing: { core in
                let lent = core.lendStore(absence)
                return {
                    let result = Result { try lent.answer(work, request) }
                    return { (core, out) throws in
                        core.takeBack(lent)
                        let answer = try result.get()
                        answer.withUnsafeBytes { out.raw($0) }
                    }
                }
            })
    }

    private mutating func changeBesideLoop(
        _ method: Method, _ arguments: borrowing Arguments, _ beginning: LongWork.Progress,
        _ change: @escaping LentStore.Change
    ) -> any LaterWork {
        let operation = arguments[CommonParams.operation] == nil ? nil : arguments.operationKey(of: method)
        let isDryRun = arguments.isDryRun
        let work = LongWork(on: store.helper, beginning)
        return LongRequest(
            work,
            preparing: { core in
                let lent = core.lendStore()
                return {
                    let result = Result { try lent.carryOut(operation, isDryRun: isDryRun, work, change) }
                        .mapError { RPCError($0, .write) }
                    return { (core, out) throws in
                        core.takeBack(lent)
                        let answer = try result.get()
                        if core.isWatching { core.tellOfRequest() }
                        answer.withUnsafeBytes { out.raw($0) }
                    }
                }
            })
    }

    /// Hands the store to the worker and leaves a read-only second view of the durable moods in its place.
    private mutating func lendStore(_ absence: StoreAbsence = .lent) -> LentStore {
        store.lockWait.end()
        var standIn = store.standIn
        standIn.setTime(now)
        swap(&store, &standIn)
        storeAbsence = absence
        return LentStore(standIn)
    }

    private mutating func takeBack(_ lent: LentStore) {
        store.lockWait.end()
        swap(&store, &lent.store)
        storeAbsence = nil
        store.setTime(now)
        storeMayBeThere()
        seeSettings()
    }
}
