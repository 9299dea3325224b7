/// The numbers of a release, in one place. `Docs/Changelog.md` says what changed with each, and what a change of each means.
public enum Version {
    /// Both programs, as `--version`, `host.info`, the manual pages and the package say it.
    @inlinable public static var program: String { "0.1.0" }
    /// The day on which this version was made, for manual pages.
    @inlinable public static var date: String { "2026-11-25" }
    /// The protocol over JSON-RPC.
    @inlinable public static var wire: String { "1.0" }
    /// The stored form of the moods.
    @inlinable public static var schema: Int { 3 }

    /// The line that `--version` prints.
    public static func line(of program: String) -> String {
        "\(program) \(self.program) (protocol \(wire), schema \(schema))\n"
    }
}
