import JSONCodec
import JSONRPC
import MoodCore

/// The params of `mood.*`, except the members of a mood.
public enum MoodParams {
    public static let id = ParamKey<MoodID>.required("id", MoodSchemas.id, "The mood's id.")
    public static let ids = ParamKey<ValidJSON>.required(
        "ids", .list(MoodSchemas.id, .range(1...1000)), "1-1000 ids of moods.")
    public static let texts = ParamKey<ValidJSON>.required(
        "texts", .list(.string(.idEnding), .range(1...1000)),
        "1-1000 endings of ids, each of 6-32 hexadecimal digits, hyphens left out or not.")
    public static let set = ParamKey<ValidJSON>.required("set", MoodSchemas.set, "The members to change.")
    public static let confirm = ParamKey<Bool>.required("confirm", .confirmation, "true, to say that you mean it.")
    public static let isFavorite = ParamKey<Bool>.required("isFavorite", .boolean, "Whether it is a favorite.")
    public static let notes = ParamKey<JSONText>.required(
        "notes", .string(.notes), "The new notes; empty removes them.")

    public static let limit = ParamKey("limit", .count(.listPage), "The most moods of the page.", default: 50)
    public static let changes = ParamKey("limit", .count(.listPage), "The most changes of the page.", default: 50)
    public static let cursor = ParamKey<JSONText?>.optional(
        "cursor", .string(.cursor), "The nextCursor of the page before.")
    public static let sort = ParamKey<ListSort>("sort", "What to sort by.")
    public static let order = ParamKey<ListOrder>("order", "Downwards or upwards.")
    public static let filter = ParamKey<ValidJSON?>.optional(
        "filter", .object(FilterParams.fields, nil), "Only the moods that meet every condition.")
    public static let count = ParamKey("count", "Whether to count all that meet the filter.", default: false)
    public static let rows = ParamKey("rows", "Whether each mood comes with what can be done with it.", default: false)

    public static let format = ParamKey<ShareFormat>(
        open: "format",
        "The form of the text: \(ShareFormat.all.map { "\($0.name)" }.joined(separator: ", ")), or one that a plugin brings."
    )
    public static let template = ParamKey<JSONText?>.optional(
        "template", .string(.template),
        "For format text: {emoji} {label} {notes} {tags} {relative} {date} {time} {timestamp}; {{ for a brace.")
    public static let component = ParamKey<ICalendar.Component>(
        "component", "For format ics alone: something that takes place, or an entry in a diary.")
    public static let location = ParamKey<ValidJSON?>.optional(
        "location", ScreenSchemas.location, "Where the person is; distances are shown from there.")
    public static let wait = ParamKey(
        "waitMs", .integer(0...5000), "How long to wait for the cells of plugins, in milliseconds.", default: 150)
}

/// The sort orders of `mood.list`.
public enum ListSort: Name, CaseIterable, Choice {
    case timestamp, label, updatedAt
    public static let usual = timestamp
}

public enum ListOrder: Name, CaseIterable, Choice {
    case desc, asc
    public static let usual = desc
}

extension ICalendar.Component: Choice {
    public static var choices: [ICalendar.Component] { allCases }
    public static var usual: ICalendar.Component { vevent }
    public var word: Name {
        switch self {
        case .vevent: "vevent"
        case .vjournal: "vjournal"
        }
    }
}

extension ShareFormat: Choice {
    public static var choices: [ShareFormat] { all }
    public static var usual: ShareFormat { text }
    public var word: Name { Name(name) }
}

/// The members of `filter`.
public enum FilterParams {
    public static let isFavorite = ParamKey<Bool?>.optional("isFavorite", .boolean, "Favorites, or all but them.")
    public static let emoji = ParamKey<JSONText?>.optional(
        "emoji", .string(.emojiFilter), "This emoji, with or without its variation selector.")
    public static let label = ParamKey<JSONText?>.optional(
        "label", .string(.label), "This label; case makes no difference.")
    public static let text = ParamKey<JSONText?>.optional(
        "text", .string(.notes), "This text in label, notes or tags, ignoring case and accents.")
    public static let exact = ParamKey<Bool?>.optional(
        "exact", .boolean,
        "Whether accents make a difference in text, where case makes none, and both make one in label.")
    public static let tags = ParamKey<ValidJSON?>.optional(
        "tags", .list(.string(.tag), .upTo(.tags)), "All of these tags.")
    public static let anyTags = ParamKey<ValidJSON?>.optional(
        "anyTags", .list(.string(.tag), .upTo(.tags)), "One of these tags.")
    public static let noTags = ParamKey<ValidJSON?>.optional(
        "noTags", .list(.string(.tag), .upTo(.tags)), "None of these tags.")
    public static let valenceFrom = ParamKey<ValidJSON?>.optional(
        "valenceFrom", .number(-1...1), "At least so pleasant; by the palette, where a mood has no valence.")
    public static let valenceTo = ParamKey<ValidJSON?>.optional("valenceTo", .number(-1...1), "At most so pleasant.")
    public static let dayFrom = ParamKey<JSONText?>.optional(
        "dayFrom", .string(.date), "On this day or later; the day is that of the mood's own zone.")
    public static let dayTo = ParamKey<JSONText?>.optional("dayTo", .string(.date), "On this day or earlier.")
    public static let from = ParamKey<Timestamp?>.optional("from", MoodSchemas.time, "Felt at this moment or later.")
    public static let to = ParamKey<Timestamp?>.optional("to", MoodSchemas.time, "Felt before this moment.")

    static var fields: [Field] {
        [
            isFavorite.field, emoji.field, label.field, text.field, exact.field, tags.field, anyTags.field,
            noTags.field,
            valenceFrom.field, valenceTo.field, from.field, to.field, dayFrom.field, dayTo.field,
        ]
    }
}

/// `mood.*`: the moods themselves.
public enum MoodMethods {
    private static let changing: [ErrorCode] = ErrorCode.changing + [.notFound]

    public static let create = MethodDeclaration(
        "mood.create", .write, .writeMoods,
        "Record a mood. With an id that exists, and every given member equal to that mood's, it answers with that mood.",
        Array(MoodSchemas.given.prefix(2)) + [.optional("id", MoodSchemas.id, "A UUID of your own; made, if absent.")]
            + MoodSchemas.given.dropFirst(2),
        common: .change, result: MoodSchemas.mood, errors: ErrorCode.changing,
        example: .init(
            #"{"id":"019b7c65-1a3e-7000-8000-000000000004","emoji":"🎉","label":"Excited","timestamp":"2026-01-02T03:00:00Z","tags":["travel"],"valence":0.7,"opId":"packing-1"}"#
        ))

    public static let get = MethodDeclaration(
        "mood.get", .read, .readMoods, "Read one mood.", [MoodParams.id.field], result: MoodSchemas.mood,
        errors: ErrorCode.store + [.notFound], example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000001"}"#))

    public static let list = MethodDeclaration(
        "mood.list", .read, .readMoods, "Read a page of moods, sorted and filtered.",
        [
            MoodParams.limit.field, MoodParams.cursor.field, MoodParams.sort.field, MoodParams.order.field,
            MoodParams.filter.field, MoodParams.count.field, MoodParams.rows.field, ReadingParams.locale.field,
        ],
        result: .result([
            .required("items", .list(ScreenSchemas.row), "The moods of the page; with rows, each with its actions."),
            .optional("total", .amount, "How many there are in all; under a filter when asked for."),
            .optional("nextCursor", .plain, "Where the next page begins; absent on the last."),
            .group(
                "empty", "For an empty list.",
                .required("title", .plain, "Why the list is empty."),
                .required("hint", .plain, "What to do about it.")
            ).optional,
        ]), errors: ErrorCode.store, example: .init(#"{"limit":2,"filter":{"valenceFrom":0},"count":true}"#))

    public static let update = MethodDeclaration(
        "mood.update", .write, .writeMoods, "Change some members of a mood.",
        [MoodParams.id.field, MoodParams.set.field], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing,
        example: .init(
            #"{"id":"019b7c65-1a3e-7000-8000-000000000001","set":{"label":"Very happy","valence":0.9},"ifRevision":3}"#)
    )

    public static let updateMany = MethodDeclaration(
        "mood.updateMany", .write, .writeMoods,
        "Change the same members of several moods; one missing, and nothing is done.",
        [MoodParams.ids.field, MoodParams.set.field], common: .change,
        result: .result([.required("updated", .amount, "How many moods were named.")]),
        errors: changing,
        example: .init(
            #"{"ids":["019b7c65-1a3e-7000-8000-000000000001","019b7c65-1a3e-7000-8000-000000000002"],"set":{"tags":["new year"]}}"#
        ))

    public static let delete = MethodDeclaration(
        "mood.delete", .write, .writeMoods, "Delete a mood.", [MoodParams.id.field], common: .changeOfOne,
        result: .result([
            .required("id", MoodSchemas.id, "The mood's id."), .required("deleted", .confirmation, "Always true."),
        ]), errors: changing, example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#))

    public static let deleteMany = MethodDeclaration(
        "mood.deleteMany", .write, .writeMoods, "Delete several moods; one missing, and nothing is done.",
        [MoodParams.ids.field],
        common: .change, result: deleted, errors: changing,
        example: .init(#"{"ids":["019b7c65-1a3e-7000-8000-000000000001","019b7c65-1a3e-7000-8000-000000000003"]}"#))

    public static let clear = MethodDeclaration(
        "mood.clear", .write, .owner, "Delete all moods.",
        [MoodParams.confirm.field], common: .change,
        result: deleted, errors: ErrorCode.changing, example: .init(#"{"confirm":true}"#))

    private static let deleted = Schema.result([.required("deleted", .amount, "How many moods.")])

    public static let setFavorite = MethodDeclaration(
        "mood.setFavorite", .write, .writeMoods, "Mark a mood as a favorite, or no longer.",
        [MoodParams.id.field, MoodParams.isFavorite.field], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing,
        example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000001","isFavorite":true}"#))

    public static let toggleFavorite = MethodDeclaration(
        "mood.toggleFavorite", .write, .writeMoods, "Mark a mood as a favorite if it is none, and the other way round.",
        [MoodParams.id.field],
        common: .changeOfOne, result: MoodSchemas.mood, errors: changing,
        example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000002"}"#))

    public static let setNotes = MethodDeclaration(
        "mood.setNotes", .write, .writeMoods, "Replace a mood's notes.",
        [MoodParams.id.field, MoodParams.notes.field], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing,
        example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000001","notes":"Dinner with Ada and Tom."}"#))

    public static let history = MethodDeclaration(
        "mood.history", .read, .readMoods,
        "Read how a mood has changed, the newest change first, also of one that was deleted.",
        [MoodParams.id.field, MoodParams.changes.field, MoodParams.cursor.field],
        result: .result([
            .rows(
                "items", "The changes of the page.",
                .required("revision", .amount, "The commit."),
                .required("at", MoodSchemas.time, "When it was made."),
                .required("kind", .choice(["created", "updated", "deleted"]), "What it did to the mood."),
                .optional("mood", MoodSchemas.mood, "The mood after it; absent if it was deleted."),
                .optional("origin", .plain, "Who made it, where no client did: x.<id>, sync.")),
            .optional("nextCursor", .plain, "Where the next page begins; absent on the last."),
        ]), errors: ErrorCode.store + [.notFound],
        example: .init(
            #"{"id":"019b7c65-1a3e-7000-8000-000000000001"}"#,
            after: [.init("mood.setFavorite", #"{"id":"019b7c65-1a3e-7000-8000-000000000001","isFavorite":true}"#)]))

    public static let deletedMoods = MethodDeclaration(
        "mood.deleted", .read, .readMoods,
        "Read the moods that were deleted, the last one first, as far as is known.",
        [MoodParams.changes.field, MoodParams.cursor.field],
        result: .result([
            .rows(
                "items", "The moods of the page.",
                .required("id", MoodSchemas.id, "The mood's id."),
                .required("revision", .ordinal, "The commit that deleted it."),
                .optional("at", MoodSchemas.time, "When that was."),
                .optional("origin", .plain, "Who deleted it, where no client did: x.<id>, sync."),
                .optional("mood", MoodSchemas.mood, "The mood as it was last, where that is kept.")),
            .optional("nextCursor", .plain, "Where the next page begins; absent on the last."),
        ]), errors: ErrorCode.store,
        example: .init(after: [.init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#)]))

    public static let undelete = MethodDeclaration(
        "mood.undelete", .write, .writeMoods,
        "Bring a deleted mood back as it was last; one that is there stays as it is.",
        [MoodParams.id.field], common: .change, result: MoodSchemas.mood, errors: changing,
        example: .init(
            #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#,
            after: [.init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#)]))

    public static let resolve = MethodDeclaration(
        "mood.resolve", .read, .readMoods, "Find moods by the last digits of their ids.", [MoodParams.texts.field],
        result: .result([
            .rows(
                "items", "One for each text, in the same order.",
                .required("text", .plain, "The digits, as they were given."),
                .required("ids", .list(MoodSchemas.id), "The moods whose ids end so."))
        ]), errors: ErrorCode.store, example: .init(#"{"texts":["000003"]}"#))

    public static let detail = MethodDeclaration(
        "mood.detail", .read, .readMoods, "Read a mood as a screen: typed cells, a toolbar and what can be done.",
        [
            MoodParams.id.field, ReadingParams.locale.field, ReadingParams.timeZone.field, ReadingParams.now.field,
            MoodParams.location.field, MoodParams.wait.field,
        ],
        result: .result([
            .required("mood", MoodSchemas.mood, "The mood."),
            .required("title", .plain, "The screen's title."),
            .required("cells", .list(ScreenSchemas.cell), "What the screen shows, in order."),
            .required("toolbar", .list(ScreenSchemas.tool), "What stands at its edge."),
            .required("actions", .list(ScreenSchemas.offer), "What else can be done."),
        ]), errors: ErrorCode.store + [.notFound],
        example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000002","waitMs":0}"#))

    public static let share = MethodDeclaration(
        "mood.share", .read, .readMoods, "Say a mood as text that can be passed on.",
        [
            MoodParams.id.field, MoodParams.format.field, ReadingParams.locale.field, ReadingParams.timeZone.field,
            ReadingParams.now.field, MoodParams.template.field, MoodParams.component.field,
        ],
        result: .result([
            .required("text", .plain, "The text."),
            .required("mediaType", .plain, "Its media type, with the charset."),
            .required("format", .plain, "Its format."),
        ]), errors: ErrorCode.store + ErrorCode.plugins + [.notFound],
        example: .init(#"{"id":"019b7c65-1a3e-7000-8000-000000000001","format":"markdown"}"#))
}
