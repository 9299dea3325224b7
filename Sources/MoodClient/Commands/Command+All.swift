extension Command {
    /// Related commands, as help shows them.
    struct Group: Sendable {
        let title: String
        let commands: [Command]
    }

    /// Every command, in the order of the help.
    static let groups: [Group] = [
        Group(
            title: "EVERY DAY",
            commands: [
                add, key, list, show, edit, note, favorite, unfavorite, remove, undo, redo, share, palette, settings,
                remind,
            ]),
        Group(title: "LOOK BACK", commands: [browse, day, month, year, onThisDay, stats, tags, report, log, history]),
        Group(
            title: "KEEP IT SAFE",
            commands: [undelete, backup, restore, export, `import`, sync, info, doctor, store, clear]),
        Group(title: "PROGRAMS", commands: [watch, open, navigate, plugin, call, completion, manual]),
    ]

    static let all: [Command] = groups.flatMap(\.commands)

    /// The forms of an id, for the help of each command that takes one.
    static let idSummary =
        "@last (the latest mood), @added (the one added last), @3 or @3-7 (rows of the latest list), an id, or its last 6"
        + " digits or more."
}
