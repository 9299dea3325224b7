import JSONCodec
import JSONRPC
import MoodCore

/// The params of `stats.*` and `mood.tags`.
public enum StatisticsParams {
    public static let span = ParamKey<String?>.optional(
        "span", .plain,
        "A span in the language of time, such as last week or 2026-11; everything, if absent.")
    public static let from = ParamKey<String?>.optional(
        "from", .plain, "Where the span begins, in the language of time: a day, or a moment; not beside span.")
    public static let to = ParamKey<String?>.optional(
        "to", .plain, "Where the span ends: a day, which is in it, or a moment, which is not; not beside span."
    )
    public static let by = ParamKey<ValidJSON?>.optional(
        "by", .choice(["day", "week", "month"]), "The length of an entry of series; day, if there are not too many.")
    public static let year = ParamKey<Int>.required("year", .integer(1...9999), "The year.")
    public static let month = ParamKey<String>.required("month", .string(.month), "The month, such as 2026-11.")
    public static let what = ParamKey<ValidJSON>.required(
        "what", .choice(["year", "month", "summary", "report"]), "What to draw.")
    public static let format = ParamKey<LookBackFormat>("format", "The form: text, or one file of SVG or HTML.")
    public static let drawnYear = ParamKey<Int?>.optional(
        "year", .integer(1...9999), "For year and report: which; this one, if absent.")
    public static let drawnMonth = ParamKey<String?>.optional(
        "month", .string(.month), "For month: which, such as 2026-11; this one, if absent.")
    public static let width = ParamKey(
        "width", .integer(20...500), "For text: how many columns there are.", default: 80)
    public static let color = ParamKey("color", "For text: whether it has the colors of a terminal.", default: false)
    public static let date = ParamKey<String?>.optional(
        "date", .string(.date), "The day whose years are wanted; today, if absent.")
    public static let timeZone = ParamKey<String?>.optional(
        "timeZone", .string(.timeZone), "The zone of moods without one; the host's, if absent.")
    public static let locale = ParamKey<String?>.optional(
        "locale", .string(.locale), "The language of what people read; the host's, if absent.")
    public static let now = ParamKey<Timestamp?>.optional(
        "now", .time, "Moods after this moment are left out; now, if absent.")
}

/// The forms of `stats.render`.
public enum LookBackFormat: Name, CaseIterable, Choice {
    case text, svg, html
    public static let usual = text
}

/// `stats.*` and `mood.tags`: looking back.
public enum StatisticsMethods {
    private static let reading: [Field] = [
        MoodParams.filter.field, StatisticsParams.timeZone.field, StatisticsParams.locale.field,
        StatisticsParams.now.field,
    ]

    public static let summary = MethodDeclaration(
        "stats.summary", .long, .readMoods, "Sum up the moods of a span: how many, how pleasant, which, when.",
        [StatisticsParams.span.field, StatisticsParams.from.field, StatisticsParams.to.field] + reading + [
            StatisticsParams.by.field
        ], common: .progress, result: StatisticsSchemas.summary, errors: ErrorCode.store,
        example: .init(#"{"span":"2026-01-01"}"#))

    public static let year = MethodDeclaration(
        "stats.year", .long, .readMoods, "Tell each day of a year; one without moods is a gap, never neutral.",
        [StatisticsParams.year.field] + reading, common: .progress, result: StatisticsSchemas.days,
        errors: ErrorCode.store, example: .init(#"{"year":2026,"filter":{"tags":["tea"]}}"#))

    public static let month = MethodDeclaration(
        "stats.month", .long, .readMoods, "Tell each day of a month; one without moods is a gap, never neutral.",
        [StatisticsParams.month.field] + reading, common: .progress, result: StatisticsSchemas.days,
        errors: ErrorCode.store, example: .init(#"{"month":"2026-01"}"#))

    public static let onThisDay = MethodDeclaration(
        "stats.onThisDay", .long, .readMoods, "Read the moods of this day of the calendar in earlier years.",
        [StatisticsParams.date.field] + reading, common: .progress,
        result: .result([
            .rows(
                "items", "The years that have any, the latest first.",
                .required("year", .integer(1...9999), "The year."),
                .required("moods", .list(MoodSchemas.mood), "Its moods, the earliest first."))
        ]), errors: ErrorCode.store, example: .init(#"{"date":"2026-12-31"}"#))

    public static let render = MethodDeclaration(
        "stats.render", .long, .readMoods,
        "Draw a year, a month, a summary or a report: as text, or as one file without scripts and requests.",
        [
            StatisticsParams.what.field, StatisticsParams.format.field, StatisticsParams.drawnYear.field,
            StatisticsParams.drawnMonth.field, StatisticsParams.span.field, StatisticsParams.from.field,
            StatisticsParams.to.field,
        ] + reading + [StatisticsParams.by.field, StatisticsParams.width.field, StatisticsParams.color.field],
        common: .progress,
        result: .result([
            .required("text", .plain, "The drawing."),
            .required("mediaType", .plain, "Its media type, with the charset."),
        ]), errors: ErrorCode.store, example: .init(#"{"what":"month","month":"2026-01"}"#))

    public static let tags = MethodDeclaration(
        "mood.tags", .read, .readMoods, "Count the tags; case makes no difference, the first spelling is shown.",
        [MoodParams.filter.field],
        result: .result([
            .rows(
                "tags", "By count, then tag.",
                .required("tag", .plain, "The tag, as it was spelled first."),
                .required("count", .ordinal, "How many moods have it."),
                .required("last", .time, "When the latest of them was felt."))
        ]), errors: ErrorCode.store, example: .init())
}

/// The schemas of the results of `stats.*`.
enum StatisticsSchemas {
    private static let count = Field.required("count", .amount, "How many moods.")
    private static let average = Field.optional(
        "average", .number(-1...1), "The mean of their valences; absent where none has one.")
    private static let tallies = Schema.named("Tally", .result([count, average]))
    private static let moment = Schema.string(.plain)

    static let days = Schema.result([
        .rows(
            "days", "Every day, those without moods too.",
            .required("date", .string(.date), "The day."), count, average,
            .optional("emoji", .plain, "Its most frequent emoji, then the latest."),
            .optional("label", .plain, "The label of its latest mood with that emoji."))
    ])

    static let summary = Schema.result([
        .optional("from", moment, "The first day; a moment, where one was given. Absent where there are no moods."),
        .optional("to", moment, "The last day; a moment, where one was given."),
        .required("moods", .amount, "How many moods."),
        .required("favorites", .amount, "How many of them are favorites."),
        .required("days", .amount, "How many days have a mood."),
        .required("valued", .amount, "How many moods have a valence, their own or the palette's."),
        .required("estimated", .amount, "How many of these have it from the palette."),
        average, .optional("spread", .number(0...1), "The standard deviation of the valences."),
        .group(
            "previous", "The span before; absent where the span has no beginning.",
            .required("from", moment, "Its first day."), .required("to", moment, "Its last day."),
            .required("moods", .amount, "How many moods."), average
        ).optional,
        .required(
            "feelings",
            .list(
                .result([
                    .required("emoji", .plain, "The emoji."),
                    .required("label", .plain, "The label."),
                    count, average,
                ]), .range(0...20)), "The most frequent ones."),
        .required(
            "valences",
            .list(
                .result([
                    .required("from", .number(-1...1), "Its lower end, inclusive."),
                    .required("to", .number(-1...1), "Its upper end, exclusive but for 1."), count,
                ]), .range(5...5)), "How many valences lie where."),
        .rows(
            "scales", "What moods measure besides the valence; by count, then name.",
            .required("name", .plain, "The scale."), count,
            .required("average", .number(-1000...1000), "The mean."),
            .required("least", .number(-1000...1000), "The least value."),
            .required("greatest", .number(-1000...1000), "The greatest value.")),
        .rows(
            "tags", "Tags with at least five valued moods with and five without.",
            .required("tag", .plain, "The tag."), count,
            .required("average", .number(-1...1), "The mean of the moods with it."),
            .required("without", .number(-1...1), "The mean of the moods without it."),
            .required("difference", .number(-2...2), "Average less without: association, never cause.")),
        .required("weekdays", .list(tallies, .range(7...7)), "From Monday on."),
        .required("hours", .list(tallies, .range(24...24)), "By the mood's own clock."),
        .required("partsOfDay", .list(tallies, .range(4...4)), "From 0, 6, 12 and 18 o'clock on."),
        .group(
            "streak", "Days in a row with a mood, of the whole journal.",
            .required("current", streak, "The row of days that goes on."),
            .required("longest", streak, "The longest row; of several the earliest.")),
        .optional("swings", .number(0...2), "The mean difference between the means of days that follow each other."),
        .rows(
            "series", "Every day, week or month of the span.",
            .required("date", .string(.date), "Where it begins."), count, average),
    ])

    private static let streak = Schema.result([
        .required("days", .amount, "How many days."),
        .optional("from", .string(.date), "The first of them."),
        .optional("to", .string(.date), "The last of them; of the longest row."),
    ])
}
