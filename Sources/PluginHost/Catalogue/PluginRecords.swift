import JSONCodec

/// The file `plugins.json` of a store with its trusted plugins, for every host that opens the store.
///
///     {"format":"moodboard-plugins","version":1,"plugins":{
///     "org.example.poem":{"digest":"sha256:…","trustedSince":"2026-01-02T03:04:05.678Z","trustedRevision":7,"enabled":true,
///     "config":{},"granted":{"files":{"read":[],"write":[]},"runtimes":[]},"execRealPath":"/usr/bin/python3.12","manifest":{…}}
///     }}
///
/// A host writes it under the store's lock, and replaces it as a whole. It reads any layout and keeps unknown members.
/// A host reads only the version of a newer file, because it must not overwrite it.
public struct PluginRecords: Sendable, Equatable {
    public static let fileName = "plugins.json"
    /// The most bytes of the file; a host writes no larger one.
    public static let fileBytesMax = 64 << 20
    static let format = "moodboard-plugins"
    static let version = 1

    /// The reason why a file cannot be read.
    public struct Damage: Error, Sendable, Equatable {
        /// A clause.
        public let reason: String
        /// Whether the file is intact, but of a version that only a newer host knows.
        public let isNewer: Bool

        init(_ reason: String, isNewer: Bool = false) {
            self.reason = reason
            self.isNewer = isNewer
        }
    }

    /// The trusted plugins, in the order of their ids.
    public private(set) var records: [Record] = []
    /// Records whose names are no ids; kept.
    private var otherRecords: [JSONValue.Member] = []
    private var others: [JSONValue.Member] = []

    /// Makes empty records.
    public init() {}

    /// Reads a file.
    /// - Parameter isSealed: whether its seal shows that a host wrote it.
    public static func read(_ bytes: UnsafeRawBufferPointer, isSealed: Bool) throws(Damage) -> PluginRecords {
        var records = PluginRecords()
        records.others = try PluginFile.read(bytes, isSealed: isSealed, format, version) {
            (name, reader) throws(Damage) in
            guard let id = PluginID(name) else {
                records.otherRecords.append(.init(name, JSONValue(reader.skip())))
                return
            }
            do throws(Damage) {
                records[id] = try Record(id, &reader)
            } catch {
                throw Damage("the plugin \(id) \(error.reason)")
            }
        }
        return records
    }

    public func write() -> [UInt8] {
        PluginFile.write(others, Self.format, Self.version) { file in
            for record in records { file.add(record.id.text) { record.write(to: &$0) } }
            for member in otherRecords { file.add(member.name) { member.value.write(to: &$0) } }
        }
    }

    /// The record of a plugin; nil if it is not trusted.
    public subscript(id: PluginID) -> Record? {
        get { records.first { $0.id == id } }
        set {
            // A file written by a host has them in this order.
            if let last = records.last, last.id < id {
                if let newValue { records.append(newValue) }
                return
            }
            records.removeAll { $0.id == id }
            guard let newValue else { return }
            records.insert(newValue, at: records.firstIndex { id < $0.id } ?? records.count)
        }
    }

    /// Equal if the files would be.
    public static func == (a: PluginRecords, b: PluginRecords) -> Bool {
        a.records == b.records && a.unknown.text == b.unknown.text
    }

    private var unknown: JSONValue { .array([.object(otherRecords), .object(others)]) }
}

/// The file `plugins-secrets.json` of a store, which no other user may read (0600): the members of configs with
/// `writeOnly`.
public struct PluginSecrets: Sendable {
    public static let fileName = "plugins-secrets.json"
    public static let fileBytesMax = 16 << 20
    private static let format = "moodboard-plugin-secrets"

    private var configs: [PluginID: JSONValue] = [:]
    private var otherConfigs: [JSONValue.Member] = []
    private var others: [JSONValue.Member] = []

    public init() {}

    public static func read(
        _ bytes: UnsafeRawBufferPointer, isSealed: Bool
    ) throws(PluginRecords.Damage) -> PluginSecrets {
        var secrets = PluginSecrets()
        secrets.others = try PluginFile.read(bytes, isSealed: isSealed, format, PluginRecords.version) { name, reader in
            let value = JSONValue(reader.skip())
            if let id = PluginID(name), value.object != nil {
                secrets.configs[id] = value
            } else {
                secrets.otherConfigs.append(.init(name, value))
            }
        }
        return secrets
    }

    public func write() -> [UInt8] {
        PluginFile.write(others, Self.format, PluginRecords.version) { file in
            for (id, config) in configs.sorted(by: { $0.key < $1.key }) { file.add(id.text) { config.write(to: &$0) } }
            for member in otherConfigs { file.add(member.name) { member.value.write(to: &$0) } }
        }
    }

    /// The secret members of a plugin's config, an object; empty if it has none.
    public subscript(id: PluginID) -> JSONValue {
        get { configs[id] ?? .object([]) }
        set { configs[id] = newValue.object?.isEmpty == false ? newValue : nil }
    }
}

/// The common form of both files: `{format, version, plugins: {…}}`, with a plugin on each line.
private struct PluginFile: ~Copyable {
    private var writer = JSONWriter()
    private var isFirst = true

    /// Reads a file.
    /// - Parameters:
    ///   - isSealed: whether its seal shows that a host wrote it; then it is not validated.
    ///   - plugin: gets each plugin with its name.
    /// - Returns: the unknown members.
    static func read(
        _ bytes: UnsafeRawBufferPointer, isSealed: Bool, _ format: String, _ version: Int,
        _ plugin: (String, inout JSONReader) throws(PluginRecords.Damage) -> Void
    ) throws(PluginRecords.Damage) -> [JSONValue.Member] {
        var reader = JSONReader(isSealed ? ValidJSON(trusting: bytes) : try validated(bytes))
        guard reader.enterObject() else { throw .init("it is no object") }
        var (head, others): ([JSONValue.Member], [JSONValue.Member]) = ([], [])
        var plugins: JSONReader?
        var areRead = false
        while let key = reader.nextKey() {
            if key.equals("plugins") {
                plugins = reader
                // If the head comes first, as hosts write it, the plugins are read in the same pass.
                if head.count == 2 {
                    try read(&reader, .object(head), format, version, plugin)
                    areRead = true
                } else {
                    reader.skip()
                }
            } else if key.equals("format") || key.equals("version") {
                head.append(.init(key.string, JSONValue(reader.skip())))
            } else {
                others.append(.init(key.string, JSONValue(reader.skip())))
            }
        }
        if areRead { return others }
        guard var plugins else {
            try check(.object(head), format, version)
            throw .init("it has no plugins")
        }
        try read(&plugins, .object(head), format, version, plugin)
        return others
    }

    private static func validated(_ bytes: UnsafeRawBufferPointer) throws(PluginRecords.Damage) -> ValidJSON {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(bytes) } catch {
            throw .init("it is not JSON: \(error)")
        }
        if let offset = outline.duplicate { throw .init("a member is given twice (at byte \(offset))") }
        return outline.text
    }

    private static func check(_ head: JSONValue, _ format: String, _ version: Int) throws(PluginRecords.Damage) {
        guard let found = head["format"]?.string, found.utf8.elementsEqual(format.utf8) else {
            throw .init("its format is not \(format)")
        }
        guard let number = head["version"]?.integer, number >= 1 else { throw .init("it has no version") }
        guard number <= version else {
            throw .init("it is of version \(number); this host knows up to \(version), use a newer one", isNewer: true)
        }
    }

    private static func read(
        _ reader: inout JSONReader, _ head: JSONValue, _ format: String, _ version: Int,
        _ plugin: (String, inout JSONReader) throws(PluginRecords.Damage) -> Void
    ) throws(PluginRecords.Damage) {
        try check(head, format, version)
        guard reader.enterObject() else { throw .init("its plugins are no object") }
        while let key = reader.nextKey() { try plugin(key.string, &reader) }
    }

    static func write(
        _ others: [JSONValue.Member], _ format: String, _ version: Int, _ plugins: (inout PluginFile) -> Void
    ) -> [UInt8] {
        var file = PluginFile()
        file.writer.beginObject()
        file.writer.key("format")
        file.writer.string(format)
        file.writer.key("version")
        file.writer.integer(version)
        for member in others {
            file.writer.key(text: member.name)
            member.value.write(to: &file.writer)
        }
        file.writer.key("plugins")
        file.writer.beginObject()
        plugins(&file)
        file.writer.buffer.append("\n" as StaticString)
        file.writer.endObject()
        file.writer.endObject()
        file.writer.buffer.append("\n" as StaticString)
        return Array(file.writer.buffer.bytes)
    }

    mutating func add(_ name: String, _ value: (inout JSONWriter) -> Void) {
        writer.buffer.append(isFirst ? "\n" : ",\n" as StaticString)
        isFirst = false
        writer.key(text: name)
        value(&writer)
    }
}
