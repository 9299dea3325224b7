import JSONCodec
import MoodCore
import MoodProtocol

extension PluginRecords {
    /// A trusted plugin with its settings. Unknown members are kept.
    public struct Record: Sendable, Equatable {
        public var id: PluginID
        /// The digest of the copy that runs, as `PluginDigest` writes it.
        public var digest: String
        /// RFC 3339 in UTC with milliseconds.
        public var trustedSince: String
        /// The store's revision at that time: events are delivered from there on.
        public var trustedRevision: Int
        public var isEnabled = true
        /// The user's settings, without secrets and without defaults.
        public var config = JSONValue.object([])
        /// Folders that the user has added to those of the manifest.
        public var readable: [String] = []
        public var writable: [String] = []
        /// Folders to read and execute.
        public var runtimes: [String] = []
        /// The path of the program that trust has pinned.
        public var execRealPath: String
        /// The digest of an MCP server's tools, once they are pinned.
        public var tools: String?
        /// The tools as the server described them; nil if the user pinned a digest before the server listed them.
        public var toolList: JSONValue?
        /// The number of restarts by the user, in all hosts. A host that runs it restarts it when this grows.
        public var restarts = 0
        /// The number of restarts that skipped an event.
        public var skips = 0
        /// The trusted manifest, so that a host needs no folder to know what the plugin provides. It is parsed on
        /// request, because a starting host needs few manifests.
        public var manifest: JSONValue {
            get { manifestText.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) } }
            set { (manifestText, provisions) = Self.parts(of: newValue) }
        }
        /// Valid JSON, an object.
        private var manifestText: [UInt8]
        /// The contributions of the manifest, collected while it is read.
        public private(set) var provisions: ContributionKinds
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
            (manifestText, provisions) = Self.parts(of: manifest)
        }

        private static func parts(of manifest: JSONValue) -> (text: [UInt8], provisions: ContributionKinds) {
            let text = Array(manifest.text.utf8)
            return text.withUnsafeBytes { bytes in
                var reader = JSONReader(ValidJSON(trusting: bytes))
                return (text, ContributionKinds(&reader))
            }
        }

        /// Whether both run the same plugin in the same way, apart from pinned tools and restarts.
        public func runs(like other: Record?) -> Bool {
            guard let other, other.digest.utf8.elementsEqual(digest.utf8) else { return false }
            return program == other.program
        }

        /// This record without pinned tools and restarts.
        private var program: Record {
            var program = self
            (program.tools, program.toolList) = (nil, nil)
            (program.restarts, program.skips) = (0, 0)
            return program
        }

        public static func == (a: Record, b: Record) -> Bool {
            // Members are written in one order, so texts are equal only if values are.
            a.id == b.id && a.manifestText == b.manifestText && a.facts == b.facts
        }

        /// Reads a record in valid JSON, and moves the reader past it.
        init(_ id: PluginID, _ reader: inout JSONReader) throws(Damage) {
            guard reader.enterObject() else { throw Damage("is no object") }
            var (digest, trustedSince, execRealPath): (String?, String?, String?)
            var trustedRevision: Int?
            var manifest: (text: [UInt8], provisions: ContributionKinds)?
            self.config = .object([])
            func digestText(_ reader: inout JSONReader) -> String? {
                reader.text().flatMap { text in text.withDecoded { PluginDigest.isText($0) } ? text.string : nil }
            }
            while let key = reader.nextKey() {
                var isRight = true
                if key.equals("digest") {
                    digest = digestText(&reader)
                    isRight = digest != nil
                } else if key.equals("trustedSince") {
                    trustedSince = reader.text().flatMap { $0.withDecoded { Timestamp(rfc3339: $0)?.text } }
                    isRight = trustedSince != nil
                } else if key.equals("trustedRevision") {
                    trustedRevision = reader.number()?.integer.flatMap { $0 >= 0 ? $0 : nil }
                    isRight = trustedRevision != nil
                } else if key.equals("enabled") {
                    if let value = reader.boolean() { isEnabled = value } else { isRight = false }
                } else if key.equals("config") {
                    config = JSONValue(reader.skip())
                    isRight = config.object != nil
                } else if key.equals("granted") {
                    if let granted = Self.granted(&reader) {
                        (readable, writable, runtimes) = granted
                    } else {
                        isRight = false
                    }
                } else if key.equals("restarts") || key.equals("skips") {
                    let number = reader.number()?.integer.flatMap { $0 >= 0 ? $0 : nil }
                    isRight = number != nil
                    if key.equals("skips") { skips = number ?? 0 } else { restarts = number ?? 0 }
                } else if key.equals("execRealPath") {
                    execRealPath = reader.text()?.string
                    isRight = execRealPath != nil
                } else if key.equals("tools") {
                    tools = digestText(&reader)
                    isRight = tools != nil
                } else if key.equals("toolList") {
                    toolList = JSONValue(reader.skip())
                    isRight = toolList?.array != nil
                } else if key.equals("manifest") {
                    if reader.kind == .object {
                        let start = reader.valueStart
                        let provisions = ContributionKinds(&reader)
                        manifest = (Array(reader.slice(from: start).bytes), provisions)
                    } else {
                        isRight = false
                    }
                } else {
                    others.append(.init(key.string, JSONValue(reader.skip())))
                }
                guard isRight else { throw Damage("has a wrong \(key.string)") }
            }
            guard let digest else { throw Damage("has no digest") }
            guard let trustedSince else { throw Damage("has no trustedSince") }
            guard let trustedRevision else { throw Damage("has no trustedRevision") }
            guard let execRealPath else { throw Damage("has no execRealPath") }
            guard let manifest else { throw Damage("has no manifest") }
            self.id = id
            self.digest = digest
            self.trustedSince = trustedSince
            self.trustedRevision = trustedRevision
            self.execRealPath = execRealPath
            (manifestText, provisions) = manifest
        }

        /// The granted folders; nil if the value is no object.
        private static func granted(
            _ reader: inout JSONReader
        ) -> (readable: [String], writable: [String], runtimes: [String])? {
            guard reader.enterObject() else { return nil }
            var granted: (readable: [String], writable: [String], runtimes: [String]) = ([], [], [])
            while let key = reader.nextKey() {
                if key.equals("runtimes") {
                    granted.runtimes = paths(&reader)
                } else if key.equals("files"), reader.enterObject() {
                    while let key = reader.nextKey() {
                        if key.equals("read") {
                            granted.readable = paths(&reader)
                        } else if key.equals("write") {
                            granted.writable = paths(&reader)
                        } else {
                            reader.skip()
                        }
                    }
                } else {
                    reader.skip()
                }
            }
            return granted
        }

        /// The texts of a list; other values, or another value than a list, are ignored.
        private static func paths(_ reader: inout JSONReader) -> [String] {
            guard reader.enterArray() else {
                reader.skip()
                return []
            }
            var paths: [String] = []
            while reader.nextElement() {
                if let text = reader.text() { paths.append(text.string) } else { reader.skip() }
            }
            return paths
        }

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writeFacts(to: &writer)
            writer.key("manifest")
            manifestText.withUnsafeBytes { writer.raw($0) }
            writer.endObject()
        }

        /// The members besides the manifest.
        private func writeFacts(to writer: inout JSONWriter) {
            writer.member("digest", digest)
            writer.member("trustedSince", trustedSince)
            writer.member("trustedRevision", trustedRevision)
            writer.member("enabled", isEnabled)
            writer.member("config", config)
            writer.beginObject("granted")
            writer.beginObject("files")
            writer.member("read", array: readable) { $1.string($0) }
            writer.member("write", array: writable) { $1.string($0) }
            writer.endObject()
            writer.member("runtimes", array: runtimes) { $1.string($0) }
            writer.endObject()
            writer.member("execRealPath", execRealPath)
            writer.member("tools", tools)
            if let toolList { writer.member("toolList", toolList) }
            if restarts > 0 { writer.member("restarts", restarts) }
            if skips > 0 { writer.member("skips", skips) }
            for member in others {
                writer.key(text: member.name)
                member.value.write(to: &writer)
            }
        }

        private var facts: [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writeFacts(to: &writer)
            writer.endObject()
            return Array(writer.buffer.bytes)
        }
    }
}

extension Manifest.Permissions {
    /// The permissions as in a manifest.
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
