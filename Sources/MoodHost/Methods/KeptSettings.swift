import MoodCore
import Storage

/// The settings as they were read last.
struct KeptSettings {
    /// What was read, without its seal; nil where there is no file.
    var bytes: [UInt8]?
    var settings = Settings()
    /// Why the file cannot be used. Nothing is taken from it then, and it stays as it is.
    var failure: StorageError?
    /// Whether they were looked for in the present group.
    var isFresh = false
}
