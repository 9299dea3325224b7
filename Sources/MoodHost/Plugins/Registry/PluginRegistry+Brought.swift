import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import PluginHost

/// The contributions of plugins.
extension PluginRegistry {
    func shareFormat(_ name: String) -> (plugin: TrustedPlugin, format: Manifest.ShareFormat)? {
        for plugin in plugins(that: .shareFormats) {
            for format in plugin.manifest.provides.shareFormats where format.name.utf8.elementsEqual(name.utf8) {
                return (plugin, format)
            }
        }
        return nil
    }

    /// The plugin that reads a format; nil for the host's own formats.
    /// - Parameters:
    ///   - fileExtension: chooses it if the request names no format.
    ///   - isOwn: whether the host itself reads the file. A plugin gets no such file by an extension of the host's.
    func importer(_ name: String?, _ fileExtension: String?, isOwn: () throws -> Bool) throws -> (
        plugin: TrustedPlugin, format: String
    )? {
        if let name, ImportFormat(rawValue: name) != nil { return nil }
        let isOwnExtension = name == nil && ImportFormat.fileExtensions.contains(fileExtension ?? "")
        for plugin in plugins(that: .importers) {
            for importer in plugin.manifest.provides.importers {
                if let name, !importer.format.utf8.elementsEqual(name.utf8) { continue }
                if name == nil, !importer.extensions.contains(where: { $0.lowercased() == fileExtension }) { continue }
                if isOwnExtension, try isOwn() { return nil }
                return (plugin, importer.format)
            }
        }
        guard let name else { return nil }
        let known =
            ImportFormat.allCases.map(\.rawValue)
            + plugins(that: .importers).flatMap { $0.manifest.provides.importers.map(\.format) }
        throw Arguments.error(
            "\"\(name.prefix(64))\" is no format; known are \(known.joined(separator: ", "))", at: "/format")
    }

    /// The menu items of plugins.
    var menu: [Menu.PluginItem] {
        plugins(that: .menu).flatMap { plugin in
            plugin.manifest.provides.menu.map { item in
                Menu.PluginItem(
                    title: item.title,
                    description: plugin.manifest.provides.method(named: item.method)?.summary ?? plugin.manifest.name,
                    icon: item.icon, color: item.color, action: "x.\(plugin.id).\(item.method)")
            }
        }
    }

    func changeHooks(besides id: String?, vetoOnly: Bool) -> [HookRound.Hook] {
        hooks(on: .change, besides: id, vetoOnly)
    }

    func navigateHooks(besides id: String?) -> [HookRound.Hook] { hooks(on: .navigate, besides: id, true) }

    private func hooks(on occasion: Manifest.Hook.Occasion, besides id: String?, _ vetoOnly: Bool) -> [HookRound.Hook] {
        plugins(that: occasion == .change ? .changeHooks : .navigateHooks).compactMap { plugin in
            guard plugin.id.text != id, let hook = plugin.manifest.provides.hook(on: occasion) else { return nil }
            return HookRound.Hook(
                plugin: plugin.hosted, name: "x.\(plugin.id)", timeoutMilliseconds: hook.timeoutMilliseconds,
                isClosed: hook.failure == .closed, vetoOnly: vetoOnly)
        }
    }
}
