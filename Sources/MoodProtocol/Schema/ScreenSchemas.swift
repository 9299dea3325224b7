import JSONCodec
import MoodCore

/// The schemas of screens: cells and actions, with their words for people who do not see them.
enum ScreenSchemas {
    static let plain = Schema.string(.plain)

    static let accessible = Schema.named(
        "Accessible",
        .result([
            .required("label", plain, "What it is."),
            .optional("hint", plain, "What happens when it is used."),
            .required("traits", .array(plain, .any, isUnique: true), "What kind of thing it is."),
        ]))

    private static let id = Field.required("id", .id, "The mood.")
    private static let attachment = Field.required(
        "attachment", .integer(0...1023), "The attachment's place among those of the mood, from 0.")
    private static let router = Field.optional("router", .string(.name), "Which router; main, if absent.")
    private static let route = Field.required("route", MoodSchemas.route, "Where to.")
    static let place: [Field] = [
        .required("latitude", .number(-90...90), "Degrees north."),
        .required("longitude", .number(-180...180), "Degrees east."),
        .optional("label", .string(.line), "What it is called."),
    ]

    /// All actions, each kind with all that it needs.
    static let action = Schema.named(
        "Action",
        .kinds(
            by: "type",
            [
                Kind("toggleFavorite", id),
                Kind("setFavorite", id, .required("isFavorite", .boolean, "Whether it is a favorite.")),
                Kind("editNotes", id, .required("notes", .string(.notes), "The notes.")),
                Kind("delete", id),
                Kind("navigate", route, router),
                Kind("replace", route, router),
                Kind("goBack", router),
                Kind("goBackToRoot", router),
                Kind("edit", id),
                Kind("add"),
                Kind("share", id, .optional("format", .choice(ShareFormat.all.map { Name($0.name) }), "The form.")),
                Kind("shareCoordinates", place),
                Kind("showMap", place),
                Kind("exportEvent", id, attachment),
                Kind("openURL", .required("url", .string(.link), "An address.")),
                Kind("openEmail", .required("address", .string(.email), "An e-mail address.")),
                Kind("showImage", MoodSchemas.image, rule: .pathOrURL),
                Kind("playAudio", id, attachment),
                Kind("pauseAudio", id, attachment),
                Kind("showEvents", .required("hostName", .string(.line), "Who invites.")),
                Kind("selectEmoji", .required("emoji", .string(.emoji), "The emoji.")),
                Kind("submit"),
                Kind("cancel"),
                Kind("clear", .required("confirm", .confirmation, "true, to say that it is meant.")),
                Kind("insertSamples"),
                Kind(
                    "subscribe",
                    .required(
                        "topics",
                        .array(.choice(["mood", "nav", "store", "plugin"]), .range(1...4), isUnique: true),
                        "What to hear of.")),
                Kind("x.", .optional("params", .any, "What the plugin's method takes.")),
            ]))

    static let offer = Schema.named(
        "Offer",
        .result([
            .required("label", plain, "What it says."),
            .required("icon", plain, "The name of a symbol."),
            .optional("color", plain, "A semantic color."),
            .required("destructive", .boolean, "Whether something is lost."),
            .optional("edge", .choice(["leading", "trailing"]), "On which side of a row it hides."),
            .required("action", action, "What it does."),
        ]))

    /// A mood in a list.
    static let row = Schema.named(
        "Row",
        .result(
            MoodSchemas.moodMembers + [
                .optional("actions", .list(offer), "What can be done with it.")
            ]))

    static let colors = Schema.list(.string(.color), .range(2...2))
    static let text = Field.required("text", plain, "What it says.")
    static let title = Field.required("title", plain, "What it is called.")

    static let hostEvent = Schema.result([
        .required("moodId", .id, "Whose event it is."), title,
        .required("start", .time, "When it begins."), .required("end", .time, "When it ends."),
    ])

    static let moreEvents = Field.optional(
        "more", .ordinal, "How many there are besides: those shown are the next ones, else the last.")

    /// A cell of a screen. Later versions may have more types, so a client leaves out unknown ones.
    static let cell = Schema.named(
        "Cell",
        .openKinds(
            by: "type",
            common: [
                .required("id", plain, "The same from call to call."),
                .required("accessibility", accessible, "For those who do not see it."),
                .optional("action", action, "What happens when it is used."),
            ],
            CellType.all.map { Kind($0.type, $0.members) }))

    static let tool = Schema.named(
        "Tool",
        .openKinds(
            by: "type",
            common: [
                .required("accessibility", accessible, "For those who do not see it."),
                .required("action", action, "What it does."),
            ],
            [
                Kind(
                    "favoriteButton",
                    .required("isFavorite", .boolean, "Whether the mood is a favorite."),
                    .required("symbol", plain, "The name of a symbol."),
                    .required("color", plain, "A semantic color."),
                    .group(
                        "animation", "What it does when used.",
                        .group(
                            "spring", "How it moves.",
                            .required("response", .number(0...10), "Seconds."),
                            .required("damping", .number(0...1), "As a fraction of critical damping.")),
                        .required("scale", .number(0...10), "How large it becomes."),
                        .required("rotation", .number(0...360), "How far it turns, in degrees.")),
                    .required("haptic", plain, "How it feels.")),
                Kind("dismiss"),
            ]))

    /// The form for a mood.
    static let editor = Schema.named(
        "Editor",
        .result([
            .required("isPresented", .boolean, "Whether the form is open."),
            .optional("editing", .id, "The mood that is edited; absent for a new one."),
            .required("selectedEmoji", plain, "The emoji that is selected."),
            .required("label", plain, "What the mood is called."), .required("notes", plain, "Anything more."),
            .required("tags", .list(plain), "Its tags."),
            .required("availableEmojis", .array(plain, .any, isUnique: true), "The emojis to choose from."),
            .required("canSubmit", .boolean, "Whether the form is open and nothing is wrong with it."),
            .rows(
                "problems", "What keeps it from being submitted.",
                .required("path", plain, "A JSON Pointer to the member, as editor.set takes it."),
                .required("message", plain, "What is wrong and what to do.")),
        ]))

    static let location = Schema.object(
        [
            .required("latitude", .number(-90...90), "Degrees north."),
            .required("longitude", .number(-180...180), "Degrees east."),
        ], nil)
}

extension TextFormat {
    /// `#RRGGBB`.
    static let color = TextFormat([.init("pattern", "^#[0-9A-F]{6}$")]) { _, _ in nil }

    /// An address that a client may open.
    static let link = TextFormat([
        .init("format", "uri"),
        .init("pattern", "^([hH][tT][tT][pP][sS]?|[mM][aA][iI][lL][tT][oO]|[gG][eE][oO]|[tT][eE][lL]):"),
    ]) { text, _ in TextRule.linkProblem(text) }
}
