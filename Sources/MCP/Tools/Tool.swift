import JSONCodec
import MoodProtocol

/// An action of a model as one value: its description, its arguments as params of one of the host's own methods, and the
/// way in which it shows the result.
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
    /// The host's own method that it calls, or a plugin's.
    public let method: Name
    /// The params of the method; for a plugin's method the arguments themselves.
    public let params: [ToolParam]
    /// Writes the method's result.
    public let shows: Show
    public let special: Special?
    /// The part of the notes that its results show.
    public let notes: NotesRule
    /// Whether it is one of the host's own methods as it is.
    let isNative: Bool
    /// The shape of arguments that a plugin checks.
    let foreignInput: JSONValue?

    /// Writes a result, or an error if it does not fit.
    public typealias Show = @Sendable (Tool, ValidJSON, ToolFacts, inout JSONWriter) -> Shown

    /// The outcome of showing a result.
    public enum Shown {
        case whole
        /// Nothing was written: the call is repeated with this limit, at least 1 and fewer than there were.
        case fewer(Int)
        /// An error was written, and the call changes nothing.
        case nothing
    }

    /// The work of the host besides the call of the method.
    public enum Special: Sendable { case history, consent }

    init(
        _ name: String, _ title: String, _ effect: Effect, _ summary: String, _ input: [Field], _ method: Name,
        _ params: [ToolParam], notes: NotesRule = .whole, special: Special? = nil, isNative: Bool = false,
        shows: @escaping Show, output: @autoclosure @escaping @Sendable () -> Schema
    ) {
        (self.name, self.title, self.summary, self.effect, self.input) = (name, title, summary, effect, input)
        (self.method, self.params, self.notes, self.special) = (method, params, notes, special)
        (self.isNative, self.shows) = (isNative, shows)
        self.output = { ToolSchema.output(output()) }
        foreignInput = nil
    }

    /// A tool for a method of a plugin.
    /// - Parameters:
    ///   - name: the name for clients.
    ///   - method: the name in the host.
    public init(
        foreign name: String, _ title: String, _ effect: Effect, _ summary: String, input: JSONValue,
        output: JSONValue, method: Name, shows: @escaping Show
    ) {
        (self.name, self.title, self.summary, self.effect, self.method) = (name, title, summary, effect, method)
        (self.input, params, notes, special, isNative) = ([], [], .whole, nil, false)
        self.shows = shows
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

    /// Whether a plugin checks its arguments.
    public var isForeign: Bool { foreignInput != nil }

    /// The schema by which clients check its structured result.
    public var outputSchema: JSONValue { output() }

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
