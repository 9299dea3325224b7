import JSONCodec
import Platform

/// The files of plugins that the client copies, writes and removes. The host decides which plugins are valid.
enum PluginFiles {
    /// More than a plugin may have, so that a wrong folder does not copy a disk.
    private static let filesMax = 8192
    private static let bytesMax = 128 << 20
    private static let ignored = [".git", "__pycache__"]

    static func folder(inStore store: String, _ id: String) -> String { "\(store)/plugins/\(id)" }

    static func data(inStore store: String, _ id: String) -> String { "\(store)/plugins-data/\(id)" }

    /// Whether a text is a plugin's id: two or more labels. It names a folder, so it may contain nothing else.
    static func isID(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return text.utf8.count <= 100 && labels.count >= 2
            && labels.allSatisfy { label in
                !label.isEmpty && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { 0x61...0x7a ~= $0 || 0x30...0x39 ~= $0 || $0 == hyphen }
            }
    }

    /// The id in the manifest of a folder.
    static func id(of folder: String) throws(ClientError) -> String {
        let path = folder + "/plugin.json"
        let bytes = try reading(path) { () throws(SystemError) in try contents(path, bytesMax: 256 * 1024) }
        guard let manifest = try? JSONValue.parse(bytes), let id = manifest["id"]?.string, isID(id) else {
            throw .badInput("\(Escaping.visible(path)) is no manifest with an id.", advice: "See Docs/Plugins.md.")
        }
        return id
    }

    /// Copies a folder into a store. It gets its name when it is complete.
    /// - Returns: its new path.
    static func copy(_ source: String, toStore store: String, as id: String) throws(ClientError) -> String {
        let target = folder(inStore: store, id)
        let temporary = "\(store)/plugins/.adding-\(ProcessFacts.processID)"
        for path in [store, store + "/plugins"] {
            try makeFolder(path)
        }
        guard (try? FileSystem.system.statusOfPath(target)) == nil else {
            throw .badInput(
                "The store has \(id) already.", advice: "To have it anew: mood plugin remove \(id), then add it again.")
        }
        do throws(ClientError) {
            var (files, bytes) = (0, 0)
            try copy(source, to: temporary, &files, &bytes)
            try reading(target) { () throws(SystemError) in try FileSystem.system.rename(temporary, target) }
        } catch {
            // A leftover begins with a dot, and is no plugin.
            try? remove(temporary)
            throw error
        }
        return target
    }

    private static func copy(
        _ source: String, to target: String, _ files: inout Int, _ bytes: inout Int
    ) throws(ClientError) {
        let names = try reading(source) { () throws(SystemError) in
            try FileSystem.system.makeDirectory(target)
            return try FileSystem.system.list(source)
        }
        for name in names where !ignored.contains(name) {
            let (from, to) = (source + "/" + name, target + "/" + name)
            let status = try reading(from) { () throws(SystemError) in try FileSystem.system.statusOfPath(from) }
            files += 1
            bytes += max(status.size, 0)
            guard files <= filesMax, bytes <= bytesMax else {
                throw .badInput("\(Escaping.visible(source)) is too large for a plugin.", advice: nil)
            }
            switch status.kind {
            case .directory: try copy(from, to: to, &files, &bytes)
            case .regular:
                try reading(from) { () throws(SystemError) in
                    try write(
                        contents(from, bytesMax: status.size), to: to, isExecutable: status.permissions & 0o100 != 0)
                }
            case .symbolicLink, .other:
                throw .badInput(
                    "\(Escaping.visible(from)) is a link or no file.", advice: "A plugin has files and folders alone.")
            }
        }
    }

    static func remove(_ path: String) throws(ClientError) {
        try reading(path) { () throws(SystemError) in try removeAll(path) }
    }

    private static func removeAll(_ path: String) throws(SystemError) {
        let above = try File(above(path), .directory, in: .system)
        try removeAll(Array(path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed()), in: above.descriptor)
    }

    /// Removes by names in open folders, so that another process cannot put a link in a folder's place.
    private static func removeAll(_ name: [UInt8], in folder: Int32) throws(SystemError) {
        let calls = FolderCalls.system
        guard try calls.status(folder, name).kind == .directory else { return try calls.remove(folder, name, false) }
        let inner = File(descriptor: try calls.openFolder(folder, name), path: "", in: .system)
        // An installed copy is read-only, and removing a folder's content needs permission to write in the folder.
        try calls.setPermissions(inner.descriptor, 0o700)
        for name in try calls.names(inner.descriptor) { try removeAll(name, in: inner.descriptor) }
        try calls.remove(folder, name, true)
    }

    static func above(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Writes a new folder with these files.
    static func write(_ files: [PluginTemplate.File], to folder: String) throws(ClientError) {
        try reading(folder) { () throws(SystemError) in
            try FileSystem.system.makeDirectory(folder)
            for file in files {
                try write(Array(file.text.utf8), to: folder + "/" + file.name, isExecutable: file.isExecutable)
            }
        }
    }

    // MARK: Files

    private static func reading<Value>(
        _ path: String, _ calls: () throws(SystemError) -> Value
    ) throws(ClientError) -> Value {
        try orBadInput("\(Escaping.visible(path)) cannot be used", calls)
    }

    /// Makes a folder where there is none.
    static func makeFolder(_ path: String) throws(ClientError) {
        try reading(path) { () throws(SystemError) in
            do throws(SystemError) { try FileSystem.system.makeDirectory(path) } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
    }

    /// The content of a file.
    static func contents(of path: String, bytesMax: Int) throws(ClientError) -> [UInt8] {
        try reading(path) { () throws(SystemError) in try contents(path, bytesMax: bytesMax) }
    }

    private static func contents(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
        let file = try File(path, .read, in: .system)
        guard try file.status().kind == .regular else { throw SystemError(call: "open", subject: path, code: EINVAL) }
        var bytes = [UInt8](repeating: 0, count: min(try file.status().size, bytesMax))
        let count = try bytes.withMutableBytes { (room) throws(SystemError) in try file.read(room, at: 0) }
        return Array(bytes.prefix(count))
    }

    private static func write(_ bytes: [UInt8], to path: String, isExecutable: Bool) throws(SystemError) {
        let file = try File(path, .create, in: .system)
        try file.write(bytes, at: 0)
        if isExecutable { try FolderCalls.system.setPermissions(file.descriptor, 0o700) }
    }
}
