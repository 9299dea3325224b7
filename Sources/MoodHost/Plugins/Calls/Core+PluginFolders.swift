import JSONRPC
import MoodProtocol
import Platform
import PluginHost
import Synchronization

/// Work of the helper thread on the folders of plugins. A request waits for it, and is then handled again.
final class FolderWork<Result: Sendable>: Sendable {
    private let state = Mutex<Result?>(nil)

    /// Nil while it is under way.
    var result: Result? { state.withLock { $0 } }

    func end(_ result: Result) { state.withLock { $0 = result } }
}

/// A copy that a request to trust waits for.
struct FolderCopying {
    let id: PluginID
    let digest: PluginDigest
    let work = FolderWork<Result<TrustedCopy, PluginFolderProblem>>()
}

/// Folders of plugins may have 64 MiB, so the helper thread copies them, and reads large ones.
extension Core {
    /// Reads the folder of the plugin that a request names.
    mutating func readFolder(_ arguments: borrowing Arguments, _ request: borrowing Request) throws {
        seePlugins()
        _ = try scanPlugins(only: Self.pluginID(arguments), request)
    }

    /// Whether a request may wait for the helper thread.
    private func mayWait(_ request: borrowing Request) -> Bool {
        Interruption.time == nil && request.ways.contains(.mayWait) && store.lockWait.mode == .beside
    }

    /// Finds plugins in the folders.
    /// - Throws: the wait for a large folder.
    mutating func scanPlugins(only id: PluginID? = nil, _ request: borrowing Request) throws(Stop) -> [FoundPlugin] {
        let mayWait = mayWait(request)
        var isRead = false
        if let reading = plugins.reading {
            if let result = reading.result {
                plugins.digests.take(result)
                plugins.reading = nil
                isRead = true
            } else if mayWait {
                throw .waits(.helper)
            }
        }
        let isEnding = Interruption.time != nil
        // A request waits once: whatever is still unread then, it reads itself.
        if mayWait && !isRead || isEnding { plugins.digests.leaveLarge() }
        let found = plugins.scan(only: id)
        let unread = plugins.digests.takeUnread()
        guard !unread.isEmpty else { return found }
        if isEnding { throw .refused(.shuttingDown) }
        let work = FolderWork<[DigestCache.Reading]>()
        // Without a thread, this request reads them.
        guard store.helper.run({ work.end(DigestCache.read(unread)) }) else { return plugins.scan(only: id) }
        plugins.reading = work
        throw .waits(.helper)
    }

    /// Copies the folder that is to be trusted. That needs no lock: only complete copies have a name.
    /// - Throws: the wait for the copy.
    mutating func copyFolder(of found: Trustable, _ request: borrowing Request) throws(Stop) {
        // Such a request is refused.
        if options.isReadOnly { return }
        let mayWait = mayWait(request)
        if let copying = plugins.copying, copying.id == found.id, copying.digest == found.digest {
            if copying.work.result != nil { return }
            throw mayWait ? .waits(.helper) : .refused(.shuttingDown)
        }
        if Interruption.time != nil { throw .refused(.shuttingDown) }
        guard mayWait else { return }
        if let other = plugins.copying {
            if other.work.result == nil { throw .waits(.helper) }
            // Its request was cancelled.
            plugins.noteOutdated(other.id)
            plugins.copying = nil
        }
        if let store = plugins.store, (try? FileSystem.system.statusOfPath(store)) == nil {
            try admit(.makes, request)
        }
        guard let folder = try? plugins.runFolder() else { return }
        let copying = FolderCopying(id: found.id, digest: found.digest)
        let (id, path, digest, work) = (found.id, found.path, found.digest, copying.work)
        let isBegun = store.helper.run {
            do throws(PluginFolderProblem) {
                work.end(.success(try TrustedCopy.make(from: path, of: id, into: folder, expecting: digest)))
            } catch {
                work.end(.failure(error))
            }
        }
        guard isBegun else { return }
        plugins.copying = copying
        throw .waits(.helper)
    }

    /// The copy of a folder, made now if it was not made before.
    mutating func takeCopy(_ found: Trustable) throws -> TrustedCopy {
        if let copying = plugins.copying, copying.id == found.id, copying.digest == found.digest,
            let result = copying.work.result
        {
            plugins.copying = nil
            return try result.get()
        }
        return try TrustedCopy.make(from: found.path, of: found.id, into: plugins.runFolder(), expecting: found.digest)
    }
}
