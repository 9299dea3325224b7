import CPlatform

/// The program as a keeper of a plugin: what `KeptProcess.start` starts.
///
/// For the first lines of a program, before anything else is touched:
///
///     if Keeper.isAsked { Keeper.run() }
public enum Keeper {
    /// Whether the first argument is the hidden one.
    public static var isAsked: Bool {
        guard CArguments.count > 1, let argument = CArguments[1] else { return false }
        return strcmp(argument, CPLATFORM_KEEPER_ARGUMENT) == 0
    }

    /// Keeps, and ends the process with the plugin. Another program that was started by hand so says that it is not for that.
    public static func run() -> Never {
        var words: [UnsafeMutablePointer<CChar>?] = (0..<CArguments.count).map { CArguments[$0] }
        cplatform_keep(Int32(clamping: words.count), &words)
    }
}
