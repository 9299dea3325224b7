import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import MoodStore

/// The one way in for the requests of every caller: it finds the method, checks the params, carries the method out, ends or takes
/// back its commit, and writes the answer. It knows nothing of frames and of groups. (Redux: the dispatch function.)
struct Dispatcher: ~Copyable {
    var core: Core
    let limits: Limits
    /// The params of the present request.
    var arguments = Arguments()
    /// The requests that are answered later.
    var pending = PendingRequests()
    /// What AI clients can do; made when one asks.
    var tools: ToolCatalogue?
    /// What `PluginRegistry.toolRevision` was then.
    var toolRevision = 0
    /// The error that was written last.
    var failure: RPCError?

    init(core: consuming Core) {
        limits = core.options.limits
        self.core = core
    }

    /// Answers a request.
    /// - Parameter duplicate: where a name stands a second time in `params`.
    mutating func answer(
        _ request: borrowing Request, _ name: JSONText, _ params: ValidJSON?, duplicate: Int?,
        _ validator: inout JSONValidator, to out: inout JSONWriter
    ) {
        do throws(RPCError) {
            guard let entry = try core.find(name) else {
                if let method = ModelMethod(name), request.caller.session == Caller.client.session {
                    if core.isShuttingDown { throw .shuttingDown }
                    if let duplicate, let params { throw Arguments.duplicate(at: duplicate, in: params) }
                    return try serve(method, request, params, &validator, to: &out)
                }
                let text = name.string
                throw .methodNotFound(text, core.methods.suggestions(for: text))
            }
            if core.isShuttingDown { throw .shuttingDown }
            if let duplicate, let params { throw Arguments.duplicate(at: duplicate, in: params) }
            try arguments.read(params, for: entry.method, limits, &validator)
            answer(request, entry, to: &out)
        } catch {
            if request.id != nil { write(error, request, out.count, &out) }
        }
    }

    /// Takes the params of a method at which the cursor stands.
    @inline(__always)
    mutating func readArguments(
        _ cursor: inout JSONCursor, for entry: MethodTable.Entry, _ validator: inout JSONValidator
    ) throws(Problem) {
        try arguments.read(&cursor, for: entry.method, limits, &validator)
    }

    /// Answers a request whose params have been read.
    @inline(__always)
    mutating func answer(_ request: borrowing Request, _ entry: MethodTable.Entry, to out: inout JSONWriter) {
        let mark = out.count
        do throws(RPCError) {
            try request.caller.check(entry.method)
            if arguments.namesOperation(of: entry.method) {
                try performOnce(entry, request, to: &out)
            } else {
                try perform(entry, request, to: &out)
            }
        } catch {
            fail(error, request, mark, &out)
        }
        if request.id == nil { out.rewind(to: mark) }
    }

    /// Answers with an error, and nothing has changed.
    @inline(never)
    private mutating func fail(_ error: RPCError, _ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter) {
        core.store.abandonCommit()
        core.revertStateOfRequest()
        core.notices.drop()
        if core.wantedRound != nil {
            // The session parks the request.
            core.endsGroup = true
            out.buffer.limit = .max
            return out.rewind(to: mark)
        }
        if let work = core.deferred.take() {
            out.buffer.limit = .max
            out.rewind(to: mark)
            if !pending.isClosed { return stage(work, request) }
            return write(.shuttingDown, request, mark, &out)
        }
        write(error, request, mark, &out)
        // The session parks the request.
        if core.store.lockWait.isAsked || core.awaitsWork { core.endsGroup = true }
    }

    /// Writes an error in place of what was written from `mark` on; if it does not fit either, the one that says so.
    private mutating func write(_ error: RPCError, _ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter) {
        out.buffer.limit = .max
        out.rewind(to: mark)
        failure = error
        out.errorResponse(id: request.id, error)
        guard out.count - mark > request.room else { return }
        out.rewind(to: mark)
        out.errorResponse(id: request.id, Self.tooLong(request.destination, limits))
    }

    /// Static, because a method that does not change the dispatcher copies it whole.
    @inline(never)
    private static func tooLong(_ destination: Destination, _ limits: Limits) -> RPCError {
        .answerTooLong(bytesMax: limits[.messageBytes], isOfBatch: destination.batch != nil)
    }

    /// Ends the answer that was begun at `mark`, and the limit that it was written under.
    @inline(__always)
    private mutating func endResponse(_ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter)
        throws(RPCError)
    {
        out.endResponse()
        out.buffer.limit = .max
        if out.count - mark > request.room { throw Self.tooLong(request.destination, limits) }
    }

    @inline(__always)
    private mutating func perform(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws(RPCError) {
        if entry.later != nil { return try performLater(entry, request, to: &out) }
        let mark = out.count
        out.buffer.limit = mark + request.room
        out.beginResponse(id: request.id)
        try entry.now(&core, request, arguments, &out)
        try endResponse(request, mark, &out)
        guard entry.method.effect == .write else { return }
        if core.store.isRehearsing { return try performForGood(entry, request, mark, &out) }
        try endCommit(entry.method, request)
    }

    /// A request to change a store that is not there yet has succeeded on an empty one in memory. If there is something to keep,
    /// the store is made, and the request is carried out again in it. So a request that fails or changes nothing makes nothing.
    @inline(never)
    private mutating func performForGood(
        _ entry: MethodTable.Entry, _ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter
    ) throws(RPCError) {
        let isToKeep = core.store.isCommitOpen && !arguments.isDryRun
        core.store.endRehearsal()
        guard isToKeep else { return try endCommit(entry.method, request) }
        out.rewind(to: mark)
        core.revertStateOfRequest()
        core.notices.drop()
        try core.makeStore()
        if arguments.namesOperation(of: entry.method) {
            try performOnce(entry, request, to: &out)
        } else {
            try perform(entry, request, to: &out)
        }
    }

    /// The same for a request that names its operation: done before, it is answered as it was then; else its outcome is
    /// kept in its commit.
    @inline(never)
    private mutating func performOnce(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws(RPCError) {
        if entry.later != nil { return try performLater(entry, request, to: &out) }
        try core.openForWriting()
        let key = arguments.operationKey(of: entry.method)
        let mark = out.count
        out.buffer.limit = mark + request.room
        out.beginResponse(id: request.id)
        let start = out.count
        if let answer = try core.answer(of: key) {
            answer.withUnsafeBytes { out.raw($0) }
        } else {
            try entry.now(&core, request, arguments, &out)
            if out.buffer.isOverfull { throw Self.tooLong(request.destination, limits) }
            core.store.keepOutcome(key, answer: UnsafeRawBufferPointer(rebasing: out.buffer.bytes[start...]))
        }
        try endResponse(request, mark, &out)
        if core.store.isRehearsing { return try performForGood(entry, request, mark, &out) }
        try endCommit(entry.method, request)
    }

    /// Ends the commit that a method has opened.
    @inline(__always)
    private mutating func endCommit(_ method: Method, _ request: borrowing Request) throws(RPCError) {
        if core.pluginFlags.contains(.changeHooks), core.store.isCommitOpen {
            try core.askChangeHooks(method, request, isDryRun: arguments.isDryRun)
        }
        if arguments.isDryRun {
            core.store.abandonCommit()
            core.revertStateOfRequest()
            // What did not happen is told to nobody.
            core.notices.drop()
        } else {
            let isToTell = core.isWatching && core.store.isCommitOpen
            do throws(MoodStoreError) { try core.store.endCommit() } catch { throw RPCError(error) }
            if isToTell { core.tellOfRequest() }
            core.keepStateOfRequest()
        }
    }
}

// MARK: - Answers that come later

extension Dispatcher {
    /// Notes a request that takes long. It begins when its group is durable, and ends that group.
    @inline(never)
    private mutating func performLater(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws(RPCError) {
        guard let begin = entry.later else { return }
        if pending.isClosed { throw .shuttingDown }
        stage(try begin(&core, request, arguments), request)
    }

    private mutating func stage(_ work: any LaterWork, _ request: borrowing Request) {
        pending.stage(
            Pending(
                id: request.id.map { Array($0) }, caller: request.caller, destination: request.destination,
                progressToken: work.progressToken ?? arguments.progressToken.map { Array($0.bytes) }, work: work))
        core.endsGroup = true
    }

    /// The same for a request of an AI client.
    mutating func stage(_ work: ModelWork, _ request: borrowing Request, progressToken: ValidJSON?) {
        pending.stage(
            Pending(
                id: request.id.map { Array($0) }, caller: request.caller, destination: request.destination,
                progressToken: progressToken.map { Array($0.bytes) }, work: work, isOfModel: true))
        core.endsGroup = true
    }

    /// Answers a pending request whose work is done.
    /// - Returns: the request, which is pending no more, and whether it has succeeded; nil while its work goes on.
    mutating func conclude(
        _ place: Int, room: Int, to out: inout JSONWriter
    ) -> (request: Pending, hasSucceeded: Bool)? {
        guard let conclusion = pending.begun[place].work.takeConclusion() else { return nil }
        let request = pending.remove(at: place)
        let mark = out.count
        core.store.beginGroup()
        core.store.waitHere()
        defer { core.store.endGroup() }
        var failure: RPCError?
        do throws(RPCError) {
            out.buffer.limit = mark + room
            out.beginResponse(copiedID: request.id)
            try conclusion(&core, &out)
            out.endResponse()
            if out.count - mark > room { throw Self.tooLong(request.destination, limits) }
        } catch {
            out.buffer.limit = .max
            out.rewind(to: mark)
            out.errorResponse(copiedID: request.id, error)
            if out.count - mark > room {
                out.rewind(to: mark)
                out.errorResponse(copiedID: request.id, Self.tooLong(request.destination, limits))
            }
            failure = error
        }
        out.buffer.limit = .max
        if request.id == nil || request.isSilenced { out.rewind(to: mark) }
        // What it did to the store is told of before its answer.
        if core.isWatching { core.lookAround() }
        return (request, failure == nil)
    }
}

extension RPCError {
    static var shuttingDown: RPCError { RPCError(.shuttingDown, "The host is shutting down.") }
}

extension JSONWriter {
    fileprivate mutating func beginResponse(copiedID id: [UInt8]?) {
        guard let id else { return beginResponse(id: nil) }
        id.withUnsafeBytes { beginResponse(id: $0) }
    }

    mutating func errorResponse(copiedID id: [UInt8]?, _ error: RPCError) {
        guard let id else { return errorResponse(id: nil, error) }
        id.withUnsafeBytes { errorResponse(id: $0, error) }
    }
}
