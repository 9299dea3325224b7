import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost
import Storage

/// The lane of a plugin that asks. It holds up no other caller.
struct PluginLane {
    let plugin: HostedPlugin
    var lane: Lane
}

/// Requests of plugins to the host.
extension Session {
    /// Gives each plugin that asks its turn, up to a request that waits.
    mutating func answerPlugins(milliseconds: Int64) {
        for plugin in core.plugins.hosted
        where !plugin.requests.isEmpty && !pluginLanes.contains(where: { $0.plugin === plugin }) {
            pluginLanes.append(PluginLane(plugin: plugin, lane: Lane(dispatcher.pending.ways)))
        }
        let wasAwaitingLock = pluginLanes.contains { $0.lane.awaitsLock }
        var place = 0
        while place < pluginLanes.count {
            let plugin = pluginLanes[place].plugin
            if case .hooks(let round) = pluginLanes[place].lane.wait { core.advance(round) }
            // The requests of a plugin end with its process.
            while !plugin.requests.isEmpty, !core.isStoreAway, pluginLanes[place].lane.isOver(core) {
                answer(at: place, milliseconds: milliseconds)
            }
            if plugin.requests.isEmpty {
                pluginLanes[place].lane.endRound()
                pluginLanes.remove(at: place)
            } else {
                place += 1
            }
        }
        if wasAwaitingLock { endNeedlessWait() }
    }

    /// Whether a hook of this plugin is asked now.
    private func isAsked(_ plugin: HostedPlugin) -> Bool {
        lane.isAsking(plugin) || dispatcher.pending.begun.contains { $0.lane.isAsking(plugin) }
            || pluginLanes.contains { $0.lane.isAsking(plugin) }
    }

    /// Answers requests of a lane as one group, up to one that must wait or that ends its group. Work of such a request
    /// gets the store before a later request is read.
    private mutating func answer(at place: Int, milliseconds: Int64) {
        let plugin = pluginLanes[place].plugin
        var lane = pluginLanes[place].lane
        _ = lane.takeWait()
        core.store.beginGroup()
        beginGroup()
        let requests = plugin.takeRequests()
        var (answers, wait) = attempt(requests[...], of: plugin, lane, milliseconds)
        do throws(StorageError) { try core.store.flush() } catch {
            core.store.refuseChanges(error)
            core.revertStateOfGroup()
            dispatcher.pending.dropStaged()
            let again = attempt(requests.prefix(answers.count), of: plugin, lane, milliseconds)
            answers = again.answers
            if let another = again.wait {
                if case .hooks(let round) = wait { round.abandon() }
                wait = another
            }
        }
        core.store.endGroup()
        for answer in answers where !answer.isEmpty { answer.withUnsafeBytes { plugin.add(reply: $0) } }
        plugin.send()
        plugin.putBack(requests[answers.count...])
        if !answers.isEmpty { lane.endRound() }
        if let wait { lane.stop(for: wait) }
        lane.ways = dispatcher.pending.ways
        pluginLanes[place].lane = lane
        if case .hooks(let round) = wait { core.advance(round) }
        sendNotices()
        core.tellPlugins()
        beginPending()
        hasWork = true
    }

    /// - Returns: the answers before the request that must wait, and its wait.
    private mutating func attempt(
        _ requests: ArraySlice<[UInt8]>, of plugin: HostedPlugin, _ lane: Lane, _ milliseconds: Int64
    ) -> (answers: [[UInt8]], wait: Wait?) {
        let caller = core.plugins.caller(plugin)
        core.store.origin = caller.origin
        defer { core.store.origin = nil }
        var answers: [[UInt8]] = []
        for request in requests {
            var out = JSONWriter(capacity: 512)
            // The hooks were asked about the first.
            let asked = answers.isEmpty ? lane.round : nil
            asked?.rewind()
            core.setTime(asked?.time ?? milliseconds)
            let revision = core.store.revision
            do throws(Wait) {
                let message = KeptBytes(request)
                defer { extendLifetime(message) }
                try answer(message.bytes, of: plugin, caller, asked, lane.ways, to: &out)
            } catch {
                return (answers, error)
            }
            if core.store.revision > revision {
                core.plugins[plugin.id]?.noteChange(at: Clock.monotonicMilliseconds)
            }
            core.notices.keep()
            answers.append(Array(out.buffer.bytes))
            if dispatcher.isGroupOver { break }
        }
        return (answers, nil)
    }

    private mutating func answer(
        _ message: UnsafeRawBufferPointer, of plugin: HostedPlugin, _ caller: Caller, _ round: HookRound?,
        _ ways: Ways, to out: inout JSONWriter
    ) throws(Wait) {
        guard let envelope = Envelope.read(message, &validator), let name = envelope.method else { return }
        if envelope.id == nil, let (id, isSilent) = Cancellations.read(envelope) {
            return dispatcher.pending.cancel(id, of: caller, isSilent: isSilent)
        }
        let request = Request(
            id: envelope.id, room: messageBytes, caller: caller,
            destination: Destination(framing: .line, batch: nil), round: round, ways: ways)
        if let error = core.plugins.refusal(of: name, by: plugin, isAsked: isAsked(plugin), in: core.methods) {
            if envelope.id != nil { out.errorResponse(id: envelope.id, error) }
            return
        }
        try dispatcher.answer(request, name, envelope.params, duplicate: nil, to: &out)
    }
}
