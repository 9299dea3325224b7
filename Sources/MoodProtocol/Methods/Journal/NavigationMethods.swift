import JSONCodec
import JSONRPC
import MoodCore

/// The params of `nav.*`.
public enum NavigationParams {
    /// The default router.
    public static let mainRouter: StaticString = "main"

    public static let router = ParamKey(
        "router", .string(.name), "Which router; there may be several.", default: mainRouter)
    public static let route = ParamKey<ValidJSON>.required("route", MoodSchemas.route, "Where to.")
    public static let screen = ParamKey<ValidJSON?>.optional(
        "route", MoodSchemas.route, "Which place; the one that the router shows, if absent.")
    public static let url = ParamKey<String>.required("url", .string(.deepLink), "A moodboard:// URL.")
    public static let moves = ParamKey(
        "limit", .integer(1...NavigationLog.keptMin), "The most moves to read.", default: 100)
    public static let name = ParamKey<String>.required(
        "name", .string(.savedName), "1-64 characters of your own choice.")
}

/// `nav.*`: the client's position.
public enum NavigationMethods {
    public static let state = MethodDeclaration(
        "nav.state", .read, .navigation, "Tell where a router is.", [NavigationParams.router.field],
        result: MoodSchemas.navigation,
        errors: [.limitExceeded], example: .init())

    public static let navigate = MethodDeclaration(
        "nav.navigate", .write, .navigation, "Show a route on top of the present one; menu goes to the root.",
        [NavigationParams.route.field, NavigationParams.router.field],
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .refused, .limitExceeded],
        example: .init(#"{"route":{"name":"moodDetail","id":"019b7c65-1a3e-7000-8000-000000000001"}}"#))

    public static let replace = MethodDeclaration(
        "nav.replace", .write, .navigation, "Show a route in place of the present one.",
        [NavigationParams.route.field, NavigationParams.router.field],
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .refused, .limitExceeded],
        example: .init(
            #"{"route":{"name":"observation"}}"#, after: [.init("nav.navigate", #"{"route":{"name":"introState"}}"#)]))

    public static let goBack = MethodDeclaration(
        "nav.goBack", .write, .navigation, "Go one step back; at the root nothing happens.",
        [NavigationParams.router.field],
        result: MoodSchemas.navigation, errors: [.limitExceeded],
        example: .init(after: [.init("nav.navigate", #"{"route":{"name":"crudList"}}"#)]))

    public static let goBackToRoot = MethodDeclaration(
        "nav.goBackToRoot", .write, .navigation, "Go back to the menu.", [NavigationParams.router.field],
        result: MoodSchemas.navigation,
        errors: [.limitExceeded], example: .init(after: [.init("nav.navigate", #"{"route":{"name":"crudList"}}"#)]))

    public static let open = MethodDeclaration(
        "nav.open", .write, .navigation, "Show the route of a moodboard:// URL, unless it is shown already.",
        [NavigationParams.url.field, NavigationParams.router.field], result: MoodSchemas.navigation,
        errors: ErrorCode.store + [.notFound, .refused, .limitExceeded], example: .init(#"{"url":"moodboard://moods"}"#)
    )

    public static let url = MethodDeclaration(
        "nav.url", .read, .navigation, "Write a route as a moodboard:// URL.", [NavigationParams.route.field],
        result: .result([.required("url", .plain, "The URL.")]),
        example: .init(#"{"route":{"name":"moodDetail","id":"019b7c65-1a3e-7000-8000-000000000001"}}"#))

    public static let menu = MethodDeclaration(
        "nav.menu", .read, .navigation, "Read the feature menu, which is the root screen.",
        result: .result([
            .rows(
                "sections", "The sections, in order.",
                .required("title", .plain, "The section's title."),
                .optional("footer", .plain, "A sentence below the section."),
                .required("items", .list(item), "Its rows."))
        ]), example: .init())

    public static let screen = MethodDeclaration(
        "nav.screen", .read, .navigation, "Read the screen of a route: typed cells, a toolbar and what can be done.",
        [
            NavigationParams.screen.field, NavigationParams.router.field, ReadingParams.locale.field,
            ReadingParams.timeZone.field, ReadingParams.now.field,
        ],
        result: .result([
            .required("route", MoodSchemas.route, "Which place it is."),
            .required("title", .plain, "The screen's title."),
            .required("cells", .list(ScreenSchemas.cell), "What it shows, in order."),
            .required("toolbar", .list(ScreenSchemas.tool), "What stands at its edge."),
            .required("actions", .list(ScreenSchemas.offer), "What else can be done."),
            .required("footer", .list(.plain), "Sentences below it."),
        ]), errors: ErrorCode.store + [.notFound], example: .init(#"{"route":{"name":"introState"}}"#))

    public static let log = MethodDeclaration(
        "nav.log", .read, .navigation, "Read how a router was moved in this session, the newest move first.",
        [NavigationParams.router.field, NavigationParams.moves.field],
        result: .result([
            .rows(
                "items", "The moves that changed something.",
                .required("at", MoodSchemas.time, "When it was moved."),
                .required(
                    "action",
                    .choice(["navigate", "replace", "goBack", "goBackToRoot", "open", "restore", "prune"]),
                    "What moved it; prune: a mood was deleted, and its routes with it."),
                .required("route", MoodSchemas.route, "The route that was shown then."))
        ]), example: .init(after: [.init("nav.navigate", #"{"route":{"name":"crudList"}}"#)]))

    public static let save = MethodDeclaration(
        "nav.save", .write, .navigation,
        "Keep where a router is with the store, under a name; what has that name is replaced.",
        [NavigationParams.name.field, NavigationParams.router.field], result: MoodSchemas.navigation,
        errors: ErrorCode.writing + [.limitExceeded],
        example: .init(#"{"name":"evening"}"#, after: [.init("nav.navigate", #"{"route":{"name":"crudList"}}"#)]))

    public static let restore = MethodDeclaration(
        "nav.restore", .write, .navigation,
        "Show again what was saved under a name, in place of what the router shows.",
        [NavigationParams.name.field, NavigationParams.router.field],
        result: .result(
            MoodSchemas.navigationMembers + [
                .required("dropped", .list(droppedRoute), "Saved routes whose mood is gone.")
            ]),
        errors: ErrorCode.store + [.notFound, .refused, .limitExceeded],
        example: .init(
            #"{"name":"evening"}"#,
            after: [
                .init("nav.navigate", #"{"route":{"name":"crudList"}}"#), .init("nav.save", #"{"name":"evening"}"#),
                .init("nav.goBackToRoot", "{}"),
            ]))

    /// Another version may have saved unknown places.
    private static let droppedRoute = Schema.result([
        .required("name", .plain, "Which place."), .optional("id", .any, "The mood."),
    ])

    private static let item = Schema.result([
        .required("number", .plain, "The feature's number."),
        .required("title", .plain, "The row's title."),
        .required("description", .plain, "One line about it."),
        .required("icon", .plain, "The name of a symbol."),
        .required("color", .plain, "A semantic color."),
        .required("route", MoodSchemas.route, "Where it leads."),
    ])
}
