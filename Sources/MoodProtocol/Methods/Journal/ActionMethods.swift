import JSONCodec
import JSONRPC

/// `action.*`: a person's actions on screens.
public enum ActionMethods {
    public static let action = ParamKey<ValidJSON>.required(
        "action", ScreenSchemas.action, "What was chosen, as it was offered.")

    public static let perform = MethodDeclaration(
        "action.perform", .write, .owner,
        "Do what a person chose: what the host can do is done, the rest comes back as effects for the client.",
        [action.field], common: .change,
        result: .result([
            .required("effects", .list(effect), "What is left to the client, in this order."),
            .optional("mood", MoodSchemas.mood, "The mood that was changed or recorded, as it is now."),
            .optional("navigation", MoodSchemas.navigation, "The router that was moved, as it is now."),
            .optional("editor", ScreenSchemas.editor, "The form that was opened, changed or closed."),
            .optional("result", .any, "What a plugin has answered."),
            .optional("subscription", EventMethods.begun, "The subscription that was begun."),
        ]), errors: ErrorCode.changing + [.notFound, .limitExceeded],
        example: .init(#"{"action":{"type":"toggleFavorite","id":"019b7c65-1a3e-7000-8000-000000000001"}}"#))

    private static let plain = Schema.string(.plain)

    private static let recording: [Field] =
        [
            .required("id", .id, "The mood."),
            .required("attachment", .amount, "The attachment's place among those of the mood, from 0."),
        ] + MoodSchemas.source + [.required("title", plain, "What it is called.")]

    private static let kinds: [Kind] = [
        Kind(
            "present",
            .required("what", .choice(["shareSheet", "calendarEvent"]), "What takes the text."),
            .required("text", plain, "The text."),
            .required("mediaType", plain, "Its media type, with the charset."),
            .optional("url", .string(.link), "The same as an address, where it has one.")),
        Kind("openURL", .required("url", .string(.link), "The address to open.")),
        Kind("openEmail", .required("address", .string(.email), "The e-mail address to write to.")),
        Kind("showMap", ScreenSchemas.place),
        Kind("showImage", MoodSchemas.image),
        Kind("playAudio", recording),
        Kind("pauseAudio", recording),
        Kind(
            "showEvents",
            .required("hostName", plain, "Who invites."),
            .required("events", .list(ScreenSchemas.hostEvent), "In order of time, at most 50."),
            ScreenSchemas.moreEvents),
    ]

    /// Later versions may have more types, so a client leaves out unknown ones.
    private static let effect = Schema.named("Effect", .openKinds(by: "type", common: [], kinds))
}
