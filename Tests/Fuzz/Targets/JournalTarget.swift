import Platform
import Storage

/// Properties for any bytes in place of journals, beside a whole snapshot.
///
/// 1. The store shows the state after the last readable commit, and can be written; or acknowledged data is damaged,
///    and it shows the state before that and is read-only; or a line has no known form, and the store is not opened.
///    `PlainRecovery` decides which of these, and which state.
/// 2. Data that was published as synced is there, or the store cannot be written: no acknowledged data is lost
///    silently.
/// 3. A read-only or refused store changes no file.
/// 4. Opened without the lock it shows the state after some commit, at least the published one, or is not writable.
/// 5. A writable store can be committed to; opened again it shows that too, at the next revision, and no file changes.
///
/// The input's first byte: the lowest bit, whether to correct the checksums of all lines first; the next two, the
/// published state: nothing, a synced commit, one without sync, one of an earlier generation; the upper five, which.
/// The rest is the journal; zero bytes, at most two, end one and begin the next. Properties 4 and 5 cost as much as the
/// others four times, so they are tried for one input in eight.
public struct JournalTarget: ~Copyable {
    private let snapshot: [UInt8]
    private let state: PlainState
    /// The index, made once; else each opening of the store would make it.
    private let index: [UInt8]

    public init() {
        snapshot = JournalSeeds.snapshot
        state = JournalSeeds.state
        let files = MemoryFiles()
        files.write(OpenedStore.snapshot, snapshot)
        files.write(OpenedStore.journal(PlainRecovery.generation), JournalSeeds.blank)
        _ = try? OpenedStore(files)
        index = files.read("/store/index-2.v5") ?? []
    }

    public mutating func check(_ input: [UInt8]) throws(Violation) {
        try require(!index.isEmpty, "the fixed snapshot has no index")
        guard let first = input.first else { return }
        let parts = input.dropFirst().split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        let journals = first % 2 == 1 ? parts.map { PlainSeal.sealed($0)[...] } : parts
        let published = Self.publication(first)
        let expected = PlainRecovery(state, journals, published)
        let files = makeFiles(journals, published)
        let before = files.kept
        let found = try OpenedStore(files)
        try compare(found, expected, published)
        guard case .shown(_, let revision, true) = found else {
            return try require(files.kept == before, "a store that is not written has changed: \(files.names)")
        }
        guard input.count % 8 == 0 else { return }
        try checkReader(makeFiles(journals, published), expected, published)
        var state = expected.states[revision] ?? [:]
        if let added = OpenedStore.added { state[added.id] = added.bytes }
        let changed = try OpenedStore(files, addsRecord: true)
        let next = OpenedStore.shown(state, revision: revision + 1, isWritable: true)
        try require(changed == next, "with a commit it is \(changed)")
        let committed = files.kept
        try require(try OpenedStore(files) == next, "opened again it shows something else")
        try require(files.kept == committed, "opening it again has changed files: \(files.names)")
    }

    private static func publication(_ byte: UInt8) -> PlainRecovery.Published? {
        let durable = PlainRecovery.revision + Int(byte >> 3)
        return switch byte >> 1 & 3 {
        case 0: nil
        case 1: .init(generation: PlainRecovery.generation, durable: durable, isSynced: true)
        case 2: .init(generation: PlainRecovery.generation, durable: durable, isSynced: false)
        default: .init(generation: PlainRecovery.generation - 1, durable: durable, isSynced: true)
        }
    }

    private func makeFiles(_ journals: [ArraySlice<UInt8>], _ published: PlainRecovery.Published?) -> MemoryFiles {
        let files = MemoryFiles()
        files.write(OpenedStore.snapshot, snapshot)
        files.write("/store/index-2.v5", index)
        for (number, journal) in journals.enumerated() {
            files.write(OpenedStore.journal(PlainRecovery.generation + number), Array(journal))
        }
        if let published { files.write(OpenedStore.lock, JournalSeeds.lock(published)) }
        return files
    }

    /// Checks properties 1 and 2.
    private func compare(
        _ found: OpenedStore, _ expected: PlainRecovery, _ published: PlainRecovery.Published?
    ) throws(Violation) {
        switch found {
        case .refused:
            try require(expected.isRefused, "refused, but it is commit \(expected.last)")
        case .shown(let state, let revision, let isWritable):
            try require(!expected.isRefused, "opened, but it says something of no known form")
            try require(revision == expected.last, "commit \(revision), but it is commit \(expected.last)")
            try require(state == expected.states[revision], "another state at commit \(revision)")
            try require(isWritable != expected.isDamaged, "writable: \(isWritable), damaged: \(expected.isDamaged)")
            guard isWritable, let published, published.isSynced, published.generation == PlainRecovery.generation else {
                return
            }
            try require(revision >= published.durable, "commit \(published.durable) was acknowledged and is dropped")
        }
    }

    /// Checks property 4.
    private func checkReader(
        _ files: MemoryFiles, _ expected: PlainRecovery, _ published: PlainRecovery.Published?
    ) throws(Violation) {
        let before = files.kept
        guard case .shown(let state, let revision, _) = try OpenedStore(files, isReadOnly: true) else {
            throw Violation("what can be written cannot be read")
        }
        try require(files.kept == before, "a reader has changed files: \(files.names)")
        try require(state == expected.states[revision], "a reader sees another state at commit \(revision)")
        if let published, published.generation == PlainRecovery.generation {
            let least = min(published.durable, expected.last)
            try require(revision >= least, "a reader sees commit \(revision), and \(least) was published")
        }
    }
}
