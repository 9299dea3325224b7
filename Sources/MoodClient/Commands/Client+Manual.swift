extension Command {
    static let manual = Command(
        name: "man", summary: "Print a manual page, in the form of man(1).",
        parameters: [.init("COMMAND", .optional, "The page of a command; without it that of mood.")],
        examples: [
            .init("mood man | man -l -", "Read it."),
            .init("mood man > ~/.local/share/man/man1/mood.1", "Where 'man mood' finds it."),
        ],
        run: { (client) throws(ClientError) in try client.manual() })
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
