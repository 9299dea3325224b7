import JSONCodec

extension Command {
    static let completion = Command(
        "completion", "Print what makes your shell complete mood's words.", Client.complete,
        .word("SHELL", "bash, zsh or fish."),
        .word("WORD", .any, "After 'words' in place of a shell: what stands on the line so far."),
        .note(
            "bash: source <(mood completion bash). zsh: the same after compinit. fish: mood completion fish | source. Put it into the"
                + " file that your shell reads when it starts. Commands, options, tags, your palette, and handles with their"
                + " moods are completed."),
        .example("mood completion bash > ~/.local/share/bash-completion/completions/mood", "For every bash of yours."),
        .example("mood completion fish > ~/.config/fish/completions/mood.fish", "For fish."))
}

extension Client {
    func complete() throws(ClientError) {
        switch invocation.words[0] {
        case "words":
            let words = Array(invocation.words.dropFirst())
            let client = client(ofLine: words.dropLast())
            defer { client.close() }
            for line in Completion(client).lines(words) { try print(line + "\n") }
        case "bash": try print(Self.bash)
        case "zsh": try print(Self.zsh)
        case "fish": try print(Self.fish)
        case let name:
            let nearest = Suggestion.question(Suggestion.nearest(to: name, among: ["bash", "zsh", "fish"]))
            throw usage("There are completions for bash, zsh and fish, not for '\(name)'.\(nearest)")
        }
    }

    /// A client of the store that a line names, else of ours.
    private func client(ofLine words: [String]) -> Client {
        var given = invocation.given
        for (word, next) in zip(words, words.dropFirst()) where word == "--store" { given["store"] = [next] }
        for word in words where word.hasPrefix("--store=") { given["store"] = [String(word.dropFirst(8))] }
        let invocation = Invocation(
            command: invocation.command, words: invocation.words, wordsBeforeDashes: invocation.wordsBeforeDashes,
            given: given)
        return Client(invocation, console: console, launcher: launcher, configuration: configuration)
    }

    // MARK: Scripts

    // Each script runs `mood completion words -- WORDS…`. An answer has a candidate a line: the word, a tab, its
    // meaning. A line that begins with the tab asks for names of files or folders.

    /// bash also splits at @, = and :, which are parts of our words. The script splits the line itself, and keeps of
    /// each candidate only the part that replaces its second argument.
    private static let bash = #"""
        # Completion of mood for bash.
        _mood() {
            local line="${COMP_LINE:0:COMP_POINT}" tab=$'\t' words=() word='' quote='' i c before
            for ((i = 0; i < ${#line}; i++)); do
                c="${line:i:1}"
                if [ -n "$quote" ] && [ "$c" != "$quote" ]; then
                    word+="$c"
                elif [ -n "$quote" ]; then
                    quote=''
                elif [ "$c" = "'" ] || [ "$c" = '"' ]; then
                    quote="$c"
                elif [ "$c" = "\\" ]; then
                    i=$((i + 1))
                    word+="${line:i:1}"
                elif [[ "$c" == [[:space:]] ]]; then
                    [ -z "$word" ] || words+=("$word")
                    word=''
                else
                    word+="$c"
                fi
            done
            while [ "${#words[@]}" -gt 0 ] && [ "${words[0]}" != "$1" ]; do words=("${words[@]:1}"); done
            before="${word%"${2//\\/}"}"
            COMPREPLY=()
            while IFS= read -r line; do
                case "$line" in
                "${tab}files") compopt -o default ;;
                "${tab}folders") compopt -o dirnames ;;
                *)
                    c="${line%%"$tab"*}"
                    c="${c#"$before"}"
                    if [ -z "$quote" ] && [[ "$c" == *[\ \'\"\!\;\&\|\(\)\$\<\>\*\?]* ]]; then c="$(printf %q "$c")"; fi
                    COMPREPLY+=("$c")
                    ;;
                esac
            done < <("$1" completion words -- "${words[@]:1}" "$word" 2>/dev/null)
        }
        complete -F _mood mood

        """#

    private static let zsh = #"""
        #compdef mood
        # Completion of mood for zsh.
        _mood() {
            local -a found
            local line tab=$'\t'
            while IFS= read -r line; do
                case "$line" in
                "${tab}files") _files; return ;;
                "${tab}folders") _files -/; return ;;
                esac
                found+=("${${line%%$tab*}//:/\\:}:${line#*$tab}")
            done < <("${words[1]}" completion words -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
            (( ${#found} )) && _describe 'mood' found -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}'
        }
        if [ "${funcstack[1]}" = _mood ]; then _mood "$@"; else compdef _mood mood; fi

        """#

    private static let fish = #"""
        # Completion of mood for fish.
        function __mood_words
            set -l words (commandline -opc)
            set -l current (commandline -ct | string replace -r '^["\']' '' | string replace -ra '\\\\(.)' '$1')
            test -n "$current"; or set current ''
            for line in ($words[1] completion words -- $words[2..-1] "$current" 2>/dev/null)
                switch $line
                    case \tfiles
                        __fish_complete_path "$current"
                    case \tfolders
                        __fish_complete_directories "$current" ''
                    case '*'
                        echo $line
                end
            end
        end
        complete -c mood -f -a '(__mood_words)'

        """#
}
