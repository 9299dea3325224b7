import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost
import Storage

/// A request of a plugin that waits: for the hooks of others, for the lock, for the helper thread. Later requests of
/// that plugin wait with it; no other caller does.
struct ParkedPluginRequest {
    let plugin: HostedPlugin
    let message: [UInt8]
    let wait: Wait
    /// The hooks that were or are asked about it.
    let round: HookRound?
}

/// Requests of plugins to the host.
extension Session {
    /// Answers the requests of plugins that wait for nothing.
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

    /// Whether a plugin's request waits for the lock.
    var isPluginAwaitingLock: Bool {
        mutating get { dispatcher.pending.awaitsLock || parkedPluginRequests.contains { $0.wait.isForLock } }
    }

    /// Asks the next hook about each waiting change of a plugin, or carries out requests whose wait is over.
    /// - Parameter hasLock: whether to try the requests that wait for the lock.
    mutating func resumePluginRequests(hasLock: Bool = false) {
        guard !parkedPluginRequests.isEmpty, !core.isStoreAway else { return }
        var hasResumed = false
        for parked in parkedPluginRequests where !core.isStoreAway {
            // A plugin that has ended waits for nothing.
            if parked.plugin.isGone {
                parked.round?.abandon()
                parkedPluginRequests.removeAll { $0.plugin === parked.plugin }
                hasWaited = hasWaited || parked.wait.isForLock
                continue
            }
            if case .hooks(let round) = parked.wait { core.advance(round) }
            guard parked.wait.isOver(dispatcher.core) || hasLock && parked.wait.isForLock else { continue }
            parkedPluginRequests.removeAll { $0.plugin === parked.plugin }
            core.setTime(parked.round?.time ?? Clock.milliseconds)
            answer([parked.message], of: parked.plugin, resuming: parked.round)
            hasResumed = true
        }
        if hasWaited, !isParked, !isPluginAwaitingLock { endWait() }
        // Later requests have waited with it.
        if hasResumed { answerPlugins(milliseconds: Clock.milliseconds) }
    }

    /// Whether a hook of this plugin is asked now.
    private func isAsked(_ plugin: HostedPlugin) -> Bool {
        self.round?.asked === plugin || dispatcher.pending.isAsked(plugin)
            || parkedPluginRequests.contains { $0.round?.asked === plugin }
    }

    /// Answers requests of a plugin as one group, up to one that must wait or that ends its group. Work of such a
    /// request gets the store before a later request is read.
    private mutating func answer(
        _ requests: ArraySlice<[UInt8]>, of plugin: HostedPlugin, resuming round: HookRound?
    ) {
        core.store.beginGroup()
        beginGroup()
        var (answers, wait) = attempt(requests, of: plugin, round)
        do throws(StorageError) { try core.store.flush() } catch {
            core.store.failure = error
            core.revertStateOfGroup()
            dispatcher.pending.dropStaged()
            let again = attempt(requests.prefix(answers.count), of: plugin, round)
            core.store.failure = nil
            answers = again.answers
            if let another = again.wait {
                if case .hooks(let round) = wait { round.abandon() }
                wait = another
            }
        }
        core.store.endGroup()
        for answer in answers where !answer.isEmpty { answer.withUnsafeBytes { plugin.add(reply: $0) } }
        plugin.send()
        if let wait {
            let place = requests.startIndex + answers.count
            // The hooks were asked about the first.
            var asked = answers.isEmpty ? round : nil
            if case .hooks(let next) = wait {
                if let asked, asked !== next { asked.abandon() }
                asked = next
            }
            parkedPluginRequests.append(.init(plugin: plugin, message: requests[place], wait: wait, round: asked))
            plugin.putBack(requests[(place + 1)...])
            if case .hooks(let next) = wait { core.advance(next) }
        } else {
            plugin.putBack(requests[(requests.startIndex + answers.count)...])
        }
        sendNotices()
        core.tellPlugins()
        beginPending()
        groupStart = output.count
        expectWork()
    }

    /// - Returns: the answers before the request that must wait, and its wait.
    private mutating func attempt(
        _ requests: ArraySlice<[UInt8]>, of plugin: HostedPlugin, _ round: HookRound?
    ) -> (answers: [[UInt8]], wait: Wait?) {
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
            let revision = core.store.revision
            do throws(Wait) {
                let message = KeptBytes(request)
                defer { extendLifetime(message) }
                try answer(message.bytes, of: plugin, caller, asked, to: &out)
            } catch {
                return (answers, error)
            }
            if core.store.revision > revision {
                core.plugins[plugin.id]?.noteChange(at: Clock.monotonicMilliseconds)
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
            ways: dispatcher.pending.isClosed ? [] : [.mayWait, .mayAskHooks])
        if let error = core.plugins.refusal(of: name, by: plugin, isAsked: isAsked(plugin), in: core.methods) {
            if envelope.id != nil { out.errorResponse(id: envelope.id, error) }
            return
        }
        try dispatcher.answer(request, name, envelope.params, duplicate: nil, to: &out)
    }
}
