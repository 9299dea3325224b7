import MCP
import MoodCore
import MoodProtocol

/// What AI clients say in words.
extension Core {
    /// Why words were not understood.
    struct WordProblem: Error {
        let reason: String
    }

    /// A moment that is said in words.
    /// - Parameter meaning: which moment of a span.
    mutating func time(
        of text: String, as meaning: Tool.TimeMeaning, zone: String?
    ) -> Result<Timestamp, WordProblem> {
        if let time = Timestamp(text) { return .success(time) }
        return .failure(WordProblem(reason: "must be an RFC 3339 time such as 2026-11-20T10:00:00Z"))
    }

    /// The feeling that a word or an emoji of the palette names.
    mutating func feeling(_ word: String) -> (emoji: String, label: String)? { nil }

    /// The words of the palette that begin so.
    mutating func feelings(beginning text: String) -> [String] { [] }
}
