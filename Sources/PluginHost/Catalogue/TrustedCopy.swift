import Platform

/// The copy of a plugin's folder that runs: `<store>/plugins-run/<id>/<digest>`, without write permission.
///
/// 1. The digest is over the copy, so the trusted bytes run, whatever happens to the folder meanwhile.
/// 2. A copy gets its name only when it is complete, read-only and on the disk. Before that it is called
/// `.unfinished-…`, and its maker locks it. An unlocked one is left from a crash, and the next maker removes it.
/// 3. A copy that no record names yet is not removed: until one does, its maker shares the lock on the plugin's folder
/// of copies. A host removes copies under that lock alone, and reads the records under it.
public final class TrustedCopy: Sendable {
    private static let unfinished = Array(".unfinished-".utf8)
    /// The time to wait for a removal.
    private static let lockMilliseconds = 2000

    public let path: String
    private let lock: File

    private init(_ path: String, _ lock: consuming File) {
        self.path = path
        self.lock = lock
    }

    /// Copies a folder, hashes the copy and keeps it if the digest is the expected one.
    /// - Parameter runDirectory: the folder of all copies; made if it is missing.
    /// - Returns: the copy, which is safe from removal while the object lives.
    /// - Throws: a problem if the folder breaks a rule, changes meanwhile, or has another digest. Then no copy remains.
    public static func make(
        from folder: String, of id: PluginID, into runDirectory: String, expecting digest: PluginDigest,
        calls: FolderCalls = .system
    ) throws(PluginFolderProblem) -> TrustedCopy {
        let source = try PluginFolder(folder, calls)
        let own = runDirectory + "/" + id.text
        for path in [runDirectory, own] {
            try making { () throws(SystemError) in
                do throws(SystemError) {
                    try FileSystem.system.makeDirectory(path)
                } catch {
                    guard error.code == EEXIST else { throw error }
                }
            }
        }
        let lock = try making { () throws(SystemError) in
            let lock = try File(own, .directory, in: .system)
            let deadline = Clock.monotonicMilliseconds + lockMilliseconds
            guard try FileSystem.system.lock(lock.descriptor, .sharedNow, until: deadline) else {
                throw SystemError(call: "flock", subject: own, code: EWOULDBLOCK)
            }
            return lock
        }
        let place = try PluginFolder(own, calls)
        removeLeftovers(place)
        let (name, made) = (Array(digest.text.utf8), TrustedCopy(own + "/" + digest.text, lock))
        if isWhole(name, in: place, digest) { return made }
        let temporary = unfinished + Array("\(ProcessFacts.processID)-\(UInt64.random(in: 0 ... .max))".utf8)
        do throws(PluginFolderProblem) {
            try fill(temporary, from: source, in: place, expecting: digest)
            try finish(temporary, as: name, in: place, digest)
        } catch {
            // If this fails, the next copy tries the removal again.
            try? remove(temporary, in: place.file.descriptor, calls)
            throw error
        }
        return made
    }

    private static func making<Value: ~Copyable>(
        _ calls: () throws(SystemError) -> Value
    ) throws(PluginFolderProblem) -> Value {
        try PluginFolderProblem.at([], "cannot be copied", calls)
    }

    /// Whether a copy exists and still has its digest.
    public static func isWhole(_ path: String, _ digest: PluginDigest) -> Bool {
        // A copy with any problem is not intact.
        guard let folder = try? PluginFolder(path, .system) else { return false }
        return (try? folder.digest()) == digest
    }

    private static func isWhole(_ name: [UInt8], in place: borrowing PluginFolder, _ digest: PluginDigest) -> Bool {
        guard let copy = try? place.folder(name, name) else { return false }
        return (try? copy.digest()) == digest
    }

    /// Removes the copies of a plugin but the one in its record. No plugin may run from them any more.
    /// - Parameter digest: reads the record. If that fails, all copies stay.
    /// - Returns: false if some host makes a copy now.
    public static func removeOthers(
        of id: PluginID, in runDirectory: String, keeping digest: () throws -> PluginDigest?
    ) -> Bool {
        guard let place = try? PluginFolder(runDirectory + "/" + id.text, .system) else { return true }
        guard (try? FileSystem.system.lock(place.file.descriptor, .exclusiveNow)) != nil else { return false }
        guard let kept = try? Array((digest()?.text ?? "").utf8) else { return true }
        // A copy that cannot be removed does no harm.
        for name in (try? place.names([])) ?? [] where name != kept && !name.starts(with: unfinished) {
            try? remove(name, in: place.file.descriptor, place.calls)
        }
        removeLeftovers(place)
        return true
    }

    private static func removeLeftovers(_ place: borrowing PluginFolder) {
        for name in (try? place.names([])) ?? [] where name.starts(with: unfinished) {
            guard let left = try? place.folder(name, name) else { continue }
            // A maker holds the lock as long as it lives.
            guard (try? FileSystem.system.lock(left.file.descriptor, .exclusiveNow)) != nil else { continue }
            try? remove(name, in: place.file.descriptor, place.calls)
        }
    }

    /// Removes a folder and everything in it; folders of a copy are read-only.
    private static func remove(_ name: [UInt8], in folder: Int32, _ calls: FolderCalls) throws(SystemError) {
        guard try calls.status(folder, name).kind == .directory else { return try calls.remove(folder, name, false) }
        let inner = File(descriptor: try calls.openFolder(folder, name), path: "", in: .system)
        try calls.setPermissions(inner.descriptor, 0o700)
        for name in try calls.names(inner.descriptor) { try remove(name, in: inner.descriptor, calls) }
        try calls.remove(folder, name, true)
    }

    // MARK: Copying

    /// Makes the folder `name` and copies everything into it.
    private static func fill(
        _ name: [UInt8], from source: borrowing PluginFolder, in place: borrowing PluginFolder,
        expecting digest: PluginDigest
    ) throws(PluginFolderProblem) {
        try making { () throws(SystemError) in try place.calls.makeFolder(place.file.descriptor, name) }
        let copy = try place.folder(name, [])
        try making { () throws(SystemError) in try FileSystem.system.lock(copy.file.descriptor, .exclusiveNow) }
        var limits = PluginFolder.Limits()
        _ = try fill(copy, from: source, [], &limits)
        let found = try copy.digest()
        guard found == digest else {
            throw PluginFolderProblem(
                [],
                "is \(found) and not \(digest), which was to be trusted; look at it again, then trust what it is now")
        }
        try making { () throws(SystemError) in try place.calls.syncAll(copy.file.descriptor) }
    }

    /// - Returns: whether there are files in the copy. A folder without any has no part in the digest, so it is left
    ///   out.
    private static func fill(
        _ copy: borrowing PluginFolder, from source: borrowing PluginFolder, _ path: [UInt8],
        _ limits: inout PluginFolder.Limits
    ) throws(PluginFolderProblem) -> Bool {
        try limits.countFolder(path)
        var hasFiles = false
        for name in try source.names(path) {
            let inner = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            let status = try source.status(name, inner)
            try PluginFolder.check(status, inner)
            guard status.kind == .directory else {
                try limits.countFile(inner, status.size)
                try copyFile(name, from: source, to: copy, inner)
                hasFiles = true
                continue
            }
            try making { () throws(SystemError) in try copy.calls.makeFolder(copy.file.descriptor, name) }
            let folder = try source.folder(name, inner)
            if try fill(copy.folder(name, inner), from: folder, inner, &limits) {
                hasFiles = true
            } else {
                try making { () throws(SystemError) in try copy.calls.remove(copy.file.descriptor, name, true) }
            }
        }
        if hasFiles { try setPermissions(copy.file.descriptor, 0o500, copy.calls) }
        return hasFiles
    }

    private static func copyFile(
        _ name: [UInt8], from source: borrowing PluginFolder, to copy: borrowing PluginFolder, _ path: [UInt8]
    ) throws(PluginFolderProblem) {
        let made = try making { () throws(SystemError) in
            File(descriptor: try copy.calls.makeFile(copy.file.descriptor, name), path: "", in: .system)
        }
        var at = 0
        let status = try source.read(name, path) { bytes throws(PluginFolderProblem) in
            try making { () throws(SystemError) in try made.write(bytes, at: at) }
            at += bytes.count
        }
        try setPermissions(made.descriptor, status.permissions & 0o100 != 0 ? 0o500 : 0o400, copy.calls)
    }

    private static func setPermissions(
        _ descriptor: Int32, _ permissions: UInt16, _ calls: FolderCalls
    ) throws(PluginFolderProblem) {
        try making { () throws(SystemError) in try calls.setPermissions(descriptor, permissions) }
    }

    /// Gives the complete copy its name, and replaces a damaged one.
    private static func finish(
        _ temporary: [UInt8], as name: [UInt8], in place: borrowing PluginFolder, _ digest: PluginDigest
    ) throws(PluginFolderProblem) {
        let (folder, calls) = (place.file.descriptor, place.calls)
        try making { () throws(SystemError) in
            do throws(SystemError) {
                try calls.rename(folder, temporary, name)
            } catch {
                guard error.code == EEXIST || error.code == ENOTEMPTY else { throw error }
                // Another host may have made an equal copy meanwhile; any other is damaged.
                if isWhole(name, in: place, digest) { return try remove(temporary, in: folder, calls) }
                try remove(name, in: folder, calls)
                try calls.rename(folder, temporary, name)
            }
            try place.file.sync()
        }
    }
}
