import JSONCodec
import JSONRPC
import MoodCore

/// The params of `editor.*`.
public enum EditorParams {
    private static let meaning = "What is selected; one that is no emoji is kept and shown as a problem."

    public static let mood = ParamKey<MoodID?>.optional("id", MoodSchemas.id, "The mood to edit; a new one, if absent.")
    public static let emoji = ParamKey<String?>.optional("emoji", .string(.anything), meaning)
    public static let selected = ParamKey<String>.required("emoji", .string(.anything), meaning)
    public static let label = ParamKey<String?>.optional("label", .string(.anything), "What the mood is called.")
    public static let notes = ParamKey<String?>.optional("notes", .string(.anything), "Anything more.")
    public static let tags = ParamKey<ValidJSON?>.optional("tags", .list(.string(.anything)), "All of its tags.")
}

/// `editor.*`: the form for a mood.
public enum EditorMethods {
    public static let begin = MethodDeclaration(
        "editor.begin", .write, .owner,
        "Open the form for a new mood, or for one that is there; an open form begins again.",
        [EditorParams.mood.field], result: ScreenSchemas.editor,
        errors: ErrorCode.store + [.notFound], example: .init())

    public static let set = MethodDeclaration(
        "editor.set", .write, .owner, "Type into the form; what breaks a rule is kept and shown as a problem.",
        [EditorParams.emoji.field, EditorParams.label.field, EditorParams.notes.field, EditorParams.tags.field],
        result: ScreenSchemas.editor, errors: [.refused, .limitExceeded],
        example: .init(#"{"label":"Curious","notes":"A new book."}"#, after: [.init("editor.begin", "{}")]))

    public static let selectEmoji = MethodDeclaration(
        "editor.selectEmoji", .write, .owner, "Select an emoji in the form.",
        [EditorParams.selected.field],
        result: ScreenSchemas.editor, errors: [.refused, .limitExceeded],
        example: .init(#"{"emoji":"😌"}"#, after: [.init("editor.begin", "{}")]))

    public static let cancel = MethodDeclaration(
        "editor.cancel", .write, .owner, "Close the form and forget what it holds; without one nothing happens.",
        result: ScreenSchemas.editor, example: .init(after: [.init("editor.begin", "{}")]))

    public static let state = MethodDeclaration(
        "editor.state", .read, .owner, "Read the form.", result: ScreenSchemas.editor, example: .init())

    public static let submit = MethodDeclaration(
        "editor.submit", .write, .owner,
        "Record what the form holds, or change the mood that it edits, and close it; refused while it has problems.",
        common: .change,
        result: .result([
            .required("state", ScreenSchemas.editor, "The form, closed."),
            .required("mood", MoodSchemas.mood, "The mood."),
        ]), errors: ErrorCode.changing + [.notFound],
        example: .init(after: [
            .init("editor.begin", #"{"id":"019b7c65-1a3e-7000-8000-000000000002"}"#),
            .init("editor.set", #"{"label":"Very calm"}"#),
        ]))
}
