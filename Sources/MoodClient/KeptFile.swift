import Platform

/// A file that a command leaves for a person: complete or absent.
enum KeptFile {
    /// Writes a temporary file and renames it, so that no reader sees a half of it.
    /// - Parameter isForced: whether to replace a file of this name.
    static func write(_ bytes: [UInt8], to path: String, isForced: Bool) throws(ClientError) {
        let shown = Escaping.visible(path)
        if !isForced, (try? FileSystem.system.statusOfPath(path)) != nil {
            throw .badInput("\(shown) is there already.", advice: "Give another name, or --force to replace it.")
        }
        do throws(SystemError) {
            let temporary = path + ".\(ProcessFacts.processID).part"
            try FileSystem.system.replaceWhole(path, by: temporary, isDurable: false) { _ in bytes }
        } catch {
            throw .badInput("\(shown) cannot be written: \(error).", advice: nil)
        }
    }
}
