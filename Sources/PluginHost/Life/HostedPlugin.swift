import JSONCodec
import JSONRPC
import Platform

/// One plugin that may run: its process, the calls that it has been given and those that wait for it, and what it asks of the
/// host. The loop tells it what its descriptors have, and when its time is over. (LSP clients: the server of a language.)
///
/// Invariants
/// 1. A call has an outcome in the end, whatever the plugin does: its answer, a deadline, or the end of the process.
/// 2. At most `concurrency` calls are under way and at most `waitingMax` wait.
/// 3. Nothing is kept of a process that is gone but its log.
public final class HostedPlugin {
    /// So many calls may wait for their turn.
    static let waitingMax = 64
    /// So many requests of the plugin may wait for the host.
    private static let requestsMax = 64
    /// So many answers that nobody waits for are known as such.
    private static let forgottenMax = 1024
    /// A plugin that leaves more than this unread is ended.
    private static let unreadBytesMax = 8 << 20
    /// So much is taken at once of what it prints: clients wait for a moment at most while plugins flood the host.
    private static let readBytes = 8 * 1024

    public let run: PluginRun
    public var id: PluginID { run.id }
    public internal(set) var life: PluginLife
    public let notes: PluginNotes
    /// How far each part of its isolation goes; known once it has been started.
    public internal(set) var isolation: [(part: KeptProcess.Part, level: KeptProcess.Level)] = []
    /// Of its process, as the host sees it.
    public internal(set) var processID: Int32?
    public private(set) var calls = 0
    /// What it asks of the host: whole messages, in their order.
    public internal(set) var requests: [[UInt8]] = []
    /// Whether a call has an outcome or progress that nobody has looked at, or a request has come.
    public var hasNews = false
    /// Whether a transport has told that there is something new, and nobody has looked.
    public var hasTransportNews = false

    let surroundings: PluginSurroundings
    var process: KeptProcess?
    var wire: PluginWire
    var waiting: [PluginCall] = []
    var underWay: [PluginCall] = []
    var nextNumber = 0
    /// Of the request with which they begin, while it is not answered.
    var greetingNumber: Int?
    /// Of `server/discover`, while another way to begin is tried.
    var discoverNumber: Int?
    /// When an MCP server is asked in the older way.
    var probeTime: Int?
    /// Nil: it is no MCP server.
    var server: ServerGreeting?
    /// The tools of an MCP server that may be called; nil: all.
    public var mayBeCalled: Set<String>?
    /// Numbers of requests for whose answers nobody waits any more.
    var forgotten: Set<Int> = []
    /// The last line that could not be read, and perhaps was an answer.
    var unread: String?
    /// What each call gets, once it may run no more.
    private var refusal: PluginCall.Outcome?
    /// The state that the surroundings know.
    var toldState = PluginLife.State.stopped
    /// Whether its input is to be closed once all is sent.
    var closesInput = false

    /// When it is looked again whether its keeper, which has told its end or was killed, is gone.
    var reapTime: Int?
    /// Whether it is to be started as soon as the process before is gone.
    var startsWhenGone = false
    var ending = "it ended"

    public init(_ run: PluginRun, _ notes: PluginNotes, _ surroundings: PluginSurroundings) {
        self.run = run
        self.notes = notes
        self.surroundings = surroundings
        life = PluginLife(run.times)
        wire = PluginWire(answerBytesMax: run.answerBytesMax)
        if case .mcp(let version) = run.dialect { server = ServerGreeting(hostVersion: version) }
    }

    /// Whether a process of it may be there.
    public var isAlive: Bool { life.isAlive }
    /// Whether it has, or is about to have, something to do.
    public var isBusy: Bool { !underWay.isEmpty || !waiting.isEmpty || !requests.isEmpty }
    /// Whether nothing of it is left.
    public var isGone: Bool { process == nil }

    /// When it has to be looked at again.
    public var deadline: Int? {
        var earliest = life.deadline
        for call in underWay { if let time = call.deadline { earliest = min(earliest ?? time, time) } }
        // The keeper ends a moment after it has told so.
        if let reapTime { earliest = min(earliest ?? .max, reapTime) }
        if let probeTime { earliest = min(earliest ?? .max, probeTime) }
        return earliest
    }

    // MARK: Calls

    /// Gives it something to do, and starts it if it does not run.
    public func call(_ call: PluginCall) {
        call.isGiven = true
        if let refusal { return end(call, refusal) }
        let now = surroundings.milliseconds()
        switch life.state {
        case .backingOff:
            let rest = max((life.deadline ?? now) - now, 0)
            return end(call, .unavailable(state: life.state.rawValue, retryAfter: rest, isRetryable: false))
        case .failed:
            return end(call, .unavailable(state: life.state.rawValue, retryAfter: nil, isRetryable: false))
        case .stopped, .starting, .running, .stopping: break
        }
        guard waiting.count < Self.waitingMax || underWay.count < run.concurrency else {
            return end(call, .unavailable(state: life.state.rawValue, retryAfter: nil, isRetryable: true))
        }
        waiting.append(call)
        carryOut(life.need(at: now), at: now)
        advance(at: now)
    }

    /// Nobody waits for the outcome any more.
    public func abandon(_ call: PluginCall) {
        guard call.outcome == nil, !call.isAbandoned else { return }
        call.isAbandoned = true
        if let place = waiting.firstIndex(where: { $0 === call }) {
            waiting.remove(at: place)
            return end(call, .cancelled)
        }
        cancel(call)
        send()
        // An MCP server sends nothing more for it.
        guard server != nil else { return }
        underWay.removeAll { $0 === call }
        if let number = call.number { forget(number) }
        end(call, .cancelled)
        advance(at: surroundings.milliseconds())
    }

    /// It may run no more. What it was asked and what waits for it is answered, nothing starts it again, and all of it is gone
    /// within a second.
    /// - Parameter outcome: what each call gets.
    public func withdraw(_ outcome: PluginCall.Outcome, because reason: String) {
        refusal = outcome
        let calls = underWay + waiting
        underWay.removeAll()
        waiting.removeAll()
        for call in calls { end(call, outcome) }
        let now = surroundings.milliseconds()
        carryOut(life.withdraw(at: now, because: reason), at: now)
    }

    /// Tells it that a call that it has been sent need not be answered.
    func cancel(_ call: PluginCall) {
        guard let number = call.number else { return }
        if server == nil { wire.cancel(number) } else { wire.cancelCall(number) }
    }

    /// Nobody waits for the answer of this number, which may come all the same.
    func forget(_ number: Int) {
        if forgotten.count >= Self.forgottenMax, let oldest = forgotten.min() { forgotten.remove(oldest) }
        forgotten.insert(number)
    }

    /// The number of the next request.
    func takeNumber() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    func end(_ call: PluginCall, _ outcome: PluginCall.Outcome) {
        call.outcome = outcome
        call.deadline = nil
        hasNews = true
    }

    /// Sends the calls whose turn it is.
    func advance(at now: Int) {
        guard life.state == .running else { return }
        while underWay.count < run.concurrency, !waiting.isEmpty {
            let call = waiting.removeFirst()
            guard has(call) else {
                end(call, .unknown)
                continue
            }
            let number = takeNumber()
            call.number = number
            call.deadline = now + call.timeoutMilliseconds
            underWay.append(call)
            calls += 1
            if let server {
                let given = call.params.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
                let asked = server.request(call, given, number: number)
                request(number, asked.method, asked.params)
            } else {
                call.params.withUnsafeBytes { wire.request(number, call.method, $0) }
            }
        }
        life.worked(at: now)
        send()
    }

    /// Whether it has what a call asks for; only an MCP server says what it has.
    private func has(_ call: PluginCall) -> Bool {
        if call.isOfProtocol { return server?.serves(call.method) ?? false }
        return mayBeCalled?.contains(call.method) ?? true
    }

    /// Answers one of its requests, or tells it something: a whole message.
    public func reply(_ message: UnsafeRawBufferPointer) {
        guard process != nil, !closesInput else { return }
        guard wire.sendable.count < Self.unreadBytesMax else {
            return crash(.limit, "it does not read what it has asked for", at: surroundings.milliseconds())
        }
        wire.send(message)
        life.worked(at: surroundings.milliseconds())
        send()
    }

    /// Requests that were taken and have to wait.
    public func putBack(_ later: ArraySlice<[UInt8]>) { requests = Array(later) + requests }

    public func takeRequest() -> [UInt8]? {
        guard !requests.isEmpty else { return nil }
        return requests.removeFirst()
    }

    // MARK: Descriptors

    /// What can be waited for; -1: nothing.
    public var input: Int32 { process == nil || wire.sendable.isEmpty ? -1 : descriptor(.input) }
    /// A plugin whose requests are not answered yet is not read from, and what is being ended has nothing more to say.
    public var output: Int32 { requests.count >= Self.requestsMax || reapTime != nil ? -1 : descriptor(.output) }
    public var errors: Int32 { descriptor(.errors) }
    public var reports: Int32 { reapTime == nil ? descriptor(.reports) : -1 }

    enum End { case input, output, errors, reports }

    func descriptor(_ end: End) -> Int32 {
        switch process {
        case .some(let process):
            switch end {
            case .input: process.input
            case .output: process.output
            case .errors: process.errors
            case .reports: process.reports
            }
        case .none: -1
        }
    }

    /// Sends what it takes.
    public func send() {
        while !wire.sendable.isEmpty {
            let descriptor = descriptor(.input)
            guard descriptor >= 0 else { return }
            guard let count = PipeEnd.write(wire.sendable, to: descriptor) else {
                // It reads no more: its end is told of elsewhere.
                wire.didSend(wire.sendable.count)
                break
            }
            if count == 0 { return }
            wire.didSend(count)
        }
        if closesInput {
            closesInput = false
            process?.closeInput()
        }
    }

    /// Reads what it has printed on stdout.
    public func readOutput() {
        let descriptor = descriptor(.output)
        guard descriptor >= 0, reapTime == nil else { return }
        wire.frames.discardTaken()
        var isAtEnd = false
        var isEmpty = false
        let before = wire.frames.buffer.count
        wire.frames.buffer.append(upTo: Self.readBytes) { (room: UnsafeMutableRawBufferPointer) in
            switch PipeEnd.read(descriptor, into: room) {
            case nil: isEmpty = true
            case 0?: isAtEnd = true
            case let count?: return count
            }
            return 0
        }
        if isEmpty { return }
        if isAtEnd { process?.closeOutput() }
        let now = surroundings.milliseconds()
        if wire.frames.buffer.count > before || isAtEnd { handleLines(isAtEnd: isAtEnd, at: now) }
        advance(at: now)
    }

    private func handleLines(isAtEnd: Bool, at now: Int) {
        while process != nil, let line = wire.next(isAtEnd: isAtEnd) {
            switch line {
            case .answer(let number, let result, let error): handle(number, result, error, at: now)
            case .request(let message, let method, let isNotification, let params):
                handle(message, method, isNotification, params, at: now)
            case .rubbish(let text):
                unread = text
                note("It printed \(text)")
                carryOut(life.printedRubbish(at: now), at: now)
            case .unreadable(let number, let text): handle(number, unreadable: text, at: now)
            case .refused(let answer, let text):
                note("It printed \(text)")
                answer.withUnsafeBytes { reply($0) }
                carryOut(life.printedRubbish(at: now), at: now)
            case .tooLong:
                crash(.limit, "it printed a line of more than \(run.answerBytesMax) bytes", at: now)
            }
        }
    }

    private func handle(
        _ number: Int, _ result: UnsafeRawBufferPointer?, _ error: UnsafeRawBufferPointer?, at now: Int
    ) {
        if number == greetingNumber || number == discoverNumber { return greeted(number, result, error, at: now) }
        if forgotten.remove(number) != nil { return life.spoke(at: now) }
        guard let place = underWay.firstIndex(where: { $0.number == number }) else {
            note("It answered a request that was not asked, or was answered before: number \(number).")
            return carryOut(life.printedRubbish(at: now), at: now)
        }
        let call = underWay.remove(at: place)
        answered(at: now)
        end(call, result.map { .result(Array($0)) } ?? .failed(error.map(Array.init) ?? []))
    }

    private func handle(
        _ message: UnsafeRawBufferPointer, _ method: JSONText, _ isNotification: Bool, _ params: ValidJSON?, at now: Int
    ) {
        life.spoke(at: now)
        if server != nil { return handleServer(message, method, isNotification, params) }
        if isNotification, method.equals("plugin.log") { return takeLog(params) }
        if isNotification, method.equals("$/progress") { return takeProgress(params) }
        if isNotification, method.equals("transport.changed") {
            hasTransportNews = run.staysIdle
            hasNews = true
            return
        }
        requests.append(Array(message))
        hasNews = true
    }

    private func takeLog(_ params: ValidJSON?) {
        let params = params.map { JSONValue($0) }
        guard let text = params?["message"]?.string else { return }
        notes.add(.log, params?["level"]?.string.map { String($0.prefix(32)) }, text, at: surroundings.timestamp())
    }

    private func takeProgress(_ params: ValidJSON?) {
        guard let params = params.map({ JSONValue($0) }), let token = params["token"].map({ Array($0.text.utf8) }),
            let call = underWay.first(where: { $0.progressToken == token }), let value = params["value"]
        else { return }
        call.progress = Array(value.text.utf8)
        hasNews = true
    }

    /// Reads what it has printed on stderr.
    /// - Returns: whether there was something.
    @discardableResult
    public func readErrors() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 8) { buffer in
            let descriptor = descriptor(.errors)
            guard descriptor >= 0, let count = PipeEnd.read(descriptor, into: buffer) else { return false }
            if count == 0 {
                notes.endErrors(at: surroundings.timestamp())
                process?.closeErrors()
                return false
            }
            notes.append(errors: UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: surroundings.timestamp())
            return true
        }
    }
}
