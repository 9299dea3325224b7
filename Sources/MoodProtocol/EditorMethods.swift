import JSONRPC

/// `editor.*`: the form in which a mood is composed.
public enum EditorMethods {
    private static let emoji = "What is selected; one that is no emoji is kept and shown as a problem."

    static let begin = MethodDeclaration(
        "editor.begin", .write, "Open the form for a new mood, or for one that is there; one that is open begins anew.",
        [.optional("id", MoodSchemas.id, "The mood to edit; a new one, if absent.")], result: ScreenSchemas.editor,
        errors: ErrorCode.store + [.notFound])

    static let set = MethodDeclaration(
        "editor.set", .write, "Type into the form; what breaks a rule is kept and shown as a problem.",
        [
            .optional("emoji", .string(.plain), emoji), .optional("label", .string(.plain), "What the mood is called."),
            .optional("notes", .string(.plain), "Anything more."),
            .optional("tags", .array(.string(.plain), .any, isUnique: false), "All of its tags."),
        ], result: ScreenSchemas.editor, errors: [.refused, .limitExceeded])

    static let selectEmoji = MethodDeclaration(
        "editor.selectEmoji", .write, "Select an emoji in the form.", [.required("emoji", .string(.plain), emoji)],
        result: ScreenSchemas.editor, errors: [.refused, .limitExceeded])

    static let cancel = MethodDeclaration(
        "editor.cancel", .write, "Close the form and forget what it holds; without one nothing happens.",
        result: ScreenSchemas.editor)

    static let state = MethodDeclaration(
        "editor.state", .read, "Read the form.", result: ScreenSchemas.editor)

    static let submit = MethodDeclaration(
        "editor.submit", .write,
        "Record what the form holds, or change the mood that it edits, and close it; refused while it has problems.",
        common: .change,
        result: .result([
            .required("state", ScreenSchemas.editor, "The form, closed."),
            .required("mood", MoodSchemas.mood, "The mood."),
        ]), errors: ErrorCode.writing + [.notFound, .conflict, .refused])
}
