import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost
import Storage

/// A request of a plugin that waits for the hooks of others. Later ones of that plugin wait with it, and nobody else does.
struct ParkedPluginRequest {
    let plugin: HostedPlugin
    let message: [UInt8]
    var round: HookRound
}

/// What plugins ask of the host.
extension Session {
    /// Answers what plugins have asked and what waits for nobody.
    mutating func answerPlugins(milliseconds: Int64) {
        if core.isStoreAway { return }
        for plugin in core.plugins.hosted
        where !plugin.requests.isEmpty && !parkedPluginRequests.contains(where: { $0.plugin === plugin }) {
            core.setTime(milliseconds)
            var count: Int
            repeat {
                count = plugin.requests.count
                var requests: [[UInt8]] = []
                while let request = plugin.takeRequest() { requests.append(request) }
                answer(requests[...], of: plugin, resuming: nil)
                let isParked = parkedPluginRequests.contains { $0.plugin === plugin }
                if isParked || core.isStoreAway { break }
            } while !plugin.requests.isEmpty && plugin.requests.count < count
        }
    }

    /// Asks the next hook about each change of a plugin that waits, or carries it out.
    mutating func resumePluginRequests(milliseconds: Int64) {
        guard !parkedPluginRequests.isEmpty, !core.isStoreAway else { return }
        for parked in parkedPluginRequests where !core.isStoreAway {
            // A plugin that has ended waits for nothing.
            if parked.plugin.isGone {
                parked.round.abandon()
                parkedPluginRequests.removeAll { $0.round === parked.round }
                continue
            }
            parked.round.advance { (id, after, set) throws(RPCError) in try dispatcher.core.amend(id, after, set) }
            guard parked.round.verdict != nil else { continue }
            parkedPluginRequests.removeAll { $0.round === parked.round }
            core.setTime(parked.round.time)
            answer([parked.message], of: parked.plugin, resuming: parked.round)
        }
    }

    /// Whether a hook of this plugin is asked now.
    private func isAsked(_ plugin: HostedPlugin) -> Bool {
        self.round?.asked === plugin || parkedPluginRequests.contains { $0.round.asked === plugin }
    }

    /// Answers requests of a plugin as one group, up to one that has to wait, or that ends its group: work of a request has
    /// the store before a later one is looked at.
    private mutating func answer(
        _ requests: ArraySlice<[UInt8]>, of plugin: HostedPlugin, resuming round: HookRound?
    ) {
        core.store.beginGroup()
        core.store.waitHere()
        beginGroup()
        var (answers, wanted) = attempt(requests, of: plugin, round)
        do throws(StorageError) { try core.store.flush() } catch {
            core.store.failure = error
            core.revertStateOfGroup()
            dispatcher.pending.dropStaged()
            let again = attempt(requests.prefix(answers.count), of: plugin, round)
            core.store.failure = nil
            answers = again.answers
            if let another = again.wanted {
                wanted?.abandon()
                wanted = another
            }
        }
        core.store.endGroup()
        for answer in answers where !answer.isEmpty { answer.withUnsafeBytes { plugin.reply($0) } }
        if let wanted {
            let place = requests.startIndex + answers.count
            parkedPluginRequests.append(.init(plugin: plugin, message: requests[place], round: wanted))
            plugin.putBack(requests[(place + 1)...])
            wanted.advance { (id, after, set) throws(RPCError) in try dispatcher.core.amend(id, after, set) }
        } else {
            plugin.putBack(requests[(requests.startIndex + answers.count)...])
        }
        sendNotices()
        core.tellPlugins()
        beginPending()
        groupStart = output.count
        expectWork()
    }

    /// - Returns: the answers before the request that has to wait for hooks, and these.
    private mutating func attempt(
        _ requests: ArraySlice<[UInt8]>, of plugin: HostedPlugin, _ round: HookRound?
    ) -> (answers: [[UInt8]], wanted: HookRound?) {
        let caller = core.plugins.caller(plugin)
        core.store.origin = caller.origin
        defer {
            core.store.origin = nil
            core.endsGroup = false
        }
        var answers: [[UInt8]] = []
        for request in requests {
            var out = JSONWriter(capacity: 512)
            // The hooks were asked about the first.
            let asked = answers.isEmpty ? round : nil
            asked?.rewind()
            do throws(Wait) {
                let message = KeptBytes(request)
                defer { extendLifetime(message) }
                try answer(message.bytes, of: plugin, caller, asked, to: &out)
            } catch {
                if case .hooks(let wanted) = error { return (answers, wanted) }
                return (answers, nil)
            }
            core.notices.keep()
            answers.append(Array(out.buffer.bytes))
            if core.endsGroup { break }
        }
        return (answers, nil)
    }

    private mutating func answer(
        _ message: UnsafeRawBufferPointer, of plugin: HostedPlugin, _ caller: Caller, _ round: HookRound?,
        to out: inout JSONWriter
    ) throws(Wait) {
        guard let envelope = Envelope.read(message, &validator), let name = envelope.method else { return }
        if envelope.id == nil, let (id, isSilent) = Cancellations.read(envelope) {
            return dispatcher.pending.cancel(id, of: caller, isSilent: isSilent)
        }
        let request = Request(
            id: envelope.id, room: messageBytes, caller: caller,
            destination: Destination(framing: .line, batch: nil), round: round,
            ways: dispatcher.pending.isClosed ? [] : .mayAskHooks)
        if let error = core.plugins.refusal(of: name, by: plugin, isAsked: isAsked(plugin), in: core.methods) {
            if envelope.id != nil { out.errorResponse(id: envelope.id, error) }
            return
        }
        try dispatcher.answer(request, name, envelope.params, duplicate: nil, &validator, to: &out)
    }
}
