import JSONCodec
import MoodCore
import Storage

/// Routers that are saved by name in the store's folder.
extension MoodRecords {
    /// The routers that any process has saved.
    /// - Throws: `storage(corrupt)` if the file is damaged, or not ours.
    public func savedNavigation() throws(MoodStoreError) -> SavedNavigation {
        guard case .directory = location else { return navigationInMemory }
        do throws(StorageError) {
            guard let bytes = try records.read(.navigation, bytesMax: SavedNavigation.fileBytesMax)?.bytes else {
                return SavedNavigation()
            }
            return try Self.read(bytes)
        } catch {
            throw .storage(error)
        }
    }

    private static func read(_ bytes: [UInt8]) throws(StorageError) -> SavedNavigation {
        let name = SideFile.navigation.rawValue
        let read = bytes.withUnsafeBytes { view -> Result<SavedNavigation, SavedNavigation.Damage> in
            do throws(SavedNavigation.Damage) { return .success(try SavedNavigation(view)) } catch {
                return .failure(error)
            }
        }
        do throws(SavedNavigation.Damage) { return try read.get() } catch {
            throw .corrupt(
                file: name, offset: error.offset,
                reason: "\(name) cannot be used: at byte \(error.offset), \(error.reason). Mend it, put back a copy, or"
                    + " move it away to begin with nothing saved. The moods are not affected.")
        }
    }

    /// The bytes of the file, if it is valid. Works even if the store cannot be opened.
    static func savedNavigationBytes(_ settings: StoreSettings) throws(StorageError) -> [UInt8]? {
        let bytes = try StoreFiles.read(.navigation, of: settings, bytesMax: SavedNavigation.fileBytesMax)?.bytes
        if let bytes { _ = try read(bytes) }
        return bytes
    }

    /// Replaces the saved routers. The store must be open for writing. They are durable on return, before the group's
    /// commits.
    public mutating func keep(_ navigation: SavedNavigation) throws(MoodStoreError) {
        guard case .directory = location else { return navigationInMemory = navigation }
        isGroupOver = true
        var text = JSONWriter(capacity: 4096)
        navigation.write(to: &text)
        do throws(StorageError) {
            try records.replace(.navigation, with: text.buffer.bytes)
        } catch {
            throw .storage(error)
        }
    }
}
