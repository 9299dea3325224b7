import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore
import Platform
import PluginHost
import Storage

/// File formats of plugins: `import.read`, `export.write`.
extension Core {
    /// The most moods of one call.
    static let transferMax = 1000

    /// Asks the plugin for the moods of a file, page by page, and takes them as one commit.
    mutating func importByPlugin(
        _ importer: (plugin: TrustedPlugin, format: String), _ arguments: borrowing Arguments
    ) throws(RPCError) -> any LaterWork {
        let plugin = importer.plugin
        for (name, isGiven) in [
            ("map", arguments[has: TransferParams.map]), ("dateFormat", arguments[TransferParams.dateFormat] != nil),
        ] where isGiven {
            throw Arguments.error(
                "cannot be given: a plugin reads \(importer.format), and does not get this parameter", at: "/" + name)
        }
        var members: [JSONValue.Member] = [.init("format", .string(importer.format))]
        var copy: String?
        if let path = arguments[TransferParams.path] {
            guard let folder = plugins.dataFolder(plugin.id) else {
                throw Arguments.error("needs a store on disk; give text instead", at: "/path")
            }
            let bytes = try FileToImport(path).bytes()
            let name = "\(folder)/import-\(makeID().text)"
            do throws(SystemError) {
                let file = try File(name, .create, in: .system)
                let failure: SystemError? = bytes.withUnsafeBytes { bytes in
                    do throws(SystemError) { try file.write(bytes, at: 0) } catch { return error }
                    return nil
                }
                if let failure { throw failure }
            } catch {
                throw Arguments.error("cannot be copied for the plugin: \(error)", at: "/path")
            }
            members.append(.init("path", .string(name)))
            copy = name
        } else {
            members.append(.init("text", .string(arguments[TransferParams.text]?.string ?? "")))
        }
        let request = PluginImport.Request(
            format: importer.format, isStrict: arguments[TransferParams.strict],
            replaces: arguments[TransferParams.replace], isDryRun: arguments.isDryRun,
            operation: arguments[CommonParams.operation] == nil
                ? nil : arguments.operationKey(of: Method(TransferMethods.import)),
            param: copy == nil ? "text" : "path")
        return PluginImport(plugin, members, request, copy)
    }

    /// Takes the moods from a plugin into a commit, which ends like that of any request.
    mutating func finishImport(
        _ pages: [[UInt8]], _ request: PluginImport.Request, of plugin: String, _ out: inout JSONWriter
    ) throws {
        if request.isDryRun {
            try store.openForRequest()
            store.rehearse()
        } else {
            try store.openForWriting()
        }
        let start = out.count
        if let operation = request.operation, let known = try store.answer(of: operation) {
            return known.withUnsafeBytes { out.raw($0) }
        }
        var taker = ImportTaker(
            options.limits, importOptions(), now: now, replaces: request.replaces,
            ImportTally(strict: request.isStrict, request.param))
        var ids = PluginRowIDs(request.format)
        for page in pages {
            let value = page.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
            for problem in value["problems"]?.array ?? [] {
                taker.tally.add(
                    ImportProblem(
                        line: problem["line"]?.integer ?? 0,
                        reason: problem["reason"]?.string ?? "It cannot be read.",
                        text: problem["text"]?.string ?? "",
                        loss: problem["isKept"]?.boolean == true ? .part : .row))
            }
            for mood in value["moods"]?.array ?? [] { try taker.take(ids.mood(mood), into: &store) }
        }
        try taker.tally.finish(to: &out)
        if let operation = request.operation, !request.isDryRun {
            store.keepOutcome(operation, answer: UnsafeRawBufferPointer(rebasing: out.buffer.bytes[start...]))
        }
    }

    /// One part of an export whose text a plugin writes.
    mutating func exportByPlugin(
        _ format: String, _ moods: FrozenMoods
    ) throws(RPCError) -> any LaterWork {
        for plugin in plugins.plugins(that: .exporters) {
            guard
                let exporter = plugin.manifest.provides.exporters.first(where: {
                    $0.format.utf8.elementsEqual(format.utf8)
                })
            else { continue }
            return PluginExport(plugin, exporter, moods)
        }
        let known =
            ExportFormat.allCases.map(\.rawValue)
            + plugins.plugins(that: .exporters).flatMap { $0.manifest.provides.exporters.map(\.format) }
        throw Arguments.error(
            "\"\(format.prefix(64))\" is no format; known are \(known.joined(separator: ", "))", at: "/format")
    }
}

/// Ids for moods that a plugin gives without one. They are made like those of rows without ids, from the mood's text in
/// place of cells.
struct PluginRowIDs {
    private var ids: RowIDs

    init(_ format: String) { ids = RowIDs(format) }

    mutating func mood(_ mood: JSONValue) -> ImportedMood {
        let text = Array(mood.text.utf8)
        if mood["id"]?.string.flatMap({ MoodID($0) }) != nil {
            return ImportedMood(line: 0, carriesID: true, json: text, text: "")
        }
        let members =
            [JSONValue.Member("id", .string(ids.next([text]).text))] + (mood.object ?? []).filter { $0.name != "id" }
        return ImportedMood(line: 0, carriesID: false, json: Array(JSONValue.object(members).text.utf8), text: "")
    }
}

/// Calls of a plugin, one after the other, each made from the previous answer.
class PluginSequence: LaterWork {
    fileprivate let plugin: TrustedPlugin
    fileprivate var call: PluginCall?
    private var isCancelled = false
    private var hasBegun = false

    fileprivate init(_ plugin: TrustedPlugin) { self.plugin = plugin }

    var change: LateChange? { nil }

    fileprivate func begin(_ method: String, _ params: JSONValue) {
        let call = plugin.call(method, params)
        self.call = call
        plugin.hosted.call(call)
    }

    func begin(_ core: inout Core) -> Bool {
        hasBegun = true
        beginFirst()
        return call?.outcome != nil
    }

    fileprivate func beginFirst() {}

    /// Takes an answer.
    /// - Returns: false if it began another call.
    fileprivate func take(_ result: [UInt8]) throws(RPCError) -> Bool { true }

    fileprivate func finish() {}

    fileprivate func conclude(_ core: inout Core, _ out: inout JSONWriter) throws {}

    func cancel() {
        isCancelled = true
        if let call { plugin.hosted.abandon(call) }
    }

    func takeConclusion() -> Conclusion? {
        guard hasBegun else { return nil }
        if isCancelled {
            finish()
            return { (_, _) throws(RPCError) in throw RPCError(.cancelled, "The request was cancelled.") }
        }
        while let call, call.outcome != nil {
            do throws(RPCError) {
                guard try take(try call.result(of: plugin.id.text)) else { continue }
            } catch {
                finish()
                return { (_, _) throws(RPCError) in throw error }
            }
            finish()
            return { [self] (core, out) throws in try conclude(&core, &out) }
        }
        return nil
    }
}

/// `import.read`, until an answer has no cursor.
final class PluginImport: PluginSequence {
    struct Request {
        let format: String
        let isStrict: Bool
        let replaces: Bool
        let isDryRun: Bool
        let operation: OperationKey?
        let param: String
    }

    private static let pagesMax = 10_000
    private let members: [JSONValue.Member]
    private let request: Request
    private let copy: String?
    private var pages: [[UInt8]] = []

    init(_ plugin: TrustedPlugin, _ members: [JSONValue.Member], _ request: Request, _ copy: String?) {
        self.members = members
        self.request = request
        self.copy = copy
        super.init(plugin)
    }

    override var change: LateChange? {
        LateChange(method: Name(TransferMethods.import.name), isDryRun: request.isDryRun)
    }

    override fileprivate func beginFirst() { begin("import.read", .object(members)) }

    override fileprivate func take(_ result: [UInt8]) throws(RPCError) -> Bool {
        let value = result.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        let id = plugin.id.text
        guard let moods = value["moods"]?.array else {
            throw .pluginFailed(id, "its result has no moods", path: "/moods")
        }
        guard moods.count <= Core.transferMax else {
            throw .pluginFailed(id, "its result has more than \(Core.transferMax) moods", path: "/moods")
        }
        pages.append(result)
        guard let cursor = value["cursor"]?.string else { return true }
        guard pages.count < Self.pagesMax else {
            throw .pluginFailed(id, "it does not come to an end", path: "/cursor")
        }
        begin("import.read", .object(members + [.init("cursor", .string(cursor))]))
        return false
    }

    override fileprivate func finish() {
        // A copy that stays does no harm: the plugin's folder is bounded, and the next import takes another name.
        if let copy { try? FileSystem.system.unlink(copy) }
    }

    override fileprivate func conclude(_ core: inout Core, _ out: inout JSONWriter) throws {
        try core.finishImport(pages, request, of: plugin.id.text, &out)
    }
}

/// `export.write`, once for each thousand moods.
final class PluginExport: PluginSequence {
    private let exporter: Manifest.Exporter
    private let moods: FrozenMoods
    private var text = ""
    private var isFirst = true
    private var isLast = false

    init(_ plugin: TrustedPlugin, _ exporter: Manifest.Exporter, _ moods: FrozenMoods) {
        self.exporter = exporter
        self.moods = moods
        super.init(plugin)
    }

    override fileprivate func beginFirst() { beginNext() }

    private func beginNext() {
        var page: [JSONValue] = []
        do throws(StorageError) {
            isLast = try moods.forEach { record in
                guard page.count < Core.transferMax else { return false }
                page.append(JSONValue(ValidJSON(trusting: record)))
                return true
            }
        } catch {
            fault = error
            isLast = true
        }
        begin(
            "export.write",
            [
                "format": .string(exporter.format), "moods": .array(page), "isFirst": .boolean(isFirst),
                "isLast": .boolean(isLast),
            ])
        isFirst = false
    }

    private var fault: StorageError?

    override fileprivate func take(_ result: [UInt8]) throws(RPCError) -> Bool {
        if let fault { throw RPCError(fault, forWriting: false) }
        let value = result.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        guard let part = value["text"]?.string else {
            throw .pluginFailed(plugin.id.text, "its result has no text", path: "/text")
        }
        text += part
        if isLast { return true }
        beginNext()
        return false
    }

    override fileprivate func conclude(_ core: inout Core, _ out: inout JSONWriter) throws {
        out.beginObject()
        out.member("text", text)
        out.endObject()
    }
}
