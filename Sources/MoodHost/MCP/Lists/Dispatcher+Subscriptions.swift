import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// Subscriptions of AI clients: `resources/subscribe` in the older era, `subscriptions/listen` in the newer one.
extension Dispatcher {
    mutating func subscribe(
        _ given: ModelParams, _ revision: Revision, _ request: borrowing Request, _ out: inout JSONWriter
    ) throws {
        let uri = try address(given, revision)
        try core.followForModels(request) { models in
            models.hearsLists = true
            if !models.addresses.contains(where: { $0.utf8.elementsEqual(uri.utf8) }) { models.addresses.append(uri) }
        }
        out.raw("{}")
    }

    private func address(_ given: ModelParams, _ revision: Revision) throws -> String {
        let uri = try given.text(given.uri, "uri", "the address of a resource").string
        guard ResourceAddress(uri) != nil else { throw RPCError.noResource(uri, revision) }
        guard core.state.models.addresses.count < ModelState.addressesMax else {
            throw RPCError.over(
                "subscriptions", ModelState.addressesMax,
                "There are \(ModelState.addressesMax) subscriptions already. End one with resources/unsubscribe.")
        }
        return uri
    }

    mutating func unsubscribe(_ given: ModelParams, _ out: inout JSONWriter) throws {
        let uri = try given.text(given.uri, "uri", "the address of a resource").string
        core.changeState { state in
            state.models.addresses.removeAll { $0.utf8.elementsEqual(uri.utf8) }
            if !state.models.wantsCommits { state.models.told = nil }
        }
        out.raw("{}")
    }

    /// Begins a `subscriptions/listen`. It is answered when the host ends it; until then it brings notifications.
    mutating func listen(
        _ asked: (given: ModelParams, revision: Revision), _ request: borrowing Request
    ) throws {
        guard let id = request.id.map({ Array($0) }) else { return }
        let listener = try self.listener(id, asked.given, asked.revision, request)
        // Plugins must be loaded before their changes can be reported.
        if listener.hearsTools {
            core.loadPlugins()
            core.listedTools = core.plugins.toolRevision
        }
        try core.followForModels(request) { $0.listeners.append(listener) }
        core.notices.addAcknowledged(listener)
    }

    private func listener(
        _ id: [UInt8], _ given: ModelParams, _ revision: Revision, _ request: borrowing Request
    ) throws -> ModelListener {
        if request.destination.batch != nil {
            throw RPCError(.invalidRequest, "subscriptions/listen goes on for long, so it cannot be in a batch.")
        }
        guard let asked = try given.object(given.notifications, "notifications") else {
            throw Arguments.error(
                "is required: {toolsListChanged?, resourcesListChanged?, resourceSubscriptions?: [uri]}",
                at: "/notifications")
        }
        let wishes = JSONValue(asked)
        for name in ["toolsListChanged", "resourcesListChanged", "promptsListChanged"] {
            guard let value = wishes[name], value.text != "null", value.boolean == nil else { continue }
            throw Arguments.error("must be true or false", at: "/notifications/\(name)")
        }
        var addresses: [String] = []
        let listed = wishes["resourceSubscriptions"].flatMap { $0.text == "null" ? nil : $0 }
        if let listed, listed.array == nil {
            throw Arguments.error("must be an array of addresses", at: "/notifications/resourceSubscriptions")
        }
        for (place, address) in (listed?.array ?? []).enumerated() {
            guard let uri = address.string, ResourceAddress(uri) != nil else {
                throw Arguments.error(
                    "is no address of a resource; resources/templates/list says which there are",
                    at: "/notifications/resourceSubscriptions/\(place)")
            }
            addresses.append(uri)
        }
        let listeners = core.state.models.listeners
        if listeners.contains(where: { $0.id == id }) {
            throw RPCError(.invalidRequest, "A subscriptions/listen with this id goes on already. Choose another id.")
        }
        guard listeners.count < ModelState.listenersMax, addresses.count <= ModelState.addressesMax else {
            throw RPCError.over(
                "subscriptions", ModelState.listenersMax,
                "There are too many subscriptions. Cancel one with notifications/cancelled.")
        }
        func wants(_ name: String) -> Bool { wishes[name]?.boolean == true }
        return ModelListener(
            id: id, framing: request.destination.framing, hearsTools: wants("toolsListChanged"),
            hearsLists: wants("resourcesListChanged"), addresses: addresses)
    }
}

extension Core {
    /// Adds a subscription, from the present revision on.
    fileprivate mutating func followForModels(
        _ request: borrowing Request, _ change: (inout ModelState) -> Void
    ) throws {
        var models = state.models
        change(&models)
        if models.wantsCommits, models.told == nil {
            try admit(.reads, request)
            beginFollowingSettings()
            models.told = store.revision
            let identity = store.identity
            if state.events.store == nil { changeState { $0.events.store = identity } }
        }
        changeState { $0.models = models }
    }

    /// Notifies AI clients of commits or settings that change resources they follow.
    mutating func tellModels(of touched: TouchedMoods) {
        guard !touched.isEmpty else { return }
        let models = state.models
        for address in models.addresses where touched.mayChange(address) { notices.addUpdated(address, for: nil) }
        let changesList = !touched.isOfSettings
        if changesList, models.hearsLists {
            notices.addListChanged("notifications/resources/list_changed", for: nil)
        }
        for listener in models.listeners {
            for address in listener.addresses where touched.mayChange(address) {
                notices.addUpdated(address, for: listener.id)
            }
            if changesList, listener.hearsLists {
                notices.addListChanged("notifications/resources/list_changed", for: listener.id)
            }
        }
    }

    /// Notifies AI clients that the tools of plugins have changed.
    mutating func tellModelsOfTools() {
        listedTools = plugins.toolRevision
        if state.models.agreed != nil { notices.addListChanged("notifications/tools/list_changed", for: nil) }
        for listener in state.models.listeners where listener.hearsTools {
            notices.addListChanged("notifications/tools/list_changed", for: listener.id)
        }
    }

    /// Ends the `subscriptions/listen` with this id.
    /// - Returns: whether there was one.
    mutating func endListening(_ id: UnsafeRawBufferPointer) -> Bool {
        let found = state.models.listeners.firstIndex { $0.id.withUnsafeBytes { $0.isSameID(as: id) } }
        guard let place = found else { return false }
        changeState { state in
            state.models.listeners.remove(at: place)
            if !state.models.wantsCommits { state.models.told = nil }
        }
        keepStateOfRequest()
        return true
    }
}

extension Session {
    /// Answers each `subscriptions/listen`, because the connection ends.
    mutating func endListening() {
        for listener in core.state.models.listeners {
            let mark = output.count
            listener.id.withUnsafeBytes { output.beginResponse(id: $0) }
            output.beginModelResult()
            output.subscription(listener.id)
            output.endObject()
            output.endResponse()
            output.endMessage(from: mark, framing: listener.framing)
        }
        core.changeState { state in
            state.models.listeners.removeAll()
            if !state.models.wantsCommits { state.models.told = nil }
        }
        core.keepStateOfRequest()
    }
}
