import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import PluginHost

/// The cells of plugins on the screen of a mood.
extension Core {
    /// Default time to wait for plugin cells, in milliseconds.
    static let cellsMilliseconds = 150

    /// Answers immediately if all cells are there or the request does not wait for them; else later.
    /// - Parameter reading: `{mood, locale, timeZone, now}`, of `pluginReading`.
    mutating func showWithPlugins(
        _ id: MoodID, _ request: DetailRequest, _ form: DetailForm, _ reading: [JSONValue.Member],
        waitMilliseconds: Int, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let wanted = try askForCells(id, reading, request)
        let missing = wanted.filter { !plugins.cells.has($0.key, at: Clock.monotonicMilliseconds) }
        if missing.isEmpty || waitMilliseconds == 0 {
            try show(id, request, form, wanted, &out)
            return nil
        }
        let calls = missing.compactMap { entry in plugins.cells.underWay[entry.key].map { (entry.plugin.hosted, $0) } }
        return PluginWork(calls, until: Clock.monotonicMilliseconds + waitMilliseconds) {
            (core, out) throws in
            core.takeCells()
            try core.show(id, request, form, wanted, &out)
        }
    }

    /// The keys of a mood's cells at present. Asks plugins for missing ones.
    private mutating func askForCells(
        _ id: MoodID, _ reading: [JSONValue.Member], _ request: DetailRequest
    ) throws -> [(key: PluginCells.Key, plugin: TrustedPlugin)] {
        var params = reading
        let location = request.location
        if let location { params.append(.init("location", location)) }
        let revision = params.first?.value["revision"]?.integer ?? 0
        let (now, plugins) = (Clock.monotonicMilliseconds, plugins)
        var wanted: [(key: PluginCells.Key, plugin: TrustedPlugin)] = []
        for plugin in plugins.plugins(that: .cells) {
            let surroundings = [
                params[1].value.text, params[2].value.text, location?.text ?? "", plugin.record.config.text,
                plugin.record.digest, request.hidesNotes ? "without notes" : "",
            ].joined(separator: "\n")
            let key = PluginCells.Key(plugin: plugin.id, mood: id, revision: revision, surroundings: surroundings)
            wanted.append((key, plugin))
            guard !plugins.cells.has(key, at: now), plugins.cells.underWay[key] == nil else { continue }
            let call = plugin.call("detail.cells", .object(params))
            plugins.cells.underWay[key] = call
            plugin.hosted.call(call)
        }
        return wanted
    }

    /// Keeps cells that have arrived, and reports those that were shown as loading.
    mutating func takeCells() {
        let (types, plugins) = (Set(CellType.all.map { "\($0.type)" }), plugins)
        for (key, call) in plugins.cells.underWay {
            guard let outcome = call.outcome else { continue }
            let isMissed = plugins.cells.end(key)
            guard let plugin = plugins[key.plugin] else { continue }
            var bytes = Array(#"{"cells":[],"maxAge":1}"#.utf8)
            switch outcome {
            case .result(let result): bytes = result
            case .failed(let error):
                plugin.noteOnce(
                    "detail.cells: It answered with an error: \(String(decoding: error.prefix(200), as: UTF8.self))")
            // The log says these already.
            case .unusable, .timedOut, .unavailable, .cancelled, .unknown: break
            }
            let now = Clock.monotonicMilliseconds
            if let problem = plugins.cells.take(bytes, key, plugin.manifest, types: types, at: now) {
                plugin.hosted.note(problem)
            }
            if isMissed { plugins.noteChange(.cells(key.plugin, key.mood)) }
        }
    }

    private mutating func show(
        _ id: MoodID, _ request: DetailRequest, _ form: DetailForm,
        _ wanted: [(key: PluginCells.Key, plugin: TrustedPlugin)],
        _ out: inout JSONWriter
    ) throws {
        let plugins = plugins
        var cells = JSONWriter(capacity: 1024)
        for (key, plugin) in wanted {
            if let found = plugins.cells.show(key) {
                if !found.isEmpty { found.withUnsafeBytes { cells.raw($0) } }
            } else {
                plugins.cells.note(missed: key)
                JSONValue.loadingCell(plugin).write(to: &cells)
            }
        }
        try show(id, request, form, cells: Array(cells.buffer.bytes), &out)
    }
}

extension JSONValue {
    fileprivate static func loadingCell(_ plugin: TrustedPlugin) -> JSONValue {
        [
            "type": "loading", "id": .string("\(plugin.id)/loading"), "text": .string("\(plugin.manifest.name) …"),
            "accessibility": ["label": .string("\(plugin.manifest.name) is loading"), "traits": []],
        ]
    }
}
