import JSONRPC

/// The params of `store.*`.
public enum StoreParams {
    public static let steps = ParamKey("steps", .integer(1...100), "How many commits.", default: 1)
    public static let revision = ParamKey<Int?>.optional(
        "revision", .integer(1 ... .max), "This commit alone; not together with steps other than 1.")
    public static let scope = ParamKey<UndoScope>(
        "scope", "Whose commits: of this session, or of whoever, by any process, also before a restart.")
    public static let keepHistoryFrom = ParamKey<Int?>.optional(
        "keepHistoryFrom", .integer(0 ... .max),
        "Delete the old journals that only tell of commits below this revision; without it, none.")
    public static let to = ParamKey<String>.required(
        "to", .string(.path), "The absolute path of a directory that is empty or not there yet.")
    public static let confirmEdit = ParamKey<Bool>.required(
        "confirm", .confirmation, "true, to say that the edit was meant.")
}

/// The commits that an undo can take back.
public enum UndoScope: Name, CaseIterable, Choice {
    case session, store
    public static let usual = session
}

/// `store.*`: the store as a whole.
public enum StoreMethods {
    public static let info = MethodDeclaration(
        "store.info", .read, .readMoods, "Tell where the store is and what is in it.",
        result: StoreMethods.state, errors: ErrorCode.store, example: .init())

    /// The facts about the store.
    static let state = Schema.named(
        "StoreInfo",
        .variants([
            (
                "Open",
                .result([
                    path, .required("inMemory", .boolean, "Whether nothing is kept on disk."),
                    .required("schemaVersion", .integer(1 ... .max), "The version of the stored shape."),
                    .required("revision", .integer(0 ... .max), "The number of commits so far."),
                    .required("moods", .integer(0 ... .max), "How many moods there are."),
                    .required("favorites", .integer(0 ... .max), "How many of them are favorites."),
                    .required("bytes", .integer(0 ... .max), "The size on disk, or in memory."),
                    .required("readOnly", .boolean, "Whether changes are refused."),
                    .optional("readOnlyReason", .string(.plain), "Why, and what to do."),
                    .optional(
                        "damaged", damage,
                        "While less is shown than was acknowledged, or something else: where that lies."),
                ])
            ),
            (
                "Cannot be opened",
                .result([
                    path,
                    .required(
                        "error",
                        .result([
                            .required(
                                "kind", .string(.plain), "The kind of the error that requests are answered with."),
                            .required("message", .string(.plain), "Why, and what to do."),
                        ]), "Why it cannot be opened."),
                ])
            ),
        ]))

    private static let damage = Schema.result([
        .required("file", .string(.plain), "The file that is damaged, or was changed."),
        .optional("offset", .integer(0 ... .max), "Where in it, in bytes, where that is known."),
        .required("shown", .integer(0 ... .max), "The last revision that is shown."),
        .optional("durable", .integer(1 ... .max), "The last one that was acknowledged, where it is a later one."),
    ])

    private static let path = Field.optional("path", .string(.plain), "Its directory; absent in memory.")

    public static let insertSamples = MethodDeclaration(
        "store.insertSamples", .write, .owner, "Add five sample moods.", common: .change,
        result: .result([.required("inserted", .integer(0 ... .max), "How many moods.")]),
        errors: ErrorCode.writing + [.conflict], example: .init())

    public static let undo = MethodDeclaration(
        "store.undo", .write, .writeMoods,
        "Take back the last commits, in one new commit; refused if another has since touched their moods.",
        [StoreParams.steps.field, StoreParams.revision.field, StoreParams.scope.field], common: .longChange,
        result: undone,
        errors: ErrorCode.writing + [.conflict, .refused, .notFound],
        example: .init(after: [.init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#)]))

    public static let redo = MethodDeclaration(
        "store.redo", .write, .writeMoods,
        "Do again what was undone last, in one new commit; possible until something new is done.",
        [StoreParams.steps.field, StoreParams.revision.field, StoreParams.scope.field], common: .longChange,
        result: undone,
        errors: ErrorCode.writing + [.conflict, .refused, .notFound],
        example: .init(after: [
            .init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#), .init("store.undo", "{}"),
        ]))

    private static let undone = Schema.result([
        .required("revision", .integer(0 ... .max), "The store's revision now."),
        .required(
            "undone",
            .array(
                .result([
                    .required("revision", .integer(1 ... .max), "The commit that was undone, or redone."),
                    .required(
                        "kind", .choice(["created", "updated", "deleted"]), "What it did; updated for a mixture."),
                    .required(
                        "ids", .array(MoodSchemas.id, .any, isUnique: false),
                        "The moods that it touched, at most 1,000."),
                    .optional("count", .integer(1001 ... .max), "How many it touched, where those are more."),
                ]), .any, isUnique: false), "In the order in which they were undone, or redone."),
    ])

    public static let log = MethodDeclaration(
        "store.log", .read, .owner, "Read what was committed, the newest first, as far as it is kept.",
        [MoodParams.changes.field, MoodParams.cursor.field],
        result: .result([
            .required(
                "items",
                .array(
                    .result([
                        .required("revision", .integer(1 ... .max), "The commit."),
                        .optional("at", MoodSchemas.time, "When it was made."),
                        .required(
                            "kind", .choice(["created", "updated", "deleted"]), "What it did; updated for a mixture."),
                        .required("summary", .string(.plain), "What it did, for people."),
                        .required(
                            "ids", .array(MoodSchemas.id, .any, isUnique: false),
                            "The moods that it changed, at most 100."),
                        .optional("count", .integer(1 ... .max), "How many it changed, where those are more."),
                        .optional("origin", .string(.plain), "Who made it, where no client did: x.<id>, sync."),
                        .required("isUndone", .boolean, "Whether it has been taken back since."),
                    ]), .any, isUnique: false), "The commits of the page."),
            .optional("nextCursor", .string(.plain), "Where the next page begins; absent on the last."),
        ]), errors: ErrorCode.store, example: .init(#"{"limit":2}"#))

    public static let compact = MethodDeclaration(
        "store.compact", .long, .owner, "Write a new snapshot and begin a new journal.",
        [StoreParams.keepHistoryFrom.field], common: .progress,
        result: .result([
            .required("revision", .integer(0 ... .max), "The revision that the snapshot holds."),
            .required("moods", .integer(0 ... .max), "How many moods it holds."),
            .required("bytesBefore", .integer(0 ... .max), "The size on disk of the same moods before."),
            .required("bytesAfter", .integer(0 ... .max), "The size of the snapshot."),
            .required("historyFrom", .integer(1 ... .max), "The first revision from which on every commit is kept."),
        ]), errors: ErrorCode.writing, example: .init())

    public static let verify = MethodDeclaration(
        "store.verify", .long, .owner, "Read everything again from the disk and check it.", common: .progress,
        result: .result([
            .required("ok", .boolean, "Whether nothing is wrong."),
            .required("moods", .integer(0 ... .max), "How many moods there were when the request came."),
            .required("bytes", .integer(0 ... .max), "How many bytes hold them, and what is kept beside them."),
            .required("problems", .array(problem(), .any, isUnique: false), "What is wrong."),
        ]), errors: ErrorCode.store, example: .init())

    private static func problem() -> Schema {
        .result([
            .required("file", .string(.plain), "The file's name."),
            .required("offset", .integer(0 ... .max), "Where in it, in bytes."),
            .required("reason", .string(.plain), "What is wrong there."),
            .required(
                "kind",
                .choice(["edited", "damaged", "unfinished", "missing", "unreadable", "version", "interrupted"]),
                "What sort of problem it is: each is mended in another way."),
        ])
    }

    public static let salvage = MethodDeclaration(
        "store.salvage", .long, .owner,
        "Write every mood that is whole into a new store; the damaged one is only read.",
        [StoreParams.to.field],
        common: .progress,
        result: .result([
            .required("to", .string(.path), "Where the new store is."),
            .required("moods", .integer(0 ... .max), "How many moods it holds."),
            .required("bytes", .integer(0 ... .max), "The size of its snapshot."),
            .required("revision", .integer(0 ... .max), "The revision that it goes on from."),
            .required("files", .array(.string(.plain), .any, isUnique: false), "What was read, in this order."),
            .required(
                "snapshotSealed", .boolean,
                "Whether the snapshot's checksum is right; if not, moods from it may differ from what was stored."),
            .required("skipped", .array(problem(), .any, isUnique: false), "What was passed over, at most 100."),
            .required("skippedCount", .integer(0 ... .max), "How much was passed over in all."),
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"to":"/home/me/rescued"}"#))

    public static let accept = MethodDeclaration(
        "store.accept", .write, .owner, "Check a snapshot that was edited by hand, and seal it.",
        [StoreParams.confirmEdit.field],
        result: .result([
            .required(
                "accepted", .boolean,
                "False when nothing was edited and no operations are lost, and nothing was changed."),
            .required("moods", .integer(0 ... .max), "How many moods the store holds now."),
            .required("revision", .integer(0 ... .max), "The store's revision now."),
            .required("bytes", .integer(0 ... .max), "The size of the snapshot."),
            .required("completed", .integer(0 ... .max), "Moods that were given members which they lacked."),
            .required(
                "overtaken", .integer(0 ... .max),
                "Moods of the file that later commits of the journal have replaced or deleted."),
            .optional(
                "forgottenOperations", .integer(1 ... .max),
                "Operations whose outcomes were lost with their file; their opIds are new ones now."),
            .optional("backup", .string(.plain), "The name of the file that keeps the snapshot as it was edited."),
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"confirm":true}"#))

    public static let reset = MethodDeclaration(
        "store.reset", .write, .owner, "Set all files of the store aside in a dated folder and begin a new one.",
        [MoodParams.confirm.field],
        result: .result([
            .optional("setAside", .string(.plain), "The path of the folder; absent when there were no files.")
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"confirm":true}"#))
}
