import Storage

/// Auxiliary files in the store's folder, whose content other modules read.
extension MoodRecords {
    /// The content of a file; nil in memory, or if there is none. Works even if the store cannot be opened.
    public func read(_ file: SideFile, bytesMax: Int) throws(StorageError) -> SideText? {
        guard case .directory(let settings) = location else { return nil }
        return try StoreFiles.read(file, of: settings, bytesMax: bytesMax)
    }

    /// Replaces a file. The store must be open for writing. In memory only settings are kept.
    public mutating func replace(_ file: SideFile, with bytes: [UInt8]) throws(StorageError) {
        guard case .directory = location else {
            if file == .settings { settingsInMemory = bytes }
            return
        }
        isGroupOver = true
        let result: Result<Void, StorageError> = bytes.withUnsafeBytes { bytes in
            do throws(StorageError) { return .success(try records.replace(file, with: bytes)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
