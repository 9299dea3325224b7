import Platform

/// The files of a store at one moment, held open: another thread reads them later, and finds the commits of this moment
/// alone, whatever generations follow.
public struct StoreMoment: ~Copyable {
    let place: StoreDirectory
    let settings: StoreSettings
    /// Nil if they cannot be opened at once: the later opening says why, or converts them.
    let opened: GenerationFiles?
    /// The last commit to show.
    let revision: Int

    /// Opens the files, which reads a page of each; nil if there is no store.
    public init?(_ settings: StoreSettings, revision: Int) throws(StorageError) {
        guard let place = try StoreDirectory.openIfThere(settings), try StoreFiles.hasStore(place) else { return nil }
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
        opened = try? GenerationFiles(in: place, reader)
        self.place = place
        self.settings = settings
        self.revision = revision
    }
}

extension StoreFiles {
    /// Opens the files of a moment, for reading. Its owner has judged their end, so that no lock is needed.
    static func open(
        _ moment: consuming StoreMoment, _ extractor: RecordExtractor, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let (settings, revision) = (moment.settings, moment.revision)
        return try openToRead(
            moment.place, settings, extractor, nil, .readOnly(reason: "The store was opened read-only (--read-only)."),
            of: moment.opened, upTo: revision, load)
    }
}

extension RecordStore {
    /// Opens the store of a moment, for reading.
    public static func open(
        _ moment: consuming StoreMoment, _ extractor: RecordExtractor
    ) throws(StorageError) -> RecordStore {
        var store = RecordStore(.open, extractor)
        try store.adopt(StoreFiles.open(moment, extractor) { store.layers.load($0) })
        return store
    }
}
