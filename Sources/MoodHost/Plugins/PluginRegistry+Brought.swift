import MoodCore
import PluginHost

/// What plugins bring.
extension PluginRegistry {
    func shareFormat(_ name: String) -> (plugin: TrustedPlugin, format: Manifest.ShareFormat)? {
        for plugin in plugins(that: .shareFormats) {
            for format in plugin.manifest.provides.shareFormats where format.name.utf8.elementsEqual(name.utf8) {
                return (plugin, format)
            }
        }
        return nil
    }

    /// What they bring for the menu.
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
