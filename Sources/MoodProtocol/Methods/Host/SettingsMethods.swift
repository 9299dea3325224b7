import JSONCodec
import JSONRPC
import MoodCore

/// The params of `settings.*`, which are also the members of settings.
public enum SettingsParams {
    public static let palette = ParamKey<ValidJSON?>.optional(
        "palette", .nullable(SettingsMethods.palette), "The feelings to choose from; null for the twelve standard ones."
    )
    public static let dayStartsAt = ParamKey<ValidJSON?>.optional(
        "dayStartsAt", .nullable(.string(.dayStart)), "When a day begins, 00:00 to 12:00; null for 00:00.")
    public static let timeZone = ParamKey<ValidJSON?>.optional(
        "timeZone", .nullable(.string(.timeZone)), "The zone of moods without one; null for the system's.")
    public static let locale = ParamKey<ValidJSON?>.optional(
        "locale", .nullable(.string(.locale)), "The language of what people read; null for en_US.")
    public static let weekStartsOn = ParamKey<ValidJSON?>.optional(
        "weekStartsOn", .nullable(SettingsMethods.weekday), "The first day of a week that is shown; null for monday.")

    static var fields: [Field] {
        [palette.field, dayStartsAt.field, timeZone.field, locale.field, weekStartsOn.field]
    }
}

/// `settings.*`: a person's settings in the store's folder.
public enum SettingsMethods {
    public static let get = MethodDeclaration(
        "settings.get", .read, .readMoods, "Tell what was chosen for all programs: feelings, days, zone, language.",
        result: settings, errors: ErrorCode.store,
        example: .init(after: [
            .init(
                "settings.set",
                #"{"palette":[{"emoji":"😊","label":"Good","valence":0.6,"aliases":["fine"]},{"emoji":"😢","label":"Bad","valence":-0.6}]}"#
            )
        ]))

    public static let set = MethodDeclaration(
        "settings.set", .write, .owner, "Choose some of them; the others stay.", SettingsParams.fields,
        result: settings, errors: ErrorCode.writing,
        example: .init(
            #"{"dayStartsAt":"04:00","palette":[{"emoji":"😊","label":"Good","valence":0.6},{"emoji":"😢","label":"Bad","valence":-0.6}]}"#
        ))

    static let weekday = Schema.choice([
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ])

    static let palette = Schema.list(
        .object(
            [
                .required("emoji", .string(.emoji), "What it is drawn as."),
                .required("label", .string(.label), "What it is called; no other has the name, in any case."),
                .required("valence", .number(-1...1), "How pleasant it is."),
                .optional(
                    "aliases", .list(.string(.label), .range(0...Palette.aliasesMax)),
                    "What else it is called.", default: .array([])),
            ], nil), .range(1...Palette.entriesMax))

    static let settings = Schema.named(
        "Settings",
        .result([
            .required("palette", palette, "The feelings to choose from, in their order."),
            .required("dayStartsAt", .string(.dayStart), "When a day begins."),
            .optional("timeZone", .string(.timeZone), "The zone of moods without one, if one was chosen."),
            .optional("locale", .string(.locale), "The language, if one was chosen."),
            .required("weekStartsOn", weekday, "The first day of a week that is shown."),
        ]))
}
