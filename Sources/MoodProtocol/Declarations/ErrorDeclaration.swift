import JSONRPC

/// The members of each error's `data` besides `kind` and `retryable`. Section 4 of the contract.
public struct ErrorDeclaration: Sendable {
    public let code: ErrorCode
    /// The condition for this error, in one sentence for people.
    public let summary: String
    public let members: [Field]

    private init(_ code: ErrorCode, _ summary: String, _ members: [Field] = []) {
        (self.code, self.summary, self.members) = (code, summary, members)
    }

    /// The name of its schema in `components`.
    static func schemaName(_ code: ErrorCode) -> String { OpenRPC.typeName(code.name) + "Data" }

    var schema: Schema {
        .result(
            [
                .required("kind", .choice([Name(code.kind)]), "What programs compare."),
                .required(
                    "retryable", .boolean, "Whether it may succeed when it is sent again unchanged to the same host."),
            ] + members)
    }

    public static var all: [ErrorDeclaration] {
        let reason = Field.required("reason", .plain, "Why, as a clause or a sentence.")
        let limit: [Field] = [
            .required("limit", .plain, "The limit's name."),
            .required("value", .amount, "The number in force."),
        ]
        let offset = Field.required("offset", .amount, "Where in the message, in bytes.")
        let problems = Field.optional("problems", .list(.any), "Each thing that is wrong.")
        let plugin = Field.required("plugin", .plain, "Which plugin.")
        return [
            ErrorDeclaration(
                .parseError, "Not JSON, or nested deeper than the limit depth: then too the id is null.",
                [offset, reason]),
            ErrorDeclaration(.invalidRequest, "JSON, but no request.", [offset.optional]),
            ErrorDeclaration(
                .messageTooLarge,
                "A message, or the answer of a batch, is over its limit; the rest of the message is skipped.", limit),
            ErrorDeclaration(.batchTooLarge, "A batch has too many members; nothing was done.", limit),
            ErrorDeclaration(
                .methodNotFound, "There is no such method.",
                [
                    .required("suggestions", .array(.plain, .range(0...3), isUnique: true), "The nearest names.")
                ]),
            ErrorDeclaration(
                .invalidParams,
                "A param is not as declared, or is missing: path is then the place where it should stand.",
                [.required("path", .plain, "A JSON Pointer into params."), reason]),
            ErrorDeclaration(.internalError, "A defect of the host."),
            ErrorDeclaration(.cancelled, "The request was cancelled before it changed anything."),
            ErrorDeclaration(.shuttingDown, "The request came after host.shutdown."),
            ErrorDeclaration(
                .notFound,
                "What was named is not there: a mood or a plugin (id); what was saved, a subscription or a commit (name).",
                [
                    .optional("id", .plain, "The mood or the plugin that is not there."),
                    .optional("name", .plain, "The name or the revision that is not there."),
                ]),
            ErrorDeclaration(
                .conflict, "The mood, or the opId, is not as the caller thinks.",
                [
                    .required("reason", .choice(["revision", "opId", "id"]), "What does not fit."),
                    .required("currentRevision", .amount, "The revision now."),
                ]),
            ErrorDeclaration(
                .refused,
                "It cannot be done as things are, and nothing changed: an undo that a later change forbids, a form with problems, or a plugin says no.",
                [
                    .required("by", .plain, "Who refused: store, editor, a method or a plugin."), reason,
                    problems,
                    .optional("id", .id, "The mood that is in the way."),
                ]),
            ErrorDeclaration(.storeBusy, "Another process holds the store's lock."),
            ErrorDeclaration(.storeReadOnly, "The store can be read only.", [reason]),
            ErrorDeclaration(.storageFull, "There is no space; nothing changed."),
            ErrorDeclaration(.outcomeUnknown, "A write or sync failed: the change may survive or not."),
            ErrorDeclaration(.storeUnavailable, "The store cannot be opened; the message says what to do.", [reason]),
            ErrorDeclaration(
                .storeCorrupt, "Acknowledged data is damaged.",
                [
                    .required("file", .plain, "The file's name."),
                    .required("offset", .amount, "Where in it, in bytes."),
                ]),
            ErrorDeclaration(
                .limitExceeded,
                "The answer would be longer than a message, or too much is held open.",
                limit),
            ErrorDeclaration(
                .pluginUnavailable, "The plugin does not run, and cannot now; or too many calls wait for it.",
                [
                    plugin, .required("state", .choice(PluginMethods.states), "Its state."),
                    .optional("retryAfter", .amount, "In how many milliseconds it may be started again."),
                ]),
            ErrorDeclaration(
                .pluginFailed, "The plugin answered with an error, or with what it has not declared.",
                [
                    plugin, .optional("error", .any, "Its error."),
                    .optional("path", .plain, "Where in its answer."),
                ]
            ),
            ErrorDeclaration(.pluginTimeout, "The plugin did not answer in time.", [plugin]),
            ErrorDeclaration(
                .permissionDenied, "A plugin asked for what it was not granted.",
                [.required("permission", .plain, "What it would need.")]),
        ]
    }
}
