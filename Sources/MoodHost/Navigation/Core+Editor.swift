import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore

/// `editor.*`: the form of the session.
extension Core {
    static let editorHandlers: InlineArray<_, Handler> = [
        Handler(
            EditorMethods.begin,
            check: { $2[EditorParams.mood] == nil ? [] : .reads },
            { (core, _, arguments, out) throws in
                try core.beginEditing(arguments[EditorParams.mood])
                core.writeEditor(&out)
            }
        ),
        Handler(EditorMethods.set, { try $0.setForm($2, &$3) }),
        Handler(EditorMethods.selectEmoji, { try $0.setForm(emoji: $2[EditorParams.selected], &$3) }),
        Handler(EditorMethods.cancel, { $0.cancelForm(&$3) }),
        Handler(EditorMethods.state, { $0.writeEditor(&$3) }),
        Handler(
            EditorMethods.submit,
            check: { (core, _, _) throws in
                try core.checkForm()
                return .changes
            },
            { (core, request, _, out) throws in
                out.beginObject()
                try core.submitForm(as: "state", request.round, &out)
                out.endObject()
            }
        ),
    ]

    /// Opens the form, empty or with a mood's values; an open form begins again.
    /// - Throws: `notFound`, or errors of reading the store.
    mutating func beginEditing(_ id: MoodID?) throws {
        guard let id else {
            let rules = editorRules()
            return changeState { $0.editor.begin(rules) }
        }
        let mood = MoodMembers(trusting: try store.record(id))
        changeState { $0.editor.begin(id, mood) }
    }

    mutating func writeEditor(_ out: inout JSONWriter) {
        let rules = editorRules()
        state.editor.write(rules, to: &out)
    }

    mutating func editorRules() -> MoodEditor.Rules {
        let limits = options.limits
        return MoodEditor.Rules(
            labelCharactersMax: limits[.label], notesBytesMax: limits[.notesBytes], tagsMax: limits[.tags],
            emojis: usableSettings().palette.emojis)
    }

    private mutating func setForm(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        try requireForm()
        var tags: [String]?
        if let given = arguments[EditorParams.tags] {
            // Counted first: a message can name so many tags that an array of them would take many times its length.
            var count = 0
            given.forEachElement { _ in count += 1 }
            guard count <= MoodEditor.tagsMax else { throw Self.formTooLarge }
            tags = []
            given.forEachElement { if let tag = $0.text { tags?.append(tag.string) } }
        }
        try setForm(
            emoji: arguments[EditorParams.emoji], label: arguments[EditorParams.label],
            notes: arguments[EditorParams.notes], tags: tags, &out)
    }

    /// Replaces the given members and writes the form.
    mutating func setForm(
        emoji: String?, label: String? = nil, notes: String? = nil, tags: [String]? = nil, _ out: inout JSONWriter
    ) throws {
        try requireForm()
        var editor = state.editor
        editor.set(emoji: emoji, label: label, notes: notes, tags: tags)
        guard editor.byteCount <= MoodEditor.bytesMax else { throw Self.formTooLarge }
        changeState { $0.editor = editor }
        writeEditor(&out)
    }

    private static var formTooLarge: RPCError {
        .over(
            "editorBytes", MoodEditor.bytesMax,
            "The form may hold at most \(MoodEditor.bytesMax) bytes, far more than a mood may have. Shorten it.")
    }

    mutating func cancelForm(_ out: inout JSONWriter) {
        if state.editor.isPresented { changeState { $0.editor.close() } }
        writeEditor(&out)
    }

    private func requireForm() throws {
        if !state.editor.isPresented { throw RPCError.editor("No form is open. Open one with editor.begin.") }
    }

    /// - Throws: the problems of the form.
    mutating func checkForm() throws {
        try requireForm()
        let problems = state.editor.problems(editorRules())
        if let first = problems.first { throw RPCError.editor(first.message, problems) }
    }

    /// Writes the closed form and the mood, as members of an open object. Makes one commit, or none without changes.
    /// - Parameter name: the member name of the form.
    mutating func submitForm(as name: StaticString, _ round: HookRound?, _ out: inout JSONWriter) throws {
        let editor = state.editor
        changeState { $0.editor.close() }
        out.key(name)
        writeEditor(&out)
        out.key("mood")
        try keep(editor, round, &out)
    }

    private mutating func keep(_ editor: MoodEditor, _ round: HookRound?, _ out: inout JSONWriter) throws {
        var form = JSONWriter(capacity: editor.byteCount + 128)
        editor.writeChange(to: &form)
        // `given` holds views of `form`.
        defer { extendLifetime(form) }
        var given = MoodMembers(change: ValidJSON(trusting: form.buffer.bytes))
        if let id = editor.editing {
            try store.update(id, with: given, ifRevision: nil, at: now, to: &out)
        } else {
            try store.create(&given, id: makeID(round), at: now, to: &out)
        }
    }
}

extension RPCError {
    fileprivate static func editor(_ reason: String, _ problems: [MoodEditor.Problem] = []) -> RPCError {
        let listed = problems.map { problem in
            JSONValue.object([
                .init("path", .string(problem.path)), .init("message", .string(problem.message)),
            ])
        }
        return .refused(by: "editor", reason, problems.isEmpty ? [] : [.init("problems", .array(listed))])
    }
}
