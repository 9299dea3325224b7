import JSONCodec
import JSONRPC

/// The params of `plugin.*`.
public enum PluginParams {
    public static let id = ParamKey<String>.required("id", .plain, "The plugin's id, such as org.example.poem.")
    public static let digest = ParamKey<String>.required(
        "digest", .plain, "sha256:… of the folder, as plugin.info shows it.")
    public static let runtimes = ParamKey<ValidJSON?>.optional(
        "runtimes", .array(.plain, .range(0...16), isUnique: true),
        "Folders with programs that it may run besides those of the system, such as a venv.")
    public static let files = ParamKey<ValidJSON?>.optional(
        "files",
        .object(
            [
                .optional(
                    "read", .array(.plain, .range(0...32), isUnique: true),
                    "Files and folders that it may read."),
                .optional(
                    "write", .array(.plain, .range(0...32), isUnique: true),
                    "Files and folders that it may change."),
            ], nil), "What it may reach besides what its manifest asks for.")
    public static let tools = ParamKey<String?>.optional(
        "tools", .plain, "sha256:… of an MCP server's tools, as plugin.info shows it.")
    public static let skip = ParamKey(
        "skip", "Whether to pass over the event that it has answered with an error.", default: false)
    public static let config = ParamKey<ValidJSON>.required(
        "config", .any, "Its settings, an object as its manifest describes it.")
    public static let lines = ParamKey("lines", .integer(1...10_000), "The most lines.", default: 100)
}

/// `plugin.*`: the plugins, and which of them may run.
public enum PluginMethods {
    private static let trusted = MethodExample.Call(
        "plugin.trust",
        #"{"id":"org.example.poem","digest":"sha256:6380574f0d12ded77343a257567592cfc6d8f72fd329796659ac35fb61fd0926"}"#
    )
    private static let errors: [ErrorCode] = [.notFound]
    private static let changing: [ErrorCode] = ErrorCode.changing + [.notFound]

    public static let list = MethodDeclaration(
        "plugin.list", .read, .owner, "List all plugins that are found, with their states.",
        result: .result([
            .required("plugins", .list(.named("Plugin", .result(listed))), "In order of place.")
        ]), overtakes: .others, example: .init())

    public static let info = MethodDeclaration(
        "plugin.info", .read, .owner, "Tell all that is known of a plugin.", [PluginParams.id.field], result: detail,
        errors: errors, overtakes: .others, example: .init(#"{"id":"org.example.poem"}"#, varying: ["/exec"]))

    public static let trust = MethodDeclaration(
        "plugin.trust", .write, .owner,
        "Let a plugin run: a copy of its folder as it is now. Only a person should call this.",
        [
            PluginParams.id.field, PluginParams.digest.field, PluginParams.runtimes.field, PluginParams.files.field,
            PluginParams.tools.field,
        ], result: detail, errors: changing, overtakes: .others,
        example: .init(
            #"{"id":"org.example.poem","digest":"sha256:6380574f0d12ded77343a257567592cfc6d8f72fd329796659ac35fb61fd0926"}"#,
            varying: ["/exec"]))

    public static let untrust = MethodDeclaration(
        "plugin.untrust", .write, .owner, "Stop a plugin, and let it run no more.", [PluginParams.id.field],
        result: detail, errors: changing, overtakes: .others,
        example: .init(#"{"id":"org.example.poem"}"#, after: [trusted], varying: ["/exec"]))

    public static let enable = MethodDeclaration(
        "plugin.enable", .write, .owner, "Let a disabled plugin run again.", [PluginParams.id.field], result: detail,
        errors: changing, overtakes: .others,
        example: .init(
            #"{"id":"org.example.poem"}"#, after: [trusted, .init("plugin.disable", #"{"id":"org.example.poem"}"#)],
            varying: ["/exec"]))

    public static let disable = MethodDeclaration(
        "plugin.disable", .write, .owner, "Stop a plugin, and keep its trust.", [PluginParams.id.field],
        result: detail, errors: changing, overtakes: .others,
        example: .init(#"{"id":"org.example.poem"}"#, after: [trusted], varying: ["/exec"]))

    public static let restart = MethodDeclaration(
        "plugin.restart", .write, .owner, "Stop a plugin and forget its crashes; it starts when it is needed.",
        [PluginParams.id.field, PluginParams.skip.field], result: detail, errors: changing, overtakes: .others,
        example: .init(#"{"id":"org.example.poem"}"#, after: [trusted], varying: ["/exec"]))

    public static let configure = MethodDeclaration(
        "plugin.configure", .write, .owner, "Replace a plugin's settings; it starts anew with them.",
        [PluginParams.id.field, PluginParams.config.field], result: detail, errors: changing, overtakes: .others,
        example: .init(#"{"id":"org.example.poem","config":{"lines":6}}"#, after: [trusted], varying: ["/exec"]))

    public static let log = MethodDeclaration(
        "plugin.log", .read, .owner,
        "Read the last lines of a plugin: its stderr, what it logged, what the host says of it.",
        [PluginParams.id.field, PluginParams.lines.field],
        result: .result([
            .rows(
                "lines", "The oldest first.",
                .required("at", .time, "When."),
                .required("from", .choice(["stderr", "log", "host"]), "Where from."),
                .optional("level", .plain, "As the plugin gave it."),
                .required("text", .plain, "The line."))
        ]), errors: errors, overtakes: .others, example: .init(#"{"id":"org.example.poem"}"#, after: [trusted]))

    public static let states: [Name] = [
        "invalid", "shadowed", "untrusted", "disabled", "stopped", "starting", "running", "stopping", "backingOff",
        "failed",
    ]

    private static var listed: [Field] {
        [
            .required("id", .plain, "The plugin's id."),
            .optional("name", .plain, "What people call it."),
            .optional("version", .plain, "Its version."),
            .required("state", .choice(states), "Whether it may run, and whether it does."),
            .optional("reason", .plain, "Why it is in this state."),
            .optional("changed", .boolean, "True if its folder is not what was trusted; that still runs."),
            .optional("path", .plain, "Its folder; absent where that is gone."),
            .optional("provides", .any, "What it adds, as in its manifest."),
            .optional("permissions", .any, "What it asks for, as in its manifest."),
        ]
    }

    private static var lastError: Schema {
        .result([
            .required("at", .time, "When."), .required("reason", .plain, "In words."),
            .required(
                "what", .choice(["start", "exit", "hello", "timeout", "limit", "lines", "disk"]), "Which kind of fault."
            ),
        ])
    }

    private static var detail: Schema {
        .named(
            "PluginInfo",
            .result(
                listed + [
                    .optional("digest", .plain, "Of the folder; trust names it."),
                    .optional("trusted", .plain, "The digest of what runs."),
                    .optional("trustedSince", .time, "When it was trusted."),
                    .optional("exec", .plain, "The program that is run: its real path."),
                    .optional("granted", .any, "What it may do: permissions, files, runtimes."),
                    .optional("config", .any, "Its settings without secrets, defaults included."),
                    .optional("limits", .any, "Its limits."),
                    .optional(
                        "isolation", .any, "What the kernel enforces, part by part: enforced, or declared and why."),
                    .optional("pid", .ordinal, "Its process."),
                    .optional("starts", .amount, "How often it was started by this host."),
                    .optional("crashes", .amount, "How often it has crashed."),
                    .optional("calls", .amount, "How many calls it was given."),
                    .optional("lastError", lastError, "Its last fault; absent once it has answered again."),
                    .optional("acknowledged", .amount, "The last event that it has taken."),
                    .optional("tools", .any, "Of an MCP server: the digest of its tools, and the one that is pinned."),
                ]))
    }
}
