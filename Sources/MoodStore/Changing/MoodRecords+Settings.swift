import MoodCore
import Storage

/// A person's settings in the store's folder, or in memory.
extension MoodRecords {
    /// The bytes of the file; nil if there is none. Works even if the store cannot be opened.
    public func settingsBytes() throws(StorageError) -> [UInt8]? {
        guard case .directory = location else { return settingsInMemory }
        return try read(.settings, bytesMax: Settings.fileBytesMax)?.bytes
    }

    /// - Throws: `corrupt` if the file is damaged, or not ours.
    public static func settings(_ bytes: [UInt8]) throws(StorageError) -> Settings {
        let name = SideFile.settings.rawValue
        let read = bytes.withUnsafeBytes { view -> Result<Settings, Settings.Damage> in
            do throws(Settings.Damage) { return .success(try Settings(view)) } catch { return .failure(error) }
        }
        do throws(Settings.Damage) { return try read.get() } catch {
            throw .corrupt(
                file: name, offset: error.offset,
                reason: "\(name) cannot be used: at byte \(error.offset), \(error.reason). Mend it, put back a copy, or"
                    + " move it away to begin with nothing chosen. The moods are not affected.")
        }
    }
}
