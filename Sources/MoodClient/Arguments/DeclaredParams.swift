// Made from the declarations; write it again with MOODBOARD_GOLDEN=write swift test --filter ReferenceTests.

/// The params that commands have options for, as the host declares them.
enum DeclaredParams {
    enum MoodList {
        static let limit = DeclaredParam("limit", .integer, "50", "The most moods of the page.")
        static let cursor = DeclaredParam("cursor", .text, nil, "The nextCursor of the page before.")
        static let sort = DeclaredParam(
            "sort", .choice(["timestamp", "label", "updatedAt"]), "timestamp", "What to sort by.")
        static let order = DeclaredParam("order", .choice(["desc", "asc"]), "desc", "Downwards or upwards.")
        static let filter = DeclaredParam("filter", .other, nil, "Only the moods that meet every condition.")
        static let count = DeclaredParam("count", .boolean, "false", "Whether to count all that meet the filter.")
        static let rows = DeclaredParam(
            "rows", .boolean, "false", "Whether each mood comes with what can be done with it.")
        static let locale = DeclaredParam(
            "locale", .text, nil, "The language of what people read; the host's, if absent.")
    }
    enum MoodShare {
        static let id = DeclaredParam("id", .text, nil, "The mood's id.")
        static let format = DeclaredParam(
            "format", .text, "text",
            "The form of the text: text, markdown, html, json, ics, or one that a plugin brings.")
        static let locale = DeclaredParam(
            "locale", .text, nil, "The language of what people read; the host's, if absent.")
        static let timeZone = DeclaredParam(
            "timeZone", .text, nil, "The zone of times; each mood's, else the host's, if absent.")
        static let now = DeclaredParam("now", .text, nil, "The moment that relative times count from; now, if absent.")
        static let template = DeclaredParam(
            "template", .text, nil,
            "For format text: {emoji} {label} {notes} {tags} {relative} {date} {time} {timestamp}; {{ for a brace.")
        static let component = DeclaredParam(
            "component", .choice(["vevent", "vjournal"]), "vevent",
            "For format ics alone: something that takes place, or an entry in a diary.")
    }
    enum NavScreen {
        static let route = DeclaredParam("route", .other, nil, "Which place; the one that the router shows, if absent.")
        static let router = DeclaredParam("router", .text, "main", "Which router; there may be several.")
        static let locale = DeclaredParam(
            "locale", .text, nil, "The language of what people read; the host's, if absent.")
        static let timeZone = DeclaredParam(
            "timeZone", .text, nil, "The zone of times; each mood's, else the host's, if absent.")
        static let now = DeclaredParam("now", .text, nil, "The moment that relative times count from; now, if absent.")
    }
}
