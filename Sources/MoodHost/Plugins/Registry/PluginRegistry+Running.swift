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
        if isRemoving { earliest = min(earliest ?? .max, removalTime) }
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

    /// Whether outdated copies remain.
    var isRemoving: Bool { removal != nil || !outdated.isEmpty }

    /// Has outdated copies removed, once no plugin runs from them here. A large one has thousands of files.
    private func removeOutdated() {
        let now = Clock.monotonicMilliseconds
        guard isRemoving, now >= removalTime else { return }
        removalTime = now + Self.removalMilliseconds
        if let left = removal?.result {
            outdated.formUnion(left)
            removal = nil
        }
        let ids = outdated.filter { id in !leaving.contains { $0.id == id } }
        guard removal == nil, !ids.isEmpty, let folder = try? runFolder() else { return }
        outdated.subtract(ids)
        let (work, records) = (FolderWork<Set<PluginID>>(), records)
        let remove: @Sendable () -> Void = { [location] in
            let left = ids.filter { id in
                !TrustedCopy.removeOthers(of: id, in: folder) { try records.read(again: location).digest(of: id) }
            }
            work.end(left)
        }
        removal = work
        // The records in memory change with the loop.
        if store == nil || !helper.run(remove) { remove() }
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
        for _ in 0..<2 {
            // First for a removal that is under way.
            _ = helper.wait(milliseconds: Self.removalMilliseconds)
            removalTime = 0
            removeOutdated()
        }
        _ = helper.wait(milliseconds: Self.removalMilliseconds)
        if let folder = temporary.made {
            let ids = records.records.map(\.id) + (copying.take().map { [$0.id] } ?? [])
            for id in ids { _ = TrustedCopy.removeOthers(of: id, in: folder) { nil } }
            temporary.remove(folders: ids.map(\.text))
        }
    }

    /// The time for a goodbye, SIGTERM, SIGKILL, and a little more.
    private static let partingMilliseconds = 1500
    /// The time until the removal of copies is tried again, and the time for it at the end.
    private static let removalMilliseconds = 200
}
