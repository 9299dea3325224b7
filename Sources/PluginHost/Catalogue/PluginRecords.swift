import JSONCodec

/// The file `plugins.json` of a store: what every host that opens the store knows of its plugins.
///
///     {"format":"moodboard-plugins","version":1,"plugins":{
///     "org.example.poem":{"digest":"sha256:…","trustedSince":"2026-01-02T03:04:05.678Z","trustedRevision":7,"enabled":true,
///     "config":{},"granted":{"files":{"read":[],"write":[]},"runtimes":[]},"execRealPath":"/usr/bin/python3.12","manifest":{…}}
///     }}
///
/// It is written under the store's lock, and replaced as a whole. Any layout is read. Members that this version does not know
/// are kept. A file of a newer version is read no further than that: nobody may write over it.
public struct PluginRecords: Sendable, Equatable {
    public static let fileName = "plugins.json"
    /// A file of more bytes was not written by us.
    public static let fileBytesMax = 64 << 20
    static let format = "moodboard-plugins"
    static let version = 1

    /// Why a file cannot be read.
    public struct Damage: Error, Sendable, Equatable {
        /// A clause.
        public let reason: String
        /// Whether it is whole, but of a version that only a newer host knows.
        public let isNewer: Bool

        init(_ reason: String, isNewer: Bool = false) {
            self.reason = reason
            self.isNewer = isNewer
        }
    }

    /// The plugins that are trusted, in the order of their ids.
    public private(set) var records: [Record] = []
    /// Of plugins whose names are none here; kept.
    private var otherRecords: [JSONValue.Member] = []
    private var others: [JSONValue.Member] = []

    /// Nothing is known.
    public init() {}

    /// Reads a file.
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(Damage) -> PluginRecords {
        let (plugins, others) = try PluginFile.read(bytes, format, version)
        var records = PluginRecords()
        records.others = others
        for member in plugins {
            guard let id = PluginID(member.name) else {
                records.otherRecords.append(member)
                continue
            }
            do throws(Damage) {
                records[id] = try Record(id, member.value)
            } catch {
                throw Damage("the plugin \(id) \(error.reason)")
            }
        }
        return records
    }

    public func write() -> [UInt8] {
        let members = records.map { JSONValue.Member($0.id.text, $0.json) }
        return PluginFile.write(members + otherRecords, others, Self.format, Self.version)
    }

    /// The record of a plugin; nil where it is not trusted.
    public subscript(id: PluginID) -> Record? {
        get { records.first { $0.id == id } }
        set {
            records.removeAll { $0.id == id }
            guard let newValue else { return }
            records.insert(newValue, at: records.firstIndex { id < $0.id } ?? records.count)
        }
    }

    /// Equal if the files would be.
    public static func == (a: PluginRecords, b: PluginRecords) -> Bool { a.write() == b.write() }
}

/// The file `plugins-secrets.json` of a store, which nobody else may read (0600): the members of configs with `writeOnly`.
public struct PluginSecrets: Sendable {
    public static let fileName = "plugins-secrets.json"
    public static let fileBytesMax = 16 << 20
    private static let format = "moodboard-plugin-secrets"

    private var configs: [PluginID: JSONValue] = [:]
    private var otherConfigs: [JSONValue.Member] = []
    private var others: [JSONValue.Member] = []

    public init() {}

    public static func read(_ bytes: UnsafeRawBufferPointer) throws(PluginRecords.Damage) -> PluginSecrets {
        let (plugins, others) = try PluginFile.read(bytes, format, PluginRecords.version)
        var secrets = PluginSecrets()
        secrets.others = others
        for member in plugins {
            if let id = PluginID(member.name), member.value.object != nil {
                secrets.configs[id] = member.value
            } else {
                secrets.otherConfigs.append(member)
            }
        }
        return secrets
    }

    public func write() -> [UInt8] {
        let members = configs.keys.sorted().map { JSONValue.Member($0.text, configs[$0] ?? .null) }
        return PluginFile.write(members + otherConfigs, others, Self.format, PluginRecords.version)
    }

    /// The secret members of a plugin's config, an object; empty where it has none.
    public subscript(id: PluginID) -> JSONValue {
        get { configs[id] ?? .object([]) }
        set { configs[id] = newValue.object?.isEmpty == false ? newValue : nil }
    }
}

/// What both files are: `{format, version, plugins: {…}}`.
private enum PluginFile {
    static func read(
        _ bytes: UnsafeRawBufferPointer, _ format: String, _ version: Int
    ) throws(PluginRecords.Damage) -> (plugins: [JSONValue.Member], others: [JSONValue.Member]) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(bytes) } catch {
            throw .init("it is not JSON: \(error)")
        }
        if let offset = outline.duplicate { throw .init("a member is given twice (at byte \(offset))") }
        let value = JSONValue(outline.text)
        guard let found = value["format"]?.string, found.utf8.elementsEqual(format.utf8) else {
            throw .init("its format is not \(format)")
        }
        guard let number = value["version"]?.integer, number >= 1 else { throw .init("it has no version") }
        guard number <= version else {
            throw .init("it is of version \(number); this host knows up to \(version), use a newer one", isNewer: true)
        }
        guard let plugins = value["plugins"]?.object else { throw .init("it has no plugins") }
        let others = (value.object ?? []).filter { member in
            !["format", "version", "plugins"].contains { member.isNamed($0) }
        }
        return (plugins, others)
    }

    /// A plugin on each line.
    static func write(
        _ plugins: [JSONValue.Member], _ others: [JSONValue.Member], _ format: String, _ version: Int
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("format")
        writer.string(format)
        writer.key("version")
        writer.integer(version)
        for member in others {
            writer.key(text: member.name)
            member.value.write(to: &writer)
        }
        writer.key("plugins")
        writer.beginObject()
        for (place, member) in plugins.enumerated() {
            writer.buffer.append(place > 0 ? ",\n" : "\n" as StaticString)
            writer.key(text: member.name)
            member.value.write(to: &writer)
        }
        writer.buffer.append("\n" as StaticString)
        writer.endObject()
        writer.endObject()
        writer.buffer.append("\n" as StaticString)
        return Array(writer.buffer.bytes)
    }
}
