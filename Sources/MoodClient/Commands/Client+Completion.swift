import JSONCodec

extension Command {
    static let completion = Command(
        name: "completion", summary: "Print what makes your shell complete mood's words.",
        parameters: [
            .init("SHELL", "bash, zsh or fish."),
            .init("WORD", .any, "After 'words' in place of a shell: what stands on the line so far."),
        ],
        notes: [
            "bash: source <(mood completion bash). zsh: the same after compinit. fish: mood completion fish | source. Put it into the"
                + " file that your shell reads when it starts. Commands, options, tags, your palette, and handles with their"
                + " moods are completed."
        ],
        examples: [
            .init("mood completion bash > ~/.local/share/bash-completion/completions/mood", "For every bash of yours."),
            .init("mood completion fish > ~/.config/fish/completions/mood.fish", "For fish."),
        ],
        run: { (client) throws(ClientError) in try client.complete() })
}

extension Client {
    func complete() throws(ClientError) {
        switch invocation.words[0] {
        case "words":
            for candidate in candidates(Array(invocation.words.dropFirst())) {
                try print("\(candidate.word)\t\(candidate.about)\n")
            }
        case "bash": try print(Self.bash)
        case "zsh": try print(Self.zsh)
        case "fish": try print(Self.fish)
        case let name:
            let nearest = Suggestion.question(Suggestion.nearest(to: name, among: ["bash", "zsh", "fish"]))
            throw usage("There are completions for bash, zsh and fish, not for '\(name)'.\(nearest)")
        }
    }

    private struct Candidate {
        let word: String
        let about: String
    }

    /// What may come in place of the last word. A host that cannot be asked is no reason to complete nothing.
    private func candidates(_ words: [String]) -> [Candidate] {
        let current = words.last ?? ""
        let before = words.dropLast()
        let all = candidates(after: before, current)
        let wanted = Folding.folded(current)
        return all.filter { Folding.folded($0.word).hasPrefix(wanted) }.map {
            Candidate(word: $0.word, about: Escaping.visible($0.about))
        }
    }

    private func candidates(after before: ArraySlice<String>, _ current: String) -> [Candidate] {
        let named = before.first { !$0.hasPrefix("-") }
        let known = Command.all.first { command in
            named.map { command.name == $0 || command.aliases.contains($0) } ?? false
        }
        let options = (known?.options ?? []) + CommandOption.everywhere
        if let last = before.last, let option = options.first(where: { Self.isCalled($0, last) }),
            option.value.placeholder != nil
        {
            return values(of: option, current)
        }
        guard let known else {
            guard named == nil || named == "help" else { return [] }
            return Command.all.map { Candidate(word: $0.name, about: $0.summary) }
                + [Candidate(word: "help", about: "Show help.")]
        }
        if current.hasPrefix("-") {
            return options.map { Candidate(word: "--" + $0.name, about: $0.summary) }
        }
        if known.name == Command.add.name { return feelings() }
        if known.name == Command.completion.name {
            return ["bash", "zsh", "fish"].map { Candidate(word: $0, about: "") }
        }
        return known.parameters.contains { $0.name == "ID" } ? handleCandidates() : []
    }

    private static func isCalled(_ option: CommandOption, _ word: String) -> Bool {
        word == "--" + option.name || option.short.map { word == "-\($0)" } == true
    }

    private func values(of option: CommandOption, _ current: String) -> [Candidate] {
        if case .choice(_, let words) = option.value { return words.map { Candidate(word: $0, about: "") } }
        switch option.name {
        case "tag", "where-tag": return tagCandidates()
        case "emoji", "label", "where-emoji", "where-label":
            let isEmoji = option.name.hasSuffix("emoji")
            return palette().feelings.map {
                Candidate(word: isEmoji ? $0.emoji : $0.label, about: isEmoji ? $0.label : $0.emoji)
            }
        default: return []
        }
    }

    private func tagCandidates() -> [Candidate] {
        let answer = (try? call("mood.tags")).flatMap { try? JSONValue.parse($0) }
        return (answer?["tags"]?.array ?? []).compactMap { tag in
            tag["tag"]?.string.map { Candidate(word: $0, about: "\(tag["count"]?.text ?? "") moods") }
        }
    }

    private func feelings() -> [Candidate] {
        palette().feelings.map { Candidate(word: $0.label.lowercased(), about: $0.emoji) }
    }

    private func handleCandidates() -> [Candidate] {
        var candidates = [
            Candidate(word: "@last", about: "the latest mood"), Candidate(word: "@added", about: "the one added last"),
        ]
        guard let listed = try? handles()?.listed(), !listed.isOld else { return candidates }
        for (index, id) in listed.ids.prefix(50).enumerated() {
            guard let result = try? call("mood.get", [.init("id", .string(id))]), let mood = try? mood(result) else {
                continue
            }
            candidates.append(Candidate(word: "@\(index + 1)", about: mood.told(clocks)))
        }
        return candidates
    }

    // MARK: Scripts

    /// bash splits at @ and =, which are parts of our words: the line is split anew.
    private static let bash = #"""
        # Completion of mood for bash.
        _mood() {
            local line="${COMP_LINE:0:COMP_POINT}" words word about current
            if [ -n "$line" ]; then
                read -ra words <<< "$line"
                [[ "$line" == *[[:space:]] ]] && words+=("")
            else
                words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
            fi
            current="${words[${#words[@]}-1]}"
            local before="${current%"${COMP_WORDS[COMP_CWORD]}"}"
            COMPREPLY=()
            while IFS=$'\t' read -r word about; do
                COMPREPLY+=("${word#"$before"}")
            done < <("${words[0]}" completion words -- "${words[@]:1}" 2>/dev/null)
        }
        complete -o default -F _mood mood

        """#

    private static let zsh = #"""
        #compdef mood
        # Completion of mood for zsh.
        _mood() {
            local -a found
            local word about
            while IFS=$'\t' read -r word about; do
                found+=("${word//:/\\:}:$about")
            done < <("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
            if (( ${#found} )); then _describe 'mood' found; else _files; fi
        }
        if [ "${funcstack[1]}" = _mood ]; then _mood "$@"; else compdef _mood mood; fi

        """#

    private static let fish = #"""
        # Completion of mood for fish.
        function __mood_words
            set -l words (commandline -opc)
            $words[1] completion words -- $words[2..-1] (commandline -ct) 2>/dev/null
        end
        complete -c mood -f -a '(__mood_words)'

        """#
}
