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
        let temporary = path + ".\(ProcessFacts.processID).part"
        do throws(SystemError) {
            let file = try File(temporary, .create, in: .system)
            let written: Result<Void, SystemError> = bytes.withUnsafeBytes { buffer in
                do throws(SystemError) { return .success(try file.write(buffer, at: 0)) } catch {
                    return .failure(error)
                }
            }
            do throws(SystemError) {
                try written.get()
                try FileSystem.system.rename(temporary, path)
            } catch {
                // If this fails, the name of the leftover says what it is.
                try? FileSystem.system.unlink(temporary)
                throw error
            }
        } catch {
            throw .badInput("\(shown) cannot be written: \(error).", advice: nil)
        }
    }
}
