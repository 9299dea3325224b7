import MoodCore

/// A type of cell: its members besides the common ones, and its form in words for clients that cannot draw it. A new
/// type is another value in `all`; its screen writes it.
public struct CellType: Sendable {
    /// The form of a cell in words.
    public enum Telling: Sendable {
        /// The client has its own form.
        case drawn
        /// A line of title and text.
        case line
        /// A term and its text, aligned with others. The names are those of members. Without a term, the type is the
        /// term. Absent members are left out, and so is a note that repeats the text.
        case fact(Name?, [Name], note: Name? = nil)
    }

    public let type: Name
    public let telling: Telling
    let members: [Field]

    private init(_ type: Name, _ telling: Telling, _ members: [Field]) {
        (self.type, self.telling, self.members) = (type, telling, members)
    }

    private init(_ type: Name, _ telling: Telling, _ members: Field...) { self.init(type, telling, members) }

    private static let plain = ScreenSchemas.plain
    private static let text = ScreenSchemas.text
    private static let title = ScreenSchemas.title

    public static let all: [CellType] = [
        CellType(
            "hero", .drawn,
            .required("emoji", plain, "The emoji."),
            .group(
                "gradient", "The background.",
                .required("light", ScreenSchemas.colors, "From top to bottom, on a light screen."),
                .required("dark", ScreenSchemas.colors, "The same on a dark one."))),
        CellType("text", .drawn, text, .required("style", plain, "How large: largeTitle, body and the like.")),
        CellType("relativeTime", .line, text, .required("timestamp", .time, "The moment.")),
        CellType(
            "info", .fact("title", ["value"]),
            .required("icon", plain, "The name of a symbol."),
            title,
            .required("value", plain, "What there is to know."),
            .required("color", plain, "A semantic color.")),
        CellType("notes", .drawn, text, .required("isPlaceholder", .boolean, "Whether there are none yet.")),
        CellType("image", .fact(nil, ["url", "path"], note: "alt"), MoodSchemas.image),
        CellType(
            "audio", .fact(nil, ["url", "path"], note: "title"),
            MoodSchemas.source + [title, .required("isPlaying", .boolean, "Whether it is played now.")]),
        CellType("link", .fact(nil, ["url"], note: "title"), .required("url", .string(.url), "The address."), title),
        CellType(
            "email", .fact(nil, ["address"], note: "label"),
            .required("address", .string(.email), "The address."),
            .required("label", plain, "Whose.")),
        CellType("coordinates", .fact(nil, ["latitude", "longitude"], note: "label"), ScreenSchemas.place),
        CellType(
            "address", .fact(nil, ["text"]),
            text,
            .required("tappable", .boolean, "Whether there is a map to show.")),
        CellType("distance", .fact(nil, ["text"]), .required("meters", .number(0...1e9), "How far it is."), text),
        CellType(
            "relationship", .fact("relation", ["title"]),
            title,
            .required("relation", plain, "What the other mood is to this one."),
            .required("moodId", .id, "The other mood."),
            .required("isMissing", .boolean, "Whether it is no longer there.")),
        CellType(
            "event", .fact("title", ["text"]),
            title,
            .required("start", .time, "When it begins."),
            .required("end", .time, "When it ends."),
            .optional("location", plain, "Where it takes place."),
            .optional("hostName", plain, "Who invites."),
            text),
        CellType("schedule", .fact("title", ["text"]), title, text),
        CellType("date", .fact(nil, ["text"]), text),
        CellType(
            "eventRelationship", .fact("title", ["events"]),
            title,
            .required("hostName", plain, "Who invites."),
            .required("events", .list(ScreenSchemas.hostEvent), "Events of other moods, at most 50."),
            ScreenSchemas.moreEvents),
        CellType("hint", .drawn, text),
        CellType("error", .drawn, .required("kind", plain, "The kind of the error."), text),
        CellType("loading", .line, text),
        CellType("section", .drawn, title, .optional("footer", plain, "A sentence below it.")),
        CellType(
            "menuItem", .drawn,
            .required("number", plain, "The feature's number."),
            title,
            .required("description", plain, "One line about it."),
            .required("icon", plain, "The name of a symbol."),
            .required("color", plain, "A semantic color."),
            .required("route", MoodSchemas.route, "Where it leads.")),
        CellType(
            "moodRow", .drawn,
            .required("moodId", .id, "The mood."),
            .required("emoji", plain, "Its emoji."),
            title,
            .required("text", plain, "When it was."),
            .required("timestamp", .time, "The moment."),
            .required("isFavorite", .boolean, "Whether it is a favorite."),
            .required("actions", .list(ScreenSchemas.offer), "What can be done with it.")),
        CellType("more", .line, .required("count", .ordinal, "How many moods are not shown."), text),
        CellType(
            "count", .line,
            .required("value", .amount, "How many moods there are."),
            text,
            .required("revision", .amount, "The commit after which that is so.")),
        CellType("empty", .drawn, title, text),
        CellType("choice", .drawn, text, .required("isSelected", .boolean, "Whether it is the one that was chosen.")),
        CellType(
            "field", .fact("title", ["text"], note: "problem"),
            .required("name", plain, "The param of editor.set that fills it in."),
            title,
            text,
            .optional("values", .list(plain), "Its parts, where it has several."),
            .optional("problem", plain, "What is wrong with it and what to do.")),
        CellType(
            "layer", .fact("title", ["text"]),
            .required("number", .integer(1...99), "Its place, from the client on."),
            title,
            text),
    ]
}
