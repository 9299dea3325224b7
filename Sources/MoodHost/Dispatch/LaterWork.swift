import JSONCodec
import JSONRPC
import MoodProtocol

/// Work whose result comes later, from the helper thread or a plugin. A `Pending` holds it; the loop polls it.
protocol LaterWork: AnyObject {
    /// Writes the result, on the loop's thread.
    typealias Conclusion = (inout Core, inout JSONWriter) throws -> Void

    /// Begins, once earlier changes are durable.
    /// - Returns: whether it is done already.
    func begin(_ core: inout Core) -> Bool
    /// Cancels the work: it ends as soon as it can.
    func cancel()
    /// Whether cancelled work may have changed the store.
    var mayHaveChanged: Bool { get }
    /// The progress since the last call, as `value` of `$/progress`; nil if it has not changed.
    func takeProgress() -> JSONValue?
    /// The rest of the work, for the loop's thread; nil while the work goes on.
    func takeConclusion() -> Conclusion?
    /// The change that the conclusion makes, reported and checked by hooks like a request's; nil if it changes nothing
    /// or needs neither.
    var change: LateChange? { get }
    /// The final progress; nil for work without progress.
    var end: JSONValue? { get }
    /// The token of `$/progress`, if the params are the work's own; nil: the declared param holds it.
    var progressToken: [UInt8]? { get }
    /// The time by `Clock.monotonicMilliseconds` at which it is concluded with a partial result; nil: when it is done.
    var deadline: Int? { get }
    /// Whether it uses the helper thread, which does one thing at a time: little such work may wait.
    var isOfHelper: Bool { get }
    /// Whether its progress is reported as in MCP.
    var isOfModel: Bool { get }
}

/// A change of moods that later work makes on the loop's thread.
struct LateChange {
    /// The method that caused it.
    let method: Name
    let isDryRun: Bool
}

extension LaterWork {
    var change: LateChange? { nil }
    var end: JSONValue? { nil }
    var progressToken: [UInt8]? { nil }
    var deadline: Int? { nil }
    var isOfHelper: Bool { false }
    func takeProgress() -> JSONValue? { nil }
    var mayHaveChanged: Bool { false }
    var isOfModel: Bool { false }
}
