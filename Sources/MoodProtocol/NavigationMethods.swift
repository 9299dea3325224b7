import JSONRPC

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
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .limitExceeded])

    static let replace = MethodDeclaration(
        "nav.replace", .write, "Show a route in place of the present one.", [route, router],
        result: MoodSchemas.navigation, errors: ErrorCode.store + [.notFound, .limitExceeded])

    static let goBack = MethodDeclaration(
        "nav.goBack", .write, "Go one step back; at the root nothing happens.", [router],
        result: MoodSchemas.navigation, errors: [.limitExceeded])

    static let goBackToRoot = MethodDeclaration(
        "nav.goBackToRoot", .write, "Go back to the menu.", [router], result: MoodSchemas.navigation,
        errors: [.limitExceeded])

    static let open = MethodDeclaration(
        "nav.open", .write, "Show the route of a moodboard:// URL, unless it is shown already.",
        [.required("url", .string(.deepLink), "A moodboard:// URL."), router], result: MoodSchemas.navigation,
        errors: ErrorCode.store + [.notFound, .limitExceeded])

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

    private static let item = Schema.result([
        .required("number", .string(.plain), "The feature's number."),
        .required("title", .string(.plain), "The row's title."),
        .required("description", .string(.plain), "One line about it."),
        .required("icon", .string(.plain), "The name of a symbol."),
        .required("color", .string(.plain), "A semantic colour."),
        .required("route", MoodSchemas.route, "Where it leads."),
    ])
}
