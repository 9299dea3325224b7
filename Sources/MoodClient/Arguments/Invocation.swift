/// A parsed command line.
struct Invocation: Sendable {
    let command: Command
    /// The arguments without a dash, in order.
    let words: [String]
    /// The number of words before `--`.
    let wordsBeforeDashes: Int
    /// The values given to each option, in order; a switch has none.
    let given: [String: [String]]

    func has(_ option: String) -> Bool { given[option] != nil }

    /// True for a switch that was given, else nil.
    func flag(_ option: String) -> Bool? { has(option) ? true : nil }

    /// The last value given.
    func value(_ option: String) -> String? { given[option]?.last }

    func values(_ option: String) -> [String] { given[option] ?? [] }

    /// The value of an integer option, which the parser has checked.
    func integer(_ option: String) -> Int? { value(option).flatMap { Int($0) } }

    /// The value of a number option, which the parser has checked.
    func number(_ option: String) -> Double? { value(option).flatMap { Double($0) } }
}

/// The kind of request that a command line makes.
enum ParsedCommandLine: Sendable {
    case run(Invocation)
    /// Help on a command, or on the program if nil. The invocation has the options so far.
    case help(Command?, Invocation?)
    case version
}
