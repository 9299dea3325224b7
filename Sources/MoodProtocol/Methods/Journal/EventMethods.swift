import JSONCodec
import JSONRPC

/// The params of `events.*`.
public enum EventParams {
    public static let topics = ParamKey<ValidJSON?>.optional(
        "topics", .array(.choice(["mood", "nav", "store", "plugin", "sync"]), .range(1...5), isUnique: true),
        "What to be told of; everything, if absent.")
    public static let since = ParamKey<Int?>.optional(
        "since", .amount,
        "For the topic mood: tell of the commits after this revision too, or answer resync if they are not kept.")
    public static let subscription = ParamKey<String>.required(
        "subscription", .plain, "What the subscription is known by; events carry it.")
}

/// `events.*`: subscriptions to events.
public enum EventMethods {
    public static let subscribe = MethodDeclaration(
        "events.subscribe", .write, .readMoods,
        "Be told of commits, of where the routers are and of the store, by notifications events.event.",
        [EventParams.topics.field, EventParams.since.field],
        result: begun, errors: ErrorCode.store + [.limitExceeded], example: .init(#"{"topics":["mood"]}"#))

    /// A subscription in the form for its client.
    static let begun = Schema.result([
        EventParams.subscription.field,
        .required("revision", .amount, "The store's revision now."),
        .optional(
            "resync", .confirmation,
            "True if the commits after since are not kept: read the moods again; what follows is after revision."),
    ])

    public static let unsubscribe = MethodDeclaration(
        "events.unsubscribe", .write, .readMoods, "Be told no more.", [EventParams.subscription.field],
        result: .result([]),
        errors: [.notFound],
        example: .init(#"{"subscription":"s1"}"#, after: [.init("events.subscribe", #"{"topics":["mood"]}"#)]))
}
