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
    typealias Change = @Sendable (inout MoodRecords, LongWork, inout JSONWriter) throws -> Void

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
            try change(&store, work, &answer)
            if isDryRun {
                store.abandonCommit()
            } else {
                try work.requireCommit()
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

    /// Carries out a request that makes no commit, or its own.
    /// - Returns: the answer.
    fileprivate func answer(_ work: LongWork, _ request: Change) throws -> [UInt8] {
        store.waitHere()
        var answer = JSONWriter(capacity: 4096)
        try request(&store, work, &answer)
        return Array(answer.buffer.bytes)
    }

    fileprivate func carryOut(_ change: PluginRecordsChange, _ work: LongWork) throws -> PluginContents {
        defer { store.endGroup() }
        try work.requireCommit()
        return try store.changePlugins(change)
    }
}

extension Core {
    /// Makes one commit on the helper thread.
    /// - Parameter change: opens the commit, and writes the answer.
    mutating func changeBesideLoop(
        _ method: Method, _ arguments: borrowing Arguments, _ beginning: LongWork.Progress,
        _ change: @escaping LentStore.Change
    ) -> any LaterWork {
        let operation = arguments[CommonParams.operation] == nil ? nil : arguments.operationKey(of: method)
        let isDryRun = arguments.isDryRun
        return besideLoop(store.helper, .lent, beginning) { (lent, work) in
            let result = Result { try lent.carryOut(operation, isDryRun: isDryRun, work, change) }
                .mapError { RPCError($0, .write) }
            return { (core, out) throws in
                core.takeBack(lent)
                let answer = try result.get()
                if core.isWatching { core.tellOfRequest() }
                answer.withUnsafeBytes { out.raw($0) }
            }
        }
    }

    /// Carries out a request that makes no commit, or its own, on another thread.
    mutating func answerBesideLoop(
        _ thread: HelperThread, _ absence: StoreAbsence = .lent, _ request: @escaping LentStore.Change
    ) -> any LaterWork {
        besideLoop(thread, absence, .init(message: "Reading", done: 0, total: 0)) { (lent, work) in
            let result = Result { try lent.answer(work, request) }
            return { (core, out) throws in
                core.takeBack(lent)
                let answer = try result.get()
                answer.withUnsafeBytes { out.raw($0) }
            }
        }
    }

    /// Reads a page on the reader thread.
    mutating func readBesideLoop(_ read: @escaping LentStore.Change) -> any LaterWork {
        // The rest of the message around it is short.
        let limit = options.limits[.messageBytes] - 1024
        return answerBesideLoop(reader) { (store, work, answer) throws in
            answer.buffer.limit = limit
            try store.open()
            try read(&store, work, &answer)
        }
    }

    /// Changes the records of plugins on the helper thread, and then concludes the request.
    mutating func changeBesideLoop(
        _ change: @escaping PluginRecordsChange, then conclude: @escaping LongWork.Conclusion
    ) -> any LaterWork {
        besideLoop(store.helper, .lentForPlugins, .init(message: "Writing", done: 0, total: 0)) { (lent, work) in
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
    }

    /// Lends the store when the work begins.
    private mutating func besideLoop(
        _ thread: HelperThread, _ absence: StoreAbsence, _ beginning: LongWork.Progress,
        _ body: @escaping @Sendable (LentStore, LongWork) -> LongWork.Conclusion
    ) -> any LaterWork {
        let work = LongWork(on: thread, beginning)
        return LongRequest(
            work,
            preparing: { core in
                let lent = core.lendStore(absence)
                return { body(lent, work) }
            })
    }

    /// Hands the store to the worker and leaves a read-only second view of the durable moods in its place.
    private mutating func lendStore(_ absence: StoreAbsence) -> LentStore {
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
