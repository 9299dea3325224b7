import JSONCodec
import JSONRPC
import MoodCore

/// `mood.*`: the moods themselves.
public enum MoodMethods {
    private static let id = Field.required("id", MoodSchemas.id, "The mood's id.")
    private static let ids = Field.required(
        "ids", .array(MoodSchemas.id, .range(1...1000), isUnique: false), "1-1000 ids of moods.")
    private static let changing: [ErrorCode] = ErrorCode.writing + [.notFound, .conflict]

    static let create = MethodDeclaration(
        "mood.create", .write,
        "Record a mood. With an id that exists, and every given member equal to that mood's, it answers with that mood.",
        Array(MoodSchemas.given.prefix(2)) + [.optional("id", MoodSchemas.id, "A UUID of your own; made, if absent.")]
            + MoodSchemas.given.dropFirst(2),
        common: .change, result: MoodSchemas.mood, errors: ErrorCode.writing + [.conflict])

    static let get = MethodDeclaration(
        "mood.get", .read, "Read one mood.", [id], result: MoodSchemas.mood, errors: ErrorCode.store + [.notFound])

    static let list = MethodDeclaration(
        "mood.list", .read, "Read a page of moods, sorted and filtered.",
        [
            .optional("limit", .count(.listPage), "The most moods of the page.", default: 50),
            .optional("cursor", .string(.cursor), "The nextCursor of the page before."),
            .optional(
                "sort", .choice(["timestamp", "label", "updatedAt"]), "What to sort by.", default: "timestamp"),
            .optional("order", .choice(["desc", "asc"]), "Downwards or upwards.", default: "desc"),
            .optional("filter", filter, "Only the moods that meet every condition."),
            .optional("count", .boolean, "Whether to count all that meet the filter.", default: false),
            .optional("rows", .boolean, "Whether each mood comes with what can be done with it.", default: false),
            .optional("locale", .string(.locale), "The language of what people read."),
        ],
        result: .result([
            .required(
                "items", .array(ScreenSchemas.row, .any, isUnique: false),
                "The moods of the page; with rows, each with its actions."),
            .optional("total", .integer(0 ... .max), "How many there are in all; under a filter when asked for."),
            .optional("nextCursor", .string(.plain), "Where the next page begins; absent on the last."),
            .optional(
                "empty",
                .result([
                    .required("title", .string(.plain), "Why the list is empty."),
                    .required("hint", .string(.plain), "What to do about it."),
                ]), "For an empty list."),
        ]), errors: ErrorCode.store)

    private static let filter = Schema.object(
        [
            .optional("isFavorite", .boolean, "Favorites, or all but them."),
            .optional("emoji", .string(.emoji), "This emoji."),
            .optional("label", .string(.label), "Exactly this label."),
            .optional("text", .string(.notes), "This text in label, notes or tags, ignoring case."),
            .optional(
                "tags", .array(.string(.tag), .upTo(.tags), isUnique: false), "All of these tags."),
            .optional("from", MoodSchemas.time, "Felt at this moment or later."),
            .optional("to", MoodSchemas.time, "Felt before this moment."),
        ], nil)

    static let update = MethodDeclaration(
        "mood.update", .write, "Change some members of a mood.",
        [id, .required("set", MoodSchemas.set, "The members to change.")], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing)

    static let updateMany = MethodDeclaration(
        "mood.updateMany", .write, "Change the same members of several moods; one missing, and nothing is done.",
        [ids, .required("set", MoodSchemas.set, "The members to change.")], common: .change,
        result: .result([.required("updated", .integer(0 ... .max), "How many moods were named.")]),
        errors: changing)

    static let delete = MethodDeclaration(
        "mood.delete", .write, "Delete a mood.", [id], common: .changeOfOne,
        result: .result([
            .required("id", MoodSchemas.id, "The mood's id."), .required("deleted", .confirmation, "Always true."),
        ]), errors: changing)

    static let deleteMany = MethodDeclaration(
        "mood.deleteMany", .write, "Delete several moods; one missing, and nothing is done.", [ids],
        common: .change, result: deleted, errors: changing)

    static let clear = MethodDeclaration(
        "mood.clear", .write, "Delete all moods.",
        [.required("confirm", .confirmation, "true, to say that you mean it.")], common: .change,
        result: deleted, errors: ErrorCode.writing)

    private static let deleted = Schema.result([.required("deleted", .integer(0 ... .max), "How many moods.")])

    static let setFavorite = MethodDeclaration(
        "mood.setFavorite", .write, "Mark a mood as a favorite, or no longer.",
        [id, .required("isFavorite", .boolean, "Whether it is a favorite.")], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing)

    static let toggleFavorite = MethodDeclaration(
        "mood.toggleFavorite", .write, "Mark a mood as a favorite if it is none, and the other way round.", [id],
        common: .changeOfOne, result: MoodSchemas.mood, errors: changing)

    static let setNotes = MethodDeclaration(
        "mood.setNotes", .write, "Replace a mood's notes.",
        [id, .required("notes", .string(.notes), "The new notes; empty removes them.")], common: .changeOfOne,
        result: MoodSchemas.mood, errors: changing)

    static let history = MethodDeclaration(
        "mood.history", .read, "Read how a mood has changed, the newest change first, also of one that was deleted.",
        [
            id, .optional("limit", .count(.listPage), "The most changes of the page.", default: 50),
            .optional("cursor", .string(.cursor), "The nextCursor of the page before."),
        ],
        result: .result([
            .required(
                "items",
                .array(
                    .result([
                        .required("revision", .integer(0 ... .max), "The commit."),
                        .required("at", MoodSchemas.time, "When it was made."),
                        .required("kind", .choice(["created", "updated", "deleted"]), "What it did to the mood."),
                        .optional("mood", MoodSchemas.mood, "The mood behind it; absent where it was deleted."),
                    ]), .any, isUnique: false), "The changes of the page."),
            .optional("nextCursor", .string(.plain), "Where the next page begins; absent on the last."),
        ]), errors: ErrorCode.store + [.notFound])

    static let detail = MethodDeclaration(
        "mood.detail", .read, "Read a mood as a screen: typed cells, a toolbar and what can be done.",
        [
            id,
            .optional("locale", .string(.locale), "The language of what people read; the host's, if absent."),
            .optional("timeZone", .string(.timeZone), "The zone of times; the mood's, else the host's, if absent."),
            .optional("now", MoodSchemas.time, "The moment that relative times count from; now, if absent."),
            .optional("location", ScreenSchemas.location, "Where the person is; distances are shown from there."),
        ],
        result: .result([
            .required("mood", MoodSchemas.mood, "The mood."),
            .required("title", .string(.plain), "The screen's title."),
            .required("cells", .array(ScreenSchemas.cell, .any, isUnique: false), "What the screen shows, in order."),
            .required("toolbar", .array(ScreenSchemas.tool, .any, isUnique: false), "What stands at its edge."),
            .required("actions", .array(ScreenSchemas.offer, .any, isUnique: false), "What else can be done."),
        ]), errors: ErrorCode.store + [.notFound])

    static let share = MethodDeclaration(
        "mood.share", .read, "Say a mood as text that can be passed on.",
        [
            id,
            .optional(
                "format", .choice(["text", "markdown", "html", "json", "ics"]), "The form of the text.",
                default: "text"),
            .optional("locale", .string(.locale), "The language of times; the host's, if absent."),
            .optional("timeZone", .string(.timeZone), "The zone of times; the mood's, else the host's, if absent."),
            .optional("now", MoodSchemas.time, "The moment that relative times count from; now, if absent."),
            .optional(
                "template", .string(.template),
                "For format text: {emoji} {label} {notes} {tags} {relative} {date} {time} {timestamp}; {{ for a brace."),
            .optional(
                "as", .choice(["vevent", "vjournal"]),
                "For format ics: something that takes place, or an entry in a diary; vevent, if absent."),
        ],
        result: .result([
            .required("text", .string(.plain), "The text."),
            .required("mediaType", .string(.plain), "Its media type, with the charset."),
            .required("format", .string(.plain), "Its format."),
        ]), errors: ErrorCode.store + [.notFound])
}
