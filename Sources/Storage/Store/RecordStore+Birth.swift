/// A store that has no files yet: it finds nothing, and a change stages its line as in any store. The end of the first
/// commit makes the files, as does a commit that is too long for memory, or a `SideFile`. So a request that fails, or
/// changes nothing, makes nothing.
extension RecordStore {
    /// A store that has no files yet.
    public static func unborn(_ settings: StoreSettings, _ extractor: RecordExtractor) -> RecordStore {
        var store = RecordStore(.unborn(settings), extractor)
        store.commitBytesInMemory = settings.commitBytesInMemory
        return store
    }

    /// Makes the files of an unborn store, and locks them. The open commit goes on in them.
    /// - Returns: false if there is a store by now: its owner closes this one and opens that.
    public mutating func beBorn() throws(StorageError) -> Bool {
        guard case .unborn(let settings) = state else { return true }
        var isEmpty = true
        let load = { (_: LoadEvent) -> String? in
            isEmpty = false
            return nil
        }
        let made = try StoreFiles.open(settings, extractor, load: load)
        if let refusal = made.refusal { throw refusal }
        guard case .seen = try made.lockAndCatchUp(load: load), isEmpty, made.revision == 0, made.index == nil else {
            made.unlock()
            return false
        }
        // Later requests of the group look for operations in the files, and for that of this commit.
        do throws(StorageError) { if operations.isInUse { try operations.catchUp(made) } } catch {
            made.unlock()
            throw error
        }
        use(made)
        state = .open
        return true
    }

    /// Makes the open or next commit one that changes nothing: not even a store is made for it, however long it is.
    public mutating func rehearse() { isRehearsal = true }

    mutating func use(_ opened: StoreFiles) {
        opened.extractor = extractor
        commitBytesInMemory = opened.settings.commitBytesInMemory
        files = opened
        madeHere = OwnCommits(generation: opened.generation)
    }
}
