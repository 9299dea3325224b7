import Platform

/// A folder in which a plugin was found, or something that should be one.
public struct FoundPlugin: Sendable {
    /// The folder's name.
    public let id: String
    public let path: String
    /// Nil where it could not be read.
    public internal(set) var manifest: Manifest?
    /// Why it is invalid; nil where it is right.
    public internal(set) var problem: ManifestProblem?
    /// Whether an earlier place has one of the same id, which counts.
    public let isShadowed: Bool
    /// Of the folder as it is now; nil where it is invalid or shadowed.
    public internal(set) var digest: PluginDigest?
}

/// The plugins that are in folders, which are looked at when somebody asks.
public enum Catalogue {
    /// Finds plugins, and says of each why it may not run.
    /// - Parameters:
    ///   - places: as `PluginPlace.all` lists them. One that is not there has none.
    ///   - storeDirectory: nil in memory.
    ///   - digests: of folders that were read before.
    ///   - only: the folders of this id alone.
    public static func scan(
        places: [String], storeDirectory: String?, builtInFormats: Set<String>, builtInCells: Set<String>,
        digests: inout KnownDigests, only wanted: PluginID? = nil
    ) -> [FoundPlugin] {
        let rules = CatalogueRules(
            protected: ProtectedFolders(places + (storeDirectory.map { [$0] } ?? [])), formats: builtInFormats,
            cells: builtInCells)
        var found: [FoundPlugin] = []
        var ids: Set<PluginID> = []
        for place in places {
            // Names that are no text are no ids either.
            let names = (try? FileSystem.system.list(place)) ?? []
            for name in names.sorted() where name.utf8.first != UInt8(ascii: ".") {
                if let wanted, !name.utf8.elementsEqual(wanted.text.utf8) { continue }
                let (id, path) = (PluginID(name), place + "/" + name)
                guard isPlugin(path, id) else { continue }
                let isShadowed = id.map { !ids.insert($0).inserted } ?? false
                found.append(FoundPlugin(id: name, path: path, isShadowed: isShadowed, rules, &digests))
            }
        }
        return found
    }

    /// What else lies beside plugins is left alone: files, and folders that have neither the name nor the manifest of one.
    private static func isPlugin(_ path: String, _ id: PluginID?) -> Bool {
        guard let status = try? FileSystem.system.statusOfPath(path), status.kind != .regular else { return false }
        return id != nil || (try? FileSystem.system.statusOfPath(path + "/" + Manifest.fileName)) != nil
    }

    /// For each name that plugins bring, the plugin that has it: the first by id of those that may run.
    public static func owners(
        of names: (Manifest.Provides) -> [String], among manifests: [Manifest]
    ) -> [String: PluginID] {
        var owners: [String: PluginID] = [:]
        for manifest in manifests.sorted(by: { $0.id < $1.id }) {
            for name in names(manifest.provides) where owners[name] == nil { owners[name] = manifest.id }
        }
        return owners
    }
}

/// What a manifest must not say in this host.
struct CatalogueRules {
    let protected: ProtectedFolders
    let formats: Set<String>
    let cells: Set<String>

    func check(_ manifest: Manifest, _ entries: [PluginFolder.Entry]) throws(ManifestProblem) {
        for (index, format) in manifest.provides.shareFormats.enumerated() where formats.contains(format.name) {
            throw ManifestProblem(
                pointer: "/provides/shareFormats/\(index)/name", reason: "is a format of the host; choose another name")
        }
        for (index, cell) in manifest.provides.cells.enumerated() where cells.contains(cell.type) {
            throw ManifestProblem(
                pointer: "/provides/cells/\(index)/type", reason: "is a cell of the host; choose another name")
        }
        try checkPaths(manifest.permissions.readable, "read")
        try checkPaths(manifest.permissions.writable, "write")
        let program = manifest.exec[0]
        guard ExecSearch.isInFolder(program) else { return }
        let path = program.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        let name = path.joined(separator: [UInt8(ascii: "/")])
        guard let file = entries.first(where: { $0.path.elementsEqual(name) }) else {
            throw ManifestProblem(pointer: "/exec/0", reason: "is no file in the folder; put it there")
        }
        guard file.isExecutable else {
            throw ManifestProblem(
                pointer: "/exec/0", reason: "is a file that may not be executed; allow it (chmod u+x)")
        }
    }

    private func checkPaths(_ paths: [String], _ member: String) throws(ManifestProblem) {
        for (index, path) in paths.enumerated() {
            guard let reason = problem(path) else { continue }
            throw ManifestProblem(pointer: "/permissions/files/\(member)/\(index)", reason: reason)
        }
    }

    /// What is wrong with a path that a plugin may read or write; nil where nothing is.
    func problem(_ path: String) -> String? {
        guard let path = PluginPlace.expanded(path) else {
            return "needs the home directory, which is not known; set HOME or write the whole path"
        }
        return protected.touches(path)
            ? "holds, or lies in, the store or a folder of plugins; name another one" : nil
    }
}

extension FoundPlugin {
    fileprivate init(
        id: String, path: String, isShadowed: Bool, _ rules: CatalogueRules, _ digests: inout KnownDigests
    ) {
        self.id = id
        self.path = path
        self.isShadowed = isShadowed
        do throws(PluginFolderProblem) {
            let folder = try PluginFolder(path, .system)
            let entries = try folder.entries()
            let bytes = try Self.manifestBytes(folder, entries)
            do throws(ManifestProblem) {
                let manifest = try Self.read(bytes, id)
                self.manifest = manifest
                try rules.check(manifest, entries)
            } catch {
                problem = error
            }
            if problem == nil, !isShadowed { digest = try digests.digest(of: folder, at: path, entries) }
        } catch {
            problem = ManifestProblem(error)
        }
    }

    private static func manifestBytes(
        _ folder: borrowing PluginFolder, _ entries: [PluginFolder.Entry]
    ) throws(PluginFolderProblem) -> [UInt8] {
        let name = Array(Manifest.fileName.utf8)
        guard let entry = entries.first(where: { $0.path == name }) else {
            throw PluginFolderProblem(name, "is missing; it says what the plugin is")
        }
        guard entry.size <= Manifest.fileBytesMax else {
            throw PluginFolderProblem(name, "is too large; it may have at most \(Manifest.fileBytesMax) bytes")
        }
        var bytes: [UInt8] = []
        try folder.read(name, name) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func read(_ bytes: [UInt8], _ id: String) throws(ManifestProblem) -> Manifest {
        let read: Result<Manifest, ManifestProblem> = bytes.withUnsafeBytes { bytes in
            do throws(ManifestProblem) { return .success(try Manifest.read(bytes, id: id)) } catch {
                return .failure(error)
            }
        }
        return try read.get()
    }
}
