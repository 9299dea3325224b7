import JSONRPC
import MCP
import MoodCore
import MoodProtocol
import MoodText

/// Phrases of AI clients: times, feelings, emojis.
extension Core {
    /// The reason why a phrase was not understood.
    struct WordProblem: Error {
        let reason: String
    }

    /// The time of a phrase.
    /// - Parameters:
    ///   - meaning: the time to choose from a span.
    ///   - now: nil: the time of the request.
    mutating func time(
        of text: String, as meaning: ToolParam.Phrase, zone: String?, now: Timestamp? = nil
    ) -> Result<Timestamp, WordProblem> {
        do {
            let said = try self.meaning(of: text, at: "", timeZone: zone, now: now)
            let milliseconds: Int64? =
                switch meaning {
                case .start: said.start
                // The end is exclusive, and a moment is included.
                case .end: said.isSpan ? said.end : min(said.end + 1, Timestamp.maximum.milliseconds)
                default: said.at
                }
            guard let milliseconds, let time = Timestamp(milliseconds: milliseconds) else {
                return .failure(WordProblem(reason: "is a span; name one moment of it, such as yesterday 9pm"))
            }
            return .success(time)
        } catch {
            let error = RPCError(error, .read)
            let reason = error.details.first { $0.name == "reason" }?.value.string
            return .failure(WordProblem(reason: reason ?? error.message))
        }
    }

    /// The feeling that a word or an emoji of the palette names.
    mutating func feeling(_ word: String) -> (emoji: String, label: String)? {
        let palette = usableSettings().palette
        guard let entry = palette.entry(saying: word) ?? palette.entry(emoji: word) else { return nil }
        return (entry.emoji, entry.label)
    }

    /// The words of the palette that begin with the text.
    mutating func feelings(beginning text: String) -> [String] {
        let wanted = text.lowercased()
        return usableSettings().palette.entries.map(\.label).filter { $0.lowercased().hasPrefix(wanted) }
    }

    /// The emojis of the palette that begin with the text; for a nonempty text each with its word.
    mutating func emoji(beginning text: String) -> [String] {
        let found = usableSettings().palette.entries.filter { $0.emoji.hasPrefix(text) }
        return found.flatMap { text.isEmpty ? [$0.emoji] : [$0.emoji, $0.label] }
    }
}
