import JSONCodec
import JSONRPC
import MoodProtocol

/// Work whose result comes later: of the helper thread, of a plugin. A `Pending` holds it; the loop asks it how far it is.
protocol LaterWork: AnyObject {
    /// Writes the result, in the loop.
    typealias Conclusion = (inout Core, inout JSONWriter) throws(RPCError) -> Void

    /// Begins: what was changed before is durable.
    /// - Returns: whether it is done already.
    func begin(_ core: inout Core) -> Bool
    /// Nobody wants the result any more; it ends as soon as it can.
    func cancel()
    /// Whether, once it is cancelled, it may have changed the store all the same.
    var mayHaveChanged: Bool { get }
    /// How far it is, as `value` of `$/progress`, where that was not asked before.
    func takeProgress() -> JSONValue?
    /// What is left to do in the loop; nil while the work goes on.
    func takeConclusion() -> Conclusion?
    /// The change that its conclusion makes, where hooks are asked about that and it is told of, as if a request made it; nil
    /// where it changes nothing, or all of that is done.
    var change: LateChange? { get }
    /// How far work is that is done; nil where nobody counts.
    var end: JSONValue? { get }
    /// What `$/progress` carries for it, where the params are the work's own; else the declared param counts.
    var progressToken: [UInt8]? { get }
    /// When it is concluded with what is there, by `Clock.monotonicMilliseconds`; nil: when it is done.
    var deadline: Int? { get }
    /// Whether it takes the helper thread, which does one thing at a time: of such work little may wait.
    var isOfHelper: Bool { get }
    /// Whether it is told of as the Model Context Protocol does.
    var isOfModel: Bool { get }
}

/// A change of moods that later work makes in the loop.
struct LateChange {
    /// The method that it is of.
    let method: Name
    let isDryRun: Bool
}

extension LaterWork {
    var change: LateChange? { nil }
    var mayHaveChanged: Bool { false }
    var isOfModel: Bool { false }
}
