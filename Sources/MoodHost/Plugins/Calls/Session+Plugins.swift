import Platform
import PluginHost
import Storage

/// Requests of plugins, and outcomes of requests to them.
extension Session {
    /// The next deadline of plugins, by `Clock.monotonicMilliseconds`.
    var pluginDeadline: Int? {
        mutating get {
            var earliest = core.plugins.deadline ?? .max
            if let time = dispatcher.pending.deadline { earliest = min(earliest, time) }
            if let time = lane.deadline { earliest = min(earliest, time) }
            if isDeliveringLate, let deliveryEnd { earliest = min(earliest, deliveryEnd) }
            return earliest == .max ? nil : earliest
        }
    }

    /// Whether plugins still get time for undelivered events after the end of input.
    var isDeliveringLate: Bool {
        mutating get {
            guard let deliveryEnd, Clock.monotonicMilliseconds < deliveryEnd else { return false }
            return core.isDelivering
        }
    }

    /// Handles the news of plugins; no group is open.
    /// - Parameter time: the time until which all output of plugins was read.
    mutating func attendPlugins(heardUntil time: Int, milliseconds: Int64) {
        core.plugins.tick(at: time)
        if core.plugins.haveToolsCome, !core.isStoreAway { pinTools() }
        endHooksInTime()
        if core.plugins.takeNews() || dispatcher.pending.deadline != nil {
            if core.plugins.hasCells { core.takeCells() }
            if core.sync.asked != nil { core.attendTransport() }
            if core.plugins.takeTransportNews() { core.sync.hurry() }
            wakeCallers(milliseconds: milliseconds)
            if !dispatcher.pending.isEmpty { attendWork(milliseconds: milliseconds) }
        }
        // The last plugin that gets events may have left its deadline.
        if core.plugins.hasEvents || core.plugins.deliveryDeadline != nil { core.deliverEvents() }
        tellOfPlugins(milliseconds: milliseconds)
    }

    /// Pins the tools that MCP servers have listed.
    private mutating func pinTools() {
        core.store.beginGroup()
        if core.takeServerTools() {
            do throws(StorageError) { try core.store.flush() } catch {
                core.log(.error, "the tools of an MCP server are not kept: \(error.reason)")
            }
        }
        core.store.endGroup()
    }

    /// Notifies the client of new states and cells of plugins.
    private mutating func tellOfPlugins(milliseconds: Int64) {
        let changes = core.plugins.takeChanges()
        guard !changes.isEmpty else { return }
        core.setTime(milliseconds)
        for change in changes {
            if case .state(let id, let state, _) = change, state != "running" { core.endSubscriptions(of: id) }
            core.tell(of: change)
        }
        sendNotices()
        core.tellPlugins()
        hasWork = true
    }

    /// Handles an event in the store's directory.
    mutating func seePluginFile() {
        // This host's own change takes effect when it is durable.
        guard core.plugins.takeFileNews(), core.storeAbsence != .lentForPlugins else { return }
        core.reloadPlugins()
        sendPluginNews()
    }

    /// Begins to watch for changes by other hosts, because this host stays.
    mutating func noticeOthers() {
        core.noticeOthers()
        sendPluginNews()
    }

    private mutating func sendPluginNews() {
        sendNotices()
        tellOfPlugins(milliseconds: Clock.milliseconds)
        hasWork = true
    }
}
