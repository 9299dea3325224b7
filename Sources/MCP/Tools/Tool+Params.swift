import JSONCodec
import MoodCore
import MoodProtocol

/// From arguments to the params of the host's own method.
extension Tool {
    /// The arguments with a time as a phrase, and the time to choose from a span.
    public var times: [(name: StaticString, meaning: TimeMeaning)] {
        switch work {
        case .add, .update: [("when", .moment)]
        case .find: [("from", .start), ("to", .end)]
        default: []
        }
    }

    public enum TimeMeaning: Sendable { case moment, start, end }

    /// Writes the params of `mood.history`.
    /// - Parameter limit: the number of changes to ask for; nil: the default.
    public static func writeHistoryParams(_ arguments: ToolArguments, limit: Int?, to writer: inout JSONWriter) {
        writer.beginObject()
        arguments.write("id", as: "id", to: &writer)
        arguments.write("cursor", as: "cursor", to: &writer)
        writer.member("limit", limit)
        writer.endObject()
    }

    /// Writes the params.
    public func writeParams(_ arguments: ToolArguments, to writer: inout JSONWriter) {
        let mark = writer.count
        writer.beginObject()
        switch work {
        case .add:
            members(arguments, orNull: false, to: &writer)
            arguments.write("idempotency_key", as: "opId", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .find: find(arguments, to: &writer)
        case .get: arguments.write("id", as: "id", to: &writer)
        case .update:
            arguments.write("id", as: "id", to: &writer)
            writer.member("set") { writer in
                members(arguments, orNull: true, to: &writer)
            }
            arguments.write("if_revision", as: "ifRevision", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .favorite:
            arguments.write("id", as: "id", to: &writer)
            writer.member("isFavorite", arguments.boolean("is_favorite") ?? true)
            arguments.write("if_revision", as: "ifRevision", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .delete:
            arguments.write("ids", as: "ids", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .undo:
            arguments.write("revision", as: "revision", to: &writer)
            arguments.write("scope", as: "scope", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .share:
            arguments.write("id", as: "id", to: &writer)
            arguments.write("format", as: "format", to: &writer)
        case .screen:
            arguments.write("route", as: "route", to: &writer)
            arguments.write("router", as: "router", to: &writer)
        case .perform:
            arguments.write("action", as: "action", to: &writer)
            arguments.write("dry_run", as: "dryRun", to: &writer)
        case .stats: arguments.write("span", as: "span", to: &writer)
        case .year:
            writer.member("year", arguments.meaning("year")?.integer ?? arguments.integer("year") ?? 1)
        case .native(_, let fields):
            writer.rewind(to: mark)
            return Self.write(arguments.object, as: fields, limit: arguments.meaning("limit"), to: &writer)
        case .plugin:
            writer.rewind(to: mark)
            return writer.raw((arguments.object ?? .emptyObject).bytes)
        }
        writer.endObject()
    }

    /// The method that does most of the work; empty for a plugin's tool.
    public var method: Name {
        switch work {
        case .add: "mood.create"
        case .find: "mood.list"
        case .get: "mood.get"
        case .update: "mood.update"
        case .favorite: "mood.setFavorite"
        case .delete: "mood.deleteMany"
        case .undo: "store.undo"
        case .share: "mood.share"
        case .stats: "stats.summary"
        case .year: "stats.year"
        case .screen: "nav.screen"
        case .perform: "action.perform"
        case .native(let name, _): name
        case .plugin: ""
        }
    }

    /// The reason why an action is not for models; nil if it may be tried.
    public static func problem(ofAction action: ValidJSON?) -> String? {
        var type: JSONText?
        action?.forEachMember { name, value in if name.equals("type") { type = value.text } }
        guard let type else {
            return "is required: hand over the action as mood_screen has offered it, with all its members"
        }
        if type.equals("clear") || type.equals("insertSamples") { return "is for people alone" }
        if type.equals("subscribe") { return "is for native clients; subscribe to a resource instead" }
        return nil
    }

    private func members(_ arguments: ToolArguments, orNull: Bool, to writer: inout JSONWriter) {
        arguments.write("emoji", as: "emoji", to: &writer)
        arguments.write("label", as: "label", to: &writer)
        arguments.write("when", as: "timestamp", to: &writer)
        arguments.write("is_favorite", as: "isFavorite", to: &writer)
        arguments.write("notes", as: "notes", to: &writer)
        arguments.write("tags", as: "tags", to: &writer)
        arguments.write("valence", as: "valence", orNull: orNull, to: &writer)
        arguments.write("time_zone", as: "timeZone", orNull: orNull, to: &writer)
        arguments.write("scales", as: "scales", orNull: orNull, to: &writer)
        for field in MoodField.ready { arguments.write(field, orNull: orNull, to: &writer) }
    }

    private func find(_ arguments: ToolArguments, to writer: inout JSONWriter) {
        writer.member("limit", arguments.meaning("limit")?.integer ?? arguments.integer("limit") ?? Self.findMax)
        arguments.write("cursor", as: "cursor", to: &writer)
        arguments.write("sort", as: "sort", to: &writer)
        arguments.write("order", as: "order", to: &writer)
        writer.key("filter")
        let mark = writer.count
        writer.beginObject()
        arguments.write("text", as: "text", to: &writer)
        arguments.write("tags", as: "tags", to: &writer)
        arguments.write("emoji", as: "emoji", to: &writer)
        arguments.write("from", as: "from", to: &writer)
        arguments.write("to", as: "to", to: &writer)
        arguments.write(arguments["favorites"] == nil ? "favourites" : "favorites", as: "isFavorite", to: &writer)
        writer.endObject()
        // Without a condition the answer has the number of all moods.
        if writer.count == mark + 2 {
            writer.rewind(to: mark)
            writer.null()
        }
    }
}
