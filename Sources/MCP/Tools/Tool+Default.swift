import JSONCodec
import MoodCore
import MoodProtocol

/// The default tools, in the order of the list.
extension Tool {
    public static func all(isReadOnly: Bool) -> [Tool] {
        let all = [add, find, get, update, favorite, delete, undo, share, stats, year, screen, perform]
        return isReadOnly ? all.filter(\.effect.isReadOnly) : all
    }

    static let add = Tool(
        "mood_add", "Record a mood", .add,
        "Records how the person feels. Use it when they say so and want it kept. The answer has the mood's id and revision; mood_undo with that revision takes it back. Example: {\"emoji\": \"calm\", \"when\": \"2 hours ago\", \"notes\": \"slept well\", \"tags\": [\"sport\"]}",
        [
            .optional(
                "emoji", .string(.plain),
                "One emoji such as 😌, or a word of the palette such as calm. It can be left out where label is such a word."
            ),
            .optional(
                "label", .string(.plain), "What the feeling is called; the palette's word for the emoji, if absent."),
            .optional(
                "when", .string(.plain),
                "When it was felt: 2 hours ago, yesterday evening, last fri 9pm, 2026-11-20, 2026-11-20T10:00, or RFC 3339; now, if absent."
            ),
            ToolFields.notes, ToolFields.tags, ToolFields.valence, ToolFields.scales, ToolFields.isFavorite,
            ToolFields.timeZone,
        ] + ToolFields.ready() + [
            .optional(
                "idempotency_key", .string(.token),
                "1-128 bytes of your own choice: the same call with the same key is done once."),
            ToolFields.withNotes, ToolFields.dryRun,
        ], "mood.create",
        ToolParam.mood(.newFeeling, takesNull: false) + [ToolParam("idempotency_key", "opId"), .dryRun],
        shows: { $0.writeMood($1, said: "Recorded: ", unchanged: "Recorded before: ", $2, to: &$3) },
        output: ToolFields.mood)

    static let find = Tool(
        "mood_find", "Find moods", .read,
        "Lists moods, the newest first, at most 50 a call. Use it to look for moods and to learn their ids. Every condition has to hold. Example: {\"text\": \"sleep\", \"from\": \"last month\", \"favorites\": true}",
        [
            .optional("text", .string(.notes), "This text in label, notes or tags, ignoring case."),
            .optional("tags", .array(.string(.tag), .upTo(.tags), isUnique: false), "All of these tags."),
            .optional("emoji", .string(.plain), "This emoji, or a word of the palette."),
            .optional("from", .string(.plain), "Felt then or later: today, last week, 2026-11, RFC 3339."),
            .optional("to", .string(.plain), "Felt then or earlier, that day or span included."),
            .optional("favorites", .boolean, "true: favorites alone; false: all but them."),
            .optional("favourites", .boolean, "The same as favorites."),
            .optional("sort", .choice(["timestamp", "label", "updatedAt"]), "What to sort by; timestamp, if absent."),
            .optional("order", .choice(["desc", "asc"]), "Downwards or upwards; desc, if absent."),
            .optional("limit", .integer(1...findMax), "The most moods of this call; 50, if absent."),
            .optional("cursor", .string(.plain), "The nextCursor of the call before, with the same conditions."),
            ToolFields.withNotes,
        ], "mood.list",
        [
            ToolParam("limit", otherwise: "50"), ToolParam("cursor"), ToolParam("sort"), ToolParam("order"),
            ToolParam(
                "filter",
                members: [
                    ToolParam("text"), ToolParam("tags"), ToolParam("emoji", "emoji", .feeling),
                    ToolParam("from", "from", .start), ToolParam("to", "to", .end),
                    ToolParam("favorites", "isFavorite"), ToolParam("favourites", "isFavorite"),
                ]),
        ], notes: .ofLists, shows: { $0.writeMoods($1, $2, to: &$3) },
        output: .result([
            .required("items", .array(ToolFields.mood, .any, isUnique: false), "The moods; long notes are cut."),
            .optional("total", .integer(0 ... .max), "How many there are in all, where there was no condition."),
            .optional("nextCursor", .string(.plain), "Where the next page begins; absent on the last."),
            .optional("empty", .result([]), "Why there are none."),
            .optional(
                "leftOut", .array(.id, .any, isUnique: false),
                "The mood that is longer than an answer, by its id; a resource shows it."),
        ]))

    /// The most moods of one answer.
    public static let findMax = 50

    static let get = Tool(
        "mood_get", "Read a mood", .read,
        "Reads one mood whole, with how it has changed if asked. Use it after mood_find, which cuts long notes. Example: {\"id\": \"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\", \"with_history\": true}",
        [
            ToolFields.id, .optional("with_history", .boolean, "Whether its last changes come with it."),
            .optional("cursor", .string(.plain), "The nextCursor of the call before: earlier changes."),
            ToolFields.withNotes,
        ], "mood.get", [.id], special: .history, shows: { $0.writeMood($1, $2, to: &$3) },
        output: .named(
            "Mood",
            .result(
                ToolFields.moodMembers + [
                    .optional(
                        "history", .array(.any, .any, isUnique: false),
                        "Its changes, the newest first: {revision, at, kind, mood}."),
                    .optional(
                        "leftOut", .array(.integer(1 ... .max), .any, isUnique: false),
                        "The change that is longer than an answer, by its revision."),
                    .optional(
                        "nextCursor", .string(.plain), "Where earlier changes begin; absent where all are told."),
                ])))

    static let update = Tool(
        "mood_update", "Change a mood", .replace,
        "Changes the members that are given and leaves the others. Use it to correct or complete a mood. Example: {\"id\": \"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\", \"notes\": \"better after a walk\"}",
        [
            ToolFields.id,
            .optional("emoji", .string(.plain), "One emoji, or a word of the palette."),
            .optional("label", .string(.label), "What the feeling is called."),
            .optional("when", .string(.plain), "When it was felt, as in mood_add."),
            .optional("notes", .string(.notes), "The new notes in place of the old ones; empty removes them."),
            .optional("tags", MoodSchemas.tags, "The new tags in place of the old ones."),
            .optional("valence", .nullable(.number(-1...1)), "From -1 (bad) to 1 (good); null removes it."),
            .optional(
                "scales", MoodSchemas.schema(of: .scales),
                "Numbers by name, such as {\"sleep\": 7}, in place of the old ones; {} removes them."),
            ToolFields.isFavorite,
            .optional("time_zone", .nullable(.string(.timeZone)), "The zone in which it was felt; null removes it."),
        ] + ToolFields.ready(orNull: true) + [
            ToolFields.ifRevision, ToolFields.withNotes, ToolFields.dryRun,
        ], "mood.update",
        [
            .id, ToolParam("set", otherwise: "{}", members: ToolParam.mood(.feeling, takesNull: true)), .ifRevision,
            .dryRun,
        ], shows: { $0.writeMood($1, said: "Changed: ", unchanged: "Nothing had to change: ", $2, to: &$3) },
        output: ToolFields.mood)

    static let favorite = Tool(
        "mood_favorite", "Mark a favorite", .mark,
        "Marks a mood as a favorite, or no longer. Example: {\"id\": \"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\", \"is_favorite\": true}",
        [
            ToolFields.id, .optional("is_favorite", .boolean, "Whether it is one; true, if absent."),
            ToolFields.ifRevision, ToolFields.withNotes, ToolFields.dryRun,
        ], "mood.setFavorite",
        [.id, ToolParam("is_favorite", "isFavorite", otherwise: "true"), .ifRevision, .dryRun],
        shows: { $0.writeMood($1, said: "Marked: ", unchanged: "Nothing had to change: ", $2, to: &$3) },
        output: ToolFields.mood)

    /// The most moods of one deletion.
    public static let deleteMax = 100

    static let delete = Tool(
        "mood_delete", "Delete moods", .replace,
        "Deletes up to 100 moods in one change. Use it only when the person wants them gone. Of several, the person is asked where the client can do that; else give confirm with their number. mood_undo with the revision of the answer brings them back. Example: {\"ids\": [\"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\"]}",
        [
            .required("ids", .array(.id, .range(1...deleteMax), isUnique: false), "The ids of 1-100 moods."),
            .optional("confirm", .integer(1...deleteMax), "Of several: how many they are, to say that it is meant."),
            ToolFields.dryRun,
        ], "mood.deleteMany", [ToolParam("ids"), .dryRun], special: .consent, shows: { $0.writeValue($1, $2, to: &$3) },
        output: .result([
            .required("deleted", .integer(0 ... .max), "How many moods."),
            .required("ids", .array(.id, .any, isUnique: false), "Which."),
            .optional("revision", .integer(1 ... .max), "The change, for mood_undo; absent where nothing was kept."),
        ]))

    static let undo = Tool(
        "mood_undo", "Take a change back", .change,
        "Takes back one change, named by the revision that its answer had. Refused if a later change has touched the same mood. Example: {\"revision\": 12}",
        [
            .required("revision", .integer(1 ... .max), "The change, from the result of the tool that made it."),
            ToolFields.dryRun,
        ], "store.undo", [ToolParam("revision"), ToolParam("scope", "scope", .scope), .dryRun],
        shows: { $0.writeValue($1, $2, to: &$3) },
        output: .result([
            .required("revision", .integer(0 ... .max), "The store's revision now."),
            .required(
                "undone", .array(.result([]), .any, isUnique: false), "What was taken back: {revision, kind, ids}."),
        ]))

    static let share = Tool(
        "mood_share", "Say a mood as text", .read,
        "Writes a mood as text that can be passed on: a message, Markdown, HTML, or an entry of a calendar. Example: {\"id\": \"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\", \"format\": \"markdown\"}",
        [
            ToolFields.id,
            .optional("format", .choice(["text", "markdown", "html", "ics"]), "The form; text, if absent."),
            ToolFields.withNotes,
        ], "mood.share", [.id, ToolParam("format")],
        shows: { tool, shared, facts, out in
            let text = JSONValue(shared)["text"]?.string
            return tool.writeValue(shared, text: text, remedy: "Use the format text.", facts, to: &out)
        },
        output: .result([
            .required("text", .string(.plain), "The text."),
            .required("mediaType", .string(.plain), "Its media type, with the charset."),
            .required("format", .string(.plain), "Its form."),
        ]))

    static let stats = Tool(
        "mood_stats", "Statistics of a span", .read,
        "Sums up a span: how many moods, how pleasant, which feelings and tags, which days and hours. Tags that go together with a valence are association, never cause. Example: {\"span\": \"last month\"}",
        [.optional("span", .string(.plain), "today, this week, last 30 days, 2026-11, 2026; everything, if absent.")],
        "stats.summary", [ToolParam("span")], shows: { $0.writeStatistics($1, $2, to: &$3) },
        output: .result([.required("moods", .integer(0 ... .max), "How many moods; more members follow.")]))

    static let year = Tool(
        "mood_year", "A year in pixels", .read,
        "Shows a year as text, a sign for each day, and names the picture of it. Example: {\"year\": 2026}",
        [.optional("year", .integer(1...9999), "Which year; this one, if absent.")],
        "stats.year", [ToolParam("year", "year", .year)], shows: { $0.writeYear($1, $2, to: &$3) },
        output: .result([
            .required("year", .integer(1...9999), "Which year."),
            .required("months", .result([]), "A string for each month, a sign for each day."),
            .required("uri", .string(.plain), "The resource with the picture."),
            .optional(
                "days", .array(.result([]), .any, isUnique: false),
                "The days with a mood: {date, count, average?, emoji?}; absent where they do not fit."),
        ]))

    static let screen = Tool(
        "mood_screen", "Look at a screen", .read,
        "Shows a screen of the app as data: cells in order, each with the action that using it would perform (mood_perform). Use it to see what a person sees. Example: {\"route\": \"crudList\"}",
        [
            .optional(
                "route", .any,
                "menu, introState, observation, architecture, crudList, or moodboard://mood/ID; what the router shows, if absent."
            ),
            .optional(
                "router", .string(.name),
                "The handle of a router: any name of your own choice. Its actions name it; main, if absent."),
            ToolFields.withNotes,
        ], "nav.screen", [ToolParam("route", "route", .route), ToolParam("router")],
        shows: { $0.writeScreen($1, $2, to: &$3) },
        output: .result([.required("route", .any, "Which screen."), .required("cells", .any, "What it shows.")])
    )

    static let perform = Tool(
        "mood_perform", "Use what a screen offers", .change,
        "Performs an action that mood_screen has offered, exactly as it was offered. What is left to the client comes back as effects. Example: {\"action\": {\"type\": \"toggleFavorite\", \"id\": \"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b\"}}",
        [
            .required("action", .any, "The action, with all its members."), ToolFields.withNotes, ToolFields.dryRun,
        ], "action.perform", [ToolParam("action", "action", .action), .dryRun],
        shows: { $0.writeValue($1, cutsNotes: true, $2, to: &$3) },
        output: .result([
            .required("effects", .any, "What is left to the client."),
            .optional("mood", ToolFields.mood, "The mood that was changed."),
            .optional("revision", .integer(1 ... .max), "The change, for mood_undo, where no mood has it."),
        ]))
}

/// Arguments and results that several tools share.
enum ToolFields {
    static let id = Field.required("id", .id, "The mood's id, as mood_find gives it.")
    static let notes = Field.optional("notes", .string(.notes), "Anything more, in the person's own words.")
    static let tags = Field.optional("tags", MoodSchemas.tags, "Words to find it by, such as work; at most 32.")
    static let valence = Field.optional("valence", .number(-1...1), "How good it feels, from -1 (bad) to 1 (good).")
    static let scales = Field.optional(
        "scales", MoodSchemas.schema(of: .scales), "Numbers by name, such as {\"sleep\": 7}.")
    static let isFavorite = Field.optional("is_favorite", .boolean, "Whether it is a favorite.")
    static let timeZone = Field.optional(
        "time_zone", .string(.timeZone), "The IANA zone in which it was felt, such as Europe/Helsinki.")

    /// The members of a ready kind, which have no words of their own here.
    static func ready(orNull: Bool = false) -> [Field] {
        var names = KeptNames()
        return MoodField.ready.map { field in
            let (name, schema) = (names.name(Tool.snake("\(field.name)")), MoodSchemas.schema(of: field))
            return orNull
                ? .optional(name, .nullable(schema), field.summary + " null removes it.")
                : .optional(name, schema, field.summary)
        }
    }

    static let withNotes = Field.optional(
        "with_notes", .boolean, "false: without the person's notes, which may be private; true, if absent.")
    static let dryRun = Field.optional(
        "dry_run", .boolean, "true: check and answer as if it were done, but keep nothing.")
    static let ifRevision = Field.optional(
        "if_revision", .integer(0 ... .max), "Only if this is still the mood's revision; else it is refused.")

    /// A mood in results of tools.
    static var moodMembers: [Field] {
        MoodSchemas.moodMembers.map { field in
            switch "\(field.name)" {
            case "notes": .optional("notes", field.schema, "The person's notes; absent where they are left out.")
            // The host's own description has the forms of attachments; here they would be most of the list of tools.
            case "attachments": .required("attachments", .array(.result([]), .any, isUnique: false), field.summary)
            default: field
            }
        } + [.optional("notesCut", .boolean, "true where some of the notes is left out.")]
    }

    static var mood: Schema { .named("Mood", .result(moodMembers)) }
}
