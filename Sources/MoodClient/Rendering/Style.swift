/// Colors on a terminal, or none: https://no-color.org, and `--color`, which takes precedence.
struct Style {
    enum Role: Sendable { case plain, heading, quiet, mark, failure }

    let isColored: Bool

    init(isColored: Bool) { self.isColored = isColored }

    /// - Parameters:
    ///   - choice: the value of `--color`; nil counts as auto.
    ///   - usual: the person's setting; the environment takes precedence.
    init(choice: String?, usual: String? = nil, isTerminal: Bool, environment: (String) -> String?) {
        switch choice {
        case "always": isColored = true
        case "never": isColored = false
        default:
            let isRefused = !(environment("NO_COLOR") ?? "").isEmpty || environment("TERM") == "dumb"
            let wanted = choice ?? usual ?? "auto"
            isColored = !isRefused && (wanted == "always" || wanted == "auto" && isTerminal)
        }
    }

    func apply(_ role: Role, to text: String) -> String {
        guard isColored, !text.isEmpty else { return text }
        switch role {
        case .plain: return text
        case .heading: return "\u{1b}[1m\(text)\u{1b}[0m"
        case .quiet: return "\u{1b}[2m\(text)\u{1b}[0m"
        case .mark: return "\u{1b}[33m\(text)\u{1b}[0m"
        case .failure: return "\u{1b}[31m\(text)\u{1b}[0m"
        }
    }
}
