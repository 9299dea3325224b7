import Platform

/// Sources for rebuilding the next generation after the current files were changed.
extension StoreFiles {
    /// The sources of the next generation.
    struct Remains {
        /// The number of the next generation, after those of all files.
        var next: Int
        /// The generation of the snapshot that becomes the backup; nil if the snapshot is not ours.
        var backup: Int?
        /// The last commit that the journals contain.
        var reached: Int
        /// The directory for files in our places that are not ours.
        var aside: String?
        /// Names of files to move there once the generation is complete.
        var leftovers: [String] = []
    }

    /// Puts back missing files from those that are open, and sets aside the files in their place.
    func gatherRemains() throws(StorageError) -> Remains {
        let remains = Remains(next: max(generation, journal.generation) + 1, backup: generation, reached: revision)
        do throws(SystemError) {
            if !isSuspect {
                if snapshotIdentity == nil { return remains }
                if try areFilesOursNow() { return remains }
            }
        } catch {
            throw .writing(error, error.subject)
        }
        // `requireEntitled` has already checked whether a generation may be begun.
        guard isSuspect else { throw .busy(reason: "Files in \(place.path) have changed meanwhile. Try again.") }
        do { return try gather(remains) } catch { throw .writing(error, error.subject) }
    }

    private func gather(_ remains: consuming Remains) throws(SystemError) -> Remains {
        var remains = remains
        let inventory = try place.inventory()
        remains.next = max(remains.next, (inventory.journals.last ?? 0) + 1, (inventory.backups.last ?? 0) + 1)
        if try !isSnapshotOurs() { remains.backup = nil }
        for later in inventory.journals where later > journal.generation {
            try remains.moveAside(StoreInventory.journalName(later), in: place, settings)
        }
        try putBackJournal(&remains)
        try putBackOperations(&remains)
        try remains.sync(in: place)
        return remains
    }

    /// Gives a snapshot that is not ours a second name, just before another takes its place: until then an attempt may
    /// fail, and the next one begins again.
    func keepSnapshot(_ remains: inout Remains) throws(StorageError) {
        guard remains.backup == nil else { return }
        do throws(SystemError) {
            guard let snapshot = try place.status(of: StoreDirectory.snapshotName) else { return }
            let name = try remains.place(for: StoreDirectory.snapshotName, in: place, settings)
            try Generation.giveName(name, to: StoreDirectory.snapshotName, snapshot, in: place, settings)
            try remains.sync(in: place)
        } catch {
            throw .writing(error, error.subject)
        }
    }

    private func putBackJournal(_ remains: inout Remains) throws(SystemError) {
        let (end, last) = try readableLines(upTo: revision)
        remains.reached = last
        if last < revision { remains.leftovers.append(journal.name) }
        if try isJournalOurs() { return }
        switch journal.file {
        case .some(let file) where end > 0: try putBack(file, 0..<end, as: journal.name, &remains)
        default: remains.leftovers.append(journal.name)
        }
    }

    private func putBackOperations(_ remains: inout Remains) throws(SystemError) {
        if try areOperationsOurs() { return }
        let name = StoreInventory.operationsName(generation)
        switch operations {
        case .some(let file): try putBack(file, 0..<file.status().size, as: name, &remains)
        case .none: try remains.moveAside(name, in: place, settings)
        }
    }

    /// Reads the open journal as far as possible, at most to a commit. Returns the offset and the last commit.
    func readableLines(upTo revision: Int) throws(SystemError) -> (end: Int, last: Int) {
        guard let descriptor = journal.descriptor else { return (0, 0) }
        let entry = try OpenJournals.examined(journal.generation, descriptor, settings.fileSystem)
        guard let header = entry.header, header.storeId == storeId else { return (0, 0) }
        var end = entry.headerEnd
        var last = header.baseRevision
        var reader = JournalReader(descriptor, journal.name, from: end, in: settings.fileSystem)
        while last < revision, case .commit(let commit)? = try reader.next(), commit.content.seq == last + 1 {
            (end, last) = (commit.end, commit.content.seq)
        }
        return (end, last)
    }

    /// Puts a file back. The one in its place first gets a second name, so that the name never vanishes.
    private func putBack(
        _ source: borrowing File, _ range: Range<Int>, as name: String, _ remains: inout Remains
    ) throws(SystemError) {
        let named = try place.status(of: name)
        // The identity of the open file may not have been known before.
        if let named, try named.isSameFile(as: source.status()) { return }
        var copy = try place.copy(of: source, range, settings)
        if let named, named.kind == .regular {
            let aside = try remains.place(for: name, in: place, settings)
            try Generation.giveName(aside, to: name, named, in: place, settings)
        } else {
            try remains.moveAside(name, in: place, settings)
        }
        try place.place(&copy, as: name)
    }

    /// Whether the files are those that this process has open and the journal ends as it did, without relying on
    /// earlier checks.
    private func areFilesOursNow() throws(SystemError) -> Bool {
        guard try isSnapshotOurs(), try isJournalOurs(), try areOperationsOurs() else { return false }
        if journal.isUnusable { return true }
        return try journal.isEndAsItWas()
    }

    /// Whether all files with acknowledged commits are certainly as they were.
    var areOursByAllSigns: Bool {
        do throws(StorageError) {
            _ = try place.status()
            return (try? areFilesOursNow()) ?? false
        } catch {
            return false
        }
    }

    /// Puts away the files that the new generation could not use, and logs that.
    func setAside(_ remains: Remains, _ report: RewriteReport) {
        guard remains.aside != nil || !remains.leftovers.isEmpty else { return }
        var remains = remains
        do throws(SystemError) {
            for name in remains.leftovers { try remains.moveAside(name, in: place, settings) }
        } catch {
            settings.log("\(place.path): \(error)")
        }
        settings.log(
            "files in \(place.path) were changed by something else than this program; generation \(report.generation) goes on"
                + " after commit \(report.revision), and what stood there is in \(remains.aside ?? place.path)")
    }
}

extension StoreFiles.Remains {
    /// A free name in the set-aside directory, which is made when first needed.
    mutating func place(
        for name: String, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> String {
        if aside == nil {
            let made = try place.freeName("set-aside-" + settings.compactTime(), settings)
            try place.fileSystem.makeDirectory(place.path(of: made))
            aside = made
        }
        return try place.freeName((aside ?? "") + "/" + name, settings)
    }

    /// Makes the names of the moved files durable.
    func sync(in place: borrowing StoreDirectory) throws(SystemError) {
        if let aside { try File(place.path(of: aside), .directory, in: place.fileSystem).sync() }
    }

    /// Moves a file aside, if there is one.
    mutating func moveAside(
        _ name: String, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) {
        guard try place.status(of: name) != nil else { return }
        try place.move(name, to: self.place(for: name, in: place, settings))
    }
}
