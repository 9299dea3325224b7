import Platform

/// A file that a command leaves for a person: whole or not there.
enum KeptFile {
    /// Writes beside the place and renames, so that nobody sees half of it.
    /// - Parameter isForced: whether a file that is there is replaced.
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
                // What cannot be removed has a name that says what it is.
                try? FileSystem.system.unlink(temporary)
                throw error
            }
        } catch {
            throw .badInput("\(shown) cannot be written: \(error).", advice: nil)
        }
    }
}
