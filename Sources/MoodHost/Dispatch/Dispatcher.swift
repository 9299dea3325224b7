import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import MoodStore
import Storage

/// The one entry for the requests of all callers. It finds the method, checks the params, runs the method, ends or
/// reverts its commit, and writes the answer. It knows nothing of frames and groups. (Redux: the dispatch function.)
///
///     answer: the envelope, and the outcome of a request that stops
///         perform: checks, admits, asks hooks about routes, runs; writes the result alone
///         settle: asks hooks about changes, ends the commit, notifies subscribers
struct Dispatcher: ~Copyable {
    var core: Core
    let limits: Limits
    /// The limits of own calls for AI clients, whose pages have lengths of their own: a list cuts them to its limit.
    let modelLimits: Limits
    /// The params of the present request.
    var arguments = Arguments()
    /// The requests whose answers come later.
    var pending = PendingRequests()
    /// Whether the present group of requests ends here.
    var isGroupOver: Bool {
        @inline(__always) mutating get { core.store.isGroupOver || !pending.staged.isEmpty }
    }
    /// Checks params of valid messages.
    var validator: JSONValidator
    /// The results of methods that AI clients call.
    let native = NativeResult()
    /// The tools of AI clients; made when one asks.
    var tools: ToolCatalogue?
    /// The `PluginRegistry.toolRevision` of `tools`.
    var toolRevision = 0

    init(core: consuming Core) {
        limits = core.options.limits
        modelLimits = limits.withLongestPages
        validator = JSONValidator(depthLimit: limits[.depth])
        self.core = core
    }

    /// Answers a request.
    /// - Parameter duplicate: the offset of a name that occurs twice in `params`.
    /// - Throws: the wait of a request that has not begun.
    mutating func answer(
        _ request: borrowing Request, _ name: JSONText, _ params: ValidJSON?, duplicate: Int?, to out: inout JSONWriter
    ) throws(Wait) {
        let mark = out.count
        var effect = MethodDeclaration.Effect.read
        do {
            guard let entry = try core.find(name) else {
                guard let method = ModelMethod(name), request.caller.session == Caller.client.session else {
                    let text = name.string
                    throw ModelMethod.notFound(text) ?? .methodNotFound(text, core.methods.suggestions(for: text))
                }
                try refuseAtTheEnd(duplicate, params)
                effect = .write
                return try serve(method, request, params, to: &out)
            }
            try Caller.check(request.permissions, entry)
            try refuseAtTheEnd(duplicate, params)
            effect = entry.method.effect
            if params != nil { validator.begin() }
            try arguments.read(params, for: entry.method, limits, &validator)
            try answer(request, entry, mark, &out)
        } catch {
            try stop(error, effect, request, mark, &out)
        }
    }

    /// Mutating, because a nonmutating method copies the dispatcher.
    @inline(__always)
    private mutating func refuseAtTheEnd(_ duplicate: Int?, _ params: ValidJSON?) throws {
        if core.isShuttingDown { throw RPCError.shuttingDown }
        if let duplicate, let params { throw Arguments.duplicate(at: duplicate, in: params) }
    }

    /// Reads the params of a method at the cursor.
    @inline(__always)
    mutating func readArguments(
        _ cursor: inout JSONCursor, for entry: MethodTable.Entry, _ validator: inout JSONValidator
    ) throws(Problem) {
        try arguments.read(&cursor, for: entry.method, limits, &validator)
    }

    /// Answers a request whose params have been read.
    /// - Throws: the wait of a request that has not begun.
    @inline(__always)
    mutating func answer(
        _ request: borrowing Request, _ entry: MethodTable.Entry, to out: inout JSONWriter
    ) throws(Wait) {
        let mark = out.count
        do { try answer(request, entry, mark, &out) } catch {
            try stop(error, entry.method.effect, request, mark, &out)
        }
    }

    @inline(__always)
    private mutating func answer(
        _ request: borrowing Request, _ entry: MethodTable.Entry, _ mark: Int, _ out: inout JSONWriter
    ) throws {
        out.buffer.limit = mark + request.room
        out.beginResponse(id: request.id)
        try perform(entry, request, to: &out)
        try endResponse(request, mark, &out)
        if entry.method.effect == .write {
            try settle(entry.method.name, request, isDryRun: arguments.isDryRun)
        }
        if request.id == nil { out.rewind(to: mark) }
    }

    /// Ends the answer that begins at `mark`, and its limit. Mutating, because a nonmutating method copies the
    /// dispatcher.
    @inline(__always)
    private mutating func endResponse(_ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter) throws {
        out.endResponse()
        out.buffer.limit = .max
        if out.count - mark > request.room { throw Self.tooLong(request.destination, limits) }
    }

    /// Static, because a nonmutating method copies the dispatcher.
    @inline(never)
    static func tooLong(_ destination: Destination, _ limits: Limits) -> RPCError {
        .answerTooLong(bytesMax: limits[.messageBytes], isOfBatch: destination.batch != nil)
    }

    // MARK: Carrying out

    /// Runs a method and writes its result alone.
    @inline(__always)
    mutating func perform(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        if !entry.isPlain || request.isAgain || arguments.namesOperation(of: entry.method) {
            return try performWhole(entry, request, to: &out)
        }
        if let maybe = entry.maybe {
            // A request that is confirmed needs more.
            if request.round != nil { return try performWhole(entry, request, to: &out) }
            try Caller.check(request.permissions, entry)
            try core.admit(entry.need, request)
            if let work = try maybe(&core, request, arguments, &out) { throw later(work) }
            return
        }
        try Caller.check(request.permissions, entry)
        try core.admit(entry.need, request)
        try entry.now(&core, request, arguments, &out)
    }

    @inline(never)
    private mutating func later(_ work: any LaterWork) -> Stop {
        // The arguments are views of the message, which may be gone afterwards.
        .later(work, progressToken: work.progressToken ?? arguments.progressToken.map { Array($0.bytes) })
    }

    /// Runs a method with checks, routes or a later answer, a request that names its operation, or one whose hooks have
    /// answered. A repeated operation gets its first answer; a new one keeps its answer in its commit.
    @inline(never)
    private mutating func performWhole(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var need = entry.need
        try Caller.check(request.permissions, entry)
        let key = arguments.namesOperation(of: entry.method) ? arguments.operationKey(of: entry.method) : nil
        if let key {
            try core.admit(.changes, request)
            if let known = try core.store.answer(of: key) { return known.withUnsafeBytes { out.raw($0) } }
        }
        if let check = entry.check { need.formUnion(try check(&core, request, arguments)) }
        try core.admit(need, request)
        if let round = request.round { try core.confirm(round, request) }
        if let routes = entry.routes { try core.ask(about: routes, request, arguments) }
        let start = out.count
        if let work = try run(entry, request, to: &out) { throw later(work) }
        guard let key else { return }
        if out.buffer.isOverfull { throw Self.tooLong(request.destination, limits) }
        core.store.keepOutcome(key, answer: UnsafeRawBufferPointer(rebasing: out.buffer.bytes[start...]))
    }

    @inline(__always)
    private mutating func run(
        _ entry: MethodTable.Entry, _ request: borrowing Request, to out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        if let begin = entry.later {
            if pending.isClosed { throw RPCError.shuttingDown }
            return try begin(&core, request, arguments)
        }
        if let maybe = entry.maybe { return try maybe(&core, request, arguments, &out) }
        try entry.now(&core, request, arguments, &out)
        return nil
    }

    /// Ends the commit of a request and notifies subscribers.
    /// - Throws: the error of hooks or of the store.
    @inline(__always)
    mutating func settle(_ method: Name, _ request: borrowing Request, isDryRun: Bool) throws {
        if core.store.isCommitOpen {
            if let failure = core.store.failure, !isDryRun { throw failure }
            if core.pluginFlags.contains(.changeHooks) || request.isAgain {
                try core.askChangeHooks(method, request, isDryRun: isDryRun)
            }
        }
        // A dry run changes nothing, so nothing is reported.
        if isDryRun { return core.takeBack() }
        let isToTell = core.isWatching && core.store.isCommitOpen
        if core.store.isAbsent {
            try endFirstCommit(request)
        } else if core.store.givenSettings == nil {
            try core.store.endCommit()
        } else {
            try core.endCommitWithSettings()
        }
        if isToTell { core.tellOfRequest() }
        core.keepStateOfRequest()
    }

    /// Ends a commit that makes the store. If another process has the lock, or was faster, the request is handled once
    /// more.
    @inline(never)
    private mutating func endFirstCommit(_ request: borrowing Request) throws {
        do { try core.endCommitWithSettings() } catch {
            guard let failure = error as? MoodStoreError, request.ways.contains(.mayWait) else { throw error }
            throw failure.isBornElsewhere ? .waits(.turn) : core.stop(failure, request)
        }
        if !core.store.isAbsent { core.storeMayBeThere() }
    }

    // MARK: Taking back

    /// Ends a request early and reverts it. It leaves an error, or work that will answer it.
    @inline(never)
    private mutating func stop(
        _ error: any Error, _ effect: MethodDeclaration.Effect, _ request: borrowing Request, _ mark: Int,
        _ out: inout JSONWriter
    ) throws(Wait) {
        core.takeBack()
        out.buffer.limit = .max
        out.rewind(to: mark)
        switch Stop(error, effect) {
        case .waits(let wait): throw wait
        case .later(let work, let token) where !pending.isClosed: stage(work, token, request)
        case .later: write(.shuttingDown, request, mark, &out)
        case .refused(let error): write(error, request, mark, &out)
        }
    }

    /// Writes an error, or the error that it was too long.
    private mutating func write(
        _ error: RPCError, _ request: borrowing Request, _ mark: Int, _ out: inout JSONWriter
    ) {
        if request.id == nil { return }
        out.errorResponse(id: request.id, error)
        guard out.count - mark > request.room else { return }
        out.rewind(to: mark)
        out.errorResponse(id: request.id, Self.tooLong(request.destination, limits))
    }
}

// MARK: - Answers that come later

extension Dispatcher {
    /// Stages a request that takes long. It ends its group, and begins when the group is durable.
    private mutating func stage(_ work: any LaterWork, _ progressToken: [UInt8]?, _ request: borrowing Request) {
        pending.stage(
            Pending(
                id: request.id.map { Array($0) }, caller: request.caller, destination: request.destination,
                progressToken: progressToken, work: work))
    }

    /// Answers a pending request whose work is done.
    /// - Returns: the request, which is no longer pending, and whether it succeeded; nil while its work or its wait goes on.
    mutating func conclude(
        _ place: Int, room: Int, to out: inout JSONWriter
    ) -> (request: Pending, hasSucceeded: Bool)? {
        let lane = pending.begun[place].lane
        if case .hooks(let round) = lane.wait { core.advance(round) }
        guard lane.isOver(core),
            let conclusion = pending.begun[place].conclusion ?? pending.begun[place].work.takeConclusion()
        else { return nil }
        lane.round?.rewind()
        let mark = out.count
        let absence = core.storeAbsence
        core.store.beginGroup()
        if pending.begun[place].work.change == nil { core.store.waitHere() }
        defer { core.store.endGroup() }
        let time = core.now.milliseconds
        defer { core.setTime(time) }
        if let round = lane.round { core.setTime(round.time) }
        var failure: RPCError?
        do { try conclude(pending.begun[place], conclusion, room, to: &out) } catch {
            out.buffer.limit = .max
            out.rewind(to: mark)
            switch Stop(error, pending.begun[place].work.change == nil ? .read : .write) {
            case .waits(let wait):
                pending.hold(conclusion, for: wait, at: place)
                if case .hooks(let round) = wait { core.advance(round) }
                return nil
            case .refused(let error): failure = error
            case .later: failure = .shuttingDown
            }
        }
        let request = pending.remove(at: place)
        out.buffer.limit = .max
        if let failure {
            out.errorResponse(copiedID: request.id, failure)
            if out.count - mark > room {
                out.rewind(to: mark)
                out.errorResponse(copiedID: request.id, Self.tooLong(request.destination, limits))
            }
        }
        if request.id == nil || request.isSilenced { out.rewind(to: mark) }
        // Subscribers are notified of its changes before its answer.
        if core.isWatching, absence != .replaced { core.lookAround() }
        return (request, failure == nil)
    }

    /// Runs the conclusion of a pending request, and writes its answer. Its changes wait for the lock, are seen by hooks,
    /// and are then made durable and reported.
    private mutating func conclude(
        _ pending: Pending, _ conclusion: LaterWork.Conclusion, _ room: Int, to out: inout JSONWriter
    ) throws {
        let mark = out.count
        out.buffer.limit = mark + room
        out.beginResponse(copiedID: pending.id)
        guard let change = pending.work.change else {
            try conclusion(&core, &out)
            return try endConclusion(pending, mark, room, &out)
        }
        // Its id is written already.
        let request = Request(
            id: nil, room: room, caller: pending.caller, destination: pending.destination, round: pending.lane.round,
            ways: pending.lane.ways)
        core.store.origin = pending.caller.origin
        defer { core.store.origin = nil }
        do {
            // The one in its place takes no changes.
            if core.isStoreAway { throw Stop.waits(.store) }
            try core.admit(.changes, request)
            if let round = request.round { try core.confirm(round, request) }
            try conclusion(&core, &out)
            try endConclusion(pending, mark, room, &out)
            try settle(change.method, request, isDryRun: change.isDryRun)
            try core.store.flush()
        } catch {
            core.takeBack()
            core.notices.dropForPlugins()
            throw error
        }
    }

    private mutating func endConclusion(
        _ pending: Pending, _ mark: Int, _ room: Int, _ out: inout JSONWriter
    ) throws {
        out.endResponse()
        if out.count - mark > room { throw Self.tooLong(pending.destination, limits) }
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
