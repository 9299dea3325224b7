import JSONCodec
import JSONRPC
import Platform
import Storage
import Synchronization

/// A request that the helper thread works on.
final class LongRequest: LaterWork {
    private let work: LongWork
    /// Runs on the helper thread; its conclusion then runs on the loop's thread.
    typealias Body = @Sendable () -> LongWork.Conclusion
    /// Makes the body when the work begins.
    private let prepare: (inout Core) -> Body

    init(_ work: LongWork, _ body: @escaping Body) {
        self.work = work
        work.needsNothing()
        prepare = { _ in body }
    }

    /// - Parameter prepare: takes the state that the work needs from the core.
    init(_ work: LongWork, preparing prepare: @escaping (inout Core) -> Body) {
        self.work = work
        self.prepare = prepare
    }

    var isOfHelper: Bool { true }
    var isCancelled: Bool { work.isCancelled }
    func begin(_ core: inout Core) -> Bool { work.begin(prepare(&core)) }
    var mayHaveChanged: Bool { work.mayHaveChanged }
    func cancel() { work.cancel() }
    func takeProgress() -> JSONValue? { work.takeProgress()?.value }
    func takeConclusion() -> Conclusion? { work.takeConclusion() }
    var end: JSONValue? { work.end.value }
}

/// A request that was done when it arrived. It is answered, and reports progress, like one that takes long.
final class DoneRequest: LaterWork {
    private var result: [UInt8]?
    private let progress: LongWork.Progress
    private var hasNews = true

    init(_ result: [UInt8], _ progress: LongWork.Progress) {
        self.result = result
        self.progress = progress
    }

    func begin(_ core: inout Core) -> Bool { true }
    func cancel() {}

    func takeProgress() -> JSONValue? {
        defer { hasNews = false }
        return hasNews ? progress.value : nil
    }

    func takeConclusion() -> Conclusion? {
        guard let result = result.take() else { return nil }
        return { (_, out) throws in result.withUnsafeBytes { out.raw($0) } }
    }

    var end: JSONValue? { progress.end.value }
}

/// Work for the helper thread. It works on files alone, as another process would. It sees the state that is durable
/// when it begins, and blocks no other request. (GCD: `async` to a serial queue, and back to the main queue.)
///
/// The two threads share only the members of this class. The work returns all else in its conclusion, which the loop
/// runs.
final class LongWork: Sendable {
    /// Writes the result, on the loop's thread.
    typealias Conclusion = @Sendable (inout Core, inout JSONWriter) throws -> Void

    struct Progress: Sendable {
        let message: StaticString
        var done: Int
        var total: Int

        /// The progress of finished work.
        var end: Progress { Progress(message: "Done", done: total, total: total) }

        /// `{done, total, message}`.
        var value: JSONValue {
            [
                "done": .number(String(done)), "total": .number(String(total)), "message": .string("\(message)"),
            ]
        }
    }

    private struct State {
        var progress: Progress
        var hasNews = true
        var conclusion: Conclusion?
        /// Whether it ends unbegun when it is cancelled in time.
        var needsNothing = false
        var hasBegun = false
        var isOver = false
        var isTaken = false
    }

    private let helper: HelperThread
    private let start = Clock.monotonicMilliseconds
    private let state: Mutex<State>
    private let cancellation = Atomic(false)
    private let commit = Atomic(false)
    /// Time by `Clock.monotonicMilliseconds` at which it counts as cancelled.
    private let latest = Atomic(Int.max)
    /// Time at which its change counts as made; the rest of the work goes on.
    private let effectTime = Atomic(Int.max)
    private let effect = Atomic(false)

    /// - Parameter beginning: the progress before the work begins.
    init(on helper: HelperThread, _ beginning: Progress) {
        self.helper = helper
        state = Mutex(State(progress: beginning))
    }

    /// Whether the request was cancelled; the work asks between its steps.
    var isCancelled: Bool {
        if cancellation.load(ordering: .relaxed) { return true }
        let latest = latest.load(ordering: .relaxed)
        return latest < .max && Clock.monotonicMilliseconds >= latest
    }

    func cancel() {
        cancellation.store(true, ordering: .sequentiallyConsistent)
        let isConcluded = state.withLock { state in
            guard state.needsNothing, !state.hasBegun else { return false }
            (state.hasBegun, state.isOver) = (true, true)
            state.conclusion = { (_, _) throws in throw RPCError(.cancelled, "The request was cancelled.") }
            return true
        }
        if isConcluded { helper.wake() }
    }

    /// Cancels it once it is this old, unless it is over.
    func limit(milliseconds: Int) {
        let time = start + milliseconds
        latest.store(min(latest.load(ordering: .relaxed), time), ordering: .relaxed)
    }

    /// Lets it end unbegun when it is cancelled while earlier work runs: it holds nothing of the core.
    fileprivate func needsNothing() { state.withLock { $0.needsNothing = true } }

    /// Notes that the change was made, from the work's thread. The loop hears of it with the end of the work, and after
    /// this time at the latest.
    func takeEffect(withinMilliseconds limit: Int) {
        commit.store(true, ordering: .sequentiallyConsistent)
        effectTime.store(Clock.monotonicMilliseconds + limit, ordering: .relaxed)
    }

    /// Tells the loop of the effect when its time has come. The work's thread calls it between its steps and in its waits.
    func takeEffectInTime() {
        let time = effectTime.load(ordering: .relaxed)
        guard time < .max, Clock.monotonicMilliseconds >= time else { return }
        if !effect.exchange(true, ordering: .acquiringAndReleasing) { helper.wake() }
    }

    /// Whether the loop has heard neither of its effect nor of its end.
    var isExpected: Bool { !effect.load(ordering: .acquiring) && !state.withLock { $0.isTaken } }

    /// Whether all of it is done.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Asks for permission to commit, from the work's thread.
    /// - Throws: if the request was cancelled.
    func requireCommit() throws {
        // Sequentially consistent, so at least one of the two threads sees the other's flag.
        commit.store(true, ordering: .sequentiallyConsistent)
        if cancellation.load(ordering: .sequentiallyConsistent) { throw StorageError.cancelled }
    }

    /// - Throws: if the request was cancelled.
    func goOn() throws { if isCancelled { throw StorageError.cancelled } }

    /// Whether cancelled work may have committed.
    var mayHaveChanged: Bool { commit.load(ordering: .sequentiallyConsistent) }

    /// Reports progress, from the work's thread. Only the latest is kept.
    func tell(_ done: Int, _ total: Int) {
        state.withLock { state in
            (state.progress.done, state.progress.total) = (done, total)
            state.hasNews = true
        }
        helper.wake()
    }

    /// Runs the work after all earlier work; without a thread, immediately.
    /// - Returns: whether it is done already.
    func begin(_ body: @escaping @Sendable () -> Conclusion) -> Bool {
        let run: @Sendable () -> Void = { [self] in
            let isWanted = state.withLock { state in
                defer { state.hasBegun = true }
                return !state.hasBegun
            }
            guard isWanted else { return }
            let conclusion = body()
            state.withLock { ($0.conclusion, $0.isOver) = (conclusion, true) }
        }
        if helper.run(run) { return false }
        run()
        return true
    }

    /// The progress since the last call; nil if it has not changed. For the loop's thread.
    func takeProgress() -> Progress? {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews ? state.progress : nil
        }
    }

    /// The rest of the work; nil while the work goes on. For the loop's thread.
    func takeConclusion() -> Conclusion? {
        state.withLock { state in
            state.isTaken = state.isOver
            return state.conclusion.take()
        }
    }

    var end: Progress { state.withLock { $0.progress.end } }
}
