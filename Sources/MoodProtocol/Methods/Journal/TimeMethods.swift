import MoodCore

/// The params of `time.*`.
public enum TimeParams {
    public static let text = ParamKey<String>.required(
        "text", .plain,
        "A moment or a span, as people say it: now, 9pm, yesterday evening, last fri, 2h ago, week 47, 2026-11-20 10:00."
    )
    public static let timeZone = ParamKey<String?>.optional(
        "timeZone", .string(.timeZone), "The zone whose clock is meant; the host's, if absent.")
    public static let now = ParamKey<Timestamp?>.optional(
        "now", .time, "The moment that the text is said; now, if absent.")
}

/// `time.*`: the language of time.
public enum TimeMethods {
    public static let parse = MethodDeclaration(
        "time.parse", .read, .readMoods, "Tell what a phrase such as last fri 9pm means.",
        [TimeParams.text.field, TimeParams.timeZone.field, TimeParams.now.field],
        result: .result([
            .required("start", .time, "The moment, or where the span begins."),
            .required("end", .time, "The moment, or where the span ends; itself not in it."),
            .optional("at", .time, "The one moment that is meant; absent for a span longer than a day."),
            .required("isSpan", .boolean, "Whether it is more than a moment."),
            .optional("dayFrom", .string(.date), "The first day that it means whole, or the day of its moment."),
            .optional("dayTo", .string(.date), "The last of these days."),
        ]), example: .init(#"{"text":"yesterday evening"}"#))
}
