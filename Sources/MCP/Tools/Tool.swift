import JSONCodec
import MoodProtocol

/// An action of a model: its description, and the mapping of its arguments to a call of the host's own methods.
///
/// Arguments are `snake_case`. They are checked against `input`, so that mistakes are reported in the terms of the tool
/// before the host's method is called.
///
/// A class, because a call passes it around: one reference instead of a dozen.
public final class Tool: Sendable {
    public let name: String
    let title: String
    /// Its effect, when to use it, one example.
    let summary: String
    public let effect: Effect
    public let input: [Field]
    /// The shape of the structured result.
    private let output: @Sendable () -> JSONValue
    public let work: Work
    /// The shape of arguments that a plugin checks.
    let foreignInput: JSONValue?

    init(
        _ name: String, _ title: String, _ effect: Effect, _ summary: String, _ input: [Field], _ work: Work,
        output: @autoclosure @escaping @Sendable () -> Schema
    ) {
        self.name = name
        self.title = title
        self.summary = summary
        self.effect = effect
        self.input = input
        self.work = work
        self.output = { ToolSchema.output(output()) }
        foreignInput = nil
    }

    /// A tool for a method of a plugin.
    /// - Parameters:
    ///   - name: the name for clients.
    ///   - method: the name in the host.
    public init(
        foreign name: String, _ title: String, _ effect: Effect, _ summary: String, input: JSONValue,
        output: JSONValue, method: String
    ) {
        self.name = name
        self.title = title
        self.summary = summary
        self.effect = effect
        self.input = []
        work = .plugin(method)
        foreignInput = input
        self.output = { ToolSchema.foreignOutput(output) }
    }

    /// The effect of a tool, which clients show to the user before its use.
    public struct Effect: Sendable {
        public let isReadOnly: Bool
        let isDestructive: Bool
        let isIdempotent: Bool
        /// Whether it affects more than the moods of the store.
        var isOpenWorld = false

        public init(isReadOnly: Bool, isDestructive: Bool, isIdempotent: Bool, isOpenWorld: Bool = false) {
            self.isReadOnly = isReadOnly
            self.isDestructive = isDestructive
            self.isIdempotent = isIdempotent
            self.isOpenWorld = isOpenWorld
        }

        static let read = Effect(isReadOnly: true, isDestructive: false, isIdempotent: true)
        static let add = Effect(isReadOnly: false, isDestructive: false, isIdempotent: false)
        static let mark = Effect(isReadOnly: false, isDestructive: false, isIdempotent: true)
        static let replace = Effect(isReadOnly: false, isDestructive: true, isIdempotent: true)
        static let change = Effect(isReadOnly: false, isDestructive: true, isIdempotent: false)
    }

    /// The work that it asks the host for.
    public enum Work: Sendable {
        case add, find, get, update, favorite, delete, undo, share, stats, year, screen, perform
        /// One of the host's methods, with its own params.
        case native(Name, [Field])
        /// A method of a plugin.
        case plugin(String)
    }

    /// Whether a plugin checks its arguments.
    public var isForeign: Bool { foreignInput != nil }

    /// The schema by which clients check its structured result.
    public var outputSchema: JSONValue { output() }

    /// Whether its results show many moods, each with a part of its notes.
    public var showsMany: Bool { if case .find = work { true } else { false } }

    /// Writes its entry in `tools/list`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("title", title)
        writer.member("description", summary)
        writer.key("inputSchema")
        (foreignInput.map(ToolSchema.foreign) ?? ToolSchema.input(input)).write(to: &writer)
        writer.key("outputSchema")
        outputSchema.write(to: &writer)
        writer.member("annotations") { writer in
            writer.member("title", title)
            writer.member("readOnlyHint", effect.isReadOnly)
            writer.member("destructiveHint", effect.isDestructive)
            writer.member("idempotentHint", effect.isIdempotent)
            writer.member("openWorldHint", effect.isOpenWorld)
        }
        writer.endObject()
    }
}
