import JSONCodec
import MoodCore
import MoodProtocol

extension PluginRecords {
    /// What a person has trusted, and what is set for it. Members that this version does not know are kept.
    public struct Record: Sendable, Equatable {
        public var id: PluginID
        /// Of the copy that runs, as `PluginDigest` writes it.
        public var digest: String
        /// RFC 3339 in UTC with milliseconds.
        public var trustedSince: String
        /// The store's revision at that time: events are delivered from there on.
        public var trustedRevision: Int
        public var isEnabled = true
        /// What a person has set, without secrets and without defaults.
        public var config = JSONValue.object([])
        /// Folders that the person has added to those of the manifest.
        public var readable: [String] = []
        public var writable: [String] = []
        /// Folders to read and execute.
        public var runtimes: [String] = []
        /// Of the program, pinned by the trust.
        public var execRealPath: String
        /// The digest of an MCP server's tools, once they are pinned.
        public var tools: String?
        /// As it was trusted, so that a host needs no folder to know what the plugin provides. It is taken apart when it is
        /// asked for, because a host that starts asks for few.
        public var manifest: JSONValue {
            get { manifestText.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) } }
            set { manifestText = Array(newValue.text.utf8) }
        }
        /// Valid JSON, an object.
        private var manifestText: [UInt8]
        private var others: [JSONValue.Member] = []

        public init(
            id: PluginID, digest: String, trustedSince: String, trustedRevision: Int, execRealPath: String,
            manifest: JSONValue
        ) {
            self.id = id
            self.digest = digest
            self.trustedSince = trustedSince
            self.trustedRevision = trustedRevision
            self.execRealPath = execRealPath
            manifestText = Array(manifest.text.utf8)
        }

        public static func == (a: Record, b: Record) -> Bool {
            // Members are written in one order, so texts are equal only if values are.
            a.id == b.id && a.bytes == b.bytes
        }

        private static let known = [
            "digest", "trustedSince", "trustedRevision", "enabled", "config", "granted", "execRealPath", "tools",
            "manifest",
        ]

        /// Reads one that the validator has accepted.
        init(_ id: PluginID, _ text: ValidJSON) throws(Damage) {
            var reader = JSONReader(text)
            var members: [JSONValue.Member] = []
            var manifest: [UInt8]?
            guard reader.enterObject() else { throw Damage("is no object") }
            while let key = reader.nextKey() {
                guard key.equals("manifest") else {
                    members.append(.init(key.string, JSONValue(reader.skip())))
                    continue
                }
                guard reader.kind == .object else { throw Damage("has no right manifest") }
                manifest = Array(reader.skip().bytes)
            }
            guard let manifest else { throw Damage("has no manifest") }
            try self.init(id, JSONValue.object(members), manifest)
        }

        private init(_ id: PluginID, _ value: JSONValue, _ manifest: [UInt8]) throws(Damage) {
            func required<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(Damage) -> Value {
                guard let value = value[name].flatMap(read) else { throw Damage("has no right \(name)") }
                return value
            }
            func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(Damage) -> Value? {
                value[name] == nil ? nil : try required(name, read)
            }
            func object(_ value: JSONValue) -> JSONValue? { value.object == nil ? nil : value }
            func digest(_ value: JSONValue) -> String? { value.string.flatMap { PluginDigest($0) }?.text }
            func paths(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }
            self.id = id
            self.digest = try required("digest", digest)
            trustedSince = try required("trustedSince") { $0.string.flatMap { Timestamp($0) }?.text }
            trustedRevision = try required("trustedRevision") { $0.integer.flatMap { $0 >= 0 ? $0 : nil } }
            isEnabled = try optional("enabled", \.boolean) ?? true
            config = try optional("config", object) ?? .object([])
            let granted = try optional("granted", object)
            readable = paths(granted?["files"]?["read"])
            writable = paths(granted?["files"]?["write"])
            runtimes = paths(granted?["runtimes"])
            execRealPath = try required("execRealPath", \.string)
            tools = try optional("tools", digest)
            manifestText = manifest
            others = (value.object ?? []).filter { member in !Self.known.contains { member.isNamed($0) } }
        }

        func write(to writer: inout JSONWriter) {
            func paths(_ paths: [String]) -> JSONValue { .array(paths.map { .string($0) }) }
            var members: [JSONValue.Member] = [
                .init("digest", .string(digest)), .init("trustedSince", .string(trustedSince)),
                .init("trustedRevision", .number(String(trustedRevision))), .init("enabled", .boolean(isEnabled)),
                .init("config", config),
                .init(
                    "granted",
                    ["files": ["read": paths(readable), "write": paths(writable)], "runtimes": paths(runtimes)]),
                .init("execRealPath", .string(execRealPath)),
            ]
            if let tools { members.append(.init("tools", .string(tools))) }
            writer.beginObject()
            for member in members + others {
                writer.key(text: member.name)
                member.value.write(to: &writer)
            }
            writer.key("manifest")
            manifestText.withUnsafeBytes { writer.raw($0) }
            writer.endObject()
        }

        private var bytes: [UInt8] {
            var writer = JSONWriter()
            write(to: &writer)
            return Array(writer.buffer.bytes)
        }
    }
}

extension Manifest.Permissions {
    /// As a manifest has them.
    public var json: JSONValue {
        [
            "moods": .string(moods.rawValue), "navigation": .boolean(navigation),
            "files": [
                "read": .array(readable.map { .string($0) }), "write": .array(writable.map { .string($0) }),
            ],
            "network": .boolean(network),
        ]
    }
}
