import JSONCodec
import JSONRPC
import MoodCore

/// The params of `stats.*` and `mood.tags`.
public enum StatisticsParams {
    public static let span = ParamKey<String?>.optional(
        "span", .string(.plain),
        "A span in the language of time, such as last week or 2026-11; everything, if absent.")
    public static let from = ParamKey<String?>.optional(
        "from", .string(.plain), "Where the span begins, in the language of time: a day, or a moment; not beside span.")
    public static let to = ParamKey<String?>.optional(
        "to", .string(.plain), "Where the span ends: a day, which is in it, or a moment, which is not; not beside span."
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
            .required(
                "items",
                .array(
                    .result([
                        .required("year", .integer(1...9999), "The year."),
                        .required(
                            "moods", .array(MoodSchemas.mood, .any, isUnique: false), "Its moods, the earliest first."),
                    ]), .any, isUnique: false), "The years that have any, the latest first.")
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
            .required("text", .string(.plain), "The drawing."),
            .required("mediaType", .string(.plain), "Its media type, with the charset."),
        ]), errors: ErrorCode.store, example: .init(#"{"what":"month","month":"2026-01"}"#))

    public static let tags = MethodDeclaration(
        "mood.tags", .read, .readMoods, "Count the tags; case makes no difference, the first spelling is shown.",
        [MoodParams.filter.field],
        result: .result([
            .required(
                "tags",
                .array(
                    .result([
                        .required("tag", .string(.plain), "The tag, as it was spelled first."),
                        .required("count", .integer(1 ... .max), "How many moods have it."),
                        .required("last", .time, "When the latest of them was felt."),
                    ]), .any, isUnique: false), "By count, then tag.")
        ]), errors: ErrorCode.store, example: .init())
}

/// The schemas of the results of `stats.*`.
enum StatisticsSchemas {
    private static let count = Field.required("count", .integer(0 ... .max), "How many moods.")
    private static let average = Field.optional(
        "average", .number(-1...1), "The mean of their valences; absent where none has one.")
    private static let tallies = Schema.named("Tally", .result([count, average]))
    private static let moment = Schema.string(.plain)

    static let days = Schema.result([
        .required(
            "days",
            .array(
                .result([
                    .required("date", .string(.date), "The day."), count, average,
                    .optional("emoji", .string(.plain), "Its most frequent emoji, then the latest."),
                    .optional("label", .string(.plain), "The label of its latest mood with that emoji."),
                ]), .any, isUnique: false), "Every day, those without moods too.")
    ])

    static let summary = Schema.result([
        .optional("from", moment, "The first day; a moment, where one was given. Absent where there are no moods."),
        .optional("to", moment, "The last day; a moment, where one was given."),
        .required("moods", .integer(0 ... .max), "How many moods."),
        .required("favorites", .integer(0 ... .max), "How many of them are favorites."),
        .required("days", .integer(0 ... .max), "How many days have a mood."),
        .required("valued", .integer(0 ... .max), "How many moods have a valence, their own or the palette's."),
        .required("estimated", .integer(0 ... .max), "How many of these have it from the palette."),
        average, .optional("spread", .number(0...1), "The standard deviation of the valences."),
        .optional(
            "previous",
            .result([
                .required("from", moment, "Its first day."), .required("to", moment, "Its last day."),
                .required("moods", .integer(0 ... .max), "How many moods."), average,
            ]), "The span before; absent where the span has no beginning."),
        .required(
            "feelings",
            .array(
                .result([
                    .required("emoji", .string(.plain), "The emoji."),
                    .required("label", .string(.plain), "The label."),
                    count, average,
                ]), .range(0...20), isUnique: false), "The most frequent ones."),
        .required(
            "valences",
            .array(
                .result([
                    .required("from", .number(-1...1), "Its lower end, inclusive."),
                    .required("to", .number(-1...1), "Its upper end, exclusive but for 1."), count,
                ]), .range(5...5), isUnique: false), "How many valences lie where."),
        .required(
            "scales",
            .array(
                .result([
                    .required("name", .string(.plain), "The scale."), count,
                    .required("average", .number(-1000...1000), "The mean."),
                    .required("least", .number(-1000...1000), "The least value."),
                    .required("greatest", .number(-1000...1000), "The greatest value."),
                ]), .any, isUnique: false), "What moods measure besides the valence; by count, then name."),
        .required(
            "tags",
            .array(
                .result([
                    .required("tag", .string(.plain), "The tag."), count,
                    .required("average", .number(-1...1), "The mean of the moods with it."),
                    .required("without", .number(-1...1), "The mean of the moods without it."),
                    .required("difference", .number(-2...2), "Average less without: association, never cause."),
                ]), .any, isUnique: false), "Tags with at least five valued moods with and five without."),
        .required("weekdays", .array(tallies, .range(7...7), isUnique: false), "From Monday on."),
        .required("hours", .array(tallies, .range(24...24), isUnique: false), "By the mood's own clock."),
        .required("partsOfDay", .array(tallies, .range(4...4), isUnique: false), "From 0, 6, 12 and 18 o'clock on."),
        .required(
            "streak",
            .result([
                .required("current", streak, "The row of days that goes on."),
                .required("longest", streak, "The longest row; of several the earliest."),
            ]), "Days in a row with a mood, of the whole journal."),
        .optional(
            "swings", .number(0...2), "The mean difference between the means of days that follow each other."),
        .required(
            "series",
            .array(
                .result([.required("date", .string(.date), "Where it begins."), count, average]), .any, isUnique: false),
            "Every day, week or month of the span."),
    ])

    private static let streak = Schema.result([
        .required("days", .integer(0 ... .max), "How many days."),
        .optional("from", .string(.date), "The first of them."),
        .optional("to", .string(.date), "The last of them; of the longest row."),
    ])
}
