import CPlatform

/// The program as a supervisor ("keeper") of a plugin, started by `KeptProcess.start`.
///
/// Call it in the first lines of a program, before anything else:
///
///     if Keeper.isAsked { Keeper.run() }
public enum Keeper {
    /// Whether the first argument is the hidden one.
    public static var isAsked: Bool {
        guard CArguments.count > 1, let argument = CArguments[1] else { return false }
        return strcmp(argument, CPLATFORM_KEEPER_ARGUMENT) == 0
    }

    /// Supervises the plugin, and ends the process with it. If a user started it by hand, prints that this is not for
    /// users.
    public static func run() -> Never {
        var words: [UnsafeMutablePointer<CChar>?] = (0..<CArguments.count).map { CArguments[$0] }
        cplatform_keep(Int32(clamping: words.count), &words)
    }
}
