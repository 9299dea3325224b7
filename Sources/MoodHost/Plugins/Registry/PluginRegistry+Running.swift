import Platform
import PluginHost

/// The processes of plugins, in the loop.
extension PluginRegistry {
    /// All plugins that have a process, or may have one.
    var all: [HostedPlugin] { leaving.isEmpty ? hosted : hosted + leaving }

    /// The time at which the loop must handle plugins again, by `Clock.monotonicMilliseconds`.
    var deadline: Int? {
        if hasChanges || all.contains(where: \.hasNews) { return 0 }
        guard let deliveryDeadline else { return processDeadline }
        return min(processDeadline ?? .max, deliveryDeadline)
    }

    /// The next deadline that `tick` handles.
    private var processDeadline: Int? {
        var earliest: Int?
        for plugin in all { if let time = plugin.deadline { earliest = min(earliest ?? time, time) } }
        for one in notes.values { if let time = one.deadline { earliest = min(earliest ?? time, time) } }
        for plugin in ready { if let time = plugin.diskDeadline { earliest = min(earliest ?? time, time) } }
        return earliest
    }

    /// - Parameter time: the time until which all output of plugins was read.
    func tick(at time: Int) {
        let now = Clock.monotonicMilliseconds
        for plugin in all where plugin.deadline.map({ $0 <= now }) ?? false { plugin.tick(at: time) }
        for plugin in ready { plugin.checkDisk(at: now, helper) }
        for one in notes.values where one.deadline.map({ $0 <= now }) ?? false { one.flush() }
        leaving.removeAll { $0.isGone && !$0.hasNews }
        removeOutdated()
    }

    /// Notes that outdated copies of a plugin remain.
    func noteOutdated(_ id: PluginID) { outdated.insert(id) }

    /// Keeps the copies of a plugin for as long as the claim lives. After it, those that its record does not name are removed.
    func claimCopies(of id: PluginID) -> CopyClaim {
        let claim = CopyClaim(id)
        claims.append(CopyClaim.Weak(claim: claim))
        noteOutdated(id)
        return claim
    }

    /// Removes outdated copies, once no plugin runs from them here, and no trust may still name one.
    private func removeOutdated() {
        guard !outdated.isEmpty, let folder = try? runFolder() else { return }
        claims.removeAll { $0.claim == nil }
        for id in outdated
        where copying?.id != id && !claims.contains(where: { $0.claim?.id == id })
            && !leaving.contains(where: { $0.id == id })
        {
            TrustedCopy.removeOthers(of: id, in: folder, keeping: records[id].flatMap { PluginDigest($0.digest) })
            outdated.remove(id)
        }
    }

    /// Whether plugins have news since the last call.
    func takeNews() -> Bool {
        var hasNews = false
        for plugin in all where plugin.hasNews {
            plugin.hasNews = false
            hasNews = true
        }
        return hasNews
    }

    /// Tells all plugins at once that the host ends.
    func stopAll() {
        for plugin in all { plugin.stop(because: "the host ends") }
    }

    /// Ends all processes of plugins before it returns.
    func part() {
        guard isLoaded else { return }
        stopAll()
        let end = Clock.monotonicMilliseconds + Self.partingMilliseconds
        var sources = EventSources()
        var watch = PluginWatch()
        while !all.allSatisfy(\.isGone), Clock.monotonicMilliseconds < end {
            watch.prepare(all, isFull: false, &sources)
            sources.setDeadline(.plugins, at: min(processDeadline ?? end, end))
            switch sources.next() {
            case .readable(let name), .writable(let name), .closed(let name):
                if let (slot, end) = PluginWatch.place(of: name) { watch.attend(slot, end) }
            case .due: tick(at: sources.pollTime)
            }
        }
        for plugin in all { plugin.end() }
        for one in notes.values { one.settle() }
        leaving.removeAll()
        removeOutdated()
        if let folder = temporary.made {
            let ids = records.records.map(\.id) + (copying.map { [$0.id] } ?? [])
            for id in ids { TrustedCopy.removeOthers(of: id, in: folder, keeping: nil) }
            temporary.remove(folders: ids.map(\.text))
        }
    }

    /// The time for a goodbye, SIGTERM, SIGKILL, and a little more.
    private static let partingMilliseconds = 1500
}

/// The claim of a trust on the copies of its plugin. The request holds it until the record names one of them, or the request has failed.
final class CopyClaim: Sendable {
    let id: PluginID

    init(_ id: PluginID) { self.id = id }

    struct Weak {
        weak var claim: CopyClaim?
    }
}
