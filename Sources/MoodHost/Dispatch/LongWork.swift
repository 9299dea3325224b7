import JSONCodec
import JSONRPC
import Platform
import Synchronization

/// A request that the helper thread works on.
final class LongRequest: LaterWork {
    private let work: LongWork
    /// Runs on the helper thread; its conclusion then runs in the loop.
    typealias Body = @Sendable () -> LongWork.Conclusion
    /// Makes that when the work begins.
    private let prepare: (inout Core) -> Body

    init(_ work: LongWork, _ body: @escaping Body) {
        self.work = work
        prepare = { _ in body }
    }

    /// - Parameter prepare: takes from the core what the work needs while it goes on.
    init(_ work: LongWork, preparing prepare: @escaping (inout Core) -> Body) {
        self.work = work
        self.prepare = prepare
    }

    var isOfHelper: Bool { true }
    var deadline: Int? { nil }
    var progressToken: [UInt8]? { nil }
    var isCancelled: Bool { work.isCancelled }
    func begin(_ core: inout Core) -> Bool { work.begin(prepare(&core)) }
    var mayHaveChanged: Bool { work.mayHaveChanged }
    func cancel() { work.cancel() }
    func takeProgress() -> JSONValue? { work.takeProgress()?.value }
    func takeConclusion() -> Conclusion? { work.takeConclusion() }
    var end: JSONValue? { work.end.value }
}

/// A request that was done when it was asked for. It is answered, and tells how far it is, as those are that come later.
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
        return { (_, out) throws(RPCError) in result.withUnsafeBytes { out.raw($0) } }
    }

    var end: JSONValue? { progress.end.value }
    var progressToken: [UInt8]? { nil }
    var deadline: Int? { nil }
    var isOfHelper: Bool { false }
}

/// What a method leaves to the helper thread. It works from files alone, as another process would: it sees what is durable when
/// it begins, and holds up nobody. (GCD: `async` to a serial queue, and back to the main queue.)
///
/// The two threads share only what stands here. The rest of what the work finds out goes back in the conclusion, which the
/// loop runs.
final class LongWork: Sendable {
    /// Writes the result, in the loop.
    typealias Conclusion = @Sendable (inout Core, inout JSONWriter) throws(RPCError) -> Void

    struct Progress: Sendable {
        let message: StaticString
        var done: Int
        var total: Int

        /// How far work is that is done.
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
    }

    private let helper: HelperThread
    private let state: Mutex<State>
    private let cancellation = Atomic(false)
    private let commit = Atomic(false)

    /// - Parameter beginning: how far the work is before it has begun.
    init(on helper: HelperThread, _ beginning: Progress) {
        self.helper = helper
        state = Mutex(State(progress: beginning))
    }

    /// Whether nobody wants the result any more; asked between the steps of the work.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }
    func cancel() { cancellation.store(true, ordering: .sequentiallyConsistent) }

    /// By the work, before it does what cannot be taken back.
    /// - Returns: false where nobody wants that any more.
    func mayCommit() -> Bool {
        // Of the two threads the one that comes second sees what the other has said.
        commit.store(true, ordering: .sequentiallyConsistent)
        return !cancellation.load(ordering: .sequentiallyConsistent)
    }

    /// Whether it may have done that, once it is cancelled.
    var mayHaveChanged: Bool { commit.load(ordering: .sequentiallyConsistent) }

    /// By the work: how far it is. Only the latest is kept.
    func tell(_ done: Int, _ total: Int) {
        state.withLock { state in
            (state.progress.done, state.progress.total) = (done, total)
            state.hasNews = true
        }
        helper.wake()
    }

    /// Does the work after all that was begun before; where there can be no thread, at once.
    /// - Returns: whether it is done already.
    func begin(_ body: @escaping @Sendable () -> Conclusion) -> Bool {
        let run: @Sendable () -> Void = { [self] in
            let conclusion = body()
            state.withLock { $0.conclusion = conclusion }
        }
        if helper.run(run) { return false }
        run()
        return true
    }

    /// By the loop: how far it is, where that was not asked before.
    func takeProgress() -> Progress? {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews ? state.progress : nil
        }
    }

    /// By the loop: what is left to do; nil while the work goes on.
    func takeConclusion() -> Conclusion? { state.withLock { $0.conclusion.take() } }

    var end: Progress { state.withLock { $0.progress.end } }
}
