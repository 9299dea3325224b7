/// A command line that was understood.
struct Invocation: Sendable {
    let command: Command
    /// The arguments without a dash, in order.
    let words: [String]
    /// How many of them stood before `--`.
    let wordsBeforeDashes: Int
    /// The values given to each option, in order; a switch has none.
    let given: [String: [String]]

    func has(_ option: String) -> Bool { given[option] != nil }

    /// The last value given.
    func value(_ option: String) -> String? { given[option]?.last }

    func values(_ option: String) -> [String] { given[option] ?? [] }

    /// The value of an option that was declared as a whole number, which the parser has checked.
    func integer(_ option: String) -> Int? { value(option).flatMap { Int($0) } }

    /// The value of an option that was declared as a number, which the parser has checked.
    func number(_ option: String) -> Double? { value(option).flatMap { Double($0) } }
}

/// What a command line asks for.
enum Request: Sendable {
    case run(Invocation)
    /// Help of the program if the command is nil. The invocation has the options so far.
    case help(Command?, Invocation?)
    case version
}
