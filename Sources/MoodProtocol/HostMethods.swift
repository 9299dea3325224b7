import JSONRPC

/// `host.*` and `rpc.discover`: the process itself.
public enum HostMethods {
    static let info = MethodDeclaration(
        "host.info", .read, "Tell what this process is, where its store is and what its limits are.",
        result: .result([
            .required("name", .string(.plain), "Always moodboard."),
            .required("version", .string(.plain), "The program's version."),
            .required("protocolVersion", .string(.plain), "The version of this protocol."),
            .required("pid", .integer(1 ... .max), "The process id."),
            .required("store", .any, "As store.info answers; {path, error} where the store cannot be opened."),
            .required("limits", .any, "Every limit by name."),
            .required("features", .array(.string(.plain), .any, isUnique: true), "What this version can do."),
        ]))

    static let ping = MethodDeclaration("host.ping", .read, "Answer at once.", result: .result([]))

    static let shutdown = MethodDeclaration(
        "host.shutdown", .write, "Answer, then end the process in good order.", result: .result([]))

    static let discover = MethodDeclaration(
        "rpc.discover", .read, "Describe all methods as an OpenRPC document.", result: .any)
}
