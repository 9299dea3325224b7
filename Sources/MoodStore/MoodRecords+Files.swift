import Storage

/// Small files beside the moods, which somebody else knows how to read.
extension MoodRecords {
    /// What a file holds; nil where there is none, and in memory. The store need not be one that can be opened.
    public func read(_ file: SideFile, bytesMax: Int) throws(StorageError) -> SideText? {
        guard case .directory(let settings) = location else { return nil }
        return try StoreFiles.read(file, of: settings, bytesMax: bytesMax)
    }

    /// Replaces a file; the store is open for writing. Nothing happens in memory.
    public mutating func replace(_ file: SideFile, with bytes: [UInt8]) throws(StorageError) {
        guard case .directory = location else { return }
        let result: Result<Void, StorageError> = bytes.withUnsafeBytes { bytes in
            do throws(StorageError) { return .success(try records.replace(file, with: bytes)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
