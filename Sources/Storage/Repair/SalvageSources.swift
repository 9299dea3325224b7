import JSONCodec
import Platform

/// The files of a damaged store to apply, in order; `Salvage` has the rules.
///
/// A file that cannot be opened or read here counts as not whole: `Salvage` reads each file again that it applies, and
/// reports the reason.
struct SalvageSources {
    struct Journal {
        let generation: Int
        /// The name in the directory, or in its history.
        let name: String
        /// The commit before its first; nil if its header is not whole.
        let base: Int?
    }

    let hasSnapshot: Bool
    /// The commit of the snapshot, if known.
    let snapshotRevision: Int?
    /// The name of an earlier whole snapshot, if it is of use.
    private(set) var backup: String?
    /// Journals between the backup and the snapshot.
    private(set) var earlier: [Journal] = []
    /// Journals after the snapshot.
    private(set) var later: [Journal]

    /// - Throws: `newerSchema`, `unavailable`: nothing here is readable by this version.
    init(_ place: borrowing StoreDirectory, _ schemaVersion: Int) throws(StorageError) {
        let inventory: StoreInventory
        let past: StoreInventory
        do throws(SystemError) {
            inventory = try place.inventory()
            do throws(SystemError) {
                past = try place.historyInventory()
            } catch {
                guard error.code == ELOOP || error.code == ENOTDIR else { throw error }
                past = StoreInventory([])
            }
        } catch {
            throw .reading(error, place.path)
        }
        hasSnapshot = inventory.hasSnapshot
        let (header, isWhole) = Self.survey(StoreDirectory.snapshotName, place)
        if let version = header?.schemaVersion ?? Self.probedVersion(place), version > schemaVersion {
            throw SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: schemaVersion).newer(version)
        }
        guard hasSnapshot || !inventory.journals.isEmpty || !inventory.backups.isEmpty || !past.journals.isEmpty else {
            throw .unavailable(
                reason: "There is nothing of a store in \(place.path).", advice: "Check the path of the store.")
        }
        // The journals before the snapshot's own are in the history.
        let generation = header?.generation ?? inventory.journals.first ?? .max
        later = inventory.journals.filter { $0 >= generation }.map {
            Self.journal($0, StoreInventory.journalName($0), place)
        }
        snapshotRevision = header?.revision ?? later.first?.base
        guard !isWhole else { return }
        let before =
            past.journals.filter { $0 < generation }.map {
                Self.journal($0, StoreInventory.pastName($0), place)
            }
            + inventory.journals.filter { $0 < generation }.map {
                Self.journal($0, StoreInventory.journalName($0), place)
            }
        chooseStart(
            before.sorted { $0.generation < $1.generation }, inventory.backups.filter { $0 < generation }, place)
    }

    /// Chooses the newest backup, or else the very beginning, from which the journals lead to the snapshot without a
    /// gap.
    private mutating func chooseStart(_ journals: [Journal], _ backups: [Int], _ place: borrowing StoreDirectory) {
        for generation in backups.reversed() {
            let name = StoreInventory.backupName(generation)
            let (header, isWhole) = Self.survey(name, place)
            let following = journals.filter { $0.generation >= generation }
            guard isWhole, let header, leads(following, from: header.revision, place) else { continue }
            backup = name
            earlier = following
            return
        }
        if !journals.isEmpty, leads(journals, from: 0, place) { earlier = journals }
    }

    /// Whether journals lead from one commit to that of the snapshot, with every line whole.
    private func leads(_ journals: [Journal], from revision: Int, _ place: borrowing StoreDirectory) -> Bool {
        var last = revision
        for (index, journal) in journals.enumerated() {
            guard let base = journal.base, base <= last else { return false }
            let limit = journals[(index + 1)...].first { $0.base != nil }?.base ?? snapshotRevision
            guard let open = try? OpenJournals(journal.name, journal.generation, in: place),
                let entry = open.entries.first,
                let survey = try? JournalSurvey(entry, in: place.fileSystem, after: base, limit: limit, found: { _ in })
            else { return false }
            last = survey.last
            if let limit, last < limit { return false }
        }
        return snapshotRevision.map { last == $0 } ?? true
    }

    private static func survey(
        _ name: String, _ place: borrowing StoreDirectory
    ) -> (header: SnapshotHeader?, isWhole: Bool) {
        var isWhole = true
        guard let file = try? place.open(name, .read),
            let survey = try? SnapshotScan(
                file, in: place.fileSystem,
                found: { finding in
                    if case .problem = finding { isWhole = false }
                })
        else { return (nil, false) }
        return (survey.header, isWhole && survey.isSealed && survey.header?.count == survey.records)
    }

    /// The schema version that a snapshot of another layout names.
    private static func probedVersion(_ place: borrowing StoreDirectory) -> Int? {
        guard let file = try? place.open(StoreDirectory.snapshotName, .read), let text = try? file.readWhole() else {
            return nil
        }
        var probe = SchemaProbe()
        probe.read(text.bytes)
        return probe.version
    }

    private static func journal(_ generation: Int, _ name: String, _ place: borrowing StoreDirectory) -> Journal {
        guard let open = try? OpenJournals(name, generation, in: place) else {
            return Journal(generation: generation, name: name, base: nil)
        }
        return Journal(generation: generation, name: name, base: open.entries.first?.header?.baseRevision)
    }

    /// The size of all files to read.
    func totalBytes(in place: borrowing StoreDirectory) -> Int {
        let names =
            [backup, hasSnapshot ? StoreDirectory.snapshotName : nil].compactMap { $0 } + (earlier + later).map(\.name)
        return names.reduce(0) { $0 + ((try? place.status(of: $1))?.map(\.size) ?? 0) }
    }
}

extension StoreDirectory {
    /// Whether there is a history.
    /// - Throws: also if its name belongs to anything but a directory, such as a symbolic link, which would lead out of
    ///   the store.
    func hasHistory() throws(SystemError) -> Bool {
        guard let kind = try status(of: Self.historyName)?.kind else { return false }
        if kind == .directory { return true }
        throw SystemError(
            call: "open", subject: path(of: Self.historyName), code: kind == .symbolicLink ? ELOOP : ENOTDIR)
    }

    /// The names in the history; none without one.
    func historyInventory() throws(SystemError) -> StoreInventory {
        try StoreInventory(hasHistory() ? fileSystem.list(path(of: Self.historyName)) : [])
    }

    /// Makes a missing `history/`. Its name is synced before anything is moved into it: a power cut could lose the
    /// folder and keep the moves.
    func makeHistory() throws(SystemError) {
        if try hasHistory() { return }
        try fileSystem.makeDirectory(path(of: Self.historyName))
        try sync()
    }
}

/// The last version of each record, collected from damaged or edited files: by id, in memory.
///
/// Bytes of overtaken versions stay until the end, so it takes as much memory as was read.
struct GatheredRecords: ~Copyable {
    private struct Entry {
        let time: Int64
        let offset: Int
        let count: Int
    }

    private var bytes = ByteBuffer(capacity: 64 << 10)
    private var entries: [RecordID: Entry] = [:]

    var count: Int { entries.count }

    func contains(_ id: RecordID) -> Bool { entries[id] != nil }

    /// Inserts or replaces a record.
    /// - Returns: whether there was one with its id.
    @discardableResult
    mutating func put(_ record: UnsafeRawBufferPointer, id: RecordID, time: Int64) -> Bool {
        let entry = Entry(time: time, offset: bytes.count, count: record.count)
        bytes.append(record)
        return entries.updateValue(entry, forKey: id) != nil
    }

    /// - Returns: whether there was one.
    @discardableResult
    mutating func remove(_ id: RecordID) -> Bool { entries.removeValue(forKey: id) != nil }

    mutating func removeAll() { entries.removeAll() }

    func forEachID(_ body: (RecordID) -> Void) { entries.keys.forEach(body) }

    /// All records in the order of a snapshot: by time, then by id.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        let ordered = entries.sorted { a, b in
            a.value.time != b.value.time ? a.value.time < b.value.time : a.key < b.key
        }
        for (_, entry) in ordered {
            body(UnsafeRawBufferPointer(rebasing: bytes.bytes[entry.offset..<entry.offset + entry.count]))
        }
    }
}
