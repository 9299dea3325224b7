// Made from the declarations; write it again with MOODBOARD_GOLDEN=write swift test --filter ReferenceTests.

/// The params that commands have options for, as the host declares them.
enum DeclaredParams {
    enum MoodList {
        static let limit = DeclaredParam(
            name: "limit", kind: .integer,
            absent: "50",
            summary:
                "The most moods of the page.")
        static let cursor = DeclaredParam(
            name: "cursor", kind: .text,
            absent: nil,
            summary:
                "The nextCursor of the page before.")
        static let sort = DeclaredParam(
            name: "sort", kind: .choice(["timestamp", "label", "updatedAt"]),
            absent: "timestamp",
            summary:
                "What to sort by.")
        static let order = DeclaredParam(
            name: "order", kind: .choice(["desc", "asc"]),
            absent: "desc",
            summary:
                "Downwards or upwards.")
        static let filter = DeclaredParam(
            name: "filter", kind: .other,
            absent: nil,
            summary:
                "Only the moods that meet every condition.")
        static let count = DeclaredParam(
            name: "count", kind: .boolean,
            absent: "false",
            summary:
                "Whether to count all that meet the filter.")
        static let rows = DeclaredParam(
            name: "rows", kind: .boolean,
            absent: "false",
            summary:
                "Whether each mood comes with what can be done with it.")
        static let locale = DeclaredParam(
            name: "locale", kind: .text,
            absent: nil,
            summary:
                "The language of what people read; the host's, if absent.")
    }
    enum MoodShare {
        static let id = DeclaredParam(
            name: "id", kind: .text,
            absent: nil,
            summary:
                "The mood's id.")
        static let format = DeclaredParam(
            name: "format", kind: .text,
            absent: "text",
            summary:
                "The form of the text: text, markdown, html, json, ics, or one that a plugin brings.")
        static let locale = DeclaredParam(
            name: "locale", kind: .text,
            absent: nil,
            summary:
                "The language of what people read; the host's, if absent.")
        static let timeZone = DeclaredParam(
            name: "timeZone", kind: .text,
            absent: nil,
            summary:
                "The zone of times; each mood's, else the host's, if absent.")
        static let now = DeclaredParam(
            name: "now", kind: .text,
            absent: nil,
            summary:
                "The moment that relative times count from; now, if absent.")
        static let template = DeclaredParam(
            name: "template", kind: .text,
            absent: nil,
            summary:
                "For format text: {emoji} {label} {notes} {tags} {relative} {date} {time} {timestamp}; {{ for a brace.")
        static let component = DeclaredParam(
            name: "component", kind: .choice(["vevent", "vjournal"]),
            absent: "vevent",
            summary:
                "For format ics alone: something that takes place, or an entry in a diary.")
    }
    enum NavScreen {
        static let route = DeclaredParam(
            name: "route", kind: .other,
            absent: nil,
            summary:
                "Which place; the one that the router shows, if absent.")
        static let router = DeclaredParam(
            name: "router", kind: .text,
            absent: "main",
            summary:
                "Which router; there may be several.")
        static let locale = DeclaredParam(
            name: "locale", kind: .text,
            absent: nil,
            summary:
                "The language of what people read; the host's, if absent.")
        static let timeZone = DeclaredParam(
            name: "timeZone", kind: .text,
            absent: nil,
            summary:
                "The zone of times; each mood's, else the host's, if absent.")
        static let now = DeclaredParam(
            name: "now", kind: .text,
            absent: nil,
            summary:
                "The moment that relative times count from; now, if absent.")
    }
}
