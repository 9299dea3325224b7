import Platform

/// Collects the commits since the snapshot, and judges whether they are all that was acknowledged.
///
/// The snapshot of generation G holds commit R. The journals of generation G and up continue it. Rules:
///
/// 1. A journal becomes visible under its name whole: header and copied lines are synced under a temporary name before.
/// 2. The first journal's base is R. A later one's base is a commit of an earlier one, and **lines of an earlier
///    journal above a later one's base are void**: the writer that began the later one has judged them.
/// 3. A journal with no lines yet counts only if it is the last and its base is the last commit before it; else an
///    unfinished rewrite or upgrade left it behind; that of an upgrade has a later schema version. (A writer appends
///    lines to a journal only when all others that could count are gone.)
/// 4. A commit is *proven* if it was synced for certain: it is at or below R, a base, the `durable` of a valid line, or
///    the published durable seq (if that was synced, and for this generation: a publication for an earlier one proves
///    nothing after R, because the writer that began this one may have taken it back). Only published commits are
///    acknowledged, and only synced ones are published, so an unreadable commit is certainly lost only if it is proven.
/// 5. If the lines end, or a bad line stands, before a proven commit: acknowledged data is damaged. The commits before
///    it are shown, and nothing is written any more.
/// 6. Otherwise the bytes after the last valid line were never acknowledged, and are cut off.
/// 7. An end is clean if only line feeds follow the last valid line and that line is at or below the published seq.
///    After an unclean end nothing is ever appended: the next writer begins the next journal with a copy of the valid
///    lines that are not proven, syncs it, and only then shows them.
struct Recovery {
    let snapshot: SnapshotHeader
    /// The publication for this very store, if any.
    let publication: Publication?
    /// Without the lock, another process may be writing while the journal is read: the end of a line may still be
    /// missing although the next line is there and says that it was synced. So with a published seq and without the
    /// lock, lines above it are no evidence of damage.
    let isLocked: Bool

    struct Outcome {
        /// The last readable commit.
        var last: Int
        /// The last commit that is certainly on stable storage.
        var proven: Int
        /// The index of the journal to continue.
        var current = 0
        /// The offset where its lines end.
        var end = 0
        var isClean = true
        /// Whether bytes follow the last valid line, which a roll cuts off.
        var hasTornTail = false
        /// Lines that were not passed on yet: their journal, their offset, and the commit before them.
        var held: (index: Int, offset: Int, base: Int)?
        /// Indices of journals that do not count.
        var abandoned: [Int] = []
        /// Bytes of the lines that count and were asked for.
        var changeBytes = 0
        /// Rule 5.
        var damage: StorageError?
        /// The last commit that was certainly acknowledged, if there is damage.
        var acknowledged: Int?
    }

    init(_ snapshot: SnapshotHeader, published: Publication?, isLocked: Bool) {
        self.snapshot = snapshot
        self.isLocked = isLocked
        publication = published.flatMap { $0.storeId == snapshot.storeId ? $0.known(to: snapshot) : nil }
    }

    /// Reads all journals and passes on the changes of the proven commits; the rest is `held`.
    /// - Parameter revisionMax: commits after this one are judged too, but neither passed on nor counted.
    func replay(
        _ journals: borrowing OpenJournals, upTo revisionMax: Int = .max,
        apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Outcome {
        let entries = journals.entries
        let counting = entries.indices.filter { $0 == 0 || !entries[$0].isBlank }
        let publishedProven = publication.map { $0.isSynced ? $0.durable : 0 } ?? 0
        var outcome = Outcome(last: snapshot.revision, proven: max(snapshot.revision, publishedProven))
        var isTerminated = true

        for (place, index) in counting.enumerated() {
            let entry = entries[index]
            guard let header = entry.header, let base = base(of: header, entry, outcome.last, isFirst: place == 0)
            else {
                outcome.damage = headerDamage(entry, follows: outcome.last)
                outcome.acknowledged = max(outcome.proven, entry.header?.baseRevision ?? 0)
                return outcome
            }
            let limit = place + 1 < counting.count ? entries[counting[place + 1]].header?.baseRevision : nil
            outcome.last = base
            outcome.proven = max(outcome.proven, base)
            let scan = try JournalReplay(
                entry, of: journals, after: base, limit: limit, heldAbove: outcome.proven, upTo: revisionMax,
                apply: apply)
            outcome.last = scan.last
            outcome.proven = max(outcome.proven, scan.provenByLines)
            outcome.current = index
            outcome.end = scan.end
            outcome.held = scan.held.map { (index, $0.offset, $0.base) }
            outcome.changeBytes += scan.countedEnd - entry.headerEnd
            outcome.hasTornTail = scan.badOffset != nil
            isTerminated = scan.isTerminated
            let proven = isLocked || publication == nil ? outcome.proven : max(base, publishedProven)
            let mustReach = max(limit ?? 0, place + 1 == counting.count ? proven : 0)
            if scan.last < mustReach {
                outcome.damage = .corrupt(
                    file: entry.name, offset: scan.badOffset ?? scan.end,
                    reason: "\(entry.name) is damaged after commit \(scan.last), and commit \(mustReach) was"
                        + " acknowledged. Put back a copy of the file, or save what is left into a new store.")
                outcome.acknowledged = mustReach
                return outcome
            }
        }
        let shown = max(publication?.durable ?? 0, entries[outcome.current].header?.baseRevision ?? 0)
        outcome.isClean = !outcome.hasTornTail && isTerminated && outcome.last <= shown
        try judgeBlankJournals(entries, after: outcome.current, &outcome)
        return outcome
    }

    /// Rule 3.
    private func judgeBlankJournals(
        _ entries: [OpenJournals.Entry], after last: Int, _ outcome: inout Outcome
    ) throws(StorageError) {
        for index in entries.indices where index > last {
            let entry = entries[index]
            guard let header = entry.header, isOurs(header, entry) || isOfUpgrade(header, entry) else {
                outcome.damage = headerDamage(entry, follows: outcome.last)
                outcome.acknowledged = outcome.proven
                return
            }
            guard header.baseRevision == outcome.last, isOurs(header, entry) else {
                outcome.abandoned.append(index)
                continue
            }
            outcome.proven = max(outcome.proven, outcome.last)
            outcome.current = index
            outcome.end = entry.headerEnd
            outcome.isClean = true
            outcome.hasTornTail = false
        }
    }

    private func isOurs(_ header: JournalHeader, _ entry: OpenJournals.Entry) -> Bool {
        isOfStore(header, entry) && header.schemaVersion == snapshot.schemaVersion
    }

    private func isOfStore(_ header: JournalHeader, _ entry: OpenJournals.Entry) -> Bool {
        header.storeId == snapshot.storeId && header.generation == entry.generation
    }

    /// Whether an unfinished upgrade left a blank journal behind: no process can have written to it.
    private func isOfUpgrade(_ header: JournalHeader, _ entry: OpenJournals.Entry) -> Bool {
        isOfStore(header, entry) && header.schemaVersion > snapshot.schemaVersion
    }

    /// The base of a journal, if it fits the commits read before.
    private func base(
        of header: JournalHeader, _ entry: OpenJournals.Entry, _ last: Int, isFirst: Bool
    ) -> Int? {
        guard isOurs(header, entry), header.baseRevision >= snapshot.revision else { return nil }
        guard isFirst ? header.baseRevision == last : header.baseRevision <= last else { return nil }
        return header.baseRevision
    }

    private func headerDamage(_ entry: OpenJournals.Entry, follows last: Int) -> StorageError {
        let reason =
            switch entry.header {
            case nil: "does not begin with a whole header"
            case .some(let header) where header.storeId != snapshot.storeId: "belongs to another store"
            case .some(let header) where header.generation != entry.generation: "bears another generation's name"
            case .some(let header) where header.schemaVersion != snapshot.schemaVersion:
                "is of schema version \(header.schemaVersion)"
            case .some(let header):
                "begins after commit \(header.baseRevision), and what is before it ends with commit \(last)"
            }
        return .corrupt(
            file: entry.name, offset: 0,
            reason: "\(entry.name) \(reason). Put back the files as they were, or save what is left into a new store.")
    }
}

/// The content of one journal after its header: the lines that follow one another, and what comes after.
struct JournalReplay {
    /// The last commit that follows without a gap.
    var last: Int
    /// The offset after its line.
    var end: Int
    /// The offset after the last line that was asked for.
    var countedEnd: Int
    /// False if that line is the file's last and lacks its line feed.
    var isTerminated = true
    /// The offset of the first bytes that are neither the next line nor the blank end.
    var badOffset: Int?
    /// The last commit that a line here says was synced, also a line after the bad one.
    var provenByLines = 0
    /// The first line that was not passed on, and the commit before it.
    var held: (offset: Int, base: Int)?

    /// Reads the lines after commit `base`, up to `limit`, and passes on the changes of the commits up to `heldAbove`,
    /// except commits after `revisionMax`.
    ///
    /// - Throws: the errors of `apply`; `corrupt` for a line with a right seal but an unknown form.
    init(
        _ entry: OpenJournals.Entry, of journals: borrowing OpenJournals, after base: Int, limit: Int?, heldAbove: Int,
        upTo revisionMax: Int, apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        last = base
        end = entry.headerEnd
        countedEnd = end
        let handOverMax = max(heldAbove, limit ?? 0)
        var reader = journals.reader(entry, from: entry.headerEnd)
        while badOffset != nil || limit.map({ last < $0 }) ?? true {
            let step: JournalReader.Step?
            do {
                step = try reader.next()
            } catch {
                throw .reading(error, entry.name, at: reader.offset)
            }
            switch step {
            case nil: return
            case .blanks(let offset)?, .broken(let offset, _)?: badOffset = badOffset ?? offset
            case .foreign(let offset)?:
                if badOffset == nil { throw Self.unknownForm(entry.name, offset) }
            case .commit(let commit)? where badOffset != nil:
                if commit.content.seq > last { provenByLines = max(provenByLines, commit.content.durable) }
            case .commit(let commit)? where commit.content.seq != last + 1: badOffset = commit.offset
            case .commit(let commit)?:
                if commit.content.seq <= revisionMax {
                    if held == nil, commit.content.seq <= handOverMax {
                        try Self.handOver(commit, entry.name, apply)
                    } else if held == nil {
                        held = (commit.offset, last)
                    }
                    countedEnd = commit.end
                }
                last = commit.content.seq
                end = commit.end
                isTerminated = commit.isTerminated
                provenByLines = max(provenByLines, commit.content.durable)
            }
        }
    }

    /// Passes on the changes of the lines from `offset` on, up to commit `last`: they were read before.
    /// - Parameter base: the commit before the first of them.
    /// - Returns: the offset after the last of those lines.
    @discardableResult
    static func handOver(
        _ entry: OpenJournals.Entry, of journals: borrowing OpenJournals, from offset: Int, after base: Int,
        upTo last: Int, apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        var end = offset
        var reader = journals.reader(entry, from: offset)
        let found = try reader.commits(after: base, upTo: last) { (commit) throws(StorageError) in
            try handOver(commit, entry.name, apply)
            end = commit.end
            return true
        }
        // The lines were whole a moment ago: another program is cutting the file.
        guard found >= last else {
            throw .corrupt(file: entry.name, offset: end, reason: "\(entry.name) changed while it was read.")
        }
        return end
    }

    private static func handOver(
        _ commit: JournalReader.Commit, _ name: String, _ apply: (LoadEvent, String, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let isKnown = try commit.content.forEachChange { (event) throws(StorageError) in
            try apply(event, name, commit.offset)
        }
        guard isKnown else { throw unknownForm(name, commit.offset) }
    }

    private static func unknownForm(_ name: String, _ offset: Int) -> StorageError {
        .corrupt(
            file: name, offset: offset,
            reason: "\(name) holds a commit of a form that this version of the program does not know.")
    }
}
