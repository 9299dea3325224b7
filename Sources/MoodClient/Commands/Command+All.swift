extension Command {
    /// Every command, in the order of the help.
    static let all: [Command] = [
        add, list, show, open, edit, remove, clear, favorite, unfavorite, note, share, watch, navigate, call, info,
        store, plugin, doctor,
    ]

    /// What an id may look like, for the help of each command that takes one.
    static let idSummary = "A mood's id, a unique beginning of it, or @last for the newest mood."
}
