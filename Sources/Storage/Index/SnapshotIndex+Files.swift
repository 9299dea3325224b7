import Platform

/// Opening the index beside its snapshot, or building it, which reads the snapshot once.
extension SnapshotIndex {
    /// - Parameter isUsed: whether an existing index may be used; else a new one is built.
    /// - Returns: nil if the snapshot is empty, edited, damaged or not sorted: then it has to be read as a whole.
    static func of(
        _ header: SnapshotHeader, _ snapshot: FileStatus?, in place: borrowing StoreDirectory,
        _ settings: StoreSettings, _ extractor: RecordExtractor, isUsed: Bool = true
    ) -> SnapshotIndex? {
        // An index is a cache: if any step fails, the snapshot is read as a whole, which reports its faults.
        guard header.count > 0, let file = try? place.open(StoreDirectory.snapshotName, .read),
            let status = try? file.status(), snapshot.map({ $0.isSameFile(as: status) }) ?? true,
            let identity = try? SnapshotIdentity(of: file, header)
        else { return nil }
        if isUsed, let image = IndexImage.open(in: place, of: identity) {
            return SnapshotIndex(image, of: file, extractor)
        }
        guard let image = madeImage(of: file, in: place, settings, extractor) else { return nil }
        return SnapshotIndex(image, of: file, extractor)
    }

    private static func madeImage(
        of file: borrowing File, in place: borrowing StoreDirectory, _ settings: StoreSettings,
        _ extractor: RecordExtractor
    ) -> IndexImage? {
        if !settings.isReadOnly, let draft = try? IndexDraft(in: place, settings) {
            do throws(IndexBuildFault) {
                return try SnapshotIndexBuilder.build(
                    of: file, schemaVersion: settings.schemaVersion, in: place.fileSystem, extractor, draft)
            } catch {
                guard case .unwritable = error else { return nil }
            }
        }
        // An index that cannot be written is made in memory, with no other effect.
        return try? SnapshotIndexBuilder.build(
            of: file, schemaVersion: settings.schemaVersion, in: place.fileSystem, extractor)
    }
}

extension SnapshotIndex {
    /// The index of a backup, if there is one; it is never rebuilt.
    static func ofBackup(
        _ generation: Int, in place: borrowing StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor
    ) throws(IndexFault) -> SnapshotIndex? {
        let name = StoreInventory.backupName(generation)
        let file: File
        do {
            file = try place.open(name, .read)
        } catch {
            // A backup may vanish at any time.
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
    /// Takes the index found at opening; nil if the records were passed on.
    func takeIndex() -> SnapshotIndex? { index.take() }

    /// The index of the present snapshot.
    func openIndex(_ extractor: RecordExtractor) -> SnapshotIndex? { index(extractor, isUsed: true) }

    /// Rebuilds the index of the present snapshot, because the old one is damaged.
    func rebuiltIndex(_ extractor: RecordExtractor) -> SnapshotIndex? {
        settings.log("\(place.path(of: StoreInventory.indexName(generation))) was damaged and is made again")
        return freshIndex(extractor)
    }

    func freshIndex(_ extractor: RecordExtractor) -> SnapshotIndex? { index(extractor, isUsed: false) }

    private func index(_ extractor: RecordExtractor, isUsed: Bool) -> SnapshotIndex? {
        let name = StoreDirectory.snapshotName
        // The caller has an alternative, and reports the fault that led here.
        guard let file = try? place.open(name, .read),
            let header = try? SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
                .header(file, in: place.fileSystem), header.generation == generation
        else { return nil }
        return SnapshotIndex.of(header, snapshotIdentity, in: place, settings, extractor, isUsed: isUsed)
    }
}
