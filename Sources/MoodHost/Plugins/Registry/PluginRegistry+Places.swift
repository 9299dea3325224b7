import MoodCore
import MoodFormats
import MoodProtocol
import Platform
import PluginHost

/// The folders of plugins, of their copies and of their data.
extension PluginRegistry {
    /// The folders with plugins.
    var places: [String] { PluginPlace.all(storeDirectory: store, others: settings.places) }

    /// The folder of the copies that run.
    func runFolder() throws(SystemError) -> String {
        if let store { return "\(store)/\(PluginPlace.copies)" }
        return try temporary.path()
    }

    func dataFolder(_ id: PluginID) -> String? { store.map { "\($0)/\(PluginPlace.data)/\(id)" } }

    /// Whether lines of a log wait to be written.
    var hasNotes: Bool { notes.values.contains { $0.deadline != nil } }

    /// The notes that outlive the process of a plugin.
    func notes(of id: PluginID) -> PluginNotes {
        if let known = notes[id] { return known }
        let made = PluginNotes(dataFolder(id).map { $0 + ".log" }, isReadOnly: options.isReadOnly, helper)
        notes[id] = made
        return made
    }

    /// Makes the folder that the plugin may write to; none in memory.
    func makeDataFolder(_ id: PluginID) throws(SystemError) {
        guard let store, let own = dataFolder(id) else { return }
        for path in ["\(store)/\(PluginPlace.data)", own] {
            do throws(SystemError) { try FileSystem.system.makeDirectory(path) } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
    }

    /// Finds all plugins in the folders.
    func scan(only id: PluginID? = nil) -> [FoundPlugin] {
        if settings.isOff { return [] }
        return Catalogue.scan(
            places: places, storeDirectory: store,
            builtIn: BuiltInNames(
                shareFormats: MoodCore.ShareFormat.all.map { "\($0.name)" },
                importers: ImportFormat.allCases.map(\.rawValue), exporters: ExportFormat.allCases.map(\.rawValue),
                cells: CellType.all.map { "\($0.type)" }), digests: &digests, only: id)
    }

    /// The folders that a user may not grant to a plugin.
    var protected: ProtectedFolders { ProtectedFolders(places: places, storeDirectory: store) }
}
