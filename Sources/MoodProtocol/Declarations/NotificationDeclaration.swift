/// A message that the host sends by itself, without an id: the declaration for readers of the protocol.
public struct NotificationDeclaration: Sendable {
    public let name: Name
    public let summary: String
    let params: Schema

    private init(_ name: Name, _ summary: String, _ params: Schema) {
        self.name = name
        self.summary = summary
        self.params = params
    }

    public static var all: [NotificationDeclaration] {
        [
            NotificationDeclaration("events.event", "Something happened that a subscription is for.", event),
            NotificationDeclaration("$/progress", "How far a long request is that carries a progressToken.", progress),
        ]
    }

    private static let truth = Schema.confirmation

    /// Later versions may have more topics, so a client leaves out unknown ones.
    private static var event: Schema {
        .named(
            "Event",
            .openKinds(
                by: "topic",
                common: [
                    .required("subscription", .string(.plain), "Whose event it is."),
                    .required(
                        "seq", .integer(0 ... .max),
                        "Of a mood event the commit's revision; of others their number in the session."),
                    .required("at", .time, "When it happened."),
                ],
                [
                    (
                        "mood",
                        [
                            .optional(
                                "changes", .array(change, .range(0...100), isUnique: false),
                                "What the commit did; absent where lagged."),
                            .optional(
                                "origin", .string(.plain), "Who made the commit, where no client did: x.<id>, sync."),
                            .optional("truncated", truth, "True where the commit made more changes than stand here."),
                            .optional("count", .integer(101 ... .max), "How many changes it made, where truncated."),
                            .optional(
                                "lagged", truth, "True where the subscription has ended: what follows cannot be told."),
                            .optional("resync", truth, "True if the store is another one: read the moods again."),
                        ]
                    ),
                    (
                        "nav",
                        [
                            .required("router", .string(.name), "Which router moved."),
                            .required("state", MoodSchemas.navigation, "Where it is now."),
                        ]
                    ),
                    (
                        "store",
                        [
                            .required(
                                "type", .choice(["replaced", "rewritten", "settings"]),
                                "What became of the store, or that settings have changed."),
                            .required("revision", .integer(0 ... .max), "Its revision now."),
                        ]
                    ),
                    (
                        "plugin",
                        [
                            .required("type", .choice(["state", "cells"]), "What there is to know."),
                            .required("plugin", .string(.plain), "Which plugin."),
                            .optional("state", .choice(PluginMethods.states), "Its state now."),
                            .optional("reason", .string(.plain), "Why it is in this state."),
                            .optional("moodId", .id, "The mood whose cells are there now."),
                        ]
                    ),
                    (
                        "sync",
                        [
                            .required(
                                "state", .choice(["idle", "syncing", "offline", "incomplete", "off"]),
                                "What the sync is at now."),
                            .optional("lastError", .string(.plain), "Why it did not come to its end."),
                        ]
                    ),
                ]))
    }

    private static var change: Schema {
        .result([
            .required("type", .choice(["created", "updated", "deleted"]), "What was done to the mood."),
            .required("id", .id, "The mood."),
            .optional(
                "mood", MoodSchemas.mood, "The mood now; absent where deleted, or where events would be too large."),
        ])
    }

    private static var progress: Schema {
        .named(
            "Progress",
            .result([
                .required("token", .token, "The request's progressToken, as it was given."),
                .required(
                    "value",
                    .result([
                        .required("done", .integer(0 ... .max), "How much is done."),
                        .required("total", .integer(0 ... .max), "Of how much; 0 where that is not known yet."),
                        .required("message", .string(.plain), "What is being done."),
                    ]), "How far it is."),
            ]))
    }
}
