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

    func changeHooks(besides id: String?, vetoOnly: Bool) throws(Stop) -> [HookRound.Hook] {
        try hooks(on: .change, besides: id, vetoOnly)
    }

    func navigateHooks(besides id: String?) throws(Stop) -> [HookRound.Hook] {
        try hooks(on: .navigate, besides: id, true)
    }

    /// - Throws: a refusal, if a plugin that has to consent cannot be asked.
    private func hooks(
        on occasion: Manifest.Hook.Occasion, besides id: String?, _ vetoOnly: Bool
    ) throws(Stop) -> [HookRound.Hook] {
        let kind: ContributionKinds = occasion == .change ? .changeHooks : .navigateHooks
        let plugins = plugins(that: kind)
        for record in records.records
        where record.isEnabled && record.provisions.contains(kind) && record.id.text != id
            && !plugins.contains(where: { $0.id == record.id }) && record.needsConsent(on: occasion)
        {
            throw .refused(
                .refused(
                    by: "x.\(record.id)",
                    "\(record.id), whose consent is needed, cannot be asked: this host cannot read its manifest in plugins.json. Nothing was done; trust it again, or disable it."
                ))
        }
        return plugins.compactMap { plugin in
            guard plugin.id.text != id, let hook = plugin.manifest.provides.hook(on: occasion) else { return nil }
            return HookRound.Hook(
                plugin: plugin.hosted, name: "x.\(plugin.id)", timeoutMilliseconds: hook.timeoutMilliseconds,
                isClosed: hook.failure == .closed, vetoOnly: vetoOnly)
        }
    }
}

extension PluginRecords.Record {
    /// Whether a hook that fails closed is in its manifest, which may be one that this host cannot read.
    fileprivate func needsConsent(on occasion: Manifest.Hook.Occasion) -> Bool {
        (manifest["provides"]?["hooks"]?.array ?? []).contains {
            ($0["on"]?.string == "navigate") == (occasion == .navigate) && $0["failure"]?.string == "closed"
        }
    }
}
