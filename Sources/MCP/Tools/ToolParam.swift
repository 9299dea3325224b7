import JSONCodec
import MoodCore
import MoodProtocol

/// An argument of a tool, and the param of the host's own method that it becomes.
public struct ToolParam: Sendable {
    public let argument: Name
    let param: Name
    public let phrase: Phrase?
    /// Whether null is passed on, because it removes a member.
    let takesNull: Bool
    /// The value of a param without an argument, as JSON.
    let otherwise: StaticString?
    /// The arguments that are the members of this param; empty for other params.
    public let members: [ToolParam]
    /// The members of an argument that is an object, by their names in the param.
    let renamed: [ToolParam]

    /// The meaning of an argument that the host completes or converts.
    public enum Phrase: Sendable {
        /// A time, and the one to choose from a span.
        case moment, start, end
        /// An emoji, or a word of the palette.
        case feeling
        /// A feeling, which also has a name.
        case newFeeling
        case action, route, scope, year
    }

    init(
        _ argument: Name, _ param: Name? = nil, _ phrase: Phrase? = nil, takesNull: Bool = false,
        otherwise: StaticString? = nil, members: [ToolParam] = [], renamed: [ToolParam] = []
    ) {
        (self.argument, self.param) = (argument, param ?? argument)
        (self.phrase, self.takesNull, self.otherwise) = (phrase, takesNull, otherwise)
        (self.members, self.renamed) = (members, renamed)
    }

    static let id = ToolParam("id")
    static let ifRevision = ToolParam("if_revision", "ifRevision")
    static let dryRun = ToolParam("dry_run", "dryRun")

    /// The members of a mood.
    static func mood(_ feeling: Phrase, takesNull: Bool) -> [ToolParam] {
        var names = KeptNames()
        return [
            ToolParam("emoji", phrase: feeling), ToolParam("label"), ToolParam("when", "timestamp", .moment),
            ToolParam("is_favorite", "isFavorite"), ToolParam("notes"), ToolParam("tags"),
            ToolParam("valence", takesNull: takesNull), ToolParam("time_zone", "timeZone", takesNull: takesNull),
            ToolParam("scales", takesNull: takesNull),
        ]
            + MoodField.ready.map {
                ToolParam(names.name(Tool.snake("\($0.name)")), Name($0.name), takesNull: takesNull)
            }
    }

    private init(_ argument: Name, phrase: Phrase) { self.init(argument, argument, phrase) }

    /// The params of a method, as arguments in `snake_case`.
    static func all(_ fields: [Field], _ names: inout KeptNames) -> [ToolParam] {
        fields.map { field in
            var renamed: [ToolParam] = []
            if case .object(let inner, _) = field.schema { renamed = all(inner, &names) }
            return ToolParam(
                names.name(Tool.snake("\(field.name)")), field.name, takesNull: true, renamed: renamed)
        }
    }

    /// The argument of a place in the params.
    /// - Parameter path: a JSON Pointer into the params.
    /// - Returns: nil for another place.
    func argument(at path: Substring) -> String? {
        guard path == "/\(param)" || path.hasPrefix("/\(param)/") else { return nil }
        let rest = path.dropFirst(param.bytes.count + 1)
        if !members.isEmpty { return members.lazy.compactMap { $0.argument(at: rest) }.first }
        return "/\(argument)" + (renamed.lazy.compactMap { $0.argument(at: rest) }.first ?? String(rest))
    }
}

extension Tool {
    /// The params of `mood.history`, from the arguments of `mood_get`.
    public static let historyParams = [ToolParam.id, ToolParam("cursor"), ToolParam("limit")]

    static let advice = "hand over the action as mood_screen has offered it, with all its members"

    /// The reason why an action is not for models; nil if it may be tried.
    public static func problem(ofAction action: ValidJSON?) -> String? {
        var type: JSONText?
        action?.forEachMember { name, value in if name.equals("type") { type = value.text } }
        guard let type else { return "is required: \(advice)" }
        if type.equals("clear") || type.equals("insertSamples") { return "is for people alone" }
        if type.equals("subscribe") { return "is for native clients; subscribe to a resource instead" }
        return nil
    }
}
