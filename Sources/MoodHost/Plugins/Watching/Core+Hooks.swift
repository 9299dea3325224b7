import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import PluginHost
import Storage

/// Hooks of plugins before a change: `hook.change` and `hook.navigate`.
///
/// The host tries a request first. It reverts the changes and shows them to the hooks (`HookRound`), while the request
/// is parked. Then it carries out the request again.
extension Core {
    /// The most moods that a hook gets by id.
    private static let namedMax = 1000

    /// Asks hooks before a commit ends. It returns only if every hook has agreed to exactly this change.
    /// - Throws: the objection of a hook, or the wait for the hooks.
    @inline(never)
    mutating func askChangeHooks(_ method: Name, _ request: borrowing Request, isDryRun: Bool) throws(Stop) {
        let summary = store.summary
        let round = request.round.flatMap { $0.navigation == nil ? $0 : nil }
        if let round {
            guard let verdict = round.verdict else { return try wait(for: round, request) }
            if verdict.isFinal || round.isConfirmed && round.isAbout(summary) { return try Self.heed(verdict) }
        }
        let hooks = try plugins.changeHooks(
            besides: request.caller.plugin,
            vetoOnly: ["store.undo", "store.redo", "store.import"].contains { method == $0 })
        if hooks.isEmpty { return }
        let attempt = (round?.attempt ?? 0) + 1
        if attempt > HookRound.attemptsMax {
            throw .refused(
                RPCError(
                    .storeBusy,
                    "The moods changed \(HookRound.attemptsMax) times while plugins were asked about this change. Try again."
                ))
        }
        let changes: [HookRound.Change]
        do throws(RPCError) { changes = try changesForHooks(summary) } catch { throw .refused(error) }
        try wait(
            for: HookRound(
                hooks, changes: changes, count: changes.isEmpty && summary.count > 0 ? summary.count : nil,
                origin: request.caller.origin, isDryRun: isDryRun, time: now.milliseconds, attempt: attempt), request)
    }

    /// - Throws: the wait for the hooks.
    private func wait(for round: HookRound, _ request: borrowing Request) throws(Stop) {
        if !request.ways.contains(.mayAskHooks) { throw .refused(.shuttingDown) }
        throw .waits(.hooks(round))
    }

    /// The changes of the open commit for hooks. Reverts the commit on the way. Empty if there are too many.
    private mutating func changesForHooks(_ summary: CommitSummary) throws(RPCError) -> [HookRound.Change] {
        if summary.count > Self.namedMax { return [] }
        var changes: [HookRound.Change] = []
        // A commit that removed all moods names only the first ones.
        let areAllNamed = summary.changes.count == summary.count
        for change in areAllNamed ? summary.changes : [] {
            let after = change.kind == .deleted ? nil : try hookRecord(change.id)
            changes.append(.init(kind: change.kind.rawValue, id: change.id, before: nil, after: after))
        }
        store.abandonCommit()
        if !areAllNamed {
            changes = store.newestIDs(summary.count).map { .init(kind: "deleted", id: $0, before: nil, after: nil) }
        }
        let isCreated = Set(changes.filter { $0.kind == "created" }.map(\.id))
        return try changes.map { (change) throws(RPCError) in
            HookRound.Change(
                kind: change.kind, id: change.id,
                before: isCreated.contains(change.id) ? nil : try hookRecord(change.id),
                after: change.after)
        }
    }

    private mutating func hookRecord(_ id: MoodID) throws(RPCError) -> [UInt8]? {
        do throws(MoodStoreError) {
            return Array(try store.record(id).bytes)
        } catch {
            if case .notFound = error { return nil }
            throw RPCError(error)
        }
    }

    private static func heed(_ verdict: HookRound.Verdict) throws(Stop) {
        switch verdict {
        case .approved: return
        case .vetoed(let objection):
            throw .refused(.refused(by: objection.by, objection.reason, message: objection.message))
        }
    }

    /// Asks hooks before a route is shown.
    @inline(never)
    mutating func askNavigateHooks(
        _ route: Route, _ router: String, _ request: borrowing Request
    ) throws(Stop) {
        let hooks = try plugins.navigateHooks(besides: request.caller.plugin)
        let round = request.round
        if hooks.isEmpty, round?.navigation == nil { return }
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key("route")
        route.write(to: &writer)
        writer.member("router", router)
        writer.endObject()
        let params = Array(writer.buffer.bytes)
        var approved = round?.approvedNavigations ?? []
        if approved.contains(params) { return }
        if let round, let asked = round.navigation {
            guard let verdict = round.verdict else { return try wait(for: round, request) }
            if asked == params { return try Self.heed(verdict) }
            if case .approved = verdict { approved.append(asked) }
        }
        if hooks.isEmpty { return }
        try wait(
            for: HookRound(
                hooks, changes: [], navigation: params, approvedNavigations: approved, time: now.milliseconds,
                attempt: 1), request)
    }

    // MARK: The second run

    /// Checks under the lock, before a request runs again, whether the moods are unchanged, and applies the changes of
    /// the hooks to it.
    mutating func confirm(_ round: HookRound, _ request: borrowing Request) throws(Stop) {
        guard round.verdict != nil, round.navigation == nil, !round.isConfirmed else { return }
        try admit(.changes, request)
        do throws(RPCError) {
            for change in round.changes where try hookRecord(change.id) != change.before { return }
        } catch {
            throw .refused(error)
        }
        round.isConfirmed = true
        for (id, set) in round.amendments {
            store.amendments.append((id, MoodMembers(change: ValidJSON(trusting: set.bytes))))
        }
    }

    /// Handles the answers of hooks, and asks the next one.
    mutating func advance(_ round: HookRound) {
        round.advance { (id, after, set) throws(RPCError) in try amend(id, after, set) }
    }

    /// Applies a hook's change to a mood, like `mood.update`.
    private mutating func amend(_ id: MoodID, _ after: [UInt8], _ set: [UInt8]) throws(RPCError) -> [UInt8] {
        var params = JSONWriter(capacity: 256)
        params.beginObject()
        params.member("id", id.text)
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
    /// Whether the second run of a request makes the changes that the hooks were asked about.
    func isAbout(_ summary: CommitSummary) -> Bool {
        if let count { return summary.count == count }
        // A commit that removed all moods names only the first ones; those must equal the changes the hooks got.
        return summary.count == changes.count
            && zip(summary.changes, changes).allSatisfy { $0.kind.rawValue == $1.kind && $0.id == $1.id }
    }
}
