/// A message that the host sends by itself, without an id: the declaration for readers of the protocol.
public struct NotificationDeclaration: Sendable {
    public let name: Name
    public let summary: String
    let params: Schema

    private init(_ name: Name, _ summary: String, _ params: Schema) {
        (self.name, self.summary, self.params) = (name, summary, params)
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
                    .required("subscription", .plain, "Whose event it is."),
                    .required(
                        "seq", .amount,
                        "Of a mood event the commit's revision; of others their number in the session."),
                    .required("at", .time, "When it happened."),
                ],
                [
                    Kind(
                        "mood",
                        .optional(
                            "changes", .list(change, .range(0...100)),
                            "What the commit did; absent where lagged."),
                        .optional("origin", .plain, "Who made the commit, where no client did: x.<id>, sync."),
                        .optional("truncated", truth, "True where the commit made more changes than stand here."),
                        .optional("count", .integer(101 ... .max), "How many changes it made, where truncated."),
                        .optional(
                            "lagged", truth, "True where the subscription has ended: what follows cannot be told."),
                        .optional("resync", truth, "True if the store is another one: read the moods again.")),
                    Kind(
                        "nav",
                        .required("router", .string(.name), "Which router moved."),
                        .required("state", MoodSchemas.navigation, "Where it is now.")),
                    Kind(
                        "store",
                        .required(
                            "type", .choice(["replaced", "rewritten", "settings"]),
                            "What became of the store, or that settings have changed."),
                        .required("revision", .amount, "Its revision now.")),
                    Kind(
                        "plugin",
                        .required("type", .choice(["state", "cells"]), "What there is to know."),
                        .required("plugin", .plain, "Which plugin."),
                        .optional("state", .choice(PluginMethods.states), "Its state now."),
                        .optional("reason", .plain, "Why it is in this state."),
                        .optional("moodId", .id, "The mood whose cells are there now.")),
                    Kind(
                        "sync",
                        .required(
                            "state", .choice(["idle", "syncing", "offline", "incomplete", "off"]),
                            "What the sync is at now."),
                        .optional("lastError", .plain, "Why it did not come to its end.")),
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
                .group(
                    "value", "How far it is.",
                    .required("done", .amount, "How much is done."),
                    .required("total", .amount, "Of how much; 0 where that is not known yet."),
                    .required("message", .plain, "What is being done.")),
            ]))
    }
}
