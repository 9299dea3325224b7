import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// The gate before every handler: it meets the needs of a method, or stops the request before it begins.
extension Core {
    @inline(__always)
    mutating func admit(_ need: Need, _ request: borrowing Request) throws(Stop) {
        if need.isEmpty { return }
        if pluginFlags.contains(.unread) { loadPlugins() }
        if !store.isOpen { try awaitOpening(need, request) }
        if need.contains(.changes) {
            do throws(MoodStoreError) { try store.openForRequest() } catch { throw stop(error, request) }
        } else if need.contains(.reads) {
            do throws(MoodStoreError) { try store.open() } catch { throw stop(error, request, .read) }
        }
        if !need.isDisjoint(with: [.tidies, .makes, .idle, .durable, .settled]) { try admitMore(need, request) }
    }

    @inline(never)
    private mutating func admitMore(_ need: Need, _ request: borrowing Request) throws(Stop) {
        if need.contains(.durable), store.needsFlush, !store.isCommitOpen, request.ways.contains(.mayWait) {
            throw .waits(.turn)
        }
        if need.contains(.settled), sync.requests.isChanging, request.ways.contains(.mayWait) { throw .waits(.sync) }
        if need.contains(.idle) { try awaitHelper(request) }
        if need.contains(.tidies) {
            do throws(MoodStoreError) { try store.open() } catch { throw stop(error, request, .read) }
            if !store.isAbsent {
                do throws(MoodStoreError) { try store.openForRequest() } catch { throw stop(error, request) }
            }
        }
        guard need.contains(.makes) else { return }
        // The lock is this process's own.
        if isStoreAway { throw request.ways.contains(.mayWait) ? .waits(.store) : .refused(.shuttingDown) }
        do throws(MoodStoreError) { try store.openForWriting() } catch { throw stop(error, request) }
        storeMayBeThere()
    }

    /// Waits for the helper thread, if that opens a store that takes long to open.
    @inline(never)
    private mutating func awaitOpening(_ need: Need, _ request: borrowing Request) throws(Stop) {
        guard store.isOpeningBeside() else { return }
        if request.ways.contains(.mayWait) { throw .waits(.helper) }
        if need.contains(.tolerates) { return }
        throw .refused(RPCError(.storeBusy, "The store is being opened. Try again."))
    }

    /// Waits for the work of earlier requests, whose files this request will replace.
    private mutating func awaitHelper(_ request: borrowing Request) throws(Stop) {
        guard store.helper.isRunning else { return }
        if request.ways.contains(.mayWait), store.lockWait.mode == .beside, !store.needsFlush {
            throw .waits(.helper)
        }
        while !store.helper.wait(milliseconds: 50) {
            if Interruption.time != nil { throw .refused(.shuttingDown) }
        }
        // Wakes the loop for finished work that it has not seen yet.
        store.helper.wake()
    }

    /// The end of a request that cannot have the store: it waits, if the lock is held elsewhere.
    @inline(never)
    func stop(
        _ error: MoodStoreError, _ request: borrowing Request, _ effect: MethodDeclaration.Effect = .write
    ) -> Stop {
        if case .storage(.busy) = error, store.lockWait.isUnderWay, request.ways.contains(.mayWait) {
            return .waits(.lock)
        }
        return .refused(RPCError(error, effect))
    }
}
