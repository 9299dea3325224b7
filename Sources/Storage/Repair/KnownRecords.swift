import JSONCodec
import Platform

/// Records that the store held before the edit of its snapshot, identified by checksum and length: from the backups,
/// the journals, the long commits, and the snapshot's former index. The store may hold such a record again, even if
/// requests may not write it.
///
/// Reads all of them on first use. An unreadable record is unknown: then the rules decide.
struct KnownRecords: ~Copyable {
    private let header: SnapshotHeader
    private var keys: Set<UInt64>?

    /// - Parameter header: of the edited snapshot.
    init(before header: SnapshotHeader) { self.header = header }

    mutating func contains(_ record: UnsafeRawBufferPointer, _ place: borrowing StoreDirectory) -> Bool {
        let known = keys ?? Self.read(header, place)
        keys = known
        return known.contains(Self.key(CRC32C.checksum(record), record.count))
    }

    private static func key(_ checksum: UInt32, _ byteCount: Int) -> UInt64 {
        UInt64(checksum) << 32 | UInt64(UInt32(truncatingIfNeeded: byteCount))
    }

    private static func read(_ header: SnapshotHeader, _ place: borrowing StoreDirectory) -> Set<UInt64> {
        var keys: Set<UInt64> = []
        func add(_ record: UnsafeRawBufferPointer) { keys.insert(key(CRC32C.checksum(record), record.count)) }
        let inventory = (try? place.inventory()) ?? StoreInventory([])
        let past = (try? place.historyInventory()) ?? StoreInventory([])
        for generation in inventory.backups {
            guard let file = try? place.open(StoreInventory.backupName(generation), .read) else { continue }
            _ = try? SnapshotScan(file, in: place.fileSystem) { finding in
                if case .record(let bytes, _) = finding { add(bytes) }
            }
        }
        let journals =
            past.journals.map { (StoreInventory.pastName($0), $0) }
            + inventory.journals.map { (StoreInventory.journalName($0), $0) }
        for (name, generation) in journals {
            guard let open = try? OpenJournals(name, generation, in: place) else { continue }
            for entry in open.entries where entry.header?.storeId == header.storeId {
                _ = try? JournalSurvey(entry, in: place.fileSystem, after: nil, limit: nil) { finding in
                    if case .commit(let line, _) = finding { forEachRecord(of: line, add) }
                }
            }
        }
        for revision in past.commits {
            var found: [UInt64] = []
            func keep(_: Int, _ change: LongCommit.Change) -> Bool {
                if case .record(let record, _) = change { found.append(key(CRC32C.checksum(record), record.count)) }
                return false
            }
            try? CommitFile.withLine(revision, in: place, wanted: keep) { _, _ in keys.formUnion(found) }
        }
        addIndex(header.generation, place, &keys)
        return keys
    }

    private static func forEachRecord(of line: JournalLine, _ body: (UnsafeRawBufferPointer) -> Void) {
        _ = line.forEachPart { part in
            if case .put(let record) = part { body(record) }
        }
    }

    /// Adds the rows of the index from before the edit: they have the checksums of the snapshot's records.
    private static func addIndex(_ generation: Int, _ place: borrowing StoreDirectory, _ keys: inout Set<UInt64>) {
        guard let file = try? place.open(StoreInventory.indexName(generation), .read),
            let image = IndexImage(ofAnySnapshot: file), image.header.identity.header.generation == generation
        else { return }
        let checksum = UnitChecksum(image.header.key)
        withUnsafeTemporaryAllocation(byteCount: IndexFormat.rowBytes, alignment: 16) { row in
            for number in 0..<image.header.count {
                let offset = IndexRow.offset(number)
                guard (try? image.read(row, at: offset)) != nil else { return }
                let bytes = UnsafeRawBufferPointer(row)
                guard checksum.matches(bytes, at: offset) else { continue }
                let place = IndexRow(number: number, bytes).place
                keys.insert(key(place.checksum, place.byteCount))
            }
        }
    }
}
