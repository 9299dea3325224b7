/// The works of `sync.*` that requests asked for. The requests own them, so a work is gone once its request is answered or
/// dropped.
final class AskedSyncs {
    private struct Work {
        weak var work: LongWork?
    }

    private var works: [Work] = []
    private weak var change: LongWork?

    /// Whether the effect of the latest setup or leave has still to come: later requests of `sync.*` wait for it.
    var isChanging: Bool { change?.isExpected ?? false }

    func add(_ work: LongWork, isChange: Bool) {
        works.removeAll { $0.work == nil }
        works.append(Work(work: work))
        if isChange { change = work }
    }

    /// Whether one is still at work. Each ends when it is this many milliseconds old.
    func end(atAge limit: Int) -> Bool {
        let running = works.compactMap(\.work).filter { !$0.isOver }
        for work in running { work.limit(milliseconds: limit) }
        return !running.isEmpty
    }

    /// Lets later requests pass, because the process ends.
    func release() { change = nil }
}
