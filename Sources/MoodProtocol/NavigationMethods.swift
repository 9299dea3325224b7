import JSONRPC
import MoodCore

/// `nav.*`: where the client is.
public enum NavigationMethods {
    private static let router = Field.optional(
        "router", .string(.name), "Which router; there may be several.", default: "main")
    private static let route = Field.required("route", MoodSchemas.route, "Where to.")

    static let state = MethodDeclaration(
        "nav.state", .read, "Tell where a router is.", [router], result: MoodSchemas.navigation,
        errors: [.limitExceeded])

    static let navigate = MethodDeclaration(
        "nav.navigate", .write, "Show a route on top of the present one; menu goes to the root.", [route, router],
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .refused, .limitExceeded])

    static let replace = MethodDeclaration(
        "nav.replace", .write, "Show a route in place of the present one.", [route, router],
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .refused, .limitExceeded])

    static let goBack = MethodDeclaration(
        "nav.goBack", .write, "Go one step back; at the root nothing happens.", [router],
        result: MoodSchemas.navigation, errors: [.limitExceeded])

    static let goBackToRoot = MethodDeclaration(
        "nav.goBackToRoot", .write, "Go back to the menu.", [router], result: MoodSchemas.navigation,
        errors: [.limitExceeded])

    static let open = MethodDeclaration(
        "nav.open", .write, "Show the route of a moodboard:// URL, unless it is shown already.",
        [.required("url", .string(.deepLink), "A moodboard:// URL."), router], result: MoodSchemas.navigation,
        errors: ErrorCode.store + [.notFound, .refused, .limitExceeded])

    static let url = MethodDeclaration(
        "nav.url", .read, "Write a route as a moodboard:// URL.", [route],
        result: .result([.required("url", .string(.plain), "The URL.")]))

    static let menu = MethodDeclaration(
        "nav.menu", .read, "Read the feature menu, which is the root screen.",
        result: .result([
            .required(
                "sections",
                .array(
                    .result([
                        .required("title", .string(.plain), "The section's title."),
                        .optional("footer", .string(.plain), "A sentence below the section."),
                        .required("items", .array(item, .any, isUnique: false), "Its rows."),
                    ]), .any, isUnique: false), "The sections, in order.")
        ]))

    static let screen = MethodDeclaration(
        "nav.screen", .read, "Read the screen of a route: typed cells, a toolbar and what can be done.",
        [
            .optional("route", MoodSchemas.route, "Which place; the one that the router shows, if absent."), router,
            .optional("locale", .string(.locale), "The language of what people read; the host's, if absent."),
            .optional("timeZone", .string(.timeZone), "The zone of times; each mood's, else the host's, if absent."),
            .optional("now", MoodSchemas.time, "The moment that relative times count from; now, if absent."),
        ],
        result: .result([
            .required("route", MoodSchemas.route, "Which place it is."),
            .required("title", .string(.plain), "The screen's title."),
            .required("cells", .array(ScreenSchemas.cell, .any, isUnique: false), "What it shows, in order."),
            .required("toolbar", .array(ScreenSchemas.tool, .any, isUnique: false), "What stands at its edge."),
            .required("actions", .array(ScreenSchemas.offer, .any, isUnique: false), "What else can be done."),
            .required("footer", .array(.string(.plain), .any, isUnique: false), "Sentences below it."),
        ]), errors: ErrorCode.store + [.notFound])

    static let log = MethodDeclaration(
        "nav.log", .read, "Read how a router was moved in this session, the newest move first.",
        [
            .optional("router", .string(.name), "Which router; there may be several.", default: "main"),
            .optional("limit", .integer(1...NavigationLog.keptMin), "The most moves to read.", default: 100),
        ],
        result: .result([
            .required(
                "items",
                .array(
                    .result([
                        .required("at", MoodSchemas.time, "When it was moved."),
                        .required(
                            "action",
                            .choice(["navigate", "replace", "goBack", "goBackToRoot", "open", "restore", "prune"]),
                            "What moved it; prune: a mood was deleted, and its routes with it."),
                        .required("route", MoodSchemas.route, "The route that was shown then."),
                    ]), .any, isUnique: false), "The moves that changed something.")
        ]))

    private static let name = Field.required(
        "name", .string(.savedName), "1-64 characters of your own choice.")

    static let save = MethodDeclaration(
        "nav.save", .write, "Keep where a router is with the store, under a name; what has that name is replaced.",
        [name, router], result: MoodSchemas.navigation, errors: ErrorCode.writing + [.limitExceeded])

    static let restore = MethodDeclaration(
        "nav.restore", .write, "Show again what was saved under a name, in place of what the router shows.",
        [name, router],
        result: .result(
            MoodSchemas.navigationMembers + [
                .required("dropped", .array(droppedRoute, .any, isUnique: false), "Saved routes whose mood is gone.")
            ]),
        errors: ErrorCode.store + [.notFound, .refused, .limitExceeded])

    /// Another version may have saved places that this one does not know.
    private static let droppedRoute = Schema.result([
        .required("name", .string(.plain), "Which place."), .optional("id", .any, "The mood."),
    ])

    private static let item = Schema.result([
        .required("number", .string(.plain), "The feature's number."),
        .required("title", .string(.plain), "The row's title."),
        .required("description", .string(.plain), "One line about it."),
        .required("icon", .string(.plain), "The name of a symbol."),
        .required("color", .string(.plain), "A semantic colour."),
        .required("route", MoodSchemas.route, "Where it leads."),
    ])
}
