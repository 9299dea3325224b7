extension Command {
    static let manual = Command(
        "man", "Print a manual page, in the form of man(1).", Client.manual,
        .word("COMMAND", .optional, "The page of a command; without it that of mood."),
        .example("mood man | man -l -", "Read it."),
        .example("mood man > ~/.local/share/man/man1/mood.1", "Where 'man mood' finds it."))
}

extension Client {
    func manual() throws(ClientError) {
        guard let name = invocation.words.first else { return try print(ManualPage.program(Command.groups)) }
        guard let command = Command.all.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
            throw usage("There is no command '\(name)'.")
        }
        try print(ManualPage.command(command))
    }
}
