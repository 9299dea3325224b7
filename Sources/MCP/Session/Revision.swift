import JSONCodec

/// A supported revision of the Model Context Protocol.
///
/// Revisions before 2026-07-28 begin with `initialize`. Since then every request names its revision.
public enum Revision: Int, CaseIterable, Comparable, Sendable {
    case november2024, march2025, june2025, november2025, july2026

    private static let newestFirst = Array(allCases.reversed())

    /// The names for peers, the newest first.
    public static let supported = newestFirst.map { JSONValue.string("\($0.name)") }

    /// The answer to `initialize` with an unknown version.
    public static let newestWithHandshake = Revision.november2025

    public var name: StaticString {
        switch self {
        case .november2024: "2024-11-05"
        case .march2025: "2025-03-26"
        case .june2025: "2025-06-18"
        case .november2025: "2025-11-25"
        case .july2026: "2026-07-28"
        }
    }

    /// Whether each request names its revision, and the host remembers nothing between requests.
    public var isStateless: Bool { self == .july2026 }

    /// Whether clients know structured results and links to resources.
    public var hasStructure: Bool { self >= .june2025 }

    public init?(_ name: JSONText) {
        guard let revision = Self.newestFirst.first(where: { name.equals($0.name) }) else { return nil }
        self = revision
    }

    public static func < (a: Revision, b: Revision) -> Bool { a.rawValue < b.rawValue }
}
