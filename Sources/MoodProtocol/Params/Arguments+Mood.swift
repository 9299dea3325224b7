import JSONCodec
import MoodCore

extension MoodMembers {
    /// The members of a mood among the params of a call, in the form of `mood.create`.
    public init(_ arguments: borrowing Arguments) {
        self.init()
        var rest = arguments.given
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard let field = arguments.names[index].member else { continue }
            switch field.kind {
            case .id: id = arguments.ids[index]
            case .time:
                self[time: field] =
                    arguments.text(index).map { MoodTime($0, saying: arguments.times[index]) } ?? MoodTime()
            case .emoji, .label, .notes, .timeZone, .line: if let text = arguments.text(index) { take(field, text) }
            case .flag, .tags, .attachments, .number:
                take(field, JSONText(raw: arguments.values[index].bytes, isEscaped: false))
            case .object: _ = take(field, arguments.values[index])
            case .revision: break
            }
        }
    }
}
