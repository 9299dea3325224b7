import Platform

/// A file that gets its name when it is complete, so that no reader sees a half of it. It replaces a file only on
/// request.
final class OutputFile {
    private let path: String
    private let replaces: Bool
    private var draft: DraftFile
    private var size = 0

    /// - Parameter replaces: whether to replace a file of this name.
    init(_ path: String, replaces: Bool) throws(ClientError) {
        self.path = path
        self.replaces = replaces
        let directory = Self.directory(of: path)
        func holds(_ name: String) -> Bool { (try? FileSystem.system.isThere("\(directory)/\(name)")) == true }
        if replaces, holds("moods.json"), holds("lock") {
            throw .badInput(
                "\(Escaping.visible(path)) is in the folder of a store, where nothing is replaced.",
                advice: "To write it: a name outside")
        }
        do throws(SystemError) {
            if !replaces, try FileSystem.system.isThere(path) {
                throw SystemError(call: "open", subject: path, code: EEXIST)
            }
            draft = try DraftFile(path + Self.partSuffix + String(ProcessFacts.processID), in: .system)
            // The writer holds the lock while it lives. A file system without locks keeps all leftovers.
            try? FileSystem.system.lock(draft.file.descriptor, .exclusiveNow)
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Removes unfinished files of dead processes.
    /// - Parameter isMeant: whether a file of this name was to be made.
    static func removeLeftovers(beside path: String, _ isMeant: (String) -> Bool) {
        let directory = directory(of: path)
        for name in (try? FileSystem.system.list(directory)) ?? [] {
            guard let part = name.ranges(of: partSuffix).last, isMeant(String(name[..<part.lowerBound])),
                !name[part.upperBound...].isEmpty, name[part.upperBound...].utf8.allSatisfy({ (48...57).contains($0) })
            else { continue }
            let path = "\(directory)/\(name)"
            // A living writer holds the lock. A leftover that cannot be removed does no harm.
            do throws(SystemError) {
                let file = try File(path, .readWrite, in: .system)
                try FileSystem.system.lock(file.descriptor, .exclusiveNow)
                try FileSystem.system.unlink(path)
            } catch {}
        }
    }

    private static let partSuffix = ".part-"

    func write(_ bytes: [UInt8]) throws(ClientError) {
        do throws(SystemError) { try draft.file.write(bytes, at: size) } catch { throw Self.failure(path, error) }
        size += bytes.count
    }

    /// Syncs the file, names it, and syncs the directory.
    func finish() throws(ClientError) -> Int {
        do throws(SystemError) {
            try draft.file.sync()
            try draft.place(as: path, replaces: replaces)
            try Self.syncDirectory(of: path)
        } catch {
            throw Self.failure(path, error)
        }
        return size
    }

    private static func syncDirectory(of path: String) throws(SystemError) {
        let directory = directory(of: path)
        try File(directory.isEmpty ? "/" : directory, .directoryThroughLink, in: .system).sync()
    }

    private static func directory(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }

    private static func failure(_ path: String, _ error: SystemError) -> ClientError {
        error.code == EEXIST
            ? .badInput("There is a file \(Escaping.visible(path)) already.", advice: "To replace it: --force")
            : .badInput("\(Escaping.visible(path)) cannot be written: \(error).", advice: nil)
    }
}
