import JSONCodec
import MoodProtocol

/// Something that a model can do: what it is told of it, and how its arguments become a call of the host's own methods.
///
/// Arguments are `snake_case`. They are checked against `input`, so that every mistake is told in the model's words before the
/// host's method is asked.
///
/// A class, because a call passes one around: one reference instead of a dozen.
public final class Tool: Sendable {
    public let name: String
    let title: String
    /// What it does, when to use it, one example.
    let summary: String
    public let effect: Effect
    public let input: [Field]
    /// The shape of the structured result.
    let output: @Sendable () -> Schema
    public let work: Work
    /// The shape of arguments that somebody else checks.
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
        self.output = output
        foreignInput = nil
    }

    /// A method of a plugin.
    /// - Parameters:
    ///   - name: as clients know it.
    ///   - method: as the host knows it.
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
        let isObject = output["type"]?.string == "object"
        self.output = {
            isObject
                ? .described(output.object ?? [])
                : .described([
                    .init("type", "object"), .init("properties", .object([.init("result", output)])),
                    .init("required", ["result"]),
                ])
        }
    }

    /// What clients tell people before it is used.
    public struct Effect: Sendable {
        public let isReadOnly: Bool
        let isDestructive: Bool
        let isIdempotent: Bool
        /// Whether it deals with more than the moods kept here.
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

    /// What it asks the host for.
    public enum Work: Sendable {
        case add, find, get, update, favorite, delete, undo, share, stats, year, screen, perform
        /// One of the host's methods, as it is, with its own params.
        case native(Name, [Field])
        /// A method of a plugin.
        case plugin(String)
    }

    /// Whether somebody else checks its arguments.
    public var isForeign: Bool { foreignInput != nil }

    /// Whether its results show many moods, each with a part of its notes alone.
    public var showsMany: Bool { if case .find = work { true } else { false } }

    /// Writes what `tools/list` says of it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.key("title")
        writer.string(title)
        writer.key("description")
        writer.string(summary)
        writer.key("inputSchema")
        (foreignInput.map(ToolSchema.foreign) ?? ToolSchema.input(input)).write(to: &writer)
        writer.key("outputSchema")
        ToolSchema.output(output()).write(to: &writer)
        writer.key("annotations")
        writer.beginObject()
        writer.key("title")
        writer.string(title)
        writer.key("readOnlyHint")
        writer.boolean(effect.isReadOnly)
        writer.key("destructiveHint")
        writer.boolean(effect.isDestructive)
        writer.key("idempotentHint")
        writer.boolean(effect.isIdempotent)
        writer.key("openWorldHint")
        writer.boolean(effect.isOpenWorld)
        writer.endObject()
        writer.endObject()
    }
}
