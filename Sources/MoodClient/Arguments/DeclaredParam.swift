/// A param of a method, as the host declares it. `DeclaredParams` lists them and is made from the published
/// declarations, so the client neither repeats them nor starts a host to know them.
struct DeclaredParam: Sendable {
    enum Kind: Sendable {
        case text, integer, number, boolean
        /// One of these words.
        case choice([String])
        case other
    }

    /// The param's name in the protocol.
    let name: String
    let kind: Kind
    /// The param's default, for people.
    let absent: String?
    /// A sentence for people.
    let summary: String

    init(_ name: String, _ kind: Kind, _ absent: String?, _ summary: String) {
        (self.name, self.kind, self.absent, self.summary) = (name, kind, absent, summary)
    }

    /// The name on the command line: `time-zone` for `timeZone`. A param with a shorter word there keeps it.
    var option: String {
        if name == "component" { return "as" }
        return name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension CommandOption {
    /// An option for a param. The declaration gives its name, values, default and meaning.
    /// - Parameter isOpen: whether a host may accept more words; then the host refuses wrong ones.
    init(_ param: DeclaredParam, short: Character? = nil, _ placeholder: String, isOpen: Bool = false) {
        let value: Value
        var note = param.absent.map { " (default: \($0))" } ?? ""
        switch param.kind {
        case .integer: value = .integer(placeholder)
        case .number: value = .number(placeholder)
        case .boolean: value = .none
        case .choice(let words):
            value = isOpen ? .text(placeholder) : .choice(placeholder, words)
            let told = words.map { $0 == param.absent ? "\($0) (default)" : $0 }
            note = ": " + told.dropLast().joined(separator: ", ") + " or " + (told.last ?? "")
        case .text, .other: value = .text(placeholder)
        }
        let sentence = param.summary.hasSuffix(".") ? String(param.summary.dropLast()) : param.summary
        self.init(param.option, short: short, value, sentence + note + ".")
    }
}
