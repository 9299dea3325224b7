import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodSync
import Platform
import Replication
import Storage

/// `sync.*`. A thread of its own does work that needs the other side, or all records, from files alone.
extension Core {
    static let syncHandlers: InlineArray<_, Handler> = [
        Handler(
            SyncMethods.setup, [.makes, .durable, .settled],
            check: { (core, _, arguments) throws(RPCError) in
                _ = try core.syncSetup(arguments)
                return []
            },
            later: { try $0.setUpSync($2) }),
        Handler(SyncMethods.now, [.durable, .settled], later: { (core, _, _) in try core.syncNow() }),
        Handler(SyncMethods.status, [.reads, .settled], { try $0.writeSyncStatus(&$3) }),
        Handler(SyncMethods.conflicts, [.durable, .settled], { try $0.writeSyncConflicts(&$3) }),
        Handler(SyncMethods.settle, [.changes, .settled], { try $0.settle($2, &$3) }),
        Handler(SyncMethods.leave, [.durable, .settled], maybe: { try $0.leaveSync(&$3) }),
        Handler(SyncMethods.forget, [.durable, .settled], { try $0.forget($2, &$3) }),
    ]

    /// Longest wait for another process that syncs.
    private static let patienceMilliseconds = 30_000
    /// Time that later requests wait for the first round of a setup; the setup itself they see in any case.
    private static let firstRoundMilliseconds = 1000
    /// Age at which an earlier round ends for a leave.
    private static let leaveMilliseconds = 2000

    // MARK: Methods

    /// - Throws: the fault of the arguments.
    private mutating func syncSetup(_ arguments: borrowing Arguments) throws(RPCError) -> StoreSync.Setup {
        var given = StoreSync.Setup(url: arguments[SyncParams.url])
        given.isNew = arguments[SyncParams.isNew]
        given.journal = arguments[SyncParams.journal]
        given.isConfirmed = arguments[SyncParams.confirm]
        given.config = arguments[SyncParams.config].map { JSONValue($0).asObject }
        given.filter = arguments[SyncParams.filter].map { JSONValue($0) }
        do throws(SyncError) { _ = try SyncURL(given.url, schemes: transportPeer().schemes) } catch {
            throw Arguments.error(error.reason.replacing("The url ", with: "", maxReplacements: 1), at: "/url")
        }
        if let config = given.config, config.object == nil { throw Arguments.error("must be an object", at: "/config") }
        do throws(SyncError) { if let filter = given.filter { _ = try SyncFilter(filter) } } catch {
            throw Arguments.error(error.reason, at: "/filter")
        }
        return given
    }

    /// Later requests of `sync.*` see the setup. If its first round takes long, they are answered meanwhile.
    private mutating func setUpSync(_ arguments: borrowing Arguments) throws(RPCError) -> any LaterWork {
        let setup = try syncSetup(arguments)
        return try syncWork("sync.setup", isChange: true) { (sync, work) throws(SyncError) in
            try sync.setUp(setup)
            work.takeEffect(withinMilliseconds: Self.firstRoundMilliseconds)
            // The setup is done; the status reports a failure of the first round.
            _ = try? sync.now { work.tell($0, $1) }
            return { (core, out) throws(RPCError) in
                core.store.lookAround()
                core.prepareSync()
                try core.writeSyncStatus(&out)
            }
        }
    }

    private mutating func forget(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let sync = try storeSync("sync.forget", isChange: true)
        do throws(SyncError) { try sync.forget(arguments[SyncParams.replica]) } catch {
            throw RPCError(error, by: "sync.forget")
        }
        try writeSyncStatus(&out)
    }

    /// Ends earlier rounds that take too long, and answers after them.
    private mutating func leaveSync(_ out: inout JSONWriter) throws(RPCError) -> (any LaterWork)? {
        let sync = try storeSync("sync.leave", isChange: true)
        self.sync.round?.cancel()
        if self.sync.requests.end(atAge: Self.leaveMilliseconds) {
            return try syncWork("sync.leave", isChange: true) { (_, _) throws(SyncError) in
                try sync.leave()
                return { (core, out) throws(RPCError) in try core.writeLeftStatus(&out) }
            }
        }
        do throws(SyncError) { try sync.leave() } catch { throw RPCError(error, by: "sync.leave") }
        try writeLeftStatus(&out)
        return nil
    }

    private mutating func writeLeftStatus(_ out: inout JSONWriter) throws(RPCError) {
        store.lookAround()
        prepareSync()
        try writeSyncStatus(&out)
    }

    private mutating func syncNow() throws(RPCError) -> any LaterWork {
        try syncWork("sync.now", isRound: true) { (sync, work) throws(SyncError) in
            let counts = try sync.now { work.tell($0, $1) }
            return { (core, out) throws(RPCError) in
                core.syncHasEnded()
                out.beginObject()
                out.member("pushed", counts.pushed)
                out.member("pulled", counts.pulled)
                out.member("applied", counts.applied)
                out.member("conflicts", counts.conflicts)
                out.endObject()
            }
        }
    }

    /// The sync of the store, from files alone, which must first hold all earlier changes.
    private mutating func storeSync(_ method: String, isChange: Bool = false) throws(RPCError) -> StoreSync {
        let settings = try settingsForSync(method, isChange: isChange)
        do throws(StorageError) { try store.flushEarly() } catch { throw RPCError(error, forWriting: false) }
        return StoreSync(
            settings, peer: transportPeer(), patienceMilliseconds: Self.patienceMilliseconds, isCancelled: { false })
    }

    /// The sync of a store on disk, to make a base.
    mutating func syncForBase(_ work: LongWork) -> StoreSync? {
        guard let settings = store.settingsForSync else { return nil }
        // A round of the host itself makes room.
        sync.round?.cancel()
        return StoreSync(
            settings, patienceMilliseconds: Self.patienceMilliseconds, isCancelled: { work.isCancelled })
    }

    /// - Parameter isChange: whether the method writes files, which a read-only host never does.
    private func settingsForSync(_ method: String, isChange: Bool) throws(RPCError) -> StoreSettings {
        guard let settings = store.settingsForSync else {
            throw RPCError(SyncError.refused(reason: "Moods that are kept in memory only are not synced."), by: method)
        }
        if isChange, settings.isReadOnly {
            throw RPCError(.readOnly(reason: "The host was started with --read-only."), forWriting: true)
        }
        return settings
    }

    private mutating func writeSyncConflicts(_ out: inout JSONWriter) throws(RPCError) {
        let sync = try storeSync("sync.conflicts")
        let conflicts: [Conflict]
        do throws(SyncError) { conflicts = try sync.conflicts() } catch { throw RPCError(error, by: "sync.conflicts") }
        out.beginObject()
        out.member("items", array: conflicts) { conflict, out in Self.write(conflict, &out) }
        out.endObject()
    }

    private static func write(_ conflict: Conflict, _ out: inout JSONWriter) {
        func value(_ value: [UInt8]?) {
            guard let value else { return out.null() }
            value.withUnsafeBytes { out.raw($0) }
        }
        out.beginObject()
        out.member("id", conflict.id.text)
        out.member("mood", conflict.id.mood.text)
        out.member("member", conflict.id.member.text)
        out.key("shown")
        value(conflict.shown)
        out.key("other")
        value(conflict.other)
        out.member("by", conflict.id.operation.replica.text)
        out.member("at", conflict.at.text)
        out.endObject()
    }

    /// Settles a conflict as a change of this store, so that later requests see it.
    private mutating func settle(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let (id, takesOther) = (
            arguments[SyncParams.conflict], arguments[SyncParams.take].utf8.elementsEqual("other".utf8)
        )
        let sync = try storeSync("sync.settle")
        let settlement: Settlement
        do throws(SyncError) { settlement = try sync.settlement(id, takesOther: takesOther, at: now) } catch {
            throw RPCError(error, by: "sync.settle")
        }
        do throws(MoodStoreError) {
            try store.settle(settlement)
            try store.get(settlement.mood, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    /// Work for a thread of its own.
    /// - Parameters:
    ///   - isRound: whether to notify subscribers of its end.
    ///   - isChange: whether later requests of `sync.*` wait for its effect.
    private mutating func syncWork(
        _ method: String, isRound: Bool = false, isChange: Bool = false,
        _ body: @escaping @Sendable (StoreSync, LongWork) throws(SyncError) -> LongWork.Conclusion
    ) throws(RPCError) -> LongRequest {
        let settings = try settingsForSync(method, isChange: true)
        let work = LongWork(on: sync.thread, .init(message: "Syncing", done: 0, total: 0))
        let isCancelled: @Sendable () -> Bool = {
            work.takeEffectInTime()
            return work.isCancelled
        }
        let store = StoreSync(
            settings, peer: transportPeer(isCancelled: isCancelled), patienceMilliseconds: Self.patienceMilliseconds,
            isCancelled: isCancelled)
        // A round of the host itself makes room.
        sync.round?.cancel()
        sync.requests.add(work, isChange: isChange)
        return LongRequest(work) {
            do throws(SyncError) { return try body(store, work) } catch {
                let error = RPCError(error, by: method)
                return { (core, _) throws(RPCError) in
                    if isRound { core.syncHasEnded() }
                    throw error
                }
            }
        }
    }

    // MARK: The status

    mutating func writeSyncStatus(_ out: inout JSONWriter) throws(RPCError) {
        if path != nil { try open() }
        do throws(StorageError) { try syncStatus().write(to: &out) } catch { throw RPCError(error, forWriting: false) }
    }

    /// - Parameter commitsMax: limit for counting commits that are not among the records. Each is read from the
    ///   journal.
    mutating func syncStatus(commitsMax: Int = .max) throws(StorageError) -> SyncStatus {
        guard let settings = store.settingsForSync else { return .off }
        return try SyncStatus.read(settings.directory, in: settings.fileSystem) { after in
            var count = 0
            _ = store.commits(after: after, .beginning) { commit in
                if commit.origin != MoodRecords.syncOrigin { count += 1 }
                return count < commitsMax
            }
            return count
        }
    }
}

extension SyncStatus {
    fileprivate func write(to out: inout JSONWriter) {
        out.beginObject()
        for (name, value) in [
            ("journal", journal?.text), ("replica", replica?.text), ("url", url), ("state", state),
            ("lastSync", lastSync), ("lastError", lastError),
        ] {
            guard let value else { continue }
            out.key(text: name)
            out.string(value)
        }
        out.member("pending", pending)
        out.member("replicas", array: replicas) { replica, out in
            out.beginObject()
            out.member("id", replica.id.text)
            out.member("name", replica.name)
            out.member("last", replica.last)
            out.member("lastSeen", replica.lastSeen)
            out.endObject()
        }
        if !missing.isEmpty {
            out.member("missing", array: missing) { element, out in
                let (replica, numbers) = element
                out.beginObject()
                out.member("replica", replica.text)
                out.member("from", numbers.lowerBound)
                out.member("to", numbers.upperBound)
                out.endObject()
            }
        }
        for (name, texts) in [("refused", refused), ("passedOver", passedOver)] where !texts.isEmpty {
            out.key(text: name)
            out.beginArray()
            for text in texts { out.string(text) }
            out.endArray()
        }
        out.endObject()
    }
}

extension RPCError {
    /// - Parameter method: the requested method.
    init(_ error: SyncError, by method: String) {
        var details: [JSONValue.Member] = [.init("by", .string(method)), .init("reason", .string(error.reason))]
        switch error {
        case .store(let error):
            if case .storage(let error) = error {
                self.init(error, forWriting: true)
            } else {
                self.init(error)
            }
        case .busy: self.init(.storeBusy, error.reason)
        case .cancelled: self.init(.cancelled, error.reason)
        case .notFound(let name, _):
            let shown = String(name.unicodeScalars.prefix(200))
            self.init(.notFound, error.reason, [.init("name", .string(shown)), .init("reason", .string(error.reason))])
        case .ambiguous(let journals):
            details.append(.init("journals", .array(journals.map { .string($0) })))
            self.init(.refused, error.reason, details)
        case .offline, .refused, .unopened, .needsConfirmation, .missing: self.init(.refused, error.reason, details)
        }
    }
}
