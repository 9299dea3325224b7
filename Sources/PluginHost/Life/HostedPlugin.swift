import JSONCodec
import JSONRPC
import Platform

/// A plugin that may run: its process, its calls under way and waiting, and its requests to the host. The loop passes
/// it the events of its descriptors and its deadlines. (LSP clients: the server of a language.)
///
/// Invariants
/// 1. Every call gets an outcome in the end, whatever the plugin does: its answer, a deadline, or the end of the
/// process.
/// 2. At most `concurrency` calls are under way and at most `waitingMax` wait.
/// 3. Of a process that is gone only its log remains.
public final class HostedPlugin {
    /// The most calls that wait for their turn.
    static let waitingMax = 64
    /// The most requests of the plugin that wait for the host.
    private static let requestsMax = 64
    /// The most abandoned requests whose late answers are recognized.
    private static let forgottenMax = 1024
    /// The most bytes that a plugin may leave unread before it is ended.
    private static let unreadBytesMax = 8 << 20
    /// Most bytes read from a plugin in one turn of the loop, so that clients are not delayed.
    private static let readBytes = 8 * 1024

    public let run: PluginRun
    public var id: PluginID { run.id }
    public internal(set) var life: PluginLife
    public let notes: PluginNotes
    /// The level of each part of its isolation; known after a start.
    public internal(set) var isolation: [(part: KeptProcess.Part, level: KeptProcess.Level)] = []
    /// The id of its process, as the host sees it.
    public internal(set) var processID: Int32?
    public private(set) var calls = 0
    /// The number of calls that it has answered.
    private var answers = 0
    /// Its requests to the host: whole messages, in their order.
    public internal(set) var requests: [[UInt8]] = []
    /// Whether a call has a new outcome or progress, or a request has come.
    public var hasNews = false
    /// Whether a transport has reported news that was not handled yet.
    public var hasTransportNews = false

    let surroundings: PluginSurroundings
    var process: KeptProcess?
    var wire: PluginWire
    var waiting: [PluginCall] = []
    var underWay: [PluginCall] = []
    var nextNumber = 0
    /// The id of the pending `plugin.hello` request, or of a server's pending greeting request.
    var greetingNumber: Int?
    /// The id of `server/discover`, while the older way is tried.
    var discoverNumber: Int?
    /// The time to ask an MCP server in the older way.
    var probeTime: Int?
    /// Nil: it is no MCP server.
    var server: ServerGreeting?
    /// The tools of an MCP server that may be called; nil: all.
    public var mayBeCalled: Set<String>?
    /// The ids of abandoned requests whose answers may still come.
    var forgotten: Set<Int> = []
    /// The last unreadable line, which may have been an answer.
    var unread: String?
    /// The outcome of every call, once it may no longer run.
    private var refusal: PluginCall.Outcome?
    /// The state that was reported last.
    var toldState = PluginLife.State.stopped
    /// Whether to close its input once all is sent.
    var closesInput = false
    var patience = FloodPatience()

    /// The time of the next check whether its supervisor, which has reported the end or was killed, is gone.
    var reapTime: Int?
    /// Whether to start it as soon as the previous process is gone.
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

    /// Whether it may have a process.
    public var isAlive: Bool { life.isAlive }
    /// Whether it has, or will soon have, something to do.
    public var isBusy: Bool { !underWay.isEmpty || !waiting.isEmpty || !requests.isEmpty }
    /// Whether nothing of its process is left.
    public var isGone: Bool { process == nil }

    /// The next deadline.
    public var deadline: Int? {
        var earliest = life.deadline
        for call in underWay { if let time = call.deadline { earliest = min(earliest ?? time, time) } }
        // The supervisor ends a moment after it has reported the end.
        if let reapTime { earliest = min(earliest ?? .max, reapTime) }
        if let probeTime { earliest = min(earliest ?? .max, probeTime) }
        if let time = patience.end { earliest = min(earliest ?? .max, time) }
        return earliest
    }

    // MARK: Calls

    /// Makes a call, and starts the plugin if it does not run.
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

    /// Abandons a call.
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

    /// Ends it for good. All its calls get an outcome, nothing starts it again, and its process is gone within a
    /// second.
    /// - Parameter outcome: the outcome of each call.
    public func withdraw(_ outcome: PluginCall.Outcome, because reason: String) {
        refusal = outcome
        let calls = underWay + waiting
        // Its answers to these may come until it is gone.
        for call in underWay { if let number = call.number { forget(number) } }
        underWay.removeAll()
        waiting.removeAll()
        for call in calls { end(call, outcome) }
        let now = surroundings.milliseconds()
        carryOut(life.withdraw(at: now, because: reason), at: now)
    }

    /// Tells the plugin that a call needs no answer.
    func cancel(_ call: PluginCall) {
        guard let number = call.number else { return }
        if server == nil { wire.cancel(number) } else { wire.cancelCall(number) }
    }

    /// Notes an abandoned request, whose answer may still come.
    func forget(_ number: Int) {
        if forgotten.count >= Self.forgottenMax, let oldest = forgotten.min() { forgotten.remove(oldest) }
        forgotten.insert(number)
    }

    /// Takes the number of the next request.
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

    /// Whether it supports a call; only an MCP server reports what it supports.
    private func has(_ call: PluginCall) -> Bool {
        if call.isOfProtocol { return server?.serves(call.method) ?? false }
        return mayBeCalled?.contains(call.method) ?? true
    }

    /// Sends it an answer or a notification: a whole message.
    public func reply(_ message: UnsafeRawBufferPointer) {
        add(reply: message)
        send()
    }

    /// Adds a whole message to those that are sent next.
    public func add(reply message: UnsafeRawBufferPointer) {
        guard process != nil, !closesInput else { return }
        guard wire.sendable.count < Self.unreadBytesMax else {
            return crash(.limit, "it does not read what it has asked for", at: surroundings.milliseconds())
        }
        wire.send(message)
        life.worked(at: surroundings.milliseconds())
    }

    /// Puts back requests that must wait.
    public func putBack(_ rest: ArraySlice<[UInt8]>) { if process != nil { requests.insert(contentsOf: rest, at: 0) } }

    public func takeRequests() -> [[UInt8]] {
        defer { requests.removeAll() }
        return requests
    }

    // MARK: Descriptors

    /// The descriptor to wait for; -1: none.
    public var input: Int32 { process == nil || wire.sendable.isEmpty ? -1 : descriptor(.input) }
    /// Not readable while requests of the plugin wait for answers, while the process is being ended, or after a flood.
    public var output: Int32 {
        requests.count >= Self.requestsMax || reapTime != nil || patience.end != nil ? -1 : descriptor(.output)
    }
    public var errors: Int32 { patience.end != nil ? -1 : descriptor(.errors) }
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

    /// Sends as much as it reads.
    public func send() {
        while !wire.sendable.isEmpty {
            let descriptor = descriptor(.input)
            guard descriptor >= 0 else { return }
            guard let count = PipeEnd.write(wire.sendable, to: descriptor) else {
                // It reads no more; the loop handles its end elsewhere.
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

    /// Reads its stdout.
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
        let count = wire.frames.buffer.count - before
        let answersBefore = answers
        let lines = count > 0 || isAtEnd ? handleLines(isAtEnd: isAtEnd, at: now) : 0
        // A line in many small pieces costs a turn for each.
        let isPiece = lines == 0 && count < Self.readBytes
        patience.spend(lines - (answers - answersBefore) + (isPiece ? 1 : 0), at: now)
        advance(at: now)
    }

    /// - Returns: the number of lines.
    private func handleLines(isAtEnd: Bool, at now: Int) -> Int {
        var lines = 0
        while process != nil, let line = wire.next(isAtEnd: isAtEnd) {
            lines += 1
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
        return lines
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
        answers += 1
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

    /// Reads its stderr.
    /// - Returns: whether there was anything.
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
            patience.spend(max(count / FloodPatience.lineBytes, 1), at: surroundings.milliseconds())
            return true
        }
    }
}
