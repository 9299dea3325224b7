/// The first word after a command that has several tasks: `setup` in `mood sync setup URL`.
struct CommandAction: Sendable {
    let name: String
    /// The words after it, as usage lines show them: `ID [NAME=VALUE…]`.
    let form: String
    let run: @Sendable (Client) -> ([String]) throws(ClientError) -> Void

    init(
        _ name: String, _ form: String, _ run: @escaping @Sendable (Client) -> ([String]) throws(ClientError) -> Void
    ) {
        (self.name, self.form, self.run) = (name, form, run)
    }

    /// An action that takes one word.
    init(
        _ name: String, _ form: String, _ run: @escaping @Sendable (Client) -> (String) throws(ClientError) -> Void
    ) {
        self.init(name, form) { client in { (words) throws(ClientError) in try run(client)(words[0]) } }
    }

    init(_ name: String, _ run: @escaping @Sendable (Client) -> () throws(ClientError) -> Void) {
        self.init(name, "") { client in { (_: [String]) throws(ClientError) in try run(client)() } }
    }

    /// How many words may follow it.
    private var counts: ClosedRange<Int> {
        let words = form.split(separator: " ").prefix { !$0.hasPrefix("--") || $0 == "--" }.filter { $0 != "--" }
        let isOpen = words.contains { $0.hasSuffix("…") || $0.hasSuffix("…]") }
        return words.count { !$0.hasPrefix("[") }...(isOpen ? Int.max : words.count)
    }

    /// The problem of some words; nil if they fit.
    func problem(of words: [String], in command: Command) -> String? {
        if counts.contains(words.count) { return nil }
        let usage = ["It is: mood", command.name, name, form].filter { !$0.isEmpty }.joined(separator: " ")
        return words.count > counts.upperBound ? "'\(words[counts.upperBound])' is one too many. \(usage)" : usage
    }
}

extension Client {
    /// Runs the action that the first word of the command names; without a word, the first one.
    func act() throws(ClientError) {
        let command = invocation.command
        let name = invocation.words.first ?? command.actions.first?.name ?? ""
        guard let action = command.actions.first(where: { $0.name == name }) else {
            let names = command.actions.map(\.name).filter { !$0.isEmpty }
            let question = Suggestion.question(Suggestion.nearest(to: name, among: names))
            throw usage("There is no action '\(name)'; it is one of \(names.joined(separator: ", ")).\(question)")
        }
        let words = Array(invocation.words.dropFirst())
        if let problem = action.problem(of: words, in: command) { throw usage(problem) }
        try action.run(self)(words)
    }
}
