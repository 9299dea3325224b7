import JSONRPC

/// `store.*`: the store as a whole.
public enum StoreMethods {
    static let all: [MethodDeclaration] = [info, insertSamples, undo, redo, compact, verify]

    static let info = MethodDeclaration(
        "store.info", .read, "Tell where the store is and what is in it.",
        result: .result([
            .optional("path", .string(.plain), "Its directory; absent in memory."),
            .optional("error", .any, "{kind, message} when it cannot be opened; the other members are absent then."),
            .optional("inMemory", .boolean, "Whether nothing is kept on disk."),
            .optional("schemaVersion", .integer(1 ... .max), "The version of the stored shape."),
            .optional("revision", .integer(0 ... .max), "The number of commits so far."),
            .optional("moods", .integer(0 ... .max), "How many moods there are."),
            .optional("favorites", .integer(0 ... .max), "How many of them are favorites."),
            .optional("bytes", .integer(0 ... .max), "The size on disk, or in memory."),
            .optional("readOnly", .boolean, "Whether changes are refused."),
            .optional("readOnlyReason", .string(.plain), "Why, and what to do."),
        ]), errors: ErrorCode.store)

    static let insertSamples = MethodDeclaration(
        "store.insertSamples", .write, "Add five sample moods.", common: .change,
        result: .result([.required("inserted", .integer(0 ... .max), "How many moods.")]),
        errors: ErrorCode.writing)

    static let undo = MethodDeclaration(
        "store.undo", .write,
        "Take back this session's last commits, in one new commit; refused if another has since touched their moods.",
        [steps], common: .change, result: undone, errors: ErrorCode.writing + [.conflict, .refused])

    static let redo = MethodDeclaration(
        "store.redo", .write,
        "Do again what was undone last, in one new commit; possible until something new is done.",
        [steps], common: .change, result: undone, errors: ErrorCode.writing + [.conflict, .refused])

    private static let steps = Field.optional("steps", .integer(1...100), "How many commits.", default: 1)

    private static let undone = Schema.result([
        .required("revision", .integer(0 ... .max), "The store's revision now."),
        .required(
            "undone",
            .array(
                .result([
                    .required("revision", .integer(1 ... .max), "The commit that was undone, or redone."),
                    .required(
                        "kind", .choice(["created", "updated", "deleted"]), "What it did; updated for a mixture."),
                    .required("ids", .array(MoodSchemas.id, .any, isUnique: false), "The moods that it touched."),
                ]), .any, isUnique: false), "In the order in which they were undone, or redone."),
    ])

    static let compact = MethodDeclaration(
        "store.compact", .long, "Write a new snapshot and begin a new journal.",
        [
            .optional(
                "keepHistoryFrom", .integer(0 ... .max),
                "Delete the old journals that only tell of commits below this revision; without it, none.")
        ], common: .progress,
        result: .result([
            .required("revision", .integer(0 ... .max), "The revision that the snapshot holds."),
            .required("moods", .integer(0 ... .max), "How many moods it holds."),
            .required("bytesBefore", .integer(0 ... .max), "The size on disk before."),
            .required("bytesAfter", .integer(0 ... .max), "The size on disk now."),
            .required("historyFrom", .integer(1 ... .max), "The first revision from which on every commit is kept."),
        ]), errors: ErrorCode.writing)

    static let verify = MethodDeclaration(
        "store.verify", .long, "Read everything again from the disk and check it.", common: .progress,
        result: .result([
            .required("ok", .boolean, "Whether nothing is wrong."),
            .required("moods", .integer(0 ... .max), "How many moods were read."),
            .required("bytes", .integer(0 ... .max), "How many bytes were read."),
            .required(
                "problems",
                .array(
                    .result([
                        .required("file", .string(.plain), "The file's name."),
                        .required("offset", .integer(0 ... .max), "Where in it, in bytes."),
                        .required("reason", .string(.plain), "What is wrong there."),
                    ]), .any, isUnique: false), "What is wrong."),
        ]), errors: ErrorCode.store)
}
