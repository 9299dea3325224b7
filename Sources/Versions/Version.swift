/// The numbers of a release, in one place. `Docs/Changelog.md` has the changes of each, and their meaning.
public enum Version {
    /// The version of both programs, for `--version`, `host.info`, the manual pages and the package.
    @inlinable public static var program: String { "0.1.0" }
    /// The date of this version, for manual pages.
    @inlinable public static var date: String { "2026-11-25" }
    /// The version of the protocol over JSON-RPC.
    @inlinable public static var wire: String { "1.0" }
    /// The version of the moods' stored form.
    @inlinable public static var schema: Int { 3 }

    /// The line that `--version` prints.
    public static func line(of program: String) -> String {
        "\(program) \(self.program) (protocol \(wire), schema \(schema))\n"
    }
}
