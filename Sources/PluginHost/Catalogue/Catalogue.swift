import Platform

/// A plugin folder that was found, valid or not.
public struct FoundPlugin: Sendable {
    /// The folder's name.
    public let id: String
    public let path: String
    /// Nil if it could not be read.
    public internal(set) var manifest: Manifest?
    /// The reason why it is invalid; nil if it is valid.
    public internal(set) var problem: ManifestProblem?
    /// Whether a plugin of this id in an earlier place takes precedence.
    public let isShadowed: Bool
    /// The digest of the folder at present; nil if it is invalid or shadowed.
    public internal(set) var digest: PluginDigest?
}

/// The plugins in folders. Each request reads the folders again.
public enum Catalogue {
    /// Finds plugins, and the reason why each invalid one may not run.
    /// - Parameters:
    ///   - places: as listed by `PluginPlace.all`. A missing one has no plugins.
    ///   - storeDirectory: nil in memory.
    ///   - digests: the digests of folders that were read before.
    ///   - only: finds folders of this id alone.
    public static func scan(
        places: [String], storeDirectory: String?, builtIn: BuiltInNames, digests: inout DigestCache,
        only wanted: PluginID? = nil
    ) -> [FoundPlugin] {
        let rules = CatalogueRules(
            protected: ProtectedFolders(places: places, storeDirectory: storeDirectory), builtIn: builtIn)
        var found: [FoundPlugin] = []
        var ids: Set<PluginID> = []
        for place in places {
            // Names that are not text are no ids either.
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

    /// Whether a folder counts as a plugin. Files are ignored, and folders that have neither the name nor the manifest
    /// of a plugin.
    private static func isPlugin(_ path: String, _ id: PluginID?) -> Bool {
        guard let status = try? FileSystem.system.statusOfPath(path), status.kind != .regular else { return false }
        return id != nil || (try? FileSystem.system.statusOfPath(path + "/" + Manifest.fileName)) != nil
    }

    /// The plugin that owns each name: the first by id of those that may run.
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

/// The names of the host's own contributions, which no plugin may take.
public struct BuiltInNames: Sendable {
    let shareFormats, importers, exporters, cells: Set<String>

    public init(shareFormats: [String], importers: [String], exporters: [String], cells: [String]) {
        (self.shareFormats, self.importers) = (Set(shareFormats), Set(importers))
        (self.exporters, self.cells) = (Set(exporters), Set(cells))
    }
}

/// The rules of this host for manifests.
struct CatalogueRules {
    let protected: ProtectedFolders
    let builtIn: BuiltInNames

    func check(_ manifest: Manifest, _ entries: [PluginFolder.Entry]) throws(ManifestProblem) {
        let provides = manifest.provides
        try checkNames(provides.shareFormats.map(\.name), builtIn.shareFormats, "shareFormats", "name")
        try checkNames(provides.importers.map(\.format), builtIn.importers, "importers", "format")
        try checkNames(provides.exporters.map(\.format), builtIn.exporters, "exporters", "format")
        try checkNames(provides.cells.map(\.type), builtIn.cells, "cells", "type")
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
            guard let reason = protected.problem(of: path) else { continue }
            throw ManifestProblem(pointer: "/permissions/files/\(member)/\(index)", reason: reason)
        }
    }

    private func checkNames(
        _ names: [String], _ taken: Set<String>, _ kind: String, _ member: String
    ) throws(ManifestProblem) {
        guard let index = names.firstIndex(where: taken.contains) else { return }
        throw ManifestProblem(
            pointer: "/provides/\(kind)/\(index)/\(member)", reason: "is one of the host's own; choose another name")
    }
}

extension FoundPlugin {
    fileprivate init(
        id: String, path: String, isShadowed: Bool, _ rules: CatalogueRules, _ digests: inout DigestCache
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
