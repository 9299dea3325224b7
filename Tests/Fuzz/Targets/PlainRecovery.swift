import Storage

/// The result of opening a store with its journals, computed simply: all lines in memory, a state for each commit.
struct PlainRecovery {
    /// The revision of the fixed snapshot for trials of journals.
    static let revision = 5
    static let generation = 2
    static let storeId = "00000000-0000-4000-8000-00000000002a"

    /// The content of the lock file.
    struct Published {
        var generation: Int
        var durable: Int
        var isSynced: Bool
    }

    /// The state after each readable commit.
    private(set) var states: [Int: PlainState]
    private(set) var last = Self.revision
    /// Whether acknowledged data is damaged: the store is then read-only.
    private(set) var isDamaged = false
    /// Whether a line has no known form: the store is then not opened.
    private(set) var isRefused = false
    private var proven: Int

    init(_ snapshot: PlainState, _ journals: [ArraySlice<UInt8>], _ published: Published?) {
        states = [last: snapshot]
        proven = last
        if let published, published.isSynced, published.generation >= Self.generation {
            proven = max(proven, published.durable)
        }
        let entries = journals.map { PlainJournal($0) }
        let counting = entries.indices.filter { $0 == 0 || !entries[$0].isBlank }
        for (place, index) in counting.enumerated() {
            let next = place + 1 < counting.count ? entries[counting[place + 1]] : nil
            guard read(entries[index], index, next, isFirst: place == 0) else { return }
        }
        // Among later blank journals only another store's matter.
        for index in entries.indices where index > (counting.last ?? 0) && !isOurs(entries[index], index) {
            isDamaged = true
        }
    }

    private func isOurs(_ journal: PlainJournal, _ index: Int) -> Bool {
        guard let header = journal.header else { return false }
        return header.storeId.elementsEqual(Self.storeId.utf8) && header.generation == Self.generation + index
            && header.schemaVersion == 3
    }

    /// Reads a journal; false if later ones are not read.
    private mutating func read(_ journal: PlainJournal, _ index: Int, _ next: PlainJournal?, isFirst: Bool) -> Bool {
        guard let base = journal.header?.base, isOurs(journal, index), base >= Self.revision,
            isFirst ? base == last : base <= last
        else {
            isDamaged = true
            return false
        }
        last = base
        proven = max(proven, base)
        let limit = next?.header?.base
        var isBad = false
        let lastLine = journal.lines.lastIndex { if case .blank = $0 { false } else { true } } ?? -1
        for (number, line) in journal.lines.enumerated() where number <= lastLine {
            if !isBad, let limit, last >= limit { break }
            switch line {
            case .commit(let seq, let durable, let changes) where !isBad && seq == last + 1:
                guard let changes else {
                    isRefused = true
                    return false
                }
                apply(changes, durable)
            case .commit(let seq, let durable, _):
                // The first line that does not follow is bad too.
                if isBad, seq > last { proven = max(proven, durable) }
                isBad = true
            case .unknown where !isBad:
                isRefused = true
                return false
            case .unknown, .bad, .blank: isBad = true
            }
        }
        if last < max(limit ?? 0, next == nil ? proven : 0) { isDamaged = true }
        return !isDamaged
    }

    private mutating func apply(_ changes: [PlainJournal.Change], _ durable: Int) {
        var state = states[last] ?? [:]
        for change in changes {
            switch change {
            case .clear: state = [:]
            case .put(let record): state[record.id] = record.bytes
            case .delete(let id): state[id] = nil
            }
        }
        last += 1
        states[last] = state
        proven = max(proven, durable)
    }
}
