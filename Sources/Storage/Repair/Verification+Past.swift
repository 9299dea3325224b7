import Platform

/// The check of the past: the journals and the long commits of `history/`, and the backup. No record depends on them,
/// but the history shown to users does.
extension Verification {
    mutating func checkPast(_ files: borrowing GenerationFiles, _ place: borrowing StoreDirectory) {
        let (inventory, past, commits): (StoreInventory, [Int], [Int])
        do throws(SystemError) {
            inventory = try place.inventory()
            let history = try place.historyInventory()
            past = history.journals.filter { $0 < files.header.generation }
            // A later one was left by a killed process, and counts for nothing.
            commits = history.commits.filter { $0 <= files.header.revision }
        } catch {
            return add(
                .unreadable, StoreDirectory.historyName, 0, "What was before the snapshot cannot be read: \(error).")
        }
        // The last commit of each generation's journal, where the next one begins.
        var ends: [Int: Int] = [:]
        var next = (
            files.header.generation, files.journals.entries.first?.header?.baseRevision ?? files.header.revision
        )
        for generation in past.reversed() {
            let name = StoreInventory.pastName(generation)
            do throws(SystemError) {
                let journal = try OpenJournals(name, generation, in: place)
                for entry in journal.entries where entry.header.map({ $0.storeId == files.header.storeId }) ?? true {
                    let damage = try JournalSurvey.damage(
                        in: entry, place.fileSystem, upTo: next.1, following: next.0,
                        isSnapshot: inventory.hasTornEnd(generation) || commits.contains(next.1))
                    if let damage {
                        add(
                            .damaged, name, damage.offset,
                            "\(name) \(damage.what). What was before cannot be told; what is now is not affected.")
                    }
                    ends[generation] = next.1
                    if let base = entry.header?.baseRevision { next = (generation, base) }
                }
            } catch {
                // A journal may vanish meanwhile: `shortenHistory` deletes old ones.
                if error.code != ENOENT { add(error, of: name) }
            }
        }
        for revision in commits {
            do throws(StorageError) {
                try CommitFile.withLine(revision, in: place, wanted: { _, _ in false }) { _, _ in }
            } catch {
                add(error)
            }
        }
        for generation in inventory.backups { checkBackup(generation, ends, place) }
    }

    private mutating func checkBackup(_ generation: Int, _ ends: [Int: Int], _ place: borrowing StoreDirectory) {
        let name = StoreInventory.backupName(generation)
        do throws(SystemError) {
            let file = try place.open(name, .read)
            var damage: JournalSurvey.Damage?
            let survey = try SnapshotScan(file, in: place.fileSystem) { finding in
                if case .problem(let offset, let what) = finding, damage == nil { damage = (offset, what) }
            }
            if survey.isSealed, damage == nil { return }
            if try isAccepted(file, generation, ends[generation], place) { return }
            let (offset, what) = damage ?? (survey.bytes, "has a wrong checksum")
            add(.damaged, name, offset, "\(name) \(what). It is only a backup; what is now is not affected.")
        } catch {
            // The next generation has another backup.
            if error.code != ENOENT { add(error, of: name) }
        }
    }

    /// Whether a person may have edited the file while it was the snapshot: it is a document, and a commit of its own
    /// replaced it, which no journal has (`Acceptance`).
    private func isAccepted(
        _ file: borrowing File, _ generation: Int, _ end: Int?, _ place: borrowing StoreDirectory
    ) throws(SystemError) -> Bool {
        guard Self.isDocument(file) else { return false }
        guard let end else { return true }
        let journal = try OpenJournals(StoreInventory.pastName(generation), generation, in: place)
        for entry in journal.entries {
            if try JournalSurvey(entry, in: place.fileSystem, after: nil, limit: end, found: { _ in }).last >= end {
                return false
            }
        }
        return true
    }
}
