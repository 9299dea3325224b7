import MoodCore
import Storage

/// The settings as read last.
struct KeptSettings {
    /// The text without its seal; nil without a file.
    var bytes: [UInt8]?
    var settings = Settings()
    /// The reason why the file cannot be used. The defaults hold then, and the file stays unchanged.
    var failure: StorageError?
    /// Whether the present group has read the file.
    var isFresh = false
}
