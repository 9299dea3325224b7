import JSONCodec
import JSONRPC
import MoodCore

/// The params of `sync.*`.
public enum SyncParams {
    public static let url = ParamKey<String>.required(
        "url", .plain, "Where: folder:/path, git+ssh://…, git+https://…, git+file:///… or a plugin's scheme.")
    public static let isNew = ParamKey(
        "new", "Whether to begin a journal there; else the one that is there is joined.", default: false)
    public static let journal = ParamKey<MoodID?>.optional("journal", .id, "Which journal, where there are several.")
    public static let confirm = ParamKey<Bool>(
        "confirm", "true, to say that the moods of this store and of the journal are to be in both.", default: false)
    public static let config = ParamKey<ValidJSON?>.optional(
        "config", .any, "What the transport of a plugin is told, an object: names, files, secrets.")
    public static let filter = ParamKey<ValidJSON?>.optional(
        "filter", .any,
        "{push: [program, …], pull: [program, …]}: what turns each line into other bytes and back, such as age.")
    public static let conflict = ParamKey<String>.required("id", .plain, "The conflict, as sync.conflicts names it.")
    public static let take = ParamKey<String>.required(
        "take", .choice(["shown", "other"]), "Which of the two values the mood is to have.")
    public static let replica = ParamKey<MoodID>.required("replica", .id, "The replica, as sync.status names it.")
}

/// `sync.*`: one journal on many machines.
public enum SyncMethods {
    private static let errors: [ErrorCode] = ErrorCode.writing + [.notFound, .refused]

    // Calls for the examples.
    private static let begun = MethodExample.Call("sync.setup", #"{"url":"folder:/home/me/shared","new":true}"#)
    private static let inConflict: [MethodExample.Call] = [
        begun, .init("sync.setup", #"{"url":"folder:/home/me/shared"}"#, host: .laptop),
        .init(
            "mood.update", #"{"id":"019b7c65-1a3e-7000-8000-000000000001","set":{"label":"Glad"}}"#, host: .laptop),
        .init("mood.update", #"{"id":"019b7c65-1a3e-7000-8000-000000000001","set":{"label":"Merry"}}"#),
        .init("sync.now", "{}", host: .laptop), .init("sync.now", "{}"),
    ]

    public static let setup = MethodDeclaration(
        "sync.setup", .write, .owner,
        "Let this store take part in a journal, and sync it. Only a person should call this.",
        [
            SyncParams.url.field, SyncParams.isNew.field, SyncParams.journal.field, SyncParams.config.field,
            SyncParams.filter.field, SyncParams.confirm.field,
        ],
        common: .progress, result: state, errors: errors,
        example: .init(#"{"url":"folder:/home/me/shared","new":true}"#, varying: [machineName]))

    public static let now = MethodDeclaration(
        "sync.now", .long, .owner, "Send what was done here, and bring in what others did.", common: .progress,
        result: .result([
            .required("pushed", .amount, "How many records were sent."),
            .required("pulled", .amount, "How many came."),
            .required("applied", .amount, "How many were brought into the store."),
            .required("conflicts", .amount, "How many values are in conflict now."),
        ]), errors: errors, example: .init(after: [begun]))

    public static let status = MethodDeclaration(
        "sync.status", .read, .owner, "Tell where this store is synced to, and how far.", result: state,
        errors: ErrorCode.store, example: .init(after: [begun], varying: [machineName]))

    static let state = Schema.named(
        "SyncStatus",
        .result([
            .optional("journal", .id, "The journal; absent where the store takes no part."),
            .optional("replica", .id, "What this store is known by."),
            .optional("url", .plain, "Where to, without a password."),
            .required("state", .choice(["idle", "syncing", "offline", "incomplete", "off"]), "What it is at."),
            .optional("lastSync", .time, "When a sync last came to its end."),
            .optional("lastError", .plain, "Why the last one did not."),
            .required("pending", .amount, "How many changes were not sent."),
            .rows(
                "replicas", "All that are known.",
                .required("id", .id, "What it is known by."),
                .required("name", .plain, "The end of that."),
                .required("last", .amount, "Its last record that is in this store."),
                .optional("lastSeen", .time, "When something new of it last came.")),
            .rows(
                "missing", "Records that are known of and could not be got.",
                .required("replica", .id, "Whose."),
                .required("from", .ordinal, "The first number."),
                .required("to", .ordinal, "The last one.")
            ).optional,
            .optional("refused", .list(.plain), "Lines that did not pass the filter."),
            .optional("passedOver", .list(.plain), "Paths that have a name of a file of ours and are none."),
        ]))

    public static let conflicts = MethodDeclaration(
        "sync.conflicts", .read, .owner, "List the values that were set without knowledge of each other.",
        result: .result([
            .required(
                "items",
                .list(
                    .named(
                        "SyncConflict",
                        .result([
                            .required("id", .plain, "mood/member/replica/n/i."),
                            .required("mood", .id, "Of which mood."),
                            .required("member", .plain, "Of which member."),
                            .required("shown", .any, "The value that is shown; null where the member is absent."),
                            .required("other", .any, "The one that is not."),
                            .required("by", .id, "The replica that set that."),
                            .required("at", .time, "When, by its clock."),
                        ]))), "By mood and member.")
        ]), errors: errors, example: .init(after: inConflict))

    public static let settle = MethodDeclaration(
        "sync.settle", .write, .owner, "Choose one of the values of a conflict.",
        [SyncParams.conflict.field, SyncParams.take.field], result: MoodSchemas.mood,
        errors: errors,
        example: .init(
            #"{"id":"019b7c65-1a3e-7000-8000-000000000001/label/019b7ca9-8f2f-7cff-ba45-0a33ef6ff86c/1/0","take":"other"}"#,
            after: inConflict))

    public static let leave = MethodDeclaration(
        "sync.leave", .write, .owner, "Take part no more; nothing is removed on either side.",
        result: state, errors: errors, example: .init(after: [begun]))

    public static let forget = MethodDeclaration(
        "sync.forget", .write, .owner, "Tell no more of a replica that will not come back.",
        [SyncParams.replica.field], result: state, errors: errors,
        example: .init(
            #"{"replica":"019b7ca9-8f2f-7cff-ba45-0a33ef6ff86c"}"#, after: inConflict, varying: [machineName]))

    /// The place of the machine's name in a status.
    private static let machineName = "/replicas/0/name"
}
