import JSONRPC

/// The params of `store.*`.
public enum StoreParams {
    public static let steps = ParamKey("steps", .integer(1...100), "How many commits.", default: 1)
    public static let revision = ParamKey<Int?>.optional(
        "revision", .ordinal, "This commit alone; not together with steps other than 1.")
    public static let scope = ParamKey<UndoScope>(
        "scope", "Whose commits: of this session, or of whoever, by any process, also before a restart.")
    public static let keepHistoryFrom = ParamKey<Int?>.optional(
        "keepHistoryFrom", .amount,
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
                    .required("schemaVersion", .ordinal, "The version of the stored shape."),
                    .required("revision", .amount, "The number of commits so far."),
                    .required("moods", .amount, "How many moods there are."),
                    .required("favorites", .amount, "How many of them are favorites."),
                    .required("bytes", .amount, "The size on disk, or in memory."),
                    .required("readOnly", .boolean, "Whether changes are refused."),
                    .optional("readOnlyReason", .plain, "Why, and what to do."),
                    .optional(
                        "damaged", damage,
                        "While less is shown than was acknowledged, or something else: where that lies."),
                ])
            ),
            (
                "Cannot be opened",
                .result([
                    path,
                    .group(
                        "error", "Why it cannot be opened.",
                        .required("kind", .plain, "The kind of the error that requests are answered with."),
                        .required("message", .plain, "Why, and what to do.")),
                ])
            ),
        ]))

    private static let damage = Schema.result([
        .required("file", .plain, "The file that is damaged, or was changed."),
        .optional("offset", .amount, "Where in it, in bytes, where that is known."),
        .required("shown", .amount, "The last revision that is shown."),
        .optional("durable", .ordinal, "The last one that was acknowledged, where it is a later one."),
    ])

    private static let path = Field.optional("path", .plain, "Its directory; absent in memory.")

    public static let insertSamples = MethodDeclaration(
        "store.insertSamples", .write, .owner, "Add five sample moods.", common: .change,
        result: .result([.required("inserted", .amount, "How many moods.")]),
        errors: ErrorCode.changing, example: .init())

    public static let undo = MethodDeclaration(
        "store.undo", .write, .writeMoods,
        "Take back the last commits, in one new commit; refused if another has since touched their moods.",
        [StoreParams.steps.field, StoreParams.revision.field, StoreParams.scope.field], common: .longChange,
        result: undone,
        errors: ErrorCode.changing + [.notFound],
        example: .init(after: [.init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#)]))

    public static let redo = MethodDeclaration(
        "store.redo", .write, .writeMoods,
        "Do again what was undone last, in one new commit; possible until something new is done.",
        [StoreParams.steps.field, StoreParams.revision.field, StoreParams.scope.field], common: .longChange,
        result: undone,
        errors: ErrorCode.changing + [.notFound],
        example: .init(after: [
            .init("mood.delete", #"{"id":"019b7c65-1a3e-7000-8000-000000000003"}"#), .init("store.undo", "{}"),
        ]))

    private static let undone = Schema.result([
        .required("revision", .amount, "The store's revision now."),
        .rows(
            "undone", "In the order in which they were undone, or redone.",
            .required("revision", .ordinal, "The commit that was undone, or redone."),
            .required("kind", .choice(["created", "updated", "deleted"]), "What it did; updated for a mixture."),
            .required("ids", .list(MoodSchemas.id), "The moods that it touched, at most 1,000."),
            .optional("count", .integer(1001 ... .max), "How many it touched, where those are more.")),
    ])

    public static let log = MethodDeclaration(
        "store.log", .read, .owner, "Read what was committed, the newest first, as far as it is kept.",
        [MoodParams.changes.field, MoodParams.cursor.field],
        result: .result([
            .rows(
                "items", "The commits of the page.",
                .required("revision", .ordinal, "The commit."),
                .optional("at", MoodSchemas.time, "When it was made."),
                .required("kind", .choice(["created", "updated", "deleted"]), "What it did; updated for a mixture."),
                .required("summary", .plain, "What it did, for people."),
                .required("ids", .list(MoodSchemas.id), "The moods that it changed, at most 100."),
                .optional("count", .ordinal, "How many it changed, where those are more."),
                .optional("origin", .plain, "Who made it, where no client did: x.<id>, sync."),
                .required("isUndone", .boolean, "Whether it has been taken back since.")),
            .optional("nextCursor", .plain, "Where the next page begins; absent on the last."),
        ]), errors: ErrorCode.store, example: .init(#"{"limit":2}"#))

    public static let compact = MethodDeclaration(
        "store.compact", .long, .owner, "Write a new snapshot and begin a new journal.",
        [StoreParams.keepHistoryFrom.field], common: .progress,
        result: .result([
            .required("revision", .amount, "The revision that the snapshot holds."),
            .required("moods", .amount, "How many moods it holds."),
            .required("bytesBefore", .amount, "The size on disk of the same moods before."),
            .required("bytesAfter", .amount, "The size of the snapshot."),
            .required("historyFrom", .ordinal, "The first revision from which on every commit is kept."),
        ]), errors: ErrorCode.writing + [.refused], example: .init())

    public static let verify = MethodDeclaration(
        "store.verify", .long, .owner, "Read everything again from the disk and check it.", common: .progress,
        result: .result([
            .required("ok", .boolean, "Whether nothing is wrong."),
            .required("moods", .amount, "How many moods there were when the request came."),
            .required("bytes", .amount, "How many bytes hold them, and what is kept beside them."),
            .required("problems", .list(problem()), "What is wrong."),
        ]), errors: ErrorCode.store, example: .init())

    private static func problem() -> Schema {
        .result([
            .required("file", .plain, "The file's name."),
            .required("offset", .amount, "Where in it, in bytes."),
            .required("reason", .plain, "What is wrong there."),
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
            .required("moods", .amount, "How many moods it holds."),
            .required("bytes", .amount, "The size of its snapshot."),
            .required("revision", .amount, "The revision that it goes on from."),
            .required("files", .list(.plain), "What was read, in this order."),
            .required(
                "snapshotSealed", .boolean,
                "Whether the snapshot's checksum is right; if not, moods from it may differ from what was stored."),
            .required("skipped", .list(problem()), "What was passed over, at most 100."),
            .required("skippedCount", .amount, "How much was passed over in all."),
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"to":"/home/me/rescued"}"#))

    public static let accept = MethodDeclaration(
        "store.accept", .write, .owner, "Check a snapshot that was edited by hand, and seal it.",
        [StoreParams.confirmEdit.field],
        result: .result([
            .required(
                "accepted", .boolean,
                "False when nothing was edited and no operations are lost, and nothing was changed."),
            .required("moods", .amount, "How many moods the store holds now."),
            .required("revision", .amount, "The store's revision now."),
            .required("bytes", .amount, "The size of the snapshot."),
            .required("completed", .amount, "Moods that were given members which they lacked."),
            .required(
                "overtaken", .amount,
                "Moods of the file that later commits of the journal have replaced or deleted."),
            .optional(
                "forgottenOperations", .ordinal,
                "Operations whose outcomes were lost with their file; their opIds are new ones now."),
            .optional("backup", .plain, "The name of the file that keeps the snapshot as it was edited."),
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"confirm":true}"#))

    public static let reset = MethodDeclaration(
        "store.reset", .write, .owner, "Set all files of the store aside in a dated folder and begin a new one.",
        [MoodParams.confirm.field],
        result: .result([
            .optional("setAside", .plain, "The path of the folder; absent when there were no files.")
        ]), errors: ErrorCode.writing + [.refused], example: .init(#"{"confirm":true}"#))
}
