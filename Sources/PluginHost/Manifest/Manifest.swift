import JSONCodec

/// What a plugin says of itself in `plugin.json`.
///
/// Members that this version does not know are left out of account, so that an older host can list a newer plugin. What is here
/// has been checked: names, ranges and schemas are right, and every menu item leads to a method.
public struct Manifest: Sendable {
    /// The name of the file in the plugin's folder.
    public static let fileName = "plugin.json"
    public static let fileBytesMax = 256 * 1024
    /// Levels of nesting. The records hold manifests some levels deeper, and must be readable too.
    public static let depthMax = 56
    /// The version of the protocol that is spoken with plugins.
    public static let protocolVersion = 1

    public enum Kind: String, CaseIterable, Sendable {
        /// Speaks the protocol of this host.
        case moodboard
        /// An MCP server: its tools are its methods.
        case mcp
    }

    public let id: PluginID
    /// For people.
    public let name: String
    public let version: String
    /// The program, which is `./…` in the folder or a bare name, and its arguments. Never empty.
    public let exec: [String]
    public let kind: Kind
    public let provides: Provides
    /// What `plugin.configure` is checked against; nil where nothing can be configured.
    public let config: JSONSchema?
    public let permissions: Permissions
    public let limits: Limits
    /// As it was read, unknown members included.
    public let source: JSONValue

    /// What it adds to the host.
    public struct Provides: Sendable {
        public var methods: [OwnMethod] = []
        public var shareFormats: [ShareFormat] = []
        public var cells: [Cell] = []
        public var hooks: [Hook] = []
        /// Topics of which it is told.
        public var events: [Topic] = []
        public var importers: [Importer] = []
        public var exporters: [Exporter] = []
        public var menu: [MenuItem] = []
        public var transports: [Transport] = []

        public init() {}

        public func method(named name: String) -> OwnMethod? { methods.first { $0.name == name } }
        public func hook(on occasion: Hook.Occasion) -> Hook? { hooks.first { $0.on == occasion } }
    }

    /// Called by clients as `x.<id>.<name>`.
    public struct OwnMethod: Sendable {
        public enum Effect: String, CaseIterable, Sendable { case read, write }

        public let name: String
        public let summary: String
        public let params: JSONSchema
        public let result: JSONSchema
        public let effect: Effect
        /// Whether AI clients may be given it.
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
            /// What fails has nothing against it.
            case open
            /// What fails forbids.
            case closed
        }

        public let on: Occasion
        public let failure: Failure
        /// From when it is asked, once it runs.
        public let timeoutMilliseconds: Int
    }

    /// What is kept, so that a plugin can be told of it late and without a gap. The other topics are for `events.subscribe`.
    public enum Topic: String, CaseIterable, Sendable { case mood }

    public struct Importer: Sendable {
        public let format: String
        public let title: String
        /// Of file names, without their dot.
        public let extensions: [String]
    }

    public struct Exporter: Sendable {
        public let format: String
        public let title: String
        /// Of file names, without its dot.
        public let fileExtension: String
        public let mediaType: String
    }

    public struct MenuItem: Sendable {
        public let title: String
        /// The name of an SF Symbol, for clients that have them.
        public let icon: String?
        /// A semantic colour.
        public let color: String?
        /// One of its own methods, which needs no params.
        public let method: String
    }

    /// What carries a journal to other machines.
    public struct Transport: Sendable {
        /// What urls of it begin with.
        public let scheme: String
        public let title: String
    }

    /// What it asks for. What it gets is what was trusted.
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
        /// Of its data directory.
        public var diskMB = 64
        public var timeoutMilliseconds = 5000
        /// Requests that it is asked at the same time.
        public var concurrency = 1
        /// After so long without anything to do it is stopped.
        public var idleSeconds = 60

        public init() {}

        /// A limit as a manifest has it, and from where to where it may be.
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

/// Why a plugin is invalid: something in its manifest, or the folder.
public struct ManifestProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// A JSON Pointer (RFC 6901) into the manifest; empty for the whole of it, and for the folder.
    public let pointer: String
    /// What is wrong and what is right, as a clause.
    public let reason: String
    /// A sentence for people.
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
