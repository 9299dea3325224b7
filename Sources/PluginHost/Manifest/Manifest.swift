import JSONCodec

/// The description of a plugin in `plugin.json`.
///
/// Unknown members are ignored, so that an older host can list a newer plugin. The contents are checked: names, ranges
/// and schemas are valid, and every menu item leads to a method.
public struct Manifest: Sendable {
    /// The name of the file in the plugin's folder.
    public static let fileName = "plugin.json"
    public static let fileBytesMax = 256 * 1024
    /// Levels of nesting. The records hold manifests some levels deeper, and must be readable too.
    public static let depthMax = 56
    /// The version of the protocol with plugins.
    public static let protocolVersion = 1

    public enum Kind: String, CaseIterable, Sendable {
        /// Speaks the protocol of this host.
        case moodboard
        /// An MCP server: its tools are its methods.
        case mcp
    }

    public let id: PluginID
    /// A name for users.
    public let name: String
    public let version: String
    /// The program, which is `./…` in the folder or a bare name, and its arguments. Never empty.
    public let exec: [String]
    public let kind: Kind
    public let provides: Provides
    /// The schema for `plugin.configure`; nil if nothing can be configured.
    public let config: JSONSchema?
    public let permissions: Permissions
    public let limits: Limits
    /// The manifest as read, with unknown members.
    public let source: JSONValue

    /// The contributions of a plugin.
    public struct Provides: Sendable {
        public var methods: [OwnMethod] = []
        public var shareFormats: [ShareFormat] = []
        public var cells: [Cell] = []
        public var hooks: [Hook] = []
        /// The topics of its events.
        public var events: [Topic] = []
        public var importers: [Importer] = []
        public var exporters: [Exporter] = []
        public var menu: [MenuItem] = []
        public var transports: [Transport] = []

        public init() {}

        public func method(named name: String) -> OwnMethod? { methods.first { $0.name == name } }
        public func hook(on occasion: Hook.Occasion) -> Hook? { hooks.first { $0.on == occasion } }
    }

    /// A method that clients call as `x.<id>.<name>`.
    public struct OwnMethod: Sendable {
        public enum Effect: String, CaseIterable, Sendable { case read, write }

        public let name: String
        public let summary: String
        public let params: JSONSchema
        public let result: JSONSchema
        public let effect: Effect
        /// Whether AI clients may get it.
        public let isTool: Bool

        init(name: String, summary: String, params: JSONSchema, result: JSONSchema, effect: Effect, isTool: Bool) {
            (self.name, self.summary, self.params, self.result) = (name, summary, params, result)
            (self.effect, self.isTool) = (effect, isTool)
        }
    }

    public struct ShareFormat: Sendable {
        public let name: String
        public let title: String
        public let mediaType: String
    }

    /// A type of cell of its own, which screens show as `x.<id>.<type>`.
    public struct Cell: Sendable {
        public let type: String
    }

    public struct Hook: Sendable {
        public enum Occasion: String, CaseIterable, Sendable { case change, navigate }

        public enum Failure: String, CaseIterable, Sendable {
            /// A failure counts as consent.
            case open
            /// A failure counts as a veto.
            case closed
        }

        public let on: Occasion
        public let failure: Failure
        /// The time to answer, once it runs.
        public let timeoutMilliseconds: Int
    }

    /// A topic whose events the store keeps, so that a plugin can get them late and without a gap. The other topics are
    /// for `events.subscribe`.
    public enum Topic: String, CaseIterable, Sendable { case mood }

    public struct Importer: Sendable {
        public let format: String
        public let title: String
        /// Extensions of file names, without their dot.
        public let extensions: [String]
    }

    public struct Exporter: Sendable {
        public let format: String
        public let title: String
        /// The extension of file names, without its dot.
        public let fileExtension: String
        public let mediaType: String
    }

    public struct MenuItem: Sendable {
        public let title: String
        /// The name of an SF Symbol, for clients that have them.
        public let icon: String?
        /// A semantic color.
        public let color: String?
        /// One of its own methods, which needs no params.
        public let method: String
    }

    /// A carrier of journals to other machines.
    public struct Transport: Sendable {
        /// The scheme of its urls.
        public let scheme: String
        public let title: String
    }

    /// The requested permissions. The plugin gets those that the user trusted.
    public struct Permissions: Sendable, Equatable {
        public enum Moods: String, CaseIterable, Sendable { case none, read, write }

        public var moods = Moods.none
        /// The client's routers.
        public var navigation = false
        /// Absolute, or `~/…`.
        public var readable: [String] = []
        public var writable: [String] = []
        public var network = false

        public init() {}
    }

    public struct Limits: Sendable, Equatable {
        public var memoryMB = 256
        public var cpuSeconds = 600
        /// The size of its data directory.
        public var diskMB = 64
        public var timeoutMilliseconds = 5000
        /// The most requests to it at the same time.
        public var concurrency = 1
        /// The idle time after which it is stopped.
        public var idleSeconds = 60

        public init() {}

        /// A limit with its name in a manifest and its range.
        public struct Declaration: Sendable {
            public let name: String
            public let range: ClosedRange<Int>
            public let member: WritableKeyPath<Limits, Int> & Sendable
        }

        public static let declared = [
            Declaration(name: "memoryMB", range: 8...65_536, member: \.memoryMB),
            Declaration(name: "cpuSeconds", range: 1...86_400, member: \.cpuSeconds),
            Declaration(name: "diskMB", range: 1...65_536, member: \.diskMB),
            Declaration(name: "timeoutMs", range: 1...600_000, member: \.timeoutMilliseconds),
            Declaration(name: "concurrency", range: 1...1024, member: \.concurrency),
            Declaration(name: "idleSeconds", range: 1...86_400, member: \.idleSeconds),
        ]
    }
}

/// The problem of an invalid plugin, in its manifest or its folder.
public struct ManifestProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// A JSON Pointer (RFC 6901) into the manifest; empty for the whole of it, and for the folder.
    public let pointer: String
    /// The problem and its remedy, as a clause.
    public let reason: String
    /// A sentence for users.
    public let description: String

    public init(pointer: String, reason: String) {
        self.pointer = pointer
        self.reason = reason
        description = pointer.isEmpty ? "The manifest \(reason)." : "In the manifest, \(pointer) \(reason)."
    }

    public init(_ problem: PluginFolderProblem) {
        pointer = ""
        reason = problem.reason
        description = problem.description
    }
}
