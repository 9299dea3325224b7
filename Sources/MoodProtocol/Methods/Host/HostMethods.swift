import JSONRPC

/// `host.*` and `rpc.discover`: the process itself.
public enum HostMethods {
    public static let info = MethodDeclaration(
        "host.info", .read, .readMoods, "Tell what this process is, where its store is and what its limits are.",
        result: .result([
            .required("name", .string(.plain), "Always moodboard."),
            .required("version", .string(.plain), "The program's version."),
            .required("protocolVersion", .string(.plain), "The version of this protocol."),
            .required("pid", .integer(1 ... .max), "The process id."),
            .required("store", StoreMethods.state, "As store.info answers."),
            .required("limits", Limits.schema, "Every limit by name."),
            .required("features", .array(.string(.plain), .any, isUnique: true), "What this version can do."),
        ]), overtakes: .everything, example: .init(varying: ["/pid"]))

    public static let ping = MethodDeclaration(
        "host.ping", .read, .readMoods, "Answer at once.", result: .result([]), overtakes: .everything, example: .init()
    )

    public static let shutdown = MethodDeclaration(
        "host.shutdown", .write, .owner, "Answer, then end the process in good order.", result: .result([]),
        example: .init())

    public static let discover = MethodDeclaration(
        "rpc.discover", .read, .readMoods, "Describe all methods as an OpenRPC document.",
        result: .result([
            .required("openrpc", .string(.plain), "The version of OpenRPC that it follows."),
            .required(
                "info",
                .result([
                    .required("title", .string(.plain), "The program."),
                    .required("version", .string(.plain), "Its version."),
                    .required("description", .string(.plain), "What it is."),
                ]), "Whose methods they are."),
            .required(
                "methods",
                .array(
                    .result([
                        .required("name", .string(.plain), "The method's name."),
                        .required("summary", .string(.plain), "What it does."),
                        .required("params", .array(.any, .any, isUnique: false), "What it takes, in order."),
                        .required("result", .any, "What it answers."),
                        .required("errors", .array(.any, .any, isUnique: false), "What may go wrong."),
                        .optional(
                            "examples", .array(.any, .any, isUnique: false), "A call and its answer; not of plugins."),
                    ]), .any, isUnique: false), "All methods."),
            .required("components", .any, "The schemas and errors by name."),
            .required("x-notifications", .array(.any, .any, isUnique: false), "What the host sends of itself."),
            .required("x-examples", .any, "How to have the examples again."),
        ]), overtakes: .everything,
        example: .init(varying: ["/methods", "/components", "/x-notifications", "/x-examples"]))
}
