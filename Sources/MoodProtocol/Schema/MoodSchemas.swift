import JSONCodec
import MoodCore

/// The schemas of the protocol's data, section 5 of the contract.
public enum MoodSchemas {
    static let id = Schema.id
    static let time = Schema.time

    /// The schema of a mood's member.
    public static func schema(of field: MoodField) -> Schema {
        switch field.kind {
        case .id: id
        case .time: time
        case .revision: .ordinal
        case .flag: .boolean
        case .emoji: .string(.emoji)
        case .label: .string(.label)
        case .notes: .string(.notes)
        case .tags: tags
        case .number(let range): .number(range)
        case .line(let charactersMax): .string(.memberLine(charactersMax))
        case .object(let object): .value(ObjectRule(object.rule))
        case .timeZone: .string(.timeZone)
        case .attachments: attachments
        }
    }

    /// The members of a mood that a caller may give, in the order of `mood.create`. Added ones come last, because
    /// params may be given by position, and a released signature never changes its meaning.
    static let given: [Field] = (allGiven.filter { !$0.isAdded } + allGiven.filter(\.isAdded)).map { field in
        let schema = schema(of: field)
        return switch field.row.presence {
        case .required: .required(Name(field.name), schema, field.summary)
        case .filled(let json):
            .optional(
                Name(field.name), schema, field.summary, default: JSONValue(ValidJSON(trusting: JSONText(json).raw))
            )
        case .made, .now, .optional, .added: .optional(Name(field.name), schema, field.summary)
        }
    }

    private static let allGiven = MoodField.allCases.filter(\.isGiven)

    /// The members that a change may set; null removes an optional one.
    static let set = Schema.object(
        allGiven.map { field in
            let (schema, summary) = (schema(of: field), field.summary)
            return field.isOptional
                ? .optional(Name(field.name), .nullable(schema), summary + " null removes it.")
                : .optional(Name(field.name), schema, summary)
        }, nil)

    public static let tags = Schema.array(.string(.tag), .upTo(.tags), isUnique: true)

    public static let mood = Schema.named("Mood", .result(moodMembers))

    public static let moodMembers: [Field] = MoodField.allCases.map { field in
        field.isOptional
            ? .optional(Name(field.name), schema(of: field), field.summary)
            : .required(Name(field.name), schema(of: field), field.summary)
    }

    /// A picture: its source and its properties.
    static let image: [Field] =
        source + [
            .optional("aspectRatio", .number(0.001...1000), "Width divided by height."),
            .optional("alt", .string(.line), "What it shows, for those who do not see it."),
        ]

    static let attachments = Schema.list(attachment, .upTo(.attachments))

    static let source: [Field] = [
        .optional("path", .string(.path), "An absolute path; only named, never opened."),
        .optional("url", .string(.url), "An http or https address."),
    ]

    static let attachment = Schema.named(
        "Attachment",
        .kinds(
            by: "kind",
            [
                Kind(
                    "link",
                    .required("url", .string(.url), "An http or https address."),
                    .optional("title", .string(.line), "What it is called.")),
                Kind(
                    "email",
                    .required("address", .string(.email), "An e-mail address."),
                    .optional("label", .string(.line), "Whose it is.")),
                Kind(
                    "place",
                    .required("latitude", .number(-90...90), "Degrees north."),
                    .required("longitude", .number(-180...180), "Degrees east."),
                    .optional("label", .string(.line), "What it is called."),
                    .optional("address", .string(.line), "The street address.")),
                Kind("image", image, rule: .pathOrURL),
                Kind("audio", source + [.optional("title", .string(.line), "What it is called.")], rule: .pathOrURL),
                Kind(
                    "event",
                    .required("title", .string(.line), "What it is called."),
                    .required(
                        "occurrences",
                        .list(occurrence, .range(1...Attachment.occurrencesMax)),
                        "When it takes place, 1-32 times."),
                    .optional("location", .string(.line), "Where it takes place."),
                    .optional("description", .string(.notes), "More about it."),
                    .optional("hostName", .string(.line), "Who invites."),
                    .optional("url", .string(.url), "An http or https address.")),
                Kind(
                    "relation",
                    .required("moodId", id, "The other mood, which may be missing."),
                    .required("type", .string(.line), "What the other mood is to this one.")),
            ]))

    private static let occurrence = Schema.object(
        [
            .required("start", time, "When it begins."),
            .required("end", time, "When it ends, not before it begins."),
        ], .endNotBeforeStart)

    static let route = Schema.named(
        "Route",
        .object(
            [
                .required(
                    "name",
                    .choice([
                        "menu", "introState", "observation", "architecture", "crudList", "moodDetail",
                    ]), "Which place."),
                .optional("id", id, "The mood, for moodDetail alone."),
            ], .idForDetailAlone))

    static let navigation = Schema.named("Navigation", .result(navigationMembers))

    static let navigationMembers: [Field] = [
        .required("router", .string(.name), "The router's name."),
        .required("path", .list(route), "The routes above the root, the current one last."),
        .required("current", route, "The route that is shown."),
        .required("canGoBack", .boolean, "Whether there is a route to go back to."),
        .required("depth", .integer(0...Router.depthMax), "The number of routes above the root."),
    ]
}

extension ObjectRule {
    /// The rule of a member that is an object.
    init(_ rule: MoodField.ObjectRule) {
        self.init(
            problem: { value in
                rule.problem(value).map { ($0.name.map { "/" + JSONPointer.token($0) } ?? "", $0.reason) }
            },
            keywords: rule.keywords)
    }

    static let pathOrURL = ObjectRule(
        problem: { object in
            let value = JSONValue(object)
            let hasPath = value["path"]?.string != nil
            let hasURL = value["url"]?.string != nil
            if hasPath && hasURL { return ("/url", "must not be given together with path; give one of the two") }
            return hasPath || hasURL ? nil : ("/path", "is required: give path or url")
        },
        keywords: [
            .init(
                "oneOf", [["title": "By path", "required": ["path"]], ["title": "By address", "required": ["url"]]])
        ])

    static let endNotBeforeStart = ObjectRule(
        problem: { object in
            let value = JSONValue(object)
            guard let start = value["start"]?.string.flatMap({ Timestamp($0) }),
                let end = value["end"]?.string.flatMap({ Timestamp($0) }), end < start
            else { return nil }
            return ("/end", "must not be before start")
        },
        keywords: [])

    static let idForDetailAlone = ObjectRule(
        problem: { object in
            let value = JSONValue(object)
            let isDetail = value["name"]?.string == "moodDetail"
            let hasID = value["id"]?.string != nil
            if isDetail && !hasID { return ("/id", "is required: a moodDetail route names its mood") }
            return !isDetail && hasID ? ("/id", "belongs to moodDetail alone") : nil
        },
        keywords: [
            .init("if", ["properties": ["name": ["const": "moodDetail"]]]), .init("then", ["required": ["id"]]),
            .init("else", ["not": ["required": ["id"]]]),
        ])
}
