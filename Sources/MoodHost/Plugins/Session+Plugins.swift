import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost
import Storage

/// What plugins ask of the host, and what has become of what they were asked.
extension Session {
    /// When something of the plugins is due; by `Clock.monotonicMilliseconds`.
    var pluginDeadline: Int? {
        var earliest = core.plugins.deadline
        for time in [dispatcher.pending.deadline, hookDeadline, isDeliveringLate ? deliveryEnd : nil] {
            if let time { earliest = min(earliest ?? time, time) }
        }
        return earliest
    }

    /// Whether, after the end of input, plugins are given a moment to take what they have not been told.
    var isDeliveringLate: Bool {
        guard let deliveryEnd, Clock.monotonicMilliseconds < deliveryEnd else { return false }
        return core.isDelivering
    }

    /// Sees what the plugins have done; no group is open.
    mutating func attendPlugins(milliseconds: Int64) {
        core.plugins.tick()
        if core.plugins.haveToolsCome { pinTools() }
        endHooksInTime()
        if core.plugins.takeNews() || dispatcher.pending.deadline != nil {
            if core.plugins.hasCells { core.takeCells() }
            answerPlugins(milliseconds: milliseconds)
            advanceHooks()
            if !dispatcher.pending.isEmpty { attendWork(milliseconds: milliseconds) }
        }
        if core.plugins.hasEvents { core.deliverEvents() }
        tellOfPlugins(milliseconds: milliseconds)
    }

    /// Keeps what MCP servers have listed.
    private mutating func pinTools() {
        core.store.beginGroup()
        if core.takeServerTools() {
            do throws(StorageError) { try core.store.flush() } catch { core.store.failure = error }
        }
        core.endsGroup = false
        core.store.endGroup()
    }

    /// Tells the client of states that have changed, and of cells that have come.
    private mutating func tellOfPlugins(milliseconds: Int64) {
        let changes = core.plugins.takeChanges()
        guard !changes.isEmpty else { return }
        core.setTime(milliseconds)
        for change in changes { core.tell(of: change) }
        sendNotices()
        groupStart = output.count
        expectWork()
    }

    /// Something has happened in the store's directory.
    mutating func seePluginFile() {
        guard core.plugins.takeFileNews() else { return }
        core.reloadPlugins()
        sendNotices()
        groupStart = output.count
        tellOfPlugins(milliseconds: Clock.milliseconds)
        expectWork()
    }

    // MARK: Requests of plugins

    private mutating func answerPlugins(milliseconds: Int64) {
        for plugin in core.plugins.hosted where !plugin.requests.isEmpty { answer(plugin, milliseconds: milliseconds) }
    }

    /// Answers what a plugin has asked, as one group.
    private mutating func answer(_ plugin: HostedPlugin, milliseconds: Int64) {
        var requests: [[UInt8]] = []
        while let request = plugin.takeRequest() { requests.append(request) }
        core.setTime(milliseconds)
        core.store.beginGroup()
        core.store.waitHere()
        beginGroup()
        var answers = answer(requests, of: plugin)
        do throws(StorageError) { try core.store.flush() } catch {
            core.store.failure = error
            core.revertStateOfGroup()
            answers = answer(requests, of: plugin)
            core.store.failure = nil
        }
        core.store.endGroup()
        for answer in answers where !answer.isEmpty { answer.withUnsafeBytes { plugin.reply($0) } }
        sendNotices()
        beginPending()
        groupStart = output.count
        expectWork()
    }

    private mutating func answer(_ requests: [[UInt8]], of plugin: HostedPlugin) -> [[UInt8]] {
        let caller = core.plugins.caller(plugin)
        core.askingPlugin = plugin.id.text
        core.store.origin = "x.\(plugin.id)"
        defer {
            core.askingPlugin = nil
            core.store.origin = nil
        }
        return requests.map { request in
            var out = JSONWriter(capacity: 512)
            request.withUnsafeBytes { answer($0, of: plugin, caller, to: &out) }
            return Array(out.buffer.bytes)
        }
    }

    private mutating func answer(
        _ message: UnsafeRawBufferPointer, of plugin: HostedPlugin, _ caller: Caller, to out: inout JSONWriter
    ) {
        guard let envelope = Envelope.read(message, &validator), let name = envelope.method else { return }
        if envelope.id == nil, let (id, isSilent) = Cancellations.read(envelope) {
            return dispatcher.pending.cancel(id, of: caller, isSilent: isSilent)
        }
        let request = Dispatcher.Request(
            id: envelope.id, room: messageBytes, caller: caller,
            destination: Destination(framing: .line, batch: nil))
        if let error = core.plugins.refusal(
            of: name, by: plugin, isAsked: hookRound?.asked === plugin, in: core.methods)
        {
            if envelope.id != nil { out.errorResponse(id: envelope.id, error) }
            return
        }
        dispatcher.answer(request, name, envelope.params, duplicate: nil, &validator, to: &out)
        if let round = core.wantedRound.take() { settle(round, request, name, envelope.params, to: &out) }
        core.endsGroup = false
    }

    /// A change of a plugin waits for the hooks of the others there, and for its turn as long: the loop hears the plugins alone
    /// meanwhile.
    private mutating func settle(
        _ first: HookRound, _ request: Dispatcher.Request, _ name: JSONText, _ params: ValidJSON?,
        to out: inout JSONWriter
    ) {
        var round = first
        while true {
            // What came before is durable while others are asked, and the lock is let go.
            do throws(StorageError) { try core.store.flush() } catch { core.store.failure = error }
            core.store.endGroup()
            core.plugins.wait(unless: { Interruption.time != nil }) {
                round.advance { (id, after, set) throws(RPCError) in try dispatcher.core.amend(id, after, set) }
                return round.verdict != nil
            }
            if round.verdict == nil { core.refusesHooks = true }
            core.store.beginGroup()
            core.store.waitHere()
            core.resume(round)
            dispatcher.answer(request, name, params, duplicate: nil, &validator, to: &out)
            core.endRound()
            guard let next = core.wantedRound.take() else { return }
            round = next
        }
    }
}
