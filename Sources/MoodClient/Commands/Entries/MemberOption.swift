import JSONCodec

/// The option and the line in a draft of a mood's member with one plain value. A new member gets a row in `others`.
struct MemberOption: Sendable {
    let member: String
    /// The name of the option and of the line.
    let name: String
    let value: CommandOption.Value
    let summary: String
    /// The form of a value, for a person who has written another.
    let form: String

    init(_ member: String, _ name: String, _ value: CommandOption.Value, _ summary: String, form: String = "a text") {
        (self.member, self.name, self.value, self.summary, self.form) = (member, name, value, summary, form)
    }

    static let valence = MemberOption(
        "valence", "valence", .number("N"), "How pleasant it was, from -1 to 1.", form: "a number from -1 to 1")
    static let timeZone = MemberOption(
        "timeZone", "time-zone", .text("ZONE"),
        "The zone in which it was lived, and of --at, such as Asia/Tokyo.")
    static let others: [MemberOption] = []
    static let all = [valence, timeZone] + others

    var option: CommandOption { CommandOption(name, value, summary) }

    /// The option of `edit` that removes it.
    var removal: (option: String, member: String, value: JSONValue) { ("no-" + name, member, .null) }

    /// The value that a person has written; null for none, nil if it does not have the form.
    func json(_ text: String) -> JSONValue? {
        if text.isEmpty { return .null }
        switch value {
        case .none: return ["yes": true, "no": false][text.lowercased()]
        case .number: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .text, .integer, .choice: return .string(text)
        }
    }

    /// A stored value as a person writes it.
    func text(_ value: JSONValue?) -> String {
        value?.string ?? value?.boolean.map { $0 ? "yes" : "no" } ?? value?.text ?? ""
    }
}

extension Client {
    /// The value of a member's option, if it was given.
    func given(_ row: MemberOption) -> JSONValue? {
        switch row.value {
        case .none: invocation.has(row.name) ? true : nil
        case .number: invocation.number(row.name).map { .double($0) }
        case .text, .integer, .choice: invocation.value(row.name).map { .string($0) }
        }
    }
}
