import JSONRPC

/// `events.*`: being told of what happens.
public enum EventMethods {
    private static let subscription = Field.required(
        "subscription", .string(.plain), "What the subscription is known by; events carry it.")

    static let subscribe = MethodDeclaration(
        "events.subscribe", .write,
        "Be told of commits, of where the routers are and of the store, by notifications events.event.",
        [
            .optional(
                "topics", .array(.choice(["mood", "nav", "store", "plugin"]), .range(1...4), isUnique: true),
                "What to be told of; everything, if absent."),
            .optional(
                "since", .integer(0 ... .max),
                "For the topic mood: tell of the commits behind this revision too, or answer resync where they are not kept."
            ),
        ],
        result: begun, errors: ErrorCode.store + [.limitExceeded])

    /// A subscription, as its client gets to know it.
    static let begun = Schema.result([
        subscription,
        .required("revision", .integer(0 ... .max), "The store's revision now."),
        .optional(
            "resync", .confirmation,
            "True where the commits behind since are not kept: read the moods anew; what follows is behind revision."),
    ])

    static let unsubscribe = MethodDeclaration(
        "events.unsubscribe", .write, "Be told no more.", [subscription], result: .result([]), errors: [.notFound])
}
