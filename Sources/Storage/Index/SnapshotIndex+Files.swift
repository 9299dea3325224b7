import Platform

/// Where an index comes from: from beside its snapshot, else it is made, which reads the snapshot once.
extension SnapshotIndex {
    /// - Parameter isUsed: whether an index that lies there may be used; else it is made anew.
    /// - Returns: nil where the snapshot is empty, edited, damaged or not sorted: then it has to be read as a whole.
    static func of(
        _ header: SnapshotHeader, _ snapshot: FileStatus?, in place: borrowing StoreDirectory,
        _ settings: StoreSettings, _ extractor: RecordExtractor, isUsed: Bool = true
    ) -> SnapshotIndex? {
        // An index is a cache: where anything about it fails, the snapshot is read as a whole, and says what is wrong with it.
        guard header.count > 0, let file = try? place.open(StoreDirectory.snapshotName, .read),
            let status = try? file.status(), snapshot.map({ $0.isSameFile(as: status) }) ?? true,
            let identity = try? SnapshotIdentity(of: file, header)
        else { return nil }
        if isUsed, let image = IndexImage.open(in: place, of: identity) {
            return SnapshotIndex(image, of: file, extractor)
        }
        guard
            var image = try? SnapshotIndexBuilder.build(
                of: file, schemaVersion: settings.schemaVersion, in: place.fileSystem, extractor)
        else { return nil }
        // Where it cannot be kept it is held in memory; nothing else is different then.
        if !settings.isReadOnly {
            try? image.moveToDisk(in: place, temporary: "temporary-" + settings.makeIdentifier())
        }
        return SnapshotIndex(image, of: file, extractor)
    }
}

extension SnapshotIndex {
    /// The index of a backup, where there still is one; it is never made anew.
    static func ofBackup(
        _ generation: Int, in place: borrowing StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor
    ) throws(IndexFault) -> SnapshotIndex? {
        let name = StoreInventory.backupName(generation)
        let file: File
        do {
            file = try place.open(name, .read)
        } catch {
            // A backup may go at any time.
            guard error.code == ENOENT else { throw .snapshot(.reading(error, name)) }
            return nil
        }
        let identity: SnapshotIdentity
        do throws(StorageError) {
            let reader = SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
            identity = try Self.identity(of: file, reader.header(file, in: place.fileSystem), name)
        } catch {
            throw .snapshot(error)
        }
        guard let image = IndexImage.open(in: place, of: identity) else { return nil }
        return SnapshotIndex(image, of: file, extractor)
    }

    private static func identity(
        of file: borrowing File, _ header: SnapshotHeader, _ name: String
    ) throws(StorageError) -> SnapshotIdentity {
        do {
            return try SnapshotIdentity(of: file, header)
        } catch {
            throw .reading(error, name)
        }
    }
}

extension StoreFiles {
    /// The way to the snapshot's records that was found at opening; nil where they were handed over.
    mutating func takeIndex() -> SnapshotIndex? { index.take() }

    /// The index of the snapshot as it is now.
    func openIndex(_ extractor: RecordExtractor) -> SnapshotIndex? { index(extractor, isUsed: true) }

    /// The same, made anew because the one that lies there is damaged.
    func rebuiltIndex(_ extractor: RecordExtractor) -> SnapshotIndex? {
        settings.log("\(place.path(of: StoreInventory.indexName(generation))) was damaged and is made again")
        return freshIndex(extractor)
    }

    func freshIndex(_ extractor: RecordExtractor) -> SnapshotIndex? { index(extractor, isUsed: false) }

    private func index(_ extractor: RecordExtractor, isUsed: Bool) -> SnapshotIndex? {
        let name = StoreDirectory.snapshotName
        // Whoever asks has another way on, and tells of the fault that made it ask.
        guard let file = try? place.open(name, .read),
            let header = try? SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
                .header(file, in: place.fileSystem), header.generation == generation
        else { return nil }
        return SnapshotIndex.of(header, snapshotIdentity, in: place, settings, extractor, isUsed: isUsed)
    }
}
