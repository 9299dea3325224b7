import JSONRPC

/// `host.*` and `rpc.discover`: the process itself.
public enum HostMethods {
    public static let info = MethodDeclaration(
        "host.info", .read, .readMoods, "Tell what this process is, where its store is and what its limits are.",
        result: .result([
            .required("name", .plain, "Always moodboard."),
            .required("version", .plain, "The program's version."),
            .required("protocolVersion", .plain, "The version of this protocol."),
            .required("pid", .ordinal, "The process id."),
            .required("store", StoreMethods.state, "As store.info answers."),
            .required("limits", Limits.schema, "Every limit by name."),
            .required("features", .array(.plain, .any, isUnique: true), "What this version can do."),
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
            .required("openrpc", .plain, "The version of OpenRPC that it follows."),
            .group(
                "info", "Whose methods they are.",
                .required("title", .plain, "The program."),
                .required("version", .plain, "Its version."),
                .required("description", .plain, "What it is.")),
            .rows(
                "methods", "All methods.",
                .required("name", .plain, "The method's name."),
                .required("summary", .plain, "What it does."),
                .required("params", .list(.any), "What it takes, in order."),
                .required("result", .any, "What it answers."),
                .required("errors", .list(.any), "What may go wrong."),
                .optional("examples", .list(.any), "A call and its answer; not of plugins.")),
            .required("components", .any, "The schemas and errors by name."),
            .required("x-notifications", .list(.any), "What the host sends of itself."),
            .required("x-examples", .any, "How to have the examples again."),
        ]), overtakes: .everything,
        example: .init(varying: ["/methods", "/components", "/x-notifications", "/x-examples"]))
}
