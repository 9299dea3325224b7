import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import PluginHost

/// Plugins that are asked before something changes: `hook.change` and `hook.navigate`.
///
/// A request is tried first. What it would do is taken back, and put to the hooks (`HookRound`), while the request is parked. Then
/// it is carried out again.
extension Core {
    /// The most moods that a hook is told by name.
    private static let namedMax = 1000

    /// Before a commit ends: goes on only where every hook has agreed to exactly this change.
    @inline(never)
    mutating func askChangeHooks(
        _ method: Method, _ request: borrowing Request, isDryRun: Bool
    ) throws(RPCError) {
        let hooks = plugins.changeHooks(
            besides: request.caller.plugin,
            vetoOnly: ["store.undo", "store.redo", "store.import"].contains { method.name == $0 })
        if hooks.isEmpty { return }
        let summary = store.summary
        let named = summary.count > Self.namedMax ? [] : summary.changes
        if let round, round.navigation == nil, let verdict = round.verdict {
            if round.isConfirmed, round.isAbout(named.map { ($0.kind.rawValue, $0.id) }) {
                return try Self.heed(verdict)
            }
        } else if let round, round.navigation == nil {
            if refusesHooks { throw .shuttingDown }
            // It is still asked: the request was looked at for another reason.
            wantedRound = round
            throw .answeredLater
        }
        if refusesHooks { throw .shuttingDown }
        let attempt = (round?.attempt ?? 0) + 1
        if attempt > HookRound.attemptsMax {
            throw RPCError(
                .storeBusy,
                "The moods changed \(HookRound.attemptsMax) times while plugins were asked about this change. Try again."
            )
        }
        var changes: [HookRound.Change] = []
        for change in named {
            let after = change.kind == .deleted ? nil : try hookRecord(change.id)
            changes.append(.init(kind: change.kind.rawValue, id: change.id, before: nil, after: after))
        }
        let isCreated = Set(changes.filter { $0.kind == "created" }.map(\.id))
        store.abandonCommit()
        changes = try changes.map { (change) throws(RPCError) in
            HookRound.Change(
                kind: change.kind, id: change.id,
                before: isCreated.contains(change.id) ? nil : try hookRecord(change.id),
                after: change.after)
        }
        wantedRound = HookRound(
            hooks, changes: changes, count: named.isEmpty && summary.count > 0 ? summary.count : nil,
            origin: request.caller.origin, isDryRun: isDryRun, time: now.milliseconds, attempt: attempt)
        throw .answeredLater
    }

    private mutating func hookRecord(_ id: MoodID) throws(RPCError) -> [UInt8]? {
        do throws(MoodStoreError) {
            return Array(try store.record(id).bytes)
        } catch {
            if case .notFound = error { return nil }
            throw RPCError(error)
        }
    }

    private static func heed(_ verdict: HookRound.Verdict) throws(RPCError) {
        switch verdict {
        case .approved: return
        case .vetoed(let by, let reason):
            throw RPCError(.refused, reason, [.init("by", .string(by)), .init("reason", .string(reason))])
        }
    }

    /// Before a route is shown.
    @inline(never)
    mutating func askNavigateHooks(_ route: Route, _ router: String, by caller: Caller) throws(RPCError) {
        let hooks = plugins.navigateHooks(besides: caller.plugin)
        if hooks.isEmpty { return }
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key("route")
        route.write(to: &writer)
        writer.key("router")
        writer.string(router)
        writer.endObject()
        let params = Array(writer.buffer.bytes)
        var approved = round?.approvedNavigations ?? []
        if approved.contains(params) { return }
        if let round, let asked = round.navigation {
            guard let verdict = round.verdict else {
                if refusesHooks { throw .shuttingDown }
                wantedRound = round
                throw .answeredLater
            }
            if asked == params { return try Self.heed(verdict) }
            if case .approved = verdict { approved.append(asked) }
        }
        if refusesHooks { throw .shuttingDown }
        wantedRound = HookRound(
            hooks, changes: [], navigation: params, approvedNavigations: approved, time: now.milliseconds, attempt: 1)
        throw .answeredLater
    }

    // MARK: Around a request that was parked

    /// Before a request is carried out again: looks, under the lock, whether the moods are as they were, and lays what the hooks
    /// have set over what it does.
    mutating func resume(_ round: HookRound) {
        round.rewind()
        self.round = round
        guard round.verdict != nil, round.navigation == nil else { return }
        // What is wrong with the store is told by the request itself.
        do throws(RPCError) {
            try openForWriting()
            for change in round.changes where try hookRecord(change.id) != change.before { return }
        } catch {
            return
        }
        round.isConfirmed = true
        for (id, set) in round.amendments {
            store.amendments.append((id, MoodMembers(change: ValidJSON(trusting: set.bytes))))
        }
    }

    /// After it.
    mutating func endRound() {
        round = nil
        if !store.amendments.isEmpty { store.amendments.removeAll() }
    }

    /// Lays a set over a mood, as `mood.update` would.
    mutating func amend(_ id: MoodID, _ after: [UInt8], _ set: [UInt8]) throws(RPCError) -> [UInt8] {
        var params = JSONWriter(capacity: 256)
        params.beginObject()
        params.key("id")
        params.string(id.text)
        params.key("set")
        set.withUnsafeBytes { params.raw($0) }
        params.endObject()
        guard let update = methods.find(JSONText("mood.update"))?.method else { return after }
        var arguments = Arguments()
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        try arguments.read(ValidJSON(trusting: params.buffer.bytes), for: update, options.limits, &validator)
        var writer = JSONWriter(capacity: 512)
        after.withUnsafeBytes { after in
            set.withUnsafeBytes { set in
                MoodMembers(trusting: ValidJSON(trusting: after))
                    .overlaid(with: MoodMembers(change: ValidJSON(trusting: set)))
                    .write(to: &writer)
            }
        }
        return Array(writer.buffer.bytes)
    }
}

extension HookRound {
    /// Whether a request does, when it is carried out again, what the hooks were asked about.
    func isAbout(_ named: [(kind: String, id: MoodID)]) -> Bool {
        named.count == changes.count
            && zip(named, changes).allSatisfy { $0.kind == $1.kind && $0.id == $1.id }
    }
}
