import Platform
import PluginHost

/// The descriptors of plugins in the loop: four for each process, with their own names.
struct PluginWatch {
    /// The first name, after those of the loop itself.
    private static let firstName = 64
    private static let end = 4

    enum End: Int {
        case output, errors, reports, input
    }

    /// The plugin of each slot. A slot is free again when the process is gone.
    private var slots: [HostedPlugin?] = []

    var isEmpty: Bool { slots.allSatisfy { $0 == nil } }

    private static func name(_ slot: Int, _ end: End) -> EventSources.Name {
        EventSources.Name(firstName + slot * Self.end + end.rawValue)
    }

    /// The slot and the end of a descriptor.
    static func place(of name: EventSources.Name) -> (slot: Int, end: End)? {
        let number = name.number - firstName
        guard number >= 0, let end = End(rawValue: number % Self.end) else { return nil }
        return (number / Self.end, end)
    }

    /// Listens to the descriptors of the plugins before a wait.
    mutating func prepare(_ plugins: [HostedPlugin], isFull: Bool, _ sources: inout EventSources) {
        for place in slots.indices {
            guard let plugin = slots[place] else { continue }
            if plugin.isGone || !plugins.contains(where: { $0 === plugin }) {
                for end in [End.output, .errors, .reports, .input] { sources.forget(Self.name(place, end)) }
                slots[place] = nil
            }
        }
        for plugin in plugins where !plugin.isGone {
            let slot = slot(of: plugin)
            Self.listen(isFull ? -1 : plugin.output, Self.name(slot, .output), .reading, &sources)
            Self.listen(plugin.errors, Self.name(slot, .errors), .reading, &sources)
            Self.listen(plugin.reports, Self.name(slot, .reports), .reading, &sources)
            Self.listen(plugin.input, Self.name(slot, .input), .writing, &sources)
        }
    }

    private mutating func slot(of plugin: HostedPlugin) -> Int {
        if let slot = slots.firstIndex(where: { $0 === plugin }) { return slot }
        if let slot = slots.firstIndex(where: { $0 == nil }) {
            slots[slot] = plugin
            return slot
        }
        slots.append(plugin)
        return slots.count - 1
    }

    private static func listen(
        _ descriptor: Int32, _ name: EventSources.Name, _ interest: EventSources.Interest, _ sources: inout EventSources
    ) {
        guard descriptor >= 0 else { return sources.forget(name) }
        // The client comes first, however much plugins print.
        sources.listen(to: descriptor, as: name, for: interest, isPatient: true)
    }

    /// Handles one descriptor.
    func attend(_ slot: Int, _ end: End) {
        guard slots.indices.contains(slot), let plugin = slots[slot] else { return }
        switch end {
        case .output: plugin.readOutput()
        case .errors: plugin.readErrors()
        case .reports: plugin.readReports()
        case .input: plugin.send()
        }
    }
}
